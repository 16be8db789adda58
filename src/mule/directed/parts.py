"""What estimates are made of, and how they are put together without losing the proof that they are lower bounds.

A part is 0 where its goal is reached, and no step lowers it by more than one. So it is consistent, and therefore
admissible: a path of n steps to the goal cannot begin where the part is above n. Each part knows the transitions that
may lower it. What two parts say may be added up only where no transition lowers both; otherwise the larger one counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mule.model import Model
from mule.model.expressions import Binary, Conditional, Constant, Expression, variables_read
from mule.model.model import Assign, Receive, Send
from mule.model.variables import Variable
from mule.records import Record

NOTHING = Constant(0)


class Part(Record, frozen=True):
    value: Expression
    """The least number of steps that are needed, as far as this part can tell."""
    lowered_by: frozenset[int]
    """The transitions that may lower it."""


REACHED = Part(NOTHING, frozenset())


def together(parts: Sequence[Part]) -> Part:
    """All goals at once: sums of parts that no transition lowers together, and of these sums the largest."""
    groups: list[list[Part]] = []
    for part in parts:
        if part.value == NOTHING:
            continue
        free = (group for group in groups if all(part.lowered_by.isdisjoint(each.lowered_by) for each in group))
        group = next(free, None)
        if group is None:
            groups.append([part])
        else:
            group.append(part)
    sums = [_folded("+", [part.value for part in group]) for group in groups]
    return Part(_chosen(">=", sums), _union(parts))


def added(parts: Sequence[Part]) -> Part:
    """All goals at once, every part counted: often the better guide, but no lower bound where a step serves two."""
    return Part(_folded("+", [part.value for part in parts if part.value != NOTHING]), _union(parts))


def either(parts: Sequence[Part]) -> Part:
    """One of the goals: the nearest."""
    return Part(_chosen("<=", list(dict.fromkeys(part.value for part in parts))), _union(parts))


def unless(holds: Expression, model: Model) -> Part:
    """One step at least where an expression, which is never undefined, does not hold."""
    return Part(Conditional(holds, NOTHING, Constant(1)), writers(model, variables_read(holds)))


def writers(model: Model, variables: Iterable[Variable]) -> frozenset[int]:
    """The transitions that may change one of the variables."""
    wanted = set(variables)
    return frozenset(
        number
        for number, transition in enumerate(model.transitions)
        if any(wanted & _written(statement) for outcome in transition.outcomes for statement in outcome.statements)
    )


def _written(statement: Assign | Send | Receive) -> set[Variable]:
    match statement:
        case Assign(target, _):
            return {target.variable}
        case Send(channel, _):
            return {channel.length, *channel.fields}
        case Receive(channel, targets):
            return {channel.length, *channel.fields, *(each.variable for each in targets if each is not None)}


def _union(parts: Iterable[Part]) -> frozenset[int]:
    return frozenset().union(*(part.lowered_by for part in parts))


def _folded(operator: str, values: Sequence[Expression]) -> Expression:
    result = NOTHING if not values else values[0]
    for value in values[1:]:
        result = Binary(operator, result, value)
    return result


def _chosen(comparison: str, values: Sequence[Expression]) -> Expression:
    """The largest, or the least."""
    result: Expression = NOTHING if not values else values[0]
    for value in values[1:]:
        result = Conditional(Binary(comparison, result, value), result, value)
    return result
