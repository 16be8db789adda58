"""Necessary disabling sets of guards (guard-based POR, Definition 12)."""

from __future__ import annotations

from mule.relations.changes import TURNS_FALSE


def necessary_disabling_sets(changes: list[dict[int, int]]) -> list[int]:
    """For each guard the transitions that can turn it from true to false: one of them must run first."""
    sets = []
    for of_guard in changes:
        bits = 0
        for transition, possible in of_guard.items():
            if possible & TURNS_FALSE:
                bits |= 1 << transition
        sets.append(bits)
    return sets
