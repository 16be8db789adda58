"""The conditions on the edges of a claim, as sets of letters over the basic propositions that they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from mule.errors import MuleError, Place
from mule.ltl import letters
from mule.model.expressions import COMPARISONS, Binary, Constant, Expression, Unary, negation
from mule.model.simplify import compute

MOST_ATOMS = 16


class Conditions:
    """Letters that no values allow (a variable has one value) are left out. Where there would be too many propositions,
    whole conditions take their place."""

    def __init__(self, conditions: Iterable[Expression], place: Place | None = None) -> None:
        self._index: dict[Expression, int] = {}
        whole = list(dict.fromkeys(conditions))
        for condition in whole:
            self._collect(condition)
        if len(self._index) > MOST_ATOMS:
            self._index = {condition: number for number, condition in enumerate(whole)}
        if len(self._index) > MOST_ATOMS:
            raise MuleError(f"this claim is made of more than {MOST_ATOMS} different conditions", place)
        count = len(self._index)
        self._holding = [letters.positive(count, index) for index in range(count)]
        self._possible = letters.everything(count)
        for first, second in combinations(self._index, 2):
            for one, other in _impossible(first, second):
                self._possible &= ~(self._valued(first, one) & self._valued(second, other))

    @property
    def atoms(self) -> tuple[Expression, ...]:
        return tuple(self._index)

    def label(self, condition: Expression) -> int:
        """The letters under which the condition holds."""
        return self._letters(condition) & self._possible

    def _collect(self, condition: Expression) -> None:
        match condition:
            case Constant():
                return
            case Unary("not", operand):
                self._collect(operand)
            case Binary("and" | "or", left, right):
                self._collect(left)
                self._collect(right)
            case _:
                self._index.setdefault(_positive(condition)[0], len(self._index))

    def _valued(self, atom: Expression, value: bool) -> int:
        """The letters in which an atom has this value."""
        holding = self._holding[self._index[atom]]
        return holding if value else letters.everything(len(self._index)) & ~holding

    def _letters(self, condition: Expression) -> int:
        everything = letters.everything(len(self._index))
        if condition in self._index:
            return self._holding[self._index[condition]]
        match condition:
            case Constant(value):
                return everything if value else 0
            case Unary("not", operand):
                return everything & ~self._letters(operand)
            case Binary("and", left, right):
                return self._letters(left) & self._letters(right)
            case Binary("or", left, right):
                return self._letters(left) | self._letters(right)
        positive, negated = _positive(condition)
        holding = self._holding[self._index[positive]]
        return everything & ~holding if negated else holding


def _positive(condition: Expression) -> tuple[Expression, bool]:
    """A condition without its negation, and whether it had one."""
    if isinstance(condition, Binary) and condition.operator in ("!=", ">=", ">"):
        return negation(condition), True
    return condition, False


def _impossible(first: Expression, second: Expression) -> Iterator[tuple[bool, bool]]:
    """The truth values that two propositions cannot have at the same time, because they compare one thing with two
    numbers."""
    match first, second:
        case Binary(operator, left, Constant(one)), Binary(relation, right, Constant(other)) if {
            operator,
            relation,
        } <= COMPARISONS and left == right:
            near = {number + step for number in (one, other) for step in (-1, 0, 1)}
            met = {(bool(compute(operator, each, one)), bool(compute(relation, each, other))) for each in near}
            yield from {(False, False), (False, True), (True, False), (True, True)} - met
