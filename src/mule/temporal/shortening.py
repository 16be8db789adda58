"""Shorter trails for properties of the form `[] p`: a state without p is enough, whatever comes after it.

A search that follows runs depth first may never come to such a state, where something is counted on and on."""

from __future__ import annotations

from mule.driving import ProgressCallback
from mule.ltl.formula import Op
from mule.model import Model
from mule.model.expressions import Expression
from mule.model.interpreter import Interpreter
from mule.options import Options
from mule.results import Trail, ViolationKind
from mule.safety import check_invariants, worth_looking_at
from mule.state_formulas import state_expression
from mule.temporal.questions import Question


def reached_sooner(model: Model, question: Question, options: Options, states: int, steps: int) -> Trail | None:
    """The way to a state in which p is false, if one is found breadth first among about as many states as the first
    search needed; `steps` is how far that one went. Fairness makes no difference to `[] p`, but is left alone."""
    if options.fairness != "none":
        return None
    trail = reached_breadth_first(model, question, options, worth_looking_at(states, options), None)
    return trail if trail is not None and len(trail) < steps else None


def reached_breadth_first(
    model: Model, question: Question, options: Options, states: int, progress: ProgressCallback | None
) -> Trail | None:
    """The way to a state in which p is false, if there is one among so many states, breadth first."""
    expression = always_true(question)
    if expression is None:
        return None
    again = Options(
        por="none",
        search="bfs",
        as_written=options.as_written,
        memory=options.memory,
        time=options.time,
        max_states=states,
    )
    found = check_invariants(model, {question.text: expression}, again, progress)
    for violation in found.violations:
        if violation.kind is ViolationKind.INVARIANT:
            return _up_to_the_first(model, expression, violation.trail)
    return None


def _up_to_the_first(model: Model, expression: Expression, trail: Trail) -> Trail | None:
    """Steps that were joined for the search are steps of their own again, and p may be false before the last one."""
    interpreter = Interpreter(model)
    for taken, state in enumerate(trail.states):
        is_judged = model.transient is None or not interpreter.evaluate(model.transient, state)
        if is_judged and interpreter.evaluate(expression, state) == 0:
            return Trail(trail.model, trail.states[: taken + 1], trail.taken[:taken])
    return None


def always_true(question: Question) -> Expression | None:
    """p, where the property is `[] p` and p speaks about one state. Runs that end must count too: nobody knows whether
    an infinite one begins where p is false."""
    formula = question.formula
    if formula is None or formula.op is not Op.ALWAYS or not formula.args[0].boolean or not question.finite_runs:
        return None
    return state_expression(formula.args[0], dict(question.expressions))
