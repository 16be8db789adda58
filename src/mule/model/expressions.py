"""Expressions over the variables of a model: 32-bit integers, booleans being 0 and 1.

An expression is side-effect free. It may be *undefined* in a state (index out of range, division by zero, a result that
does not fit): the interpreter and the generated code agree on where.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import dropwhile

from mule.model.variables import Role, Variable
from mule.records import Record

ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"})
EXACT = {"+!": "+", "-!": "-", "*!": "*", "/!": "/", "<<!": "<<"}
"""Operators that give what the integers of mathematics give, and are undefined where that is beyond LEAST..HIGHEST; so
is a shift by a negative number or by more than 31."""
LOWEST, HIGHEST = -(2**31), 2**31 - 1
LEAST = -HIGHEST
"""The least number that is a result of exact arithmetic: the one below it is free to mean that there is none."""
EXTREMES = frozenset({"min", "max"})
"""The lesser or the larger of two numbers: for what is computed of a state, not for models."""
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
CONNECTIVES = frozenset({"and", "or"})
"""Connectives evaluate their right side only where the left one does not decide (as `&&` and `||` in C)."""

NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


class Expression(Record, frozen=True):
    """Base of all expressions."""


class Constant(Expression, frozen=True):
    value: int


class Reason(Constant, frozen=True):
    """The 0 of a division that stands for an expression without any value: why it has none."""

    text: str = ""


class Read(Expression, frozen=True):
    """The value of a scalar (`index` is None) or of one element of an array; also the target of an assignment."""

    variable: Variable
    index: Expression | None = None


class Unary(Expression, frozen=True):
    """`not` (logical), `-` or `~`."""

    operator: str
    operand: Expression


class Binary(Expression, frozen=True):
    """One of ARITHMETIC, EXACT, EXTREMES, COMPARISONS or CONNECTIVES. What is in ARITHMETIC wraps at 32 bits, as C's
    int does in practice; a language in which nothing wraps uses what is in EXACT where a result may not fit (see
    `exact`)."""

    operator: str
    left: Expression
    right: Expression


class Conditional(Expression, frozen=True):
    test: Expression
    then: Expression
    otherwise: Expression


class Lookup(Expression, frozen=True):
    """The number at a place of a table, for what is computed of a state, not for models. The place is always in the
    table: who makes the expression sees to that."""

    place: Expression
    numbers: tuple[int, ...] | bytes


class Undefined(Expression, frozen=True):
    """1 where `operand` is undefined, else 0; never undefined itself."""

    operand: Expression


TRUE = Constant(1)
FALSE = Constant(0)


def children(expression: Expression) -> tuple[Expression, ...]:
    """The direct sub-expressions, in evaluation order."""
    match expression:
        case Binary(_, left, right):
            return (left, right)
        case Read(_, index):
            return () if index is None else (index,)
        case Unary(_, operand) | Undefined(operand) | Lookup(operand, _):
            return (operand,)
        case Conditional(test, then, otherwise):
            return (test, then, otherwise)
    return ()


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """The expression itself and everything below it; what stands at several places as one object comes once."""
    stack = [expression]
    seen = {id(expression)}
    while stack:
        current = stack.pop()
        yield current
        kind = type(current)
        if kind is Constant or (kind is Read and current.index is None):  # type: ignore[attr-defined]
            continue
        for child in children(current):
            if id(child) not in seen:
                seen.add(id(child))
                stack.append(child)


def variables_read(expression: Expression) -> set[Variable]:
    return {part.variable for part in subexpressions(expression) if isinstance(part, Read)}


def location_test(expression: Expression) -> tuple[Variable, int] | None:
    """The process location and the value that a guard of the form `location == constant` asks for."""
    if type(expression) is not Binary or expression.operator != "==":  # a match takes twice the time
        return None
    left, right = expression.left, expression.right
    if type(left) is Read and type(right) is Constant and left.index is None and left.variable.role is Role.LOCATION:
        return left.variable, right.value
    return None


def conjunction(parts: Sequence[Expression]) -> Expression:
    parts = list(dropwhile(lambda part: part == TRUE, parts))
    return joined("and", parts) if parts else TRUE


def disjunction(parts: Sequence[Expression]) -> Expression:
    parts = list(dropwhile(lambda part: part == FALSE, parts))
    return joined("or", parts) if parts else FALSE


MANY = 64
"""So many parts are joined one after the other; more are halved first, since whatever walks over expressions may use
recursion."""


def joined(operator: str, parts: Sequence[Expression]) -> Expression:
    """One part or more, with an associative operator between them."""
    if len(parts) > MANY:
        middle = len(parts) // 2
        return Binary(operator, joined(operator, parts[:middle]), joined(operator, parts[middle:]))
    result = parts[0]
    for part in parts[1:]:
        result = Binary(operator, result, part)
    return result


def conjuncts(expression: Expression) -> list[Expression]:
    """The parts of a (nested) conjunction, from left to right."""
    return _operands("and", expression)


def disjuncts(expression: Expression) -> list[Expression]:
    """The parts of a (nested) disjunction, from left to right."""
    return _operands("or", expression)


def _operands(connective: str, expression: Expression) -> list[Expression]:
    parts, stack = [], [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, Binary) and part.operator == connective:
            stack += (part.right, part.left)
        else:
            parts.append(part)
    return parts


def negation(expression: Expression) -> Expression:
    if isinstance(expression, Binary) and expression.operator in NEGATED:
        return Binary(NEGATED[expression.operator], expression.left, expression.right)
    if isinstance(expression, Unary) and expression.operator == "not":
        return Binary("!=", expression.operand, Constant(0))
    return Unary("not", expression)
