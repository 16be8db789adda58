"""The state after some statements, as expressions over the state before them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from mule.model.closures import operator_bounds
from mule.model.expressions import EXACT, Binary, Conditional, Constant, Expression, Read, Unary, Undefined
from mule.model.model import Assign, Receive, Send, Statement
from mule.model.simplify import binary, unary
from mule.model.variables import IntegerType, Variable


class Forward:
    """What variables hold after statements that ran one after the other; immutable, so that ways can part.

    For a statement that fails this says nothing of use."""

    __slots__ = ("_before", "_index", "_kind", "_value", "_variable")

    def __init__(
        self,
        before: Forward | None = None,
        kind: Literal["write", "shift"] = "write",
        variable: Variable | None = None,
        index: Expression | None = None,
        value: Expression | None = None,
    ) -> None:
        self._before = before
        self._kind = kind
        self._variable = variable
        self._index = index
        self._value = value

    def after(self, statements: Iterable[Statement]) -> Forward:
        current = self
        for statement in statements:
            current = current._run(statement)
        return current

    def expression(self, expression: Expression) -> Expression:
        """A value in the state after, in terms of the state before."""
        match expression:
            case Read(variable, index):
                place = None if index is None else self.expression(index)
                if place is index:
                    return self._read(variable, index, expression)
                return self._read(variable, place, Read(variable, place))
            case Unary(operator, operand):
                inner = self.expression(operand)
                return expression if inner is operand else unary(operator, inner)
            case Binary(operator, left, right):
                first, second = self.expression(left), self.expression(right)
                return expression if first is left and second is right else binary(operator, first, second)
            case Conditional(test, then, otherwise):
                return chosen(self.expression(test), self.expression(then), self.expression(otherwise))
            case Undefined(operand):
                return Undefined(self.expression(operand))
        return expression

    def _run(self, statement: Statement) -> Forward:
        match statement:
            case Assign(target, value):
                result = wrapped(target.variable.type, self.expression(value))
                index = None if target.index is None else self.expression(target.index)
                return Forward(self, "write", target.variable, index, result)
            case Send(channel, values):
                length = self.expression(Read(channel.length))
                current = self
                for field, value in zip(channel.fields, [self.expression(value) for value in values], strict=True):
                    current = Forward(current, "write", field, length, wrapped(field.type, value))
                return Forward(current, "write", channel.length, None, binary("+", length, Constant(1)))
            case Receive(channel, targets):
                length = self.expression(Read(channel.length))
                heads = [self.expression(Read(field, Constant(0))) for field in channel.fields]
                current = self
                for field in channel.fields:
                    current = Forward(current, "shift", field)
                current = Forward(current, "write", channel.length, None, binary("-", length, Constant(1)))
                for place, head in zip(targets, heads, strict=True):
                    if place is not None:
                        index = None if place.index is None else current.expression(place.index)
                        value = wrapped(place.variable.type, head)
                        current = Forward(current, "write", place.variable, index, value)
                return current

    def _read(self, variable: Variable, index: Expression | None, plain: Read) -> Expression:
        current: Forward | None = self
        while current is not None:
            if current._variable is variable:
                if current._kind == "shift":
                    assert current._before is not None
                    assert index is not None
                    return current._before._shifted(variable, index)
                assert current._value is not None
                place = current._index
                if index is None or place is None or index == place:
                    return current._value
                if not (isinstance(index, Constant) and isinstance(place, Constant)):
                    assert current._before is not None
                    same = binary("==", index, place)
                    return chosen(same, current._value, current._before._read(variable, index, plain))
            current = current._before
        return plain

    def _shifted(self, cell: Variable, index: Expression) -> Expression:
        """An element after the first one was taken away."""
        following = binary("+", index, Constant(1))
        if isinstance(following, Constant):
            if following.value >= cell.size:
                return Constant(0)
            return self._read(cell, following, Read(cell, following))
        last = binary("==", following, Constant(cell.size))
        return chosen(last, Constant(0), self._read(cell, following, Read(cell, following)))


def chosen(test: Expression, then: Expression, otherwise: Expression) -> Expression:
    if isinstance(test, Constant):
        return then if test.value else otherwise
    return then if then == otherwise else Conditional(test, then, otherwise)


def wrapped(type: IntegerType, value: Expression) -> Expression:
    """What a variable of a type holds after a value was assigned to it."""
    if isinstance(value, Constant):
        return Constant(type.wrap(value.value))
    low, high = bounds(value)
    if type.low <= low and high <= type.high:
        return value
    size = type.high - type.low + 1
    if size & (size - 1) == 0 and size < 2**31:
        if type.low == 0:
            return binary("&", value, Constant(size - 1))
        return binary("+", binary("&", binary("-", value, Constant(type.low)), Constant(size - 1)), Constant(type.low))
    if size == 2**32:
        return value
    remainder = binary("%", binary("-", value, Constant(type.low)), Constant(size))
    fixed = chosen(binary("<", remainder, Constant(0)), binary("+", remainder, Constant(size)), remainder)
    return binary("+", fixed, Constant(type.low))


DEPTH = 12
"""How deep to look for the bounds of an expression."""


def bounds(expression: Expression, depth: int = DEPTH) -> tuple[int, int]:
    """The least and the greatest value an expression can have, as far as its shape tells."""
    if depth == 0:
        return -(2**31), 2**31 - 1
    match expression:
        case Constant(value):
            return value, value
        case Read(variable, _):
            return variable.type.low, variable.type.high
        case Conditional(_, then, otherwise):
            (a, b), (c, d) = bounds(then, depth - 1), bounds(otherwise, depth - 1)
            return min(a, c), max(b, d)
        case Binary("==" | "!=" | "<" | "<=" | ">" | ">=" | "and" | "or", _, _) | Unary("not", _) | Undefined():
            return 0, 1
        case Binary("&", _, Constant(mask)) if mask >= 0:
            return 0, mask
        case Binary("+" | "-" as operator, left, right):
            (a, b), (c, d) = bounds(left, depth - 1), bounds(right, depth - 1)
            low, high = (a + c, b + d) if operator == "+" else (a - d, b - c)
            if low >= -(2**31) and high < 2**31:
                return low, high
        case Binary(operator, left, right) if operator in EXACT:
            return operator_bounds(operator, bounds(left, depth - 1), bounds(right, depth - 1))
    return -(2**31), 2**31 - 1


def is_impossible(test: Expression) -> bool:
    """Whether a comparison is false for all values that its sides can have, as far as their shape tells."""
    match test:
        case Binary("<" | "<=" | ">" | ">=" | "==" as operator, left, right):
            (low, high), (least, most) = bounds(left), bounds(right)
            match operator:
                case "<":
                    return low >= most
                case "<=":
                    return low > most
                case ">":
                    return high <= least
                case ">=":
                    return high < least
                case _:
                    return high < least or most < low
    return False
