"""Arithmetic for languages in which integers do not wrap: it is exact, or undefined where the result is too large.

Most results fit by the types of what is read. There the plain operator stands, which costs nothing and is known to all
analyses; elsewhere the one of EXACT."""

from __future__ import annotations

from collections.abc import Callable

from mule.model.closures import always_fits
from mule.model.expressions import EXACT, Constant, Expression
from mule.model.forward import bounds
from mule.model.simplify import binary, unary

_MARKED = {plain: marked for marked, plain in EXACT.items()}


def exact(
    operator: str,
    left: Expression,
    right: Expression,
    limits: Callable[[Expression], tuple[int, int]] = bounds,
) -> Expression:
    """The operator applied; `limits` tells what an operand can be."""
    marked = _MARKED.get(operator)
    if marked is not None and not always_fits(marked, limits(left), limits(right)):
        return binary(marked, left, right)
    return binary(operator, left, right)


def negative(operand: Expression) -> Expression:
    if always_fits("-!", (0, 0), bounds(operand)):
        return unary("-", operand)
    return binary("-!", Constant(0), operand)
