"""Pattern databases (Culberson and Schaeffer 1998; for model checking Edelkamp and Lluch-Lafuente 2004): the distances
in a projection of the model to a few slots, looked up in a table. The slots are those of the goal, and then those that
the steps need to know which change them, as long as the table does not become too large."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import comb, prod

from mule import _engine
from mule.directed.parts import Part
from mule.directed.projection import Cases, Projection, Slots
from mule.model import Model
from mule.model.expressions import (
    COMPARISONS,
    CONNECTIVES,
    NEGATED,
    Binary,
    Constant,
    Expression,
    Lookup,
    Read,
    Unary,
    conjuncts,
)

LARGEST_TABLE = 1 << 18
ALL_TABLES = 1 << 19
"""States of projections: of one goal, and of all of them."""
MOST_GOALS = 32
"""So many goals have a table of their own."""
MOST_VALUES = 64
MOST_VALUES_OF_GOALS = 256
"""A slot with more values is in no table; one that the goal is about may have some more."""
MOST_CASES = 4_000
"""So many cases of steps are looked at in all."""

Goal = tuple[Expression, ...]
"""Conditions that are to hold together."""


class Patterns:
    """Tables for goals over one model."""

    def __init__(self, model: Model, bounds: Sequence[tuple[int, int]]) -> None:
        self.model = model
        self.bounds = bounds
        self.slots = Slots(model)
        self.cases = Cases(self.slots, bounds)
        self.room = ALL_TABLES
        """States of further tables."""

    def reaching(self, goal: Expression) -> Part | None:
        """The distance to the nearest way in which a goal can hold; None: nothing can be said of it."""
        ways = list(_ways(goal, MOST_GOALS) or ())
        tables = []
        for number, way in enumerate(ways):
            table = self._table(way, min(LARGEST_TABLE, self.room // (len(ways) - number)))
            if table is None:
                self.room = 0  # others would take as long
                return None
            tables.append(table)
        if not tables:
            return None
        value = tables[0].value
        for table in tables[1:]:
            value = Binary("min", value, table.value)
        return Part(value, frozenset().union(*(table.lowered_by for table in tables)))

    def _table(self, goal: Goal, largest: int) -> Part | None:
        """A smaller one where it would take too long."""
        for size in (largest, largest >> 3):
            pattern = self._pattern(goal, size)
            projection = Projection(self.cases, pattern)
            wanted = [list(each) for each in self._wanted(goal, pattern)]
            distances = _engine.pattern_distances(projection.sizes, list(projection.steps()), wanted)
            if not pattern or self.cases.tried > MOST_CASES:
                return None
            if distances:
                self.room -= len(distances)
                lowered_by = frozenset(
                    number for number, written in enumerate(self.slots.written) if not written.isdisjoint(pattern)
                )
                return Part(Lookup(self._place(pattern, projection.sizes), distances), lowered_by)
        return None

    def _pattern(self, goal: Goal, largest: int) -> list[int]:
        pattern: list[int] = []
        room = largest

        def take(slot: int) -> bool:
            nonlocal room
            size = self._size(slot)
            if size == 1 or slot in pattern or size > min(room, MOST_VALUES_OF_GOALS):
                return False
            pattern.append(slot)
            room //= size
            return True

        for condition in goal:
            for slot in sorted(self.slots.read_by(condition)):
                take(slot)
        while pattern and any(take(slot) for slot in self._needed_for(pattern)):
            pass
        return pattern

    def _needed_for(self, pattern: Sequence[int]) -> list[int]:
        """What the steps need to know that change a slot of the pattern, what many of them need first."""
        counts: Counter[int] = Counter()
        for number, written in enumerate(self.slots.written):
            if not written.isdisjoint(pattern):
                counts.update(self.slots.asked[number])
        sizes = {slot: self._size(slot) for slot in counts}
        needed = [slot for slot in counts if slot not in pattern and 1 < sizes[slot] <= MOST_VALUES]
        return sorted(needed, key=lambda slot: (-counts[slot], sizes[slot], slot))

    def _size(self, slot: int) -> int:
        low, high = self.bounds[slot]
        return high - low + 1

    def _wanted(self, goal: Goal, pattern: Sequence[int]) -> Iterator[list[list[int]]]:
        """The values that are wanted of each slot; once for each case of a condition about several slots."""
        choices = {slot: list(range(self.bounds[slot][0], self.bounds[slot][1] + 1)) for slot in pattern}
        state: list[int | None] = [None] * len(self.bounds)
        several: list[tuple[int, Expression]] = []
        for condition in goal:
            read = self.slots.read_by(condition)
            if not read <= choices.keys():
                continue
            if len(read) == 1:
                [slot] = read
                choices[slot] = [value for value in choices[slot] if self._holds(condition, {slot: value}, state)]
            elif read:
                several.append((prod(len(choices[slot]) for slot in read), condition))
        if not several or min(several, key=lambda each: each[0])[0] > MOST_CASES // 4:
            yield self._digits(choices, pattern)
            return
        condition = min(several, key=lambda each: each[0])[1]
        read_in_order = sorted(self.slots.read_by(condition))
        for values in product(*(choices[slot] for slot in read_in_order)):
            case = dict(zip(read_in_order, values, strict=True))
            if self._holds(condition, case, state):
                yield self._digits({**choices, **{slot: [value] for slot, value in case.items()}}, pattern)

    def _holds(self, condition: Expression, case: dict[int, int], state: list[int | None]) -> bool:
        for slot, value in case.items():
            state[slot] = value
        holds = self.slots.may_hold(condition, state)
        self.cases.tried += 1
        for slot in case:
            state[slot] = None
        return holds

    def _digits(self, choices: dict[int, list[int]], pattern: Sequence[int]) -> list[list[int]]:
        return [[value - self.bounds[slot][0] for value in choices[slot]] for slot in pattern]

    def _place(self, pattern: Sequence[int], sizes: Sequence[int]) -> Expression:
        """Where a state's number stands, the last slot counting fastest."""
        place: Expression | None = None
        for slot, size in zip(pattern, sizes, strict=True):
            variable, index = self.model.slot_variables[slot]
            digit: Expression = Read(variable, None if index is None else Constant(index))
            if self.bounds[slot][0]:
                digit = Binary("-", digit, Constant(self.bounds[slot][0]))
            place = digit if place is None else Binary("+", Binary("*", place, Constant(size)), digit)
        assert place is not None
        return place


