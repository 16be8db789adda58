"""Where a model can go wrong: undefined guards become error transitions of their own, failing effects are found.

Run `with_error_transitions` before any transformation that folds constants: a guard that is undefined for some index
is simply false in the instance for that index.
"""

from __future__ import annotations

from collections.abc import Iterable

from mule.model.abstraction import Evaluation
from mule.model.closures import always_fits
from mule.model.domains import Domains
from mule.model.expressions import (
    EXACT,
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    Undefined,
    children,
    negation,
)
from mule.model.model import Assign, Guard, Kind, Model, Outcome, Receive, Send, Statement, Transition
from mule.model.value_sets import Domain, Overlay, highest, hull, join, lowest, outside, wrap_domain
from mule.model.variables import Channel, IntegerType
from mule.records import replace


def may_fail(expression: Expression, domains: Domains, given: Iterable[Expression] = ()) -> bool:
    """Whether evaluating the expression can be undefined where the given predicates hold."""
    if not _has_partial_operator(expression):
        return False
    overlay = domains.given(given)
    return overlay is not None and _fails(domains, expression, overlay)


def effects_may_fail(model: Model, transition: Transition, domains: Domains) -> bool:
    """Whether some outcome of an enabled transition can fail."""
    if not any(_is_risky(outcome) for outcome in transition.outcomes):
        return False
    overlay = domains.before(model, transition.guards)
    return overlay is not None and any(_outcome_fails(domains, outcome, overlay) for outcome in transition.outcomes)


def with_error_transitions(model: Model, domains: Domains) -> Model:
    """The model with a transition for each guard that may be undefined while the guards before it hold, be it of a step
    or of an error that has words of its own (a violated assertion)."""
    guards = list(model.guards)
    numbers = {guard.expression: number for number, guard in enumerate(guards)}
    risky = [_has_partial_operator(guard.expression) for guard in guards]
    errors: list[Transition] = []
    seen: set[tuple[int, ...]] = set()
    for transition in model.transitions:
        if transition.kind is Kind.ERROR and not transition.failure:
            continue
        for position, guard in enumerate(transition.guards):
            if not risky[guard]:
                continue
            prefix = transition.guards[:position]
            expression = model.guards[guard].expression
            if not may_fail(expression, domains, [model.guards[each].expression for each in prefix]):
                continue
            undefined = Undefined(expression)
            if undefined not in numbers:
                numbers[undefined] = len(guards)
                guards.append(Guard(undefined, f"undefined({model.guards[guard].text})"))
            needed = (*prefix, numbers[undefined])
            if needed in seen:
                continue
            seen.add(needed)
            errors.append(
                replace(
                    transition,
                    name=f"{transition.name}: error",
                    guards=needed,
                    outcomes=(),
                    kind=Kind.ERROR,
                    origins=(),
                    failure="",
                    asserts=False,
                )
            )
    if not errors:
        return model
    return replace(model, guards=tuple(guards), transitions=(*model.transitions, *errors))


def advance(evaluation: Evaluation, statement: Statement, values: list[Domain], state: Overlay) -> None:
    """What the slots can hold after a statement, which need not be values that any state between steps holds."""
    match statement:
        case Assign(Read(variable, index) as target, value):
            stored = wrap_domain(evaluation.image(value, values, state), variable.type)
            static = index is None or isinstance(index, Constant)
            base = evaluation.slot_of[variable]
            for position in evaluation.indices(target, values, state):
                slot = base + position
                state[slot] = stored if static else join(state.get(slot) or values[slot], stored)
        case Send(channel, _):
            _forget(evaluation, channel, values, state, +1)
        case Receive(channel, targets):
            _forget(evaluation, channel, values, state, -1)
            for destination in targets:
                if destination is not None:
                    kind = destination.variable.type
                    base = evaluation.slot_of[destination.variable]
                    for position in evaluation.indices(destination, values, state):
                        state[base + position] = hull(kind.low, kind.high)


def _forget(evaluation: Evaluation, channel: Channel, values: list[Domain], state: Overlay, difference: int) -> None:
    length = evaluation.slot_of[channel.length]
    counts = state.get(length) or values[length]
    state[length] = frozenset(count + difference for count in counts if 0 <= count + difference <= channel.capacity)
    for field in channel.fields:
        base = evaluation.slot_of[field]
        for slot in range(base, base + field.size):
            state[slot] = hull(field.type.low, field.type.high)


