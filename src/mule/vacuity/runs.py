"""Properties of all runs that hold vacuously."""

from __future__ import annotations

from collections.abc import Callable

from mule.ltl.components import is_empty
from mule.ltl.formula import Formula, Op, not_
from mule.model import Model
from mule.options import Options
from mule.records import replace
from mule.state_formulas import state_expression
from mule.temporal.questions import Question, about_formula
from mule.vacuity.parts import ALWAYS_TRUE, LINEAR, Stronger, why_vacuous
from mule.vacuity.states import Effort, Known, holds_always


def vacuous_on_runs(
    model: Model,
    question: Question,
    options: Options,
    effort: Effort,
    holds: Callable[[Model, Question, Options], Known],
) -> str | None:
    """About a property that holds. `effort` is what it took to find out, `holds` answers a question in the same way."""
    formula = question.formula
    if is_empty(question.automaton):
        return ALWAYS_TRUE
    if formula is None:
        return None
    atoms = dict(question.expressions)

    def decided(stronger: Stronger) -> bool:
        return effort.spent_on(lambda: known(stronger))

    def known(stronger: Stronger) -> Known:
        limits = options.but(max_states=effort.most_states(stronger, options))
        state = _of_every_state(stronger.formula)
        if state is not None:
            return holds_always(model, state_expression(state, atoms), limits)
        asked = about_formula(question.text, not_(stronger.formula), atoms, options.translator)
        return holds(model, replace(asked, finite_runs=question.finite_runs), limits)

    return why_vacuous(LINEAR, formula, decided)


def _of_every_state(formula: Formula) -> Formula | None:
    """What a formula says of every state, if it says nothing else: every state is on some run, and on a fair one."""
    if formula.op is Op.ALWAYS and formula.args[0].boolean:
        return formula.args[0]
    return None
