"""Must-disable sets (guard-based POR, section 4.4)."""

from __future__ import annotations

from mule.model.model import Model
from mule.relations.accesses import members
from mule.relations.changes import STAYS_TRUE, TURNS_TRUE, Changing


def must_disable_sets(model: Model, table: list[Changing]) -> list[int]:
    """For each transition those that are disabled whenever it has just run, whether or not they were enabled before."""
    using = [0] * len(model.guards)
    for number, transition in enumerate(model.transitions):
        for guard in transition.guards:
            using[guard] |= 1 << number
    disabled = [0] * len(model.transitions)
    for guard, row in enumerate(table):
        for bits, possible in row:
            if not possible & (TURNS_TRUE | STAYS_TRUE):
                for number in members(bits):
                    disabled[number] |= using[guard]
    return disabled
