"""How far the value of a single variable is from values that are wanted: the steps of the model, seen through this
variable alone, are a small graph (a process's control graph, if the variable is its location). No step of the model
moves the variable by more than one edge, so the distance in the graph is lowered by at most one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from mule.directed.parts import NOTHING, Part, writers
from mule.model import Model, Transition
from mule.model.expressions import Binary, Conditional, Constant, Expression, Read
from mule.model.model import Assign, Receive, Send, Statement
from mule.model.variables import Variable

MOST_VALUES = 1024
"""Of a variable with more values only "not there yet" is said."""

Values = frozenset[int]


class Slot:
    """A scalar, or an array element with a constant index."""

    def __init__(self, model: Model, bounds: Sequence[tuple[int, int]], read: Read) -> None:
        assert read.index is None or isinstance(read.index, Constant)
        self.model = model
        self.read = read
        self.index = 0 if read.index is None else read.index.value
        low, high = bounds[model.slot_of[read.variable] + self.index]
        self.low, self.high = low, high
        self.is_small = high - low < MOST_VALUES

    @property
    def values(self) -> range:
        return range(self.low, self.high + 1)

    def distance_to(self, wanted: Callable[[int], bool]) -> Part:
        """The steps to a value that is wanted; 0 is said of all where no value is."""
        goals = [value for value in self.values if wanted(value)] if self.is_small else []
        lowered_by = writers(self.model, [self.read.variable])
        if not goals:
            return Part(NOTHING, lowered_by)
        distances = self._distances(goals, lowered_by)
        far = max(distances.values()) + 1
        return Part(self._table([distances.get(value, far) for value in self.values]), lowered_by)

    def _distances(self, goals: Iterable[int], lowered_by: frozenset[int]) -> dict[int, int]:
        before: dict[int, set[int]] = defaultdict(set)
        for number in lowered_by:
            transition = self.model.transitions[number]
            for source in self._sources(transition):
                for outcome in transition.outcomes:
                    for target in self._after(outcome.statements, frozenset({source})):
                        before[target].add(source)
        distances = dict.fromkeys(goals, 0)
        work = list(distances)
        for value in work:
            for source in before[value]:
                if source not in distances:
                    distances[source] = distances[value] + 1
                    work.append(source)
        return distances

    def _sources(self, transition: Transition) -> Iterable[int]:
        """The values under which a transition may be enabled."""
        for guard in transition.guards:
            match self.model.guards[guard].expression:
                case Binary("==", Read() as read, Constant(value)) if read == self.read:
                    return [value] if value in self.values else []
        return self.values

    def _after(self, statements: Sequence[Statement], values: Values) -> Values:
        for statement in statements:
            values = self._one(statement, values)
        return values & frozenset(self.values)

    def _one(self, statement: Statement, values: Values) -> Values:
        match statement:
            case Assign(Read(variable, index), value) if variable is self.read.variable:
                if index is None or index == Constant(self.index):
                    return self._assigned(value, values)
                if isinstance(index, Constant):
                    return values
                return values | self._assigned(value, values)
            case Send(channel, _):
                return self._through(channel.length, channel.fields, 1, values)
            case Receive(channel, targets):
                values = self._through(channel.length, channel.fields, -1, values)
                if any(each is not None and each.variable is self.read.variable for each in targets):
                    return frozenset(self.values)
        return values

    def _through(self, length: Variable, fields: Sequence[Variable], change: int, values: Values) -> Values:
        if self.read.variable is length:
            return frozenset(value + change for value in values)
        return frozenset(self.values) if self.read.variable in fields else values

    def _assigned(self, value: Expression, values: Values) -> Values:
        wrap = self.read.variable.type.wrap
        match value:
            case Constant(number):
                return frozenset({wrap(number)})
            case Binary("+" | "+!" | "-" | "-!" as operator, Read() as read, Constant(number)) if read == self.read:
                change = number if operator.startswith("+") else -number
                return frozenset(wrap(each + change) for each in values)
        return frozenset(self.values)

    def _table(self, results: Sequence[int]) -> Expression:
        """The result for each value, looked up by halving."""
        if min(results) == max(results):
            return Constant(results[0])
        return self._halved(results, 0, len(results))

    def _halved(self, results: Sequence[int], begin: int, end: int) -> Expression:
        if len(set(results[begin:end])) == 1:
            return Constant(results[begin])
        middle = (begin + end) // 2
        below = Binary("<", self.read, Constant(self.low + middle))
        return Conditional(below, self._halved(results, begin, middle), self._halved(results, middle, end))