def _has_partial_operator(expression: Expression) -> bool:
    if type(expression) is Constant or (type(expression) is Read and expression.index is None):
        return False  # most are: a match takes longer
    match expression:
        case Undefined():
            return False
        case Read(variable, index) if index is not None:
            if not isinstance(index, Constant):
                return True
            return not 0 <= index.value < variable.size
        case Binary("/" | "%", _, divisor) if not (isinstance(divisor, Constant) and divisor.value != 0):
            return True
        case Binary(name, _, _) if name in EXACT:
            return True
    return any(_has_partial_operator(child) for child in children(expression))


def _is_risky(outcome: Outcome) -> bool:
    if outcome.condition is not None and _has_partial_operator(outcome.condition):
        return True
    return any(
        not isinstance(statement, Assign)
        or _has_partial_operator(statement.target)
        or _has_partial_operator(statement.value)
        or statement.target.variable.type.checked
        for statement in outcome.statements
    )


def _outcome_fails(domains: Domains, outcome: Outcome, before: Overlay) -> bool:
    evaluation, values, state = domains.evaluation, domains.values, dict(before)
    if outcome.condition is not None:
        if _fails(domains, outcome.condition, state):
            return True
        if not evaluation.refine(outcome.condition, values, state):
            return False
    for statement in outcome.statements:
        match statement:
            case Assign(target, value):
                if any(_has_partial_operator(each) and _fails(domains, each, state) for each in (value, target)):
                    return True
                if _overflows(evaluation.image(value, values, state), target.variable.type):
                    return True
            case Send(channel, messages):
                length = evaluation.slot_of[channel.length]
                if highest(state.get(length) or values[length]) >= channel.capacity:
                    return True
                if any(_fails(domains, message, state) for message in messages):
                    return True
                images = (evaluation.image(message, values, state) for message in messages)
                if any(_overflows(image, field.type) for image, field in zip(images, channel.fields, strict=True)):
                    return True
            case Receive(channel, targets):
                length = evaluation.slot_of[channel.length]
                if lowest(state.get(length) or values[length]) <= 0:
                    return True
                heads = [
                    state.get(slot) or values[slot] for slot in map(evaluation.slot_of.__getitem__, channel.fields)
                ]
                advance(evaluation, statement, values, state)
                for destination, head in zip(targets, heads, strict=True):
                    if destination is not None and (
                        _fails(domains, destination, state) or _overflows(head, destination.variable.type)
                    ):
                        return True
                continue
        advance(evaluation, statement, values, state)
    return False


def _overflows(image: Domain, kind: IntegerType) -> bool:
    return kind.checked and outside(image, kind)


def _fails(domains: Domains, expression: Expression, overlay: Overlay) -> bool:
    """Whether the expression can be undefined, with what is known of the slots so far."""
    evaluation, values = domains.evaluation, domains.values
    match expression:
        case Constant() | Undefined():
            return False
        case Read(variable, index):
            if index is None:
                return False
            if _fails(domains, index, overlay):
                return True
            image = evaluation.image(index, values, overlay)
            return bool(image) and not 0 <= lowest(image) <= highest(image) < variable.size
        case Binary("and" | "or" as name, left, right):
            if _fails(domains, left, overlay):
                return True
            narrowed = dict(overlay)
            decided = left if name == "and" else negation(left)
            return evaluation.refine(decided, values, narrowed) and _fails(domains, right, narrowed)
        case Conditional(test, then, otherwise):
            if _fails(domains, test, overlay):
                return True
            yes, no = dict(overlay), dict(overlay)
            if evaluation.refine(test, values, yes) and _fails(domains, then, yes):
                return True
            return evaluation.refine(negation(test), values, no) and _fails(domains, otherwise, no)
        case Binary("/" | "%", left, right):
            if _fails(domains, left, overlay) or _fails(domains, right, overlay):
                return True
            return 0 in evaluation.image(right, values, overlay)
        case Binary(name, left, right) if name in EXACT:
            if _fails(domains, left, overlay) or _fails(domains, right, overlay):
                return True
            a, b = (evaluation.image(side, values, overlay) for side in (left, right))
            if not a or not b:
                return False
            if name == "/!" and 0 in b:
                return True
            return not always_fits(name, (lowest(a), highest(a)), (lowest(b), highest(b)))
    return any(_fails(domains, child, overlay) for child in children(expression))
