"""What a run violates: a property by its kind and text, judged on one trail by the reference semantics."""

from __future__ import annotations

from collections.abc import Sequence

from mule.errors import MuleError
from mule.explaining import NO_DEADLOCK, NO_ERROR, NO_VIOLATED_ASSERTION, Stated, why_dead, why_false
from mule.model import Model
from mule.model.expressions import Expression, Undefined, negation
from mule.model.interpreter import Failure, Interpreter, State
from mule.options import Fairness
from mule.results import Trail, TrailError, Violation, ViolationKind


class Undecided(Exception):  # noqa: N818 (nobody is at fault)
    """One run cannot show whether the property is violated; the text says why."""


def violated_by(trail: Trail, kind: ViolationKind, text: str, fairness: Fairness = "none") -> Violation | None:
    """What the trail shows to be violated; None: it does not violate the property. `Undecided` where a single run, or
    this one, cannot tell."""
    if kind is ViolationKind.TEMPORAL:
        from mule.trails.runs import temporal_violation

        return temporal_violation(trail, text, fairness)
    message = _broken(trail, kind, text)
    return None if message is None else Violation(kind, text, message, trail)


def _broken(trail: Trail, kind: ViolationKind, text: str) -> str | None:
    model, failure = trail.model, trail.taken[-1].failure if trail.taken else None
    if text == NO_VIOLATED_ASSERTION or (kind is ViolationKind.MODEL_ERROR and text == NO_ERROR):
        wanted = text == NO_VIOLATED_ASSERTION
        asserts = failure is not None and model.transitions[trail.taken[-1].transition].asserts
        return failure if failure is not None and asserts == wanted else None
    if failure is not None:
        return None
    try:
        if kind is ViolationKind.DEADLOCK and text == NO_DEADLOCK:
            return why_dead(model, trail.states[-1])
        if is_inside_a_step(model, trail.states[-1]):
            return None
        return why_false(model, stated(model, kind, text), trail)
    except TrailError:
        return None


def stated(model: Model, kind: ViolationKind, text: str) -> Stated:
    """A property of single states: one that the model declares, or an expression."""
    for assertion in model.assertions:
        if (assertion.word, assertion.name) == (kind.value, text):
            return Stated(kind, text, assertion.expression)
    if kind is ViolationKind.MODEL_ERROR and text.startswith(VALUE_FOR) and model.parse_expression is not None:
        return _has_value(model, text)
    if kind is not ViolationKind.INVARIANT:
        raise Undecided(f"there is no {kind.value} `{text}` in the model")
    if model.parse_expression is None:
        raise Undecided(f"{model.language} models have no expressions to write invariants in")
    try:
        return Stated(kind, text, model.parse_expression(text))
    except MuleError as error:
        raise Undecided(f"the invariant cannot be read in this model: {error.message}") from None


VALUE_FOR, IN_EVERY_STATE = "a value for ", " in every state"
"""How the property begins and ends that a proposition has a value (see `mule.temporal.evaluable`)."""


def _has_value(model: Model, text: str) -> Stated:
    assert model.parse_expression is not None
    try:
        expression = model.parse_expression(text.removeprefix(VALUE_FOR).removesuffix(IN_EVERY_STATE))
    except MuleError:
        raise Undecided("of several propositions it is not known here which one has no value") from None
    return Stated(ViolationKind.MODEL_ERROR, text, negation(Undefined(expression)))


def is_inside_a_step(model: Model, state: State) -> bool:
    """Whether it is a state that nobody judges."""
    return model.transient is not None and holds(model, model.transient, state)


def holds(model: Model, expression: Expression, state: State) -> bool:
    """False where it has no value."""
    try:
        return Interpreter(model).evaluate(expression, state) != 0
    except Failure:
        return False


def first_violation(
    trails: Sequence[Trail], kind: ViolationKind, text: str, fairness: Fairness = "none"
) -> Violation | None:
    """Of several runs that fit a file, the first one that violates the property."""
    undecided: Undecided | None = None
    for trail in trails:
        try:
            found = violated_by(trail, kind, text, fairness)
        except Undecided as error:
            undecided = undecided or error
            continue
        if found is not None:
            return found
    if undecided is not None:
        raise undecided
    return None
