"""Necessary disabling sets of guards (guard-based POR, Definition 12)."""

from __future__ import annotations

from mule.relations.accesses import union
from mule.relations.changes import TURNS_FALSE, Changing


def necessary_disabling_sets(table: list[Changing]) -> list[int]:
    """For each guard the transitions that can turn it from true to false: one of them must run first."""
    return [union(bits for bits, possible in row if possible & TURNS_FALSE) for row in table]
