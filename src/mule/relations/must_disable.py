"""Must-disable sets (guard-based POR, section 4.4)."""

from __future__ import annotations

from mule.model.model import Model
from mule.relations.changes import STAYS_TRUE, TURNS_TRUE


def must_disable_sets(model: Model, changes: list[dict[int, int]]) -> list[int]:
    """For each transition those that are disabled whenever it has just run, whether or not they were enabled before."""
    using = [0] * len(model.guards)
    for number, transition in enumerate(model.transitions):
        for guard in transition.guards:
            using[guard] |= 1 << number
    disabled = [0] * len(model.transitions)
    for guard, of_guard in enumerate(changes):
        for runner, possible in of_guard.items():
            if not possible & (TURNS_TRUE | STAYS_TRUE):
                disabled[runner] |= using[guard]
    return disabled
