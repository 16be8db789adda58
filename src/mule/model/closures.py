"""Expressions turned into Python functions of a state vector: quick enough for analyses that try many values.

The functions use Python's operators alone, so that a slot may also hold a *symbolic* value that overloads them
(`mule.relations.terms`); where the outcome hangs on a symbol, that value raises its own exception.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from mule.model.definedness import undefined_where
from mule.model.expressions import (
    EXACT,
    EXTREMES,
    HIGHEST,
    LEAST,
    LOWEST,
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    Unary,
    Undefined,
)
from mule.model.variables import IntegerType, Variable

Values = list[Any]
Function = Callable[[Values], Any]
Bounds = tuple[int, int]

_ALL: Bounds = (LOWEST, HIGHEST)
_TRUTH: Bounds = (0, 1)


class UndefinedValue(Exception):  # noqa: N818 - it is an answer
    """An index out of range, a division by zero, a result that does not fit, a send to a full channel or a receive from
    an empty one."""


def wrap(value: Any, low: int, high: int) -> Any:
    """A value as a type low..high stores it."""
    if isinstance(value, int):
        return value if low <= value <= high else (value - low) % (high - low + 1) + low
    return value.wrapped(low, high)


def stored(value: Any, kind: IntegerType) -> Any:
    """A value as a variable of that type holds it; undefined where the type is checked and the value outside."""
    if not kind.checked:
        return wrap(value, kind.low, kind.high)
    if not kind.low <= value <= kind.high:
        raise UndefinedValue
    return value


def wrapped(function: Function, bounds: Bounds, kind: IntegerType) -> Function:
    """The function's result as the type stores it."""
    if kind.low <= bounds[0] and bounds[1] <= kind.high:
        return function
    return lambda s: stored(function(s), kind)


def _divide(left: Any, right: Any) -> Any:
    if not isinstance(right, int):
        right.undecided()
    if right == 0:
        raise UndefinedValue
    if not isinstance(left, int):
        return left.opaque("/", right)
    quotient = abs(left) // abs(right)
    return wrap(-quotient if (left < 0) != (right < 0) else quotient, LOWEST, HIGHEST)


def _remainder(left: Any, right: Any) -> Any:
    if not isinstance(right, int):
        right.undecided()
    if right == 0:
        raise UndefinedValue
    if not isinstance(left, int):
        return left.opaque("%", right)
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _shift_left(left: Any, right: Any) -> Any:
    return wrap(left << (right & 31), LOWEST, HIGHEST)


def _shift_right(left: Any, right: Any) -> Any:
    return left >> (right & 31)


def _exact_quotient(left: Any, right: Any) -> Any:
    return -left if isinstance(right, int) and right == -1 else _divide(left, right)


def _exact_shift(left: Any, right: Any) -> Any:
    if not isinstance(right, int):
        right.undecided()
    if not 0 <= right <= 31:
        raise UndefinedValue
    return left * (1 << right)


