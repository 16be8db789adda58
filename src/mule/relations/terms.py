"""Symbolic values: what a slot holds when its value does not matter, only that two runs leave the same one.

A term is a sum of atoms with integer factors; an atom is the initial value of a slot, a sum wrapped into a type, or an
operator applied to terms. Equal terms are the same object, so that `is` compares the outcomes of two runs.
"""

from __future__ import annotations

from typing import Any

from mule.model.closures import operator_bounds

Bounds = tuple[int, int]


class Unknown(Exception):  # noqa: N818 - an answer, not an error
    """A decision hangs on a symbolic value."""


class Terms:
    """The table that makes equal terms the same object."""

    def __init__(self) -> None:
        self._table: dict[tuple[Any, ...], Term] = {}
        self._atoms: dict[tuple[Any, ...], int] = {}
        self.bounds: list[Bounds | None] = []
        self.inside: list[tuple[Bounds, Term] | None] = []
        """For atoms that wrap a sum into low..high: those bounds and the sum."""

    def slot(self, number: int, low: int, high: int) -> Term:
        return self.atom(("slot", number, low, high), (low, high), None)

    def atom(self, key: tuple[Any, ...], bounds: Bounds | None, inside: tuple[Bounds, Term] | None) -> Term:
        number = self._atoms.get(key)
        if number is None:
            number = self._atoms[key] = len(self.bounds)
            self.bounds.append(bounds)
            self.inside.append(inside)
        term: Term = self.sum(0, ((number, 1),))
        return term

    def sum(self, constant: int, parts: tuple[tuple[int, int], ...]) -> Any:
        """The term constant + sum of factor * atom; a plain number where no atom is left."""
        if not parts:
            return constant
        key = (constant, parts)
        term = self._table.get(key)
        if term is None:
            term = self._table[key] = Term(self, constant, parts)
        return term


class Term:
    """A symbolic integer; it stands wherever the generated functions expect a number."""

    __slots__ = ("constant", "parts", "terms")

    def __init__(self, terms: Terms, constant: int, parts: tuple[tuple[int, int], ...]) -> None:
        self.terms = terms
        self.constant = constant
        self.parts = parts

    def wrapped(self, low: int, high: int) -> Any:
        """The value as a type low..high stores it; equal modulo the size of the type is equal once stored."""
        size = high - low + 1
        bounds = self.interval()
        if bounds is not None and low <= bounds[0] and bounds[1] <= high:
            return self
        flat: Any = self
        for number, factor in self.parts:
            inside = self.terms.inside[number]
            if inside is not None and (inside[0][1] - inside[0][0] + 1) % size == 0:
                flat = flat + (inside[1] * factor) - self.terms.sum(0, ((number, factor),))
        if isinstance(flat, int):
            return (flat - low) % size + low
        parts = tuple((number, factor % size) for number, factor in flat.parts if factor % size)
        flat = self.terms.sum(flat.constant % size, parts)
        if isinstance(flat, int):
            return (flat - low) % size + low
        bounds = flat.interval()
        if bounds is not None and low <= bounds[0] and bounds[1] <= high:
            return flat
        return self.terms.atom(("wrap", low, high, id(flat)), (low, high), ((low, high), flat))

    def interval(self) -> Bounds | None:
        """Bounds on the value, from those of its atoms."""
        low = high = self.constant
        for number, factor in self.parts:
            bounds = self.terms.bounds[number]
            if bounds is None:
                return None
            a, b = bounds[0] * factor, bounds[1] * factor
            low, high = low + min(a, b), high + max(a, b)
        return low, high

    def opaque(self, operator: str, other: Any, mirrored: bool = False) -> Term:
        """The operator applied, as an atom that is equal only to itself."""
        right: Any = other if isinstance(other, int) else ("term", id(other))
        mine = self.interval()
        theirs: Bounds | None = (other, other) if isinstance(other, int) else other.interval()
        bounds = None
        if mine is not None and theirs is not None:
            bounds = operator_bounds(operator, *((theirs, mine) if mirrored else (mine, theirs)))
        return self.terms.atom((operator, mirrored, id(self), right), bounds, None)

    def undecided(self) -> None:
        raise Unknown

    def __index__(self) -> int:
        raise Unknown

    def _plus(self, other: Any, factor: int) -> Any:
        if isinstance(other, int):
            return self.terms.sum(self.constant + factor * other, self.parts)
        factors = dict(self.parts)
        for number, each in other.parts:
            factors[number] = factors.get(number, 0) + factor * each
        parts = tuple(sorted((number, each) for number, each in factors.items() if each))
        return self.terms.sum(self.constant + factor * other.constant, parts)

    def __add__(self, other: Any) -> Any:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> Any:
        return self * -1

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int):
            parts = tuple((number, factor * other) for number, factor in self.parts if other)
            return self.terms.sum(self.constant * other, parts)
        return self.opaque("*", other)

    __rmul__ = __mul__

    def __invert__(self) -> Any:
        return -self - 1

    def __and__(self, other: Any) -> Any:
        return self.opaque("&", other)

    def __or__(self, other: Any) -> Any:
        return self.opaque("|", other)

    def __xor__(self, other: Any) -> Any:
        return self.opaque("^", other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __lshift__(self, other: Any) -> Any:
        return self.opaque("<<", other)

    def __rlshift__(self, other: Any) -> Any:
        return self.opaque("<<", other, mirrored=True)

    def __rshift__(self, other: Any) -> Any:
        return self.opaque(">>", other)

    def __rrshift__(self, other: Any) -> Any:
        return self.opaque(">>", other, mirrored=True)

    def _difference(self, other: Any) -> Bounds:
        rest = self._plus(other, -1)
        if isinstance(rest, int):
            return rest, rest
        bounds: Bounds | None = rest.interval()
        if bounds is None:
            raise Unknown
        return bounds

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        low, high = self._difference(other)
        if low > 0 or high < 0:
            return False
        if low == high == 0:
            return True
        raise Unknown

    def __ne__(self, other: object) -> bool:
        return not self.__eq__(other)

    def __lt__(self, other: Any) -> bool:
        low, high = self._difference(other)
        if high < 0:
            return True
        if low >= 0:
            return False
        raise Unknown

    def __ge__(self, other: Any) -> bool:
        return not self.__lt__(other)

    def __gt__(self, other: Any) -> bool:
        low, high = self._difference(other)
        if low > 0:
            return True
        if high <= 0:
            return False
        raise Unknown

    def __le__(self, other: Any) -> bool:
        return not self.__gt__(other)

    def __bool__(self) -> bool:
        return not self.__eq__(0)

    __hash__ = None  # type: ignore[assignment]
