"""The estimate for what a search is looking for: the nearest of all that would end it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from mule.directed.deadlock import deadlock
from mule.directed.failing import failing_where
from mule.directed.formula import Formulas
from mule.directed.goals import Estimate, Goals
from mule.directed.parts import NOTHING, REACHED, Part, added, either, maximum, one_step_more, together
from mule.model import Kind, Model
from mule.model.domains import Domains
from mule.model.expressions import Expression, location_test
from mule.model.failures import effects_may_fail
from mule.model.variables import Variable

MOST_FAILING_STEPS = 100
"""Where more steps can fail, only the distances of their processes are asked for: all is evaluated in every state."""


def estimate_for(
    model: Model, domains: Domains, bounds: Sequence[tuple[int, int]], goals: Goals, bound: bool
) -> Estimate:
    """`bound`: one that is proven to be a lower bound; else one that adds up all that is still to be done."""
    join = together if bound else added
    formulas = Formulas(model, domains, bounds, join)
    parts = [formulas.violating(each) for each in goals.propositions]
    if goals.deadlock:
        parts.append(deadlock(model, domains, join))
    if goals.failures:
        parts += _failures(model, domains, formulas)
    value = either(parts).value
    if bound:
        return Estimate(value, True, True, "it is 0 at the goal, and no step lowers it by more than one")
    return Estimate(value, False, False, "it adds up what one step may do together")


def users(value: Expression) -> Estimate:
    """What the user says is a guide, and proves nothing."""
    return Estimate(value, False, False, "it is the user's, and nothing is known of it")


def largest(estimates: Sequence[Estimate]) -> Estimate:
    """The largest of several: a lower bound where all of them are, and no step lowers it by more than one where that is
    so for all of them."""
    if not estimates:
        return Estimate(NOTHING, True, True, "")
    if len(estimates) == 1:
        return estimates[0]
    return Estimate(
        maximum([each.value for each in estimates]),
        all(each.admissible for each in estimates),
        all(each.consistent for each in estimates),
        "of several the largest counts, and " + "; ".join(dict.fromkeys(each.why for each in estimates)),
    )


def _failures(model: Model, domains: Domains, formulas: Formulas) -> list[Part]:
    """To the states in which a step is enabled that fails, or may, and this step."""
    failing = [
        ([model.guards[guard].expression for guard in transition.guards], failing_where(transition))
        for transition in model.transitions
        if transition.kind is Kind.ERROR or effects_may_fail(model, transition, domains)
    ]
    if len(failing) <= MOST_FAILING_STEPS:
        return [one_step_more(formulas.all_of([*guards, condition])) for guards, condition in failing]
    places: dict[Variable | None, set[int]] = defaultdict(set)
    for guards, _ in failing:
        variable, value = next(filter(None, map(location_test, guards)), (None, 0))
        places[variable].add(value)
    return [
        one_step_more(REACHED if variable is None else formulas.one_of_the_values(variable, values))
        for variable, values in places.items()
    ]