def _fitting(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def exact(left: Any, right: Any) -> Any:
        result = function(left, right)
        if LEAST <= result <= HIGHEST:
            return result
        raise UndefinedValue

    return exact


COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
STRICT: dict[str, Callable[[Any, Any], Any]] = {
    **COMPARE,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": _remainder,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": _shift_left,
    ">>": _shift_right,
    "+!": _fitting(operator.add),
    "-!": _fitting(operator.sub),
    "*!": _fitting(operator.mul),
    "/!": _fitting(_exact_quotient),
    "<<!": _fitting(_exact_shift),
}


def operator_bounds(name: str, left: Bounds, right: Bounds) -> Bounds:
    """What a strict operator can yield before it is wrapped into 32 bits."""
    if name in COMPARE:
        return _TRUTH
    (a, b), (c, d) = left, right
    if name == "+":
        return (a + c, b + d)
    if name == "-":
        return (a - d, b - c)
    if name == "*":
        products = (a * c, a * d, b * c, b * d)
        return (min(products), max(products))
    if name == "/" and a >= 0 and c >= 1:
        return (a // d, b // c)
    if name == "%" and a >= 0 and c >= 1:
        return (0, min(b, d - 1))
    if name in ("|", "^") and a >= 0 and c >= 0:
        return (0, (1 << max(b.bit_length(), d.bit_length())) - 1)
    if name == "&" and (a >= 0 or c >= 0):
        return (0, min(high for low, high in (left, right) if low >= 0))
    if name == ">>" and a >= 0:
        return (0, b)
    if name in EXTREMES:
        of = min if name == "min" else max
        return (of(a, c), of(b, d))
    if name in EXACT:
        low, high = exact_bounds(name, left, right)
        return max(low, LEAST), min(high, HIGHEST)
    return _ALL


def exact_bounds(name: str, left: Bounds, right: Bounds) -> Bounds:
    """What an operator of EXACT would yield in integers without bounds, where it is defined in them."""
    (a, b), (c, d) = left, right
    if name == "<<!":
        return operator_bounds("*", left, (1 << min(max(c, 0), 31), 1 << min(max(d, 0), 31)))
    if name == "/!":
        return operator_bounds("/", left, right) if a >= 0 else (min(a, -b), max(-a, b))
    return operator_bounds(EXACT[name], left, right)


def always_fits(name: str, left: Bounds, right: Bounds) -> bool:
    """Whether an operator of EXACT is defined for all operands within bounds, but for division by zero."""
    low, high = exact_bounds(name, left, right)
    return low >= LEAST and high <= HIGHEST and (name != "<<!" or (right[0] >= 0 and right[1] <= 31))


class Closures:
    """Makes functions out of the expressions of one model."""

    def __init__(self, slot_of: dict[Variable, int]) -> None:
        self._slot_of = slot_of

    def function(self, expression: Expression) -> Function:
        return self.bounded(expression)[0]

    def bounded(self, expression: Expression) -> tuple[Function, Bounds]:
        """The function, and bounds on its results that follow from the types alone."""
        match expression:
            case Constant(value):
                return (lambda s: value), (value, value)
            case Read(variable, index):
                kind = variable.type
                if index is None or isinstance(index, Constant):
                    offset = 0 if index is None else index.value
                    if not 0 <= offset < variable.size:
                        return _undefined, (kind.low, kind.high)
                    slot = self._slot_of[variable] + offset
                    return (lambda s: s[slot]), (kind.low, kind.high)
                place = self.slot(expression)
                return (lambda s: s[place(s)]), (kind.low, kind.high)
            case Binary(name, left, right):
                return self._binary(name, left, right)
            case Unary("not", operand):
                inner = self.function(operand)
                return (lambda s: not inner(s)), _TRUTH
            case Unary("-", operand):
                inner, (low, high) = self.bounded(operand)
                return _in_32_bits(lambda s: -inner(s), (-high, -low))
            case Unary(_, operand):
                inner, (low, high) = self.bounded(operand)
                return (lambda s: ~inner(s)), (~high, ~low)
            case Conditional(test, then, otherwise):
                decide = self.function(test)
                yes, first = self.bounded(then)
                no, second = self.bounded(otherwise)
                return (lambda s: yes(s) if decide(s) else no(s)), (
                    min(first[0], second[0]),
                    max(first[1], second[1]),
                )
            case Undefined(operand):
                return self.function(undefined_where(operand)), _TRUTH
        raise TypeError(f"not an expression: {expression!r}")

    def slot(self, target: Read) -> Function:
        """Which slot a read or an assignment means."""
        base, size = self._slot_of[target.variable], target.variable.size
        if target.index is None:
            return lambda s: base
        index, (low, high) = self.bounded(target.index)
        if low >= 0 and high < size:
            return lambda s: base + index(s)

        def place(s: Values) -> Any:
            position = index(s)
            if 0 <= position < size:
                return base + position
            raise UndefinedValue

        return place

    def _binary(self, name: str, left: Expression, right: Expression) -> tuple[Function, Bounds]:
        first, a = self.bounded(left)
        second, b = self.bounded(right)
        if name == "and":
            return (lambda s: bool(first(s) and second(s))), _TRUTH
        if name == "or":
            return (lambda s: bool(first(s) or second(s))), _TRUTH
        apply = STRICT[name]
        if isinstance(right, Constant) and isinstance(left, Read) and name in COMPARE and _is_static(left):
            slot, value = self.static_slot(left), right.value
            return _comparison(name, slot, value), _TRUTH
        if isinstance(right, Constant):
            value = right.value
            return _in_32_bits(lambda s: apply(first(s), value), operator_bounds(name, a, b))
        return _in_32_bits(lambda s: apply(first(s), second(s)), operator_bounds(name, a, b))

    def static_slot(self, read: Read) -> int:
        """The slot of a read whose index is absent or a constant in range."""
        return self._slot_of[read.variable] + (read.index.value if isinstance(read.index, Constant) else 0)


def _is_static(read: Read) -> bool:
    return read.index is None or (isinstance(read.index, Constant) and 0 <= read.index.value < read.variable.size)


def _comparison(name: str, slot: int, value: int) -> Function:
    """`slot op constant`, the commonest guard, without inner calls."""
    match name:
        case "==":
            return lambda s: s[slot] == value
        case "!=":
            return lambda s: s[slot] != value
        case "<":
            return lambda s: s[slot] < value
        case "<=":
            return lambda s: s[slot] <= value
        case ">":
            return lambda s: s[slot] > value
        case _:
            return lambda s: s[slot] >= value


def _in_32_bits(function: Function, bounds: Bounds) -> tuple[Function, Bounds]:
    if bounds[0] >= LOWEST and bounds[1] <= HIGHEST:
        return function, bounds
    return (lambda s: wrap(function(s), LOWEST, HIGHEST)), _ALL


def _undefined(s: Values) -> Any:
    raise UndefinedValue
