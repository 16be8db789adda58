"""What the emitters of one module know about its expressions: whether they can fail, and which are large."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from mule.codegen.layout import Layout
from mule.model import Variable
from mule.model.closures import always_fits, operator_bounds
from mule.model.expressions import (
    CONNECTIVES,
    EXACT,
    HIGHEST,
    LOWEST,
    Binary,
    Conditional,
    Constant,
    Expression,
    Lookup,
    Read,
    Unary,
    Undefined,
    children,
)

LARGE, OFTEN = 100, 20_000
"""A condition of so many parts gets a function of its own, if it would be written so often that these are so many."""


class Facts:
    def __init__(self, layout: Layout, bounds: Sequence[tuple[int, int]], used: Iterable[Expression]) -> None:
        """`used`: the conditions to be written, as often as they are."""
        self.layout = layout
        self.bounds = bounds
        self._sizes: dict[int, tuple[Expression, int]] = {}
        self._failing: dict[int, tuple[Expression, bool]] = {}
        self._intervals: dict[int, tuple[Expression, tuple[int, int]]] = {}
        """All by identity, as looking up a large expression by its value takes as long as writing it; kept alive here,
        so that no other one gets the same identity."""
        self._functions: dict[int, tuple[Expression, str]] = {}
        self._by_value: dict[Expression, str] = {}
        self._unwritten: list[tuple[str, Binary]] = []
        self.tables: dict[tuple[int, ...] | bytes, str] = {}
        """Those that were asked for, by name."""
        self._uses: Counter[int] = Counter()
        for condition in used:
            self._count(condition)

    def can_fail(self, expression: Expression) -> bool:
        known = self._failing.get(id(expression))
        if known is None:
            known = self._failing[id(expression)] = expression, self._can_fail(expression)
        return known[1]

    def _can_fail(self, expression: Expression) -> bool:
        match expression:
            case Undefined():
                return False
            case Read(variable, index) if index is not None and not self.in_range(variable, index):
                return True
            case Binary("/" | "%", _, right) if not (isinstance(right, Constant) and right.value != 0):
                return True
            case Binary(name, _, _) if name in EXACT and not self.fits(expression):
                return True
        return any(self.can_fail(child) for child in children(expression))

    def in_range(self, variable: Variable, index: Expression) -> bool:
        match index:
            case Constant(value):
                return 0 <= value < variable.size
            case Read(scalar, None):
                low, high = self.bounds[self.layout.model.slot_of[scalar]]
                return low >= 0 and high < variable.size
        return False

    def fits(self, expression: Binary) -> bool:
        """Whether an operator of EXACT is defined wherever its operands are."""
        if expression.operator == "/!" and not (isinstance(expression.right, Constant) and expression.right.value):
            return False
        return always_fits(expression.operator, self.interval(expression.left), self.interval(expression.right))

    def interval(self, expression: Expression) -> tuple[int, int]:
        """The least and the greatest value that the expression can have."""
        known = self._intervals.get(id(expression))
        if known is None:
            known = self._intervals[id(expression)] = expression, self._interval(expression)
        return known[1]

    def _interval(self, expression: Expression) -> tuple[int, int]:
        match expression:
            case Constant(value):
                return value, value
            case Read(variable, _):
                first = self.layout.model.slot_of[variable]
                cells = self.bounds[first : first + variable.size]
                return min(low for low, _ in cells), max(high for _, high in cells)
            case Unary("not", _) | Undefined():
                return 0, 1
            case Lookup(_, numbers):
                return min(numbers), max(numbers)
            case Conditional(_, then, otherwise):
                (a, b), (c, d) = self.interval(then), self.interval(otherwise)
                return min(a, c), max(b, d)
            case Binary(name, left, right) if name not in CONNECTIVES:
                low, high = operator_bounds(name, self.interval(left), self.interval(right))
                return (low, high) if low >= LOWEST and high <= HIGHEST else (LOWEST, HIGHEST)
            case Binary():
                return 0, 1
        return LOWEST, HIGHEST

    def size(self, expression: Expression) -> int:
        known = self._sizes.get(id(expression))
        if known is None:
            known = self._sizes[id(expression)] = expression, 1 + sum(map(self.size, children(expression)))
        return known[1]

    def function_of(self, condition: Binary) -> str | None:
        """The name of the function that computes a condition, where it has one."""
        size = self.size(condition)
        if size < LARGE or size * self._uses[id(condition)] < OFTEN or self.can_fail(condition):
            return None
        known = self._functions.get(id(condition))
        if known is None:
            name = self._by_value.get(condition)
            if name is None:
                name = self._by_value[condition] = f"condition{len(self._by_value)}"
                self._unwritten.append((name, condition))
            known = self._functions[id(condition)] = condition, name
        return known[1]

    def table_of(self, numbers: tuple[int, ...] | bytes) -> str:
        """The name of a table."""
        return self.tables.setdefault(numbers, f"table{len(self.tables)}")

    def _count(self, condition: Expression) -> None:
        if self.size(condition) >= LARGE:
            self._uses[id(condition)] += 1
            for child in children(condition):
                self._count(child)

    def next_unwritten(self) -> tuple[str, Binary] | None:
        """A function that was asked for and is still to be written."""
        return self._unwritten.pop() if self._unwritten else None
