"""Runs that violate a property, in terms of the model as written."""

from __future__ import annotations

from collections.abc import Sequence

from mule.ltl.words import accepts
from mule.model import Model
from mule.model.expressions import Expression
from mule.model.interpreter import Failure, Interpreter, State
from mule.results import Trail, TrailError, replay
from mule.temporal.questions import Question

ROUNDS = 64
"""How often a cycle of the smaller model is followed in the model as written to see whether it meets a state again."""

Choice = tuple[int, int] | None
"""A transition and its outcome; None: nothing can move, and time goes on."""


def lasso(model: Model, question: Question, prefix: Sequence[Choice], cycle: Sequence[Choice]) -> Trail:
    """A run that the automaton accepts, in terms of the model as written and followed by the reference interpreter.

    The states of a smaller model leave things out, so the cycle is followed until a state is met again. Where something
    that nobody reads counts on and on, as far as its type goes, no state may be: then the loop is one turn of the
    cycle, and `goes_on` says what differs at its two ends."""
    moves = [step for step in prefix if step is not None]
    turn = [step for step in cycle if step is not None]
    start = replay(model, moves)
    ends = [start.states[-1]]
    if not turn:
        trail = Trail(model, start.states, start.taken, loop=len(start))
        _require_accepted(model, question, trail.states, trail.states[-1:])
        return trail
    states, steps = list(start.states), list(start.taken)
    for _ in range(ROUNDS):
        once = replay(model, turn, begin=states[-1])
        states += once.states[1:]
        steps += once.taken
        if states[-1] in ends:
            entrance = len(moves) + len(turn) * ends.index(states[-1])
            break
        ends.append(states[-1])
    else:
        entrance = len(moves)
        del states[entrance + len(turn) + 1 :], steps[entrance + len(turn) :]
    _require_accepted(model, question, states[:entrance], states[entrance:-1])
    return _rolled_up(Trail(model, tuple(states), tuple(steps), loop=entrance))


def _rolled_up(trail: Trail) -> Trail:
    """The same run with the shortest way to its cycle, and the cycle written once. The automaton often notices a step
    later that the run goes round."""
    states, steps, loop = trail.states, trail.taken, trail.loop
    assert loop is not None
    if states[loop] != states[-1]:
        return trail
    turn = len(steps) - loop
    shortest = next(
        length
        for length in range(1, turn + 1)
        if turn % length == 0 and tuple(steps[loop:]) == tuple(steps[loop : loop + length]) * (turn // length)
    )
    end = loop + shortest
    while loop > 0 and steps[loop - 1] == steps[end - 1] and states[loop - 1] == states[end - 1]:
        loop, end = loop - 1, end - 1
    return Trail(trail.model, states[: end + 1], steps[:end], loop=loop)


def goes_on(model: Model, trail: Trail) -> list[str]:
    """The variables that are not the same at the two ends of a trail's loop."""
    if trail.loop is None:
        return []
    ends = zip(trail.states[trail.loop], trail.states[-1], strict=True)
    changed = (model.slot_variables[slot][0].name for slot, (first, last) in enumerate(ends) if first != last)
    return list(dict.fromkeys(changed))


def _require_accepted(model: Model, question: Question, stem: Sequence[State], loop: Sequence[State]) -> None:
    if not accepts_run(model, question, stem, loop):
        raise TrailError("the automaton does not accept the run found: please report this defect of Mule")


def accepts_run(model: Model, question: Question, stem: Sequence[State], loop: Sequence[State]) -> bool:
    """Whether a run through these states, the last ones for ever, violates the property."""
    interpreter = Interpreter(model)

    def letters(states: Sequence[State]) -> list[int]:
        seen = [s for s in states if model.transient is None or not _holds(interpreter, model.transient, s)]
        return [
            sum(_holds(interpreter, atom, state) << index for index, atom in enumerate(question.atoms))
            for state in seen
        ]

    word = letters(loop)
    return bool(word) and accepts(question.automaton, letters(stem), word)


def _holds(interpreter: Interpreter, expression: Expression, state: State) -> bool:
    try:
        return interpreter.evaluate(expression, state) != 0
    except Failure:
        return False
