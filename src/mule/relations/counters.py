"""Variables that steps only raise and lower: a cycle of the state space that raises one lowers it, too.

So where every step is kept out of a cycle that lowers such a variable, those that raise it are kept out as well, and
the other way round (Lluch-Lafuente, Edelkamp and Leue 2002, section 3.4, after Kurshan and others 1998). The length of
a channel is one: who sends for ever needs somebody who receives for ever."""

from __future__ import annotations

from collections import Counter as Counted
from collections import defaultdict
from collections.abc import Iterable, Sequence

from mule.model.expressions import Binary, Constant, Expression, Read
from mule.model.model import Assign, Model, Receive, Send, Statement
from mule.model.variables import Variable
from mule.records import Record

Cell = tuple[Variable, int]
"""A scalar or an element of an array."""


class Counter(Record, frozen=True):
    """A variable, by what the steps do to it, as sets of transitions."""

    may_raise: int
    may_lower: int
    raises: int
    """Those each outcome of which raises it."""
    lowers: int


def counters(model: Model, bounds: Sequence[tuple[int, int]]) -> list[Counter]:
    """`bounds`: for each slot the least and the greatest value that it can have."""
    raised: dict[Cell, list[int]] = defaultdict(list)
    lowered: dict[Cell, list[int]] = defaultdict(list)
    """The transitions, once for each outcome that does so."""
    others: set[Variable] = set()
    for number, transition in enumerate(model.transitions):
        for outcome in transition.outcomes:
            changes = list(_changes(model, bounds, outcome.statements))
            others.update(change for change in changes if isinstance(change, Variable))
            known = [change for change in changes if not isinstance(change, Variable)]
            for cell in {cell for cell, difference in known if difference > 0}:
                raised[cell].append(number)
            for cell in {cell for cell, difference in known if difference < 0}:
                lowered[cell].append(number)
    cells = sorted(raised.keys() | lowered.keys(), key=lambda cell: (model.slot_of[cell[0]], cell[1]))
    return [_counter(model, raised[cell], lowered[cell]) for cell in cells if cell[0] not in others]


def _counter(model: Model, raised: list[int], lowered: list[int]) -> Counter:
    def always(numbers: list[int]) -> int:
        times = Counted(numbers)
        return _bits(number for number in times if times[number] == len(model.transitions[number].outcomes))

    return Counter(_bits(raised), _bits(lowered), always(raised), always(lowered))


def _bits(numbers: Iterable[int]) -> int:
    result = 0
    for number in numbers:
        result |= 1 << number
    return result


def _changes(
    model: Model, bounds: Sequence[tuple[int, int]], statements: Iterable[Statement]
) -> Iterable[tuple[Cell, int] | Variable]:
    """What is added to a cell, or a variable of which that is not known. Each statement counts by itself: a step that
    raises a cell and lowers it again does both."""
    for statement in statements:
        match statement:
            case Assign(Read(variable, None | Constant()) as read, value):
                cell = (variable, 0 if read.index is None else read.index.value)  # type: ignore[attr-defined]
                difference = _difference(read, value)
                known = difference is not None and _fits(model, bounds, cell, difference)
                yield (cell, difference or 0) if known else variable
            case Assign(Read(variable, _), _):
                yield variable
            case Send(channel, _):
                yield (channel.length, 0), 1
                yield from channel.fields
            case Receive(channel, targets):
                yield (channel.length, 0), -1
                yield from channel.fields
                yield from (target.variable for target in targets if target is not None)


def _difference(read: Read, value: Expression) -> int | None:
    match value:
        case Binary("+" | "+!", Read() as same, Constant(number)) if same == read:
            return number
        case Binary("-" | "-!", Read() as same, Constant(number)) if same == read:
            return -number
    return None


def _fits(model: Model, bounds: Sequence[tuple[int, int]], cell: Cell, difference: int) -> bool:
    """Whether the sum never wraps: it is then really larger, or less."""
    variable, index = cell
    if not 0 <= index < variable.size:
        return False
    if variable.type.checked:
        return True
    low, high = bounds[model.slot_of[variable] + index]
    return variable.type.low <= low + min(difference, 0) and high + max(difference, 0) <= variable.type.high
