"""Building expressions with their constant parts already computed.

Every rule keeps the value *and* where the expression is undefined: a sub-expression that may fail (an index, a
division) is dropped only where the connectives would not have evaluated it. The constructors look one level down only,
so that a front end can fold while it translates, without a second pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from mule.model.expressions import (
    COMPARISONS,
    EXACT,
    HIGHEST,
    LEAST,
    LOWEST,
    Binary,
    Constant,
    Expression,
    Read,
    Unary,
    children,
    negation,
)

_SIZE = 2**32


def wrap(value: int) -> int:
    """An integer as 32 bits hold it."""
    return (value - LOWEST) % _SIZE + LOWEST


def is_total(expression: Expression) -> bool:
    """Whether the expression is defined in every state, as far as its shape tells."""
    stack = [expression]
    while stack:
        current = stack.pop()
        match current:
            case Read(variable, Constant(value)):
                if not 0 <= value < variable.size:
                    return False
            case Read(_, None):
                pass
            case Read():
                return False
            case Binary("/" | "%", _, divisor):
                if not (isinstance(divisor, Constant) and divisor.value != 0):
                    return False
            case Binary(operator, _, _) if operator in EXACT:
                return False
        stack.extend(children(current))
    return True


def is_boolean(expression: Expression) -> bool:
    """Whether the value is always 0 or 1."""
    match expression:
        case Constant(value):
            return value in (0, 1)
        case Unary("not", _):
            return True
        case Binary(operator, _, _):
            return operator in COMPARISONS or operator in ("and", "or")
    return False


def boolean(expression: Expression) -> Expression:
    """1 where the expression is not 0, else 0."""
    if is_boolean(expression):
        return expression
    if isinstance(expression, Constant):
        return Constant(1)
    return Binary("!=", expression, Constant(0))


def unary(operator: str, operand: Expression) -> Expression:
    if isinstance(operand, Constant):
        match operator:
            case "not":
                return Constant(int(operand.value == 0))
            case "-":
                return Constant(wrap(-operand.value))
            case "~":
                return Constant(~operand.value)
    if operator == "not":
        return negation(operand)
    return Unary(operator, operand)


def binary(operator: str, left: Expression, right: Expression) -> Expression:
    if operator == "and":
        return _connective("and", left, right, absorbing=0)
    if operator == "or":
        return _connective("or", left, right, absorbing=1)
    if isinstance(left, Constant) and isinstance(right, Constant):
        value = compute(operator, left.value, right.value)
        if value is not None:
            return Constant(value)
    if operator in COMPARISONS and left == right and is_total(left):
        return Constant(int(operator in ("==", "<=", ">=")))
    return Binary(operator, left, right)


def _connective(operator: str, left: Expression, right: Expression, absorbing: int) -> Expression:
    """`and` is decided by a 0, `or` by a 1; the other value is neutral."""
    if isinstance(left, Constant):
        return Constant(absorbing) if int(left.value != 0) == absorbing else boolean(right)
    if isinstance(right, Constant):
        if int(right.value != 0) != absorbing:
            return boolean(left)
        if is_total(left):
            return Constant(absorbing)
    return Binary(operator, left, right)


def joined(operator: str, parts: Sequence[Expression]) -> Expression:
    """All parts in their order, as a tree that is no deeper than it must be."""
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [*(binary(operator, left, right) for left, right in pairs), *parts[len(parts) & ~1 :]]
    return parts[0] if parts else Constant(int(operator == "and"))


def compute(operator: str, left: int, right: int) -> int | None:
    """What a strict operator gives for two numbers; None where it is undefined."""
    if operator in EXACT:
        return _exactly(EXACT[operator], left, right)
    match operator:
        case "+":
            return wrap(left + right)
        case "-":
            return wrap(left - right)
        case "*":
            return wrap(left * right)
        case "&":
            return left & right
        case "|":
            return left | right
        case "^":
            return left ^ right
        case "<<":
            return wrap(left << (right & 31))
        case ">>":
            return left >> (right & 31)
        case "/" | "%":
            return _divide(operator, left, right)
    return int(_compare(operator, left, right))


def _exactly(operator: str, left: int, right: int) -> int | None:
    match operator:
        case "+":
            result = left + right
        case "-":
            result = left - right
        case "*":
            result = left * right
        case "<<":
            if not 0 <= right <= 31:
                return None
            result = left << right
        case _:
            if right == 0:
                return None
            result = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return result if LEAST <= result <= HIGHEST else None


def _divide(operator: str, left: int, right: int) -> int | None:
    """Division that rounds towards zero, as C's."""
    if right == 0:
        return None
    quotient = abs(left) // abs(right)
    if (left < 0) != (right < 0):
        quotient = -quotient
    return wrap(quotient) if operator == "/" else left - quotient * right


def _compare(operator: str, left: int, right: int) -> bool:
    match operator:
        case "==":
            return left == right
        case "!=":
            return left != right
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
    raise ValueError(f"unknown operator {operator!r}")
