"""An expression can have the same object at many places: it is looked through once."""

from __future__ import annotations

from mule.model import BYTE, Variable
from mule.model.expressions import (
    FALSE,
    TRUE,
    Binary,
    Constant,
    Expression,
    Read,
    children,
    conjunction,
    conjuncts,
    disjunction,
    disjuncts,
    subexpressions,
    variables_read,
)


def doubled(times: int) -> tuple[Expression, Variable]:
    variable = Variable("x", BYTE, (0,))
    result: Expression = Read(variable)
    for _ in range(times):
        result = Binary("+", result, result)
    return result, variable


def test_shared_parts_come_once() -> None:
    expression, variable = doubled(100)
    assert len([*subexpressions(expression)]) == 101
    assert variables_read(expression) == {variable}


def test_everything_comes() -> None:
    expression, _ = doubled(1)
    other = Binary("*", expression, Binary("-", expression, Read(Variable("y", BYTE, (0,)))))
    assert {type(part) for part in subexpressions(other)} == {Binary, Read}
    assert {variable.name for variable in variables_read(other)} == {"x", "y"}


def test_many_parts_make_no_deep_expression() -> None:
    """Whatever walks over expressions may use recursion."""
    parts = [Binary("==", Constant(number), Constant(0)) for number in range(10_000)]
    for make, taken_apart in ((conjunction, conjuncts), (disjunction, disjuncts)):
        whole = make(parts)
        assert taken_apart(whole) == parts
        assert depth(whole) < 100


def depth(expression: Expression) -> int:
    return 1 + max(map(depth, children(expression)), default=0)


def test_what_comes_before_the_first_part_is_left_out() -> None:
    part = Binary("==", Constant(1), Constant(0))
    assert conjunction([TRUE, TRUE, part]) == disjunction([FALSE, part]) == part
    assert (conjunction([]), disjunction([])) == (TRUE, FALSE)
