"""How far a state is from a deadlock: by the processes that can still move (Edelkamp, Leue and Lluch-Lafuente 2001).

Added up they are no lower bound, since one step can stop several processes. `together` counts those of them that no
step can stop together; and where every process that can move is stopped by some other one's step, that is one."""

from __future__ import annotations

from collections import defaultdict

from mule.directed.formula import Join
from mule.directed.parts import REACHED, Part, together, writers
from mule.model import Kind, Model, Transition
from mule.model.domains import Domains
from mule.model.expressions import (
    FALSE,
    Binary,
    Conditional,
    Constant,
    Expression,
    conjunction,
    variables_read,
)
from mule.model.failures import may_fail

MOST_TRANSITIONS = 2_000
"""Of a model with more nothing is said: the guards of all transitions are evaluated in every state."""


def deadlock(model: Model, domains: Domains, join: Join = together) -> Part:
    if len(model.transitions) > MOST_TRANSITIONS:
        return REACHED
    groups: dict[int, list[int]] = defaultdict(list)
    for number, transition in enumerate(model.transitions):
        if transition.kind is Kind.STEP:
            groups[transition.moves[0].process if transition.moves else -1 - number].append(number)
    return join([_still_moves(model, domains, numbers) for numbers in groups.values()])


def _still_moves(model: Model, domains: Domains, numbers: list[int]) -> Part:
    """1 where one of the transitions is enabled."""
    enabled: Expression = FALSE
    for number in numbers:
        conditions = _conditions(model, model.transitions[number])
        if any(may_fail(condition, domains) for condition in conditions):
            continue  # nothing is said where it alone is enabled
        possible = conjunction(conditions)
        enabled = possible if enabled == FALSE else Binary("or", enabled, possible)
    return Part(Conditional(enabled, Constant(1), Constant(0)), writers(model, variables_read(enabled)))


def _conditions(model: Model, transition: Transition) -> list[Expression]:
    """What makes a step possible: all guards, and the condition of one of the outcomes."""
    conditions = [model.guards[guard].expression for guard in transition.guards]
    possible: Expression = FALSE
    for outcome in transition.outcomes:
        if outcome.condition is None:
            return conditions
        possible = outcome.condition if possible == FALSE else Binary("or", possible, outcome.condition)
    return [*conditions, possible]
