"""What source sets ask of two transitions: whether they can change places wherever they meet, whether one of them can
take the other's successors away."""

from __future__ import annotations

from mule.relations import Relations
from mule.relations.accesses import members, union
from mule.relations.visibility import failing_transitions


def dependent(relations: Relations) -> list[int]:
    """For each transition those that do not accord with it, or that may enable it or be enabled by it. Reflexive and
    symmetric; two that are not in it form a diamond wherever both are enabled, and neither enables the other."""
    enabling = [union(relations.enabling[guard] for guard in t.guards) for t in relations.model.transitions]
    rows = [
        row | 1 << number | enabled_by
        for number, (row, enabled_by) in enumerate(zip(relations.do_not_accord, enabling, strict=True))
    ]
    for number, enabled_by in enumerate(enabling):
        for other in members(enabled_by):
            rows[other] |= 1 << number
    return rows


def may_disable(relations: Relations) -> list[int]:
    """For each transition those after which it may have no successor, though it had one before: a guard is false, no
    outcome is possible, or its effect fails."""
    partial = failing_transitions(relations)
    rows = []
    for number, transition in enumerate(relations.model.transitions):
        row = union(relations.disabling[guard] for guard in transition.guards)
        conditional = any(outcome.condition is not None for outcome in transition.outcomes)
        if conditional or partial >> number & 1:
            row |= relations.do_not_accord[number]
        rows.append(row)
    return rows
