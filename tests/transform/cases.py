"""The transformations, one by one and all together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mule.model import Model
from mule.model.domains import Domains
from mule.model.expressions import Expression
from mule.transform import merge_local_steps, optimise, prune, reset_dead_variables
from tests.fuzz import examples

EXAMPLES = examples(150)


Pass = Callable[[Model, Domains, Sequence[Expression]], Model]


PASSES: dict[str, Pass] = {
    "prune": lambda model, domains, observed: prune(model, domains),
    "reset": reset_dead_variables,
    "merge": merge_local_steps,
    "all": optimise,
}
