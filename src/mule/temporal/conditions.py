"""The conditions on the edges of a claim, as sets of letters over the basic propositions that they are made of."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from mule.errors import MuleError, Place
from mule.ltl import letters
from mule.model.expressions import Binary, Constant, Expression, Unary, negation

MOST_ATOMS = 16


class Conditions:
    """Propositions that exclude each other (a variable has one value) are never in one letter."""

    def __init__(self, conditions: Iterable[Expression], place: Place | None = None) -> None:
        self._index: dict[Expression, int] = {}
        for condition in conditions:
            self._collect(condition)
        if len(self._index) > MOST_ATOMS:
            raise MuleError(f"this claim is made of more than {MOST_ATOMS} different conditions", place)
        count = len(self._index)
        self._holding = [letters.positive(count, index) for index in range(count)]
        self._possible = letters.everything(count)
        for first, second in combinations(self._index, 2):
            if _exclude(first, second):
                self._possible &= ~(self._holding[self._index[first]] & self._holding[self._index[second]])

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

    def _letters(self, condition: Expression) -> int:
        everything = letters.everything(len(self._index))
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


def _exclude(first: Expression, second: Expression) -> bool:
    """Do two propositions say that one thing has two values?"""
    match first, second:
        case Binary("==", left, Constant(one)), Binary("==", right, Constant(other)):
            return left == right and one != other
    return False
