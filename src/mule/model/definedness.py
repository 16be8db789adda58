"""Where an expression is undefined, as an expression that is defined everywhere.

It reads no more than that needs: `a[k] + b` is undefined where `k` is out of range, whatever `a` and `b` hold.
"""

from __future__ import annotations

from mule.model.expressions import FALSE, Binary, Conditional, Constant, Expression, Read, Undefined, children, negation
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
        case Conditional(test, then, otherwise):
            yes, no = undefined_where(then), undefined_where(otherwise)
            if yes == no == FALSE:
                return undefined_where(test)
            return binary("or", undefined_where(test), Conditional(test, yes, no))
    result: Expression = FALSE
    for child in children(expression):
        result = binary("or", result, undefined_where(child))
    return result
