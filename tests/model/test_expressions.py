"""An expression can have the same object at many places: it is looked through once."""

from __future__ import annotations

from mule.model import BYTE, Variable
from mule.model.expressions import Binary, Expression, Read, subexpressions, variables_read


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
