"""Where an expression is undefined, as an expression that is defined everywhere.

It reads no more than that needs: `a[k] + b` is undefined where `k` is out of range, whatever `a` and `b` hold. Where a
result does not fit is asked with arithmetic that wraps, in a way that never does.
"""

from __future__ import annotations

from mule.model.expressions import (
    EXACT,
    FALSE,
    HIGHEST,
    LEAST,
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    Undefined,
    children,
    negation,
)
from mule.model.simplify import binary


def undefined_where(expression: Expression) -> Expression:
    """1 where evaluating the expression fails, else 0."""
    match expression:
        case Undefined():
            return FALSE
        case Read(variable, index):
            if index is None:
                return FALSE
            outside = binary("or", binary("<", index, Constant(0)), binary(">=", index, Constant(variable.size)))
            return binary("or", undefined_where(index), outside)
        case Binary("and" | "or" as name, left, right):
            inner = undefined_where(right)
            if inner == FALSE:
                return undefined_where(left)
            reached = left if name == "and" else negation(left)
            return binary("or", undefined_where(left), binary("and", reached, inner))
        case Binary("/" | "%", left, right):
            zero = binary("==", right, Constant(0))
            return binary("or", undefined_where(left), binary("or", undefined_where(right), zero))
        case Binary(name, left, right) if name in EXACT:
            operands = binary("or", undefined_where(left), undefined_where(right))
            return binary("or", operands, _does_not_fit(name, left, right))
        case Conditional(test, then, otherwise):
            yes, no = undefined_where(then), undefined_where(otherwise)
            if yes == no == FALSE:
                return undefined_where(test)
            return binary("or", undefined_where(test), Conditional(test, yes, no))
    result: Expression = FALSE
    for child in children(expression):
        result = binary("or", result, undefined_where(child))
    return result


def _does_not_fit(name: str, left: Expression, right: Expression) -> Expression:
    """1 where an operator of EXACT is undefined though both its operands are defined."""
    zero, least, highest = Constant(0), Constant(LEAST), Constant(HIGHEST)
    match name:
        case "+!":
            above = binary("and", binary(">", right, zero), binary(">", left, binary("-", highest, right)))
            below = binary("and", binary("<=", right, zero), binary("<", left, binary("-", least, right)))
            return binary("or", above, below)
        case "-!":
            above = binary("and", binary("<", right, zero), binary(">", left, binary("+", highest, right)))
            below = binary("and", binary(">=", right, zero), binary("<", left, binary("+", least, right)))
            return binary("or", above, below)
        case "*!":
            return _product_does_not_fit(left, right)
        case "<<!":
            count = binary("or", binary("<", right, zero), binary(">", right, Constant(31)))
            above = binary(">", left, binary(">>", highest, right))
            below = binary("<", left, binary("-", zero, binary(">>", highest, right)))
            return binary("or", count, binary("or", above, below))
    by_one = binary("or", binary("==", right, Constant(1)), binary("==", right, Constant(-1)))
    return binary("or", binary("==", right, zero), binary("and", by_one, binary("<", left, least)))


def _product_does_not_fit(left: Expression, right: Expression) -> Expression:
    if isinstance(left, Constant):
        left, right = right, left
    least, highest, minus_one = Constant(LEAST), Constant(HIGHEST), Constant(-1)

    def beyond(above: Constant, below: Constant) -> Expression:
        return binary("or", binary(">", left, binary("/", above, right)), binary("<", left, binary("/", below, right)))

    positive = binary("and", binary(">", right, Constant(0)), beyond(highest, least))
    negative = binary("and", binary("<", right, minus_one), beyond(least, highest))
    opposite = binary("and", binary("==", right, minus_one), binary("<", left, least))
    return binary("or", positive, binary("or", negative, opposite))
