"""What a path knows about sums: integers of a model wrap around, and those of Python do not."""

from __future__ import annotations

import pytest

from mule.frontends.actors.paths import Path
from mule.frontends.actors.types import HIGH, LOW
from mule.model import IntegerType, Variable
from mule.model.expressions import Binary, Constant, Expression, Read


def number(low: int, high: int) -> Expression:
    return Read(Variable("x", IntegerType("x", low, high), (max(low, 0),)))


def shifted(operator: str, x: Expression, by: int) -> Expression:
    return Binary(operator, x, Constant(by))


@pytest.mark.parametrize(
    ("low", "high", "operator", "by", "compared", "with_x", "expected"),
    [
        (0, 10, ">", 5, "+", (">", 6), True),
        (LOW, HIGH, ">", 5, "+", (">", 6), None),  # the largest number plus 1 is the smallest
        (LOW, 100, ">", 5, "+", (">", 6), True),
        (LOW, HIGH, "<", 5, "-", ("<", 4), None),
        (0, HIGH, "<", 5, "-", ("<", 4), True),
    ],
)
def test_an_offset_is_moved_only_where_nothing_wraps(
    low: int, high: int, operator: str, by: int, compared: str, with_x: tuple[str, int], expected: bool | None
) -> None:
    x = number(low, high)
    path = Path([])
    path.assume(Binary(operator, x, Constant(by)))
    later, value = with_x
    assert path.truth(Binary(later, shifted(compared, x, 1), Constant(value))) is expected


def test_nothing_is_learned_of_a_number_from_a_sum_that_may_wrap() -> None:
    x = number(LOW, HIGH)
    path = Path([])
    path.assume(Binary("<", shifted("+", x, 1), Constant(5)))
    assert path.truth(Binary("<", x, Constant(4))) is None
