"""What estimates are made of, and how they are put together without losing the proof that they are lower bounds.

A part is 0 where its goal is reached, and no step lowers it by more than one. So it is consistent, and therefore
admissible: a path of n steps to the goal cannot begin where the part is above n. Each part knows the transitions that
may lower it. What two parts say may be added up only where no transition lowers both; otherwise the larger one counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from mule.model import Model
from mule.model.expressions import Binary, Conditional, Constant, Expression, joined, variables_read
from mule.model.model import Assign, Receive, Send
from mule.model.variables import Variable
from mule.records import Record

NOTHING = Constant(0)
NEVER = 1_000_000
"""The distance to what cannot be reached."""


class Part(Record, frozen=True):
    value: Expression
    """The least number of steps that are needed, as far as this part can tell."""
    lowered_by: frozenset[int]
    """The transitions that may lower it."""


REACHED = Part(NOTHING, frozenset())


class Writers:
    """Which transitions of a model write which variables."""

    def __init__(self, model: Model) -> None:
        by_variable: dict[Variable, set[int]] = defaultdict(set)
        for number, transition in enumerate(model.transitions):
            for outcome in transition.outcomes:
                for statement in outcome.statements:
                    for variable in written(statement):
                        by_variable[variable].add(number)
        self._of = {variable: frozenset(numbers) for variable, numbers in by_variable.items()}

    def of(self, variables: Iterable[Variable]) -> frozenset[int]:
        """The transitions that may change one of the variables."""
        return frozenset().union(*(self._of.get(variable, frozenset()) for variable in variables))


class _Group:
    """Parts that no transition lowers together."""

    def __init__(self) -> None:
        self.values: list[Expression] = []
        self.lowered_by: frozenset[int] = frozenset()

    def takes(self, part: Part) -> bool:
        if not self.lowered_by.isdisjoint(part.lowered_by):
            return False
        self.values.append(part.value)
        self.lowered_by |= part.lowered_by
        return True


def together(parts: Sequence[Part]) -> Part:
    """All goals at once: sums of parts that no transition lowers together, and of these sums the largest."""
    groups: list[_Group] = []
    for part in parts:
        if part.value != NOTHING and not any(group.takes(part) for group in groups):
            groups.append(_Group())
            groups[-1].takes(part)
    sums = [_folded("+", group.values) for group in groups]
    return Part(maximum(sums), _union(parts))


def added(parts: Sequence[Part]) -> Part:
    """All goals at once, every part counted: often the better guide, but no lower bound where a step serves two."""
    return Part(_folded("+", [part.value for part in parts if part.value != NOTHING]), _union(parts))


def either(parts: Sequence[Part]) -> Part:
    """One of the goals: the nearest."""
    return Part(_folded("min", list(dict.fromkeys(part.value for part in parts))), _union(parts))


def maximum(values: Sequence[Expression]) -> Expression:
    return _folded("max", values)


def one_step_more(part: Part) -> Part:
    """To a step that is possible where the goal is reached, after it was taken."""
    return Part(Constant(1) if part.value == NOTHING else Binary("+", part.value, Constant(1)), part.lowered_by)


def unless(holds: Expression, writers: Writers) -> Part:
    """One step at least where an expression, which is never undefined, does not hold."""
    return Part(Conditional(holds, NOTHING, Constant(1)), writers.of(variables_read(holds)))


def written(statement: Assign | Send | Receive) -> set[Variable]:
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
    """Each value stands in the result once, so that an estimate is no larger than its parts are together."""
    return joined(operator, values) if values else NOTHING