def _ways(goal: Expression, most: int) -> list[Goal] | None:
    """The ways in which a goal can hold, each a conjunction; None: there are too many of them."""
    match goal:
        case Constant(value):
            return [()] if value else []
        case Unary("not", operand):
            return _ways_not(operand, most)
        case Binary("or", left, right):
            first, second = _ways(left, most), _ways(right, most)
            found = None if first is None or second is None else [*first, *second]
        case Binary("and", left, right):
            first, second = _ways(left, most), _ways(right, most)
            if first is None or second is None or len(first) * len(second) > most:
                return None
            found = [(*one, *other) for one, other in product(first, second)]
        case Binary(">" | ">=" | "==" as name, Binary("+" | "+!"), Constant(number)):
            found = _counted(goal, number + (name == ">"), most)
        case _:
            found = [(goal,)]
    return None if found is None or len(found) > most else found


def _ways_not(goal: Expression, most: int) -> list[Goal] | None:
    match goal:
        case Unary("not", operand):
            return _ways(operand, most)
        case Binary("and", left, right):
            return _ways(Binary("or", Unary("not", left), Unary("not", right)), most)
        case Binary("or", left, right):
            return _ways(Binary("and", Unary("not", left), Unary("not", right)), most)
        case Binary(name, left, right) if name in NEGATED:
            return _ways(Binary(NEGATED[name], left, right), most)
    return [(Unary("not", goal),)]


def _counted(goal: Expression, least: int, most: int) -> list[Goal]:
    """Of conditions that are added up, so many hold at least."""
    assert isinstance(goal, Binary)
    terms = _terms(goal.left)
    are_conditions = all(isinstance(term, Binary) and term.operator in COMPARISONS | CONNECTIVES for term in terms)
    if not are_conditions or not 0 < least <= len(terms) or comb(len(terms), least) > most:
        return [(goal,)]
    return [tuple(part for term in chosen for part in conjuncts(term)) for chosen in combinations(terms, least)]


def _terms(expression: Expression) -> list[Expression]:
    match expression:
        case Binary("+" | "+!", left, right):
            return [*_terms(left), *_terms(right)]
    return [expression]
