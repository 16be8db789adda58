"""Properties that hold without saying anything about the model: an antecedent that never happens, or a formula that is
true of every run."""

from __future__ import annotations

from functools import partial

from mule.ltl.formula import TRUE, Formula, Op, not_
from mule.model import Model
from mule.model.expressions import Expression
from mule.options import Options
from mule.properties import Properties
from mule.records import replace
from mule.safety import check_safety, worth_looking_at
from mule.temporal.questions import Question
from mule.temporal.state_formulas import state_expression

MOST_CONDITIONS = 4
"""So many antecedents of one property are looked for, at most: each takes a search."""


def why_vacuous(model: Model, question: Question, options: Options, states: int) -> str | None:
    """About a property that holds. `[](p -> q)` is `[](!p || q)`: where `!p` holds in every reachable state, q is never
    asked for. The search has about as many states as the first one needed; what it leaves open is not vacuous."""
    formula = question.formula
    if formula is None:
        return None
    if formula is TRUE:
        return "vacuous: it is true of every run, whatever the model does"
    for never in _antecedents(formula)[:MOST_CONDITIONS]:
        expression = state_expression(not_(never), dict(question.expressions))
        asked = replace(model, parse_expression=partial(_meant, expression), wider=None, deeper=None)
        limits = Options(memory=options.memory, time=options.time, max_states=worth_looking_at(states, options))
        if "invariant p" in check_safety(asked, Properties(invariants=("p",)), limits).holding:
            return f"vacuous: {_written(never)} never holds"
    return None


def _antecedents(formula: Formula) -> list[Formula]:
    """What must hold before a part of the property asks for something that is about more than one state."""
    if formula.op is Op.AND:
        return [each for part in formula.args for each in _antecedents(part)]
    if formula.op is not Op.ALWAYS or formula.args[0].op is not Op.OR:
        return []
    parts = formula.args[0].args
    asks_for_later = not all(part.boolean for part in parts)
    negated = [part for part in parts if part.boolean and (part.op is Op.NOT or asks_for_later)]
    return [not_(part) for part in negated] if len(negated) < len(parts) else []


def _meant(expression: Expression, _: str) -> Expression:
    return expression


def _written(formula: Formula) -> str:
    return formula.name if formula.op is Op.ATOM else formula.text.replace('"', "")
