"""Bounds of expressions by the types of what they read."""

from __future__ import annotations

from mule.frontends.actors.types import HIGH, LOW
from mule.model.closures import operator_bounds
from mule.model.expressions import COMPARISONS, EXACT, Binary, Conditional, Constant, Expression, Read, Unary

Interval = tuple[int, int]
EVERYTHING: Interval = (LOW, HIGH)


def interval(expression: Expression) -> Interval:
    """The least and the greatest value that the expression can have, as far as its shape tells."""
    match expression:
        case Constant(value):
            return value, value
        case Read(variable, _):
            return variable.type.low, variable.type.high
        case Unary("not", _):
            return 0, 1
        case Unary("-", operand):
            low, high = interval(operand)
            return _within(-high, -low)
        case Conditional(_, then, otherwise):
            (a, b), (c, d) = interval(then), interval(otherwise)
            return min(a, c), max(b, d)
        case Binary(operator, left, right):
            return _binary(operator, left, right)
    return EVERYTHING


def _binary(operator: str, left: Expression, right: Expression) -> Interval:
    if operator in COMPARISONS or operator in ("and", "or"):
        return 0, 1
    (a, b), (c, d) = interval(left), interval(right)
    if operator in EXACT:
        return operator_bounds(operator, (a, b), (c, d))
    match operator:
        case "+":
            return _within(a + c, b + d)
        case "-":
            return _within(a - d, b - c)
        case "*":
            products = (a * c, a * d, b * c, b * d)
            return _within(min(products), max(products))
        case "&" if a >= 0 or c >= 0:
            return 0, min(high for low, high in ((a, b), (c, d)) if low >= 0)
        case "|" | "^" if a >= 0 and c >= 0:
            return 0, (1 << max(b, d).bit_length()) - 1
        case ">>" if a >= 0 and c == d:
            return a >> c, b >> c
        case "<<" if a >= 0 and c == d:
            return _within(a << c, b << c)
        case "/" if a >= 0 and c == d and c > 0:
            return a // c, b // c
        case "%" if c > 0:
            return (0 if a >= 0 else max(a, 1 - d)), (min(b, d - 1) if a >= 0 else d - 1)
    return EVERYTHING


def _within(low: int, high: int) -> Interval:
    return (low, high) if low >= LOW and high <= HIGH else EVERYTHING
