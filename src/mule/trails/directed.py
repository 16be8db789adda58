"""Trail-directed search: A* in the model as written, guided by what a given trail has found."""

from __future__ import annotations

from mule.directed.given_state import fsm_distance, hamming_distance
from mule.directed.goals import Estimate
from mule.driving import ProgressCallback
from mule.effects import limits_only
from mule.engine import Found
from mule.explaining import NO_ERROR, NO_VIOLATED_ASSERTION, PropertyName
from mule.model import Guard, Kind, Model
from mule.model.expressions import FALSE, Binary, Constant, Expression, Read, negation
from mule.model.interpreter import State
from mule.model.simplify import joined
from mule.options import Options
from mule.planning import Analysis, Plan, Preparation, bounds, resolve, search_options
from mule.properties import Properties
from mule.records import replace
from mule.results import Trail, TrailError, Violation, ViolationKind, replay
from mule.safety import judge_safety
from mule.trails.judging import is_inside_a_step
from mule.trails.shortening import Attempt, is_same, last_statement

TO_THE_STATE = "A* to the same state"
TO_THE_VIOLATION = "A* to any such state"


def to_the_state(
    trail: Trail, asked: Options, progress: ProgressCallback | None
) -> tuple[Trail | None, int, str | None]:
    """The shortest way to the last state of the trail that can be judged, and from there on as before; how many states
    that took, and why it was given up, if it was. The estimate is the larger of the FSM distance and the Hamming
    distance, which are lower bounds both."""
    model = without_found_errors(trail.model)
    last = max(at for at, state in enumerate(trail.states) if not is_inside_a_step(model, state))
    if last == 0:
        return None, 0, None
    wanted = trail.states[last]
    options = resolve(limits_only(asked).but(search="astar", por="none", as_written=True), "safety")
    analysis = Analysis(model)
    elsewhere = negation(is_state(model, wanted))
    prepared = Preparation(Plan(analysis, options, "safety", (elsewhere,)))
    prepared.estimate = _distance(prepared.searched, bounds(prepared.domains), wanted)
    found = prepared.search(search_options(options, "safety"), progress)
    if found.found is not Found.PROPOSITION:
        return None, found.progress.states, found.stopped
    way = prepared.trail(found.path)
    choices = [(step.transition, step.outcome) for step in (*way.taken, *trail.taken[last:])]
    return replay(trail.model, choices), found.progress.states, found.stopped


def _distance(model: Model, limits: list[tuple[int, int]], state: State) -> Estimate:
    fsm, hamming = fsm_distance(model, limits, state).value, hamming_distance(model, state).value
    why = "the larger of two lower bounds: FSM distance and Hamming distance"
    return Estimate(Binary("max", fsm, hamming), True, True, why)


def is_state(model: Model, state: State) -> Expression:
    """True in this one state."""
    return joined(
        "and",
        [
            Binary("==", Read(variable, None if index is None else Constant(index)), Constant(value))
            for (variable, index), value in zip(model.slot_variables, state, strict=True)
        ],
    )


def to_any_such_violation(given: Violation, asked: Options, progress: ProgressCallback | None) -> Attempt:
    """The shortest trail to the same violation, guided by the estimate for its property."""
    options = limits_only(asked).but(search="astar", por="none", as_written=True)
    model = without_found_errors(given.trail.model)
    wanted, left_out = asked_for(given, model)
    found = judge_safety(_with_only(given, model), wanted, options, progress, left_out).result
    stopped = found.stopped
    for violation in found.violations:
        if is_same(violation, given):
            return Attempt(_in_the_model_of(given, violation), found.states, stopped)
    return Attempt(None, found.states, stopped)


def _in_the_model_of(given: Violation, found: Violation) -> Violation:
    """With a trail of the same model, so that its steps have the same numbers, unless the search needed more room."""
    choices = [(step.transition, step.outcome) for step in found.trail.taken]
    ours, theirs = given.trail.model.transitions, found.trail.model.transitions
    if any(each >= len(ours) or ours[each].name != theirs[each].name for each, _ in choices):
        return found
    try:
        return replace(found, trail=replay(given.trail.model, choices))
    except TrailError:
        return found


def asked_for(given: Violation, model: Model) -> tuple[Properties, frozenset[PropertyName]]:
    """The violated property alone, and what else would be asked with it."""
    errors: set[PropertyName] = {(ViolationKind.MODEL_ERROR, NO_ERROR)}
    if given.kind is ViolationKind.DEADLOCK:
        return Properties(deadlock=True), frozenset(errors)
    declared: set[PropertyName] = {(ViolationKind(each.word), each.name) for each in model.assertions}
    if given.trail.taken and given.trail.taken[-1].failure is not None:
        return Properties(assertions=True), frozenset(declared)
    if (given.kind, given.property) in declared:
        others = declared - {(given.kind, given.property)} | errors
        return Properties(assertions=True), frozenset(others | {(ViolationKind.ASSERTION, NO_VIOLATED_ASSERTION)})
    return Properties(invariants=(given.property,)), frozenset(errors)


def _with_only(given: Violation, model: Model) -> Model:
    """With the violations of other assertions, which would end the search, made impossible, where an assertion of the
    code is violated."""
    last = given.trail.taken[-1] if given.trail.taken else None
    if last is None or last.failure is None:
        return model
    failing = given.trail.model.transitions[last.transition]
    if not failing.asserts:
        return model
    wanted = last_statement(failing)
    never = len(model.guards)
    guards = (*model.guards, Guard(FALSE, "false"))
    transitions = tuple(
        replace(each, guards=(never, *each.guards)) if each.asserts and last_statement(each) != wanted else each
        for each in model.transitions
    )
    return replace(model, guards=guards, transitions=transitions)


def without_found_errors(model: Model) -> Model:
    """The model without the error transitions that an analysis adds: it will add them again."""
    kept = tuple(each for each in model.transitions if each.kind is Kind.STEP or each.failure)
    return model if len(kept) == len(model.transitions) else replace(model, transitions=kept)
