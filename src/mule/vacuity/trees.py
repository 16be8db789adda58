"""CTL formulas that hold vacuously on a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from mule.ctl.formula import FALSE, TRUE, Formula, Op, and_, not_, or_
from mule.model.expressions import Constant, Expression
from mule.vacuity.parts import ALWAYS_TRUE, Logic, why_vacuous

MOST_PARTS = 32
"""The graph is there already: each part takes a few fixed points only."""


def vacuous_on_trees(
    formula: Formula, meaning: Mapping[str, Expression], holds: Callable[[Formula], bool]
) -> str | None:
    """About a formula that holds; its atoms have these meanings, and `holds` judges another one over the same atoms."""
    if all(isinstance(meaning[name], Constant) for name in formula.atoms()):
        return ALWAYS_TRUE
    return why_vacuous(BRANCHING, formula, lambda stronger: holds(stronger.formula), MOST_PARTS)


def _build(op: Op, *args: Formula) -> Formula:
    if op not in (Op.AND, Op.OR):
        return Formula(op, args)
    join = and_ if op is Op.AND else or_
    joined = args[0]
    for arg in args[1:]:
        joined = join(joined, arg)
    return joined


def _text(formula: Formula) -> str:
    return formula.name if formula.op is Op.ATOM else str(formula)


BRANCHING: Final = Logic(_build, not_, TRUE, FALSE, _text)
