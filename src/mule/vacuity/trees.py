"""CTL formulas that hold vacuously on a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mule.ctl.formula import Formula
from mule.model.expressions import Constant, Expression
from mule.vacuity.parts import ALWAYS_TRUE, BRANCHING, why_vacuous

MOST_PARTS = 32
"""The graph is there already: each part takes a few fixed points only."""


def vacuous_on_trees(
    formula: Formula, meaning: Mapping[str, Expression], holds: Callable[[Formula], bool]
) -> str | None:
    """About a formula that holds; its atoms have these meanings, and `holds` judges another one over the same atoms."""
    if all(isinstance(meaning[name], Constant) for name in formula.atoms()):
        return ALWAYS_TRUE
    return why_vacuous(BRANCHING, formula, lambda stronger: holds(stronger.formula), MOST_PARTS)
