"""How far the value of a single variable is from values that are wanted: the steps of the model, seen through this
variable alone, are a small graph (a process's control graph, if the variable is its location). No step of the model
moves the variable by more than one edge, so the distance in the graph is lowered by at most one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from mule.directed.parts import NEVER, Part, Writers
from mule.model import Model, Transition
from mule.model.expressions import Binary, Constant, Expression, Lookup, Read
from mule.model.model import Assign, Receive, Send, Statement
from mule.model.variables import Variable
from mule.records import Record

MOST_VALUES = 1024
"""Of a variable with more values only "not there yet" is said."""

Values = frozenset[int]


class Change(Record, frozen=True):
    """What a step may do to the value of a slot: add one of these numbers, or replace it by one of those."""

    added: Values = frozenset({0})
    replaced_by: Values | None = frozenset()
    """None: by any value."""

    def then_added(self, number: int) -> Change:
        shifted = None if self.replaced_by is None else frozenset(value + number for value in self.replaced_by)
        return Change(frozenset(each + number for each in self.added), shifted)

    def or_else(self, other: Change) -> Change:
        anything = self.replaced_by is None or other.replaced_by is None
        return Change(
            self.added | other.added, None if anything else (self.replaced_by or EMPTY) | (other.replaced_by or EMPTY)
        )


EMPTY: Values = frozenset()
TO_ANYTHING = Change(EMPTY, None)


class Slot:
    """A scalar, or an array element with a constant index."""

    def __init__(self, model: Model, bounds: Sequence[tuple[int, int]], read: Read, writers: Writers) -> None:
        assert read.index is None or isinstance(read.index, Constant)
        self.model = model
        self.read = read
        self.index = 0 if read.index is None else read.index.value
        low, high = bounds[model.slot_of[read.variable] + self.index]
        self.low, self.high = low, high
        self.is_small = high - low < MOST_VALUES
        self.lowered_by = writers.of([read.variable])

    @property
    def values(self) -> range:
        return range(self.low, self.high + 1)

    def distance_to(self, wanted: Callable[[int], bool]) -> Part:
        """The steps to a value that is wanted."""
        assert self.is_small
        goals = [value for value in self.values if wanted(value)]
        distances = self._distances(goals)
        return Part(self._table([distances.get(value, NEVER) for value in self.values]), self.lowered_by)

    def _distances(self, goals: Sequence[int]) -> dict[int, int]:
        """Backwards from the goals. A change that does not depend on the value is looked at once for each target."""
        from_one, from_all = self._steps()
        distances = dict.fromkeys(goals, 0)
        work = list(distances)
        for value in work:
            sources = set(from_one[value])
            for change in from_all:
                if change.replaced_by is None or value in change.replaced_by:
                    sources.update(self.values)
                sources.update(each for number in change.added for each in self._before(value, number))
            for source in sources - distances.keys():
                distances[source] = distances[value] + 1
                work.append(source)
            if len(distances) == len(self.values):
                break
        return distances

    def _steps(self) -> tuple[dict[int, set[int]], set[Change]]:
        """For each value those from which a step leads to it that is possible under one value alone; and the changes of
        the other steps."""
        from_one: dict[int, set[int]] = defaultdict(set)
        from_all: set[Change] = set()
        for number in self.lowered_by:
            transition = self.model.transitions[number]
            source = self._source(transition)
            for outcome in transition.outcomes:
                change = self._change(outcome.statements)
                if source is None:
                    replaced_by = None if change.replaced_by is None else self._stored(change.replaced_by)
                    from_all.add(Change(change.added, replaced_by))
                elif source in self.values:
                    targets = {source + each for each in change.added} | (change.replaced_by or EMPTY)
                    reached = self.values if change.replaced_by is None else self._stored(targets)
                    for target in reached:
                        from_one[target].add(source)
        return from_one, from_all

    def _source(self, transition: Transition) -> int | None:
        """The only value under which a transition may be enabled, where there is just one."""
        for guard in transition.guards:
            match self.model.guards[guard].expression:
                case Binary("==", Read() as read, Constant(value)) if read == self.read:
                    return value
        return None

    def _stored(self, values: Iterable[int]) -> Values:
        wrap = self.read.variable.type.wrap
        return frozenset(wrapped for wrapped in map(wrap, values) if wrapped in self.values)

    def _before(self, value: int, number: int) -> range:
        """The values to which `number` is added to get this one."""
        type_ = self.read.variable.type
        span = type_.high - type_.low + 1
        return range(self.low + (value - number - self.low) % span, self.high + 1, span)

    def _change(self, statements: Sequence[Statement]) -> Change:
        change = Change()
        for statement in statements:
            change = self._one(statement, change)
        return change

    def _one(self, statement: Statement, before: Change) -> Change:
        match statement:
            case Assign(Read(variable, index), value) if variable is self.read.variable:
                if index is None or index == Constant(self.index):
                    return self._assigned(value, before)
                if isinstance(index, Constant):
                    return before
                return before.or_else(self._assigned(value, before))
            case Send(channel, _):
                return self._through(channel.length, channel.fields, 1, before)
            case Receive(channel, targets):
                if any(each is not None and each.variable is self.read.variable for each in targets):
                    return TO_ANYTHING
                return self._through(channel.length, channel.fields, -1, before)
        return before

    def _through(self, length: Variable, fields: Sequence[Variable], number: int, before: Change) -> Change:
        if self.read.variable is length:
            return before.then_added(number)
        return TO_ANYTHING if self.read.variable in fields else before

    def _assigned(self, value: Expression, before: Change) -> Change:
        match value:
            case Constant(number):
                return Change(EMPTY, frozenset({number}))
            case Binary("+" | "+!" | "-" | "-!" as operator, Read() as read, Constant(number)) if read == self.read:
                return before.then_added(number if operator.startswith("+") else -number)
        return TO_ANYTHING

    def _table(self, results: Sequence[int]) -> Expression:
        """The result for each value."""
        if min(results) == max(results):
            return Constant(results[0])
        place = self.read if self.low == 0 else Binary("-", self.read, Constant(self.low))
        return Lookup(place, tuple(results))
