"""Smaller models before any search: the same verdicts from fewer states and steps.

Three passes, each from a model to a model over the same variables:

- `pruning`: what can never run goes, and what is constant is written as a constant;
- `dead_variables`: what nobody will read again is reset, so that states that differ in nothing else become one;
- `merging`: a step that nobody else can see is joined to the step before it.

Observed expressions keep their values, deadlocks and errors of the model stay reachable if and only if they were. Each
transition says in `origins` which transitions of the given model it stands for, so that a run can be replayed there.
The given model must have its error transitions (`with_error_transitions`): the passes rely on guards that are nowhere
undefined unless such a transition is enabled there.
"""

from __future__ import annotations

from collections.abc import Sequence

from mule.model.domains import Domains
from mule.model.expressions import Expression
from mule.model.model import Model
from mule.transform.dead_variables import reset_dead_variables
from mule.transform.merging import merge_local_steps
from mule.transform.pruning import prune

__all__ = ["merge_local_steps", "optimise", "prune", "reset_dead_variables"]


def optimise(model: Model, domains: Domains, observed: Sequence[Expression]) -> Model:
    """The model made smaller; the same object where there is nothing to do.

    All passes use the domains of the model as it was given. They stay true of every value that some step still reads:
    a slot that was reset is assigned before it is read."""
    pruned = prune(model, domains)
    reset = reset_dead_variables(pruned, domains, observed)
    merged = merge_local_steps(reset, domains, observed)
    return merged if merged is reset else reset_dead_variables(merged, domains, observed)
