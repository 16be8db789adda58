"""What a search for properties of states and steps has found, explained."""

from __future__ import annotations

from collections.abc import Sequence

from mule.engine import Found, SearchResult
from mule.model import Model
from mule.model.expressions import FALSE, Expression
from mule.model.interpreter import Failure, Interpreter, State
from mule.planning import Preparation
from mule.records import Record
from mule.results import Trail, TrailError, Violation, ViolationKind

NO_DEADLOCK = "no deadlock"
NO_ERROR = "no error of the model"
NO_VIOLATED_ASSERTION = "no violated assertion"

PropertyName = tuple[ViolationKind, str]
"""A property by its kind and its text."""


class Stated(Record, frozen=True):
    """A property of single states, where it has an expression, or else of steps or of the ends of runs."""

    kind: ViolationKind
    text: str
    expression: Expression | None = None

    @property
    def name(self) -> PropertyName:
        return self.kind, self.text

    @property
    def words(self) -> str:
        return self.text if self.expression is None else f"{self.kind.value} {self.text}"


def explained(prepared: Preparation, properties: Sequence[Stated], found: SearchResult) -> Violation | None:
    """What a search has found, in words and with its trail, which is followed by the reference interpreter first."""
    if found.found is Found.NOTHING:
        return None
    trail = prepared.trail(found.path)
    shortest = prepared.is_shortest(found)
    if found.found is Found.DEADLOCK:
        kind, text, message = ViolationKind.DEADLOCK, NO_DEADLOCK, why_dead(prepared.model, trail.states[-1])
    elif found.found is Found.FAILURE:
        failure = trail.taken[-1].failure
        _require(failure is not None, "does not end in an error")
        kind, text, message = ViolationKind.MODEL_ERROR, NO_ERROR, str(failure)
        if prepared.model.transitions[trail.taken[-1].transition].asserts:
            kind, text = ViolationKind.ASSERTION, NO_VIOLATED_ASSERTION
    else:
        broken = properties[found.proposition]
        kind, text = broken.kind, broken.text
        message = why_false(prepared.model, broken, trail)
    return Violation(kind, text, message, trail, shortest)


def why_dead(model: Model, state: State) -> str:
    """What keeps a state from going on; TrailError where it is no deadlock."""
    interpreter = Interpreter(model)
    dead = not any(True for _ in interpreter.steps(state)) and not interpreter.evaluate(model.end_states, state)
    _require(dead, "is not a deadlock")
    if model.end_states == FALSE:
        return "no process can move"
    places = ((process, state[model.slot_of[process.location]]) for process in model.processes)
    stuck = [
        f"{process.name} in {process.locations[at]}"
        for process, at in places
        if not interpreter.evaluate(process.may_stop, state)
    ]
    return f"invalid end state: no process can move, with {', '.join(stuck)}"


def why_false(model: Model, broken: Stated, trail: Trail) -> str:
    """How the last state breaks a property of single states; TrailError where it does not."""
    expression = broken.expression
    assert expression is not None
    try:
        value = Interpreter(model).evaluate(expression, trail.states[-1])
    except Failure as failure:
        return f"{broken.kind.value} {broken.text} has no value: {failure}"
    _require(value == 0, "ends in a state in which the property holds")
    return f"{broken.kind.value} {broken.text} is false"


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise TrailError(f"the trail found {problem}: please report this defect of Mule")
