"""Necessary enabling sets of guards (guard-based POR, Definition 10)."""

from __future__ import annotations

from mule.relations.changes import TURNS_TRUE


def necessary_enabling_sets(changes: list[dict[int, int]]) -> list[int]:
    """For each guard the transitions that can turn it from false to true: one of them must run first."""
    return [_collect(of_guard, TURNS_TRUE) for of_guard in changes]


def _collect(of_guard: dict[int, int], change: int) -> int:
    bits = 0
    for transition, possible in of_guard.items():
        if possible & change:
            bits |= 1 << transition
    return bits
