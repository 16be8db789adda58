"""The steps that every run begins with: where only one thing can happen, it need not be searched.

Programs often start with one process that creates all others. What it does is done here once and for all; the search
begins after it, and the analyses see what it has set up as constants. The steps must not be seen: no observed
expression changes along them, invariants hold, and nothing can go wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from mule.model.expressions import TRUE, Expression, location_test
from mule.model.interpreter import Failure, Interpreter, State, Step
from mule.model.model import Kind, Model

STEPS = 200
"""A program that runs longer than this without a choice may as well be searched."""
LOOKS = 500_000
"""The same for how many transitions are looked at on the way."""


def run_ahead(
    model: Model, observed: Sequence[Expression], all_hold: bool = True
) -> tuple[list[tuple[int, int]], State]:
    """The steps up to the first choice, as (transition, outcome), and the state they lead to.

    `all_hold`: whether what is observed must hold, as invariants do, or only stay as it is."""
    interpreter, places = Interpreter(model), _Places(model)
    state = model.initial_state
    seen = {state}
    steps: list[tuple[int, int]] = []
    best = (0, state)
    while len(steps) < STEPS and places.looks < LOOKS and (not all_hold or _all_hold(interpreter, observed, state)):
        step = _only_step(interpreter, places, state)
        if step is None or step.target in seen:
            break
        if not _looks_the_same(interpreter, observed, state, step.target):
            break
        steps.append((step.transition, step.outcome))
        state = step.target
        seen.add(state)
        if model.transient is None or not interpreter.evaluate(model.transient, state):
            best = (len(steps), state)
    count, reached = best
    return steps[:count], reached


class _Places:
    """The transitions by the place of the process that each of them asks for first."""

    def __init__(self, model: Model) -> None:
        self._at: dict[tuple[int, int], list[int]] = {}
        self._anywhere: list[int] = []
        for number, transition in enumerate(model.transitions):
            first = model.guards[transition.guards[0]].expression if transition.guards else TRUE
            place = location_test(first)
            if place is None:
                self._anywhere.append(number)
            else:
                self._at.setdefault((model.slot_of[place[0]], place[1]), []).append(number)
        self._slots = {slot for slot, _ in self._at}
        self.looks = 0
        """How many candidates there were."""

    def candidates(self, state: State) -> list[int]:
        """All transitions but those whose first guard is false."""
        here = (number for slot in self._slots for number in self._at.get((slot, state[slot]), ()))
        found = sorted((*self._anywhere, *here))
        self.looks += len(found)
        return found


def _only_step(interpreter: Interpreter, places: _Places, state: State) -> Step | None:
    """The step that must be taken; None where there is none, a choice, or something that has no value."""
    found: Step | None = None
    for number in places.candidates(state):
        transition = interpreter.model.transitions[number]
        try:
            enabled = _enabled(interpreter, transition.guards, state)
        except Failure:
            return None
        if not enabled:
            continue
        if found is not None or transition.kind is Kind.ERROR or len(transition.outcomes) != 1:
            return None
        steps = list(interpreter.fire(number, state))
        if len(steps) != 1 or steps[0].failure is not None:
            return None
        found = steps[0]
    return found


def _enabled(interpreter: Interpreter, guards: Sequence[int], state: State) -> bool:
    """Unlike the interpreter's own answer, this fails where a guard has no value."""
    return all(interpreter.evaluate(interpreter.model.guards[guard].expression, state) for guard in guards)


def _all_hold(interpreter: Interpreter, observed: Sequence[Expression], state: State) -> bool:
    try:
        return all(interpreter.evaluate(expression, state) for expression in observed)
    except Failure:
        return False


def _looks_the_same(interpreter: Interpreter, observed: Sequence[Expression], before: State, after: State) -> bool:
    try:
        return all(interpreter.evaluate(each, before) == interpreter.evaluate(each, after) for each in observed)
    except Failure:
        return False
