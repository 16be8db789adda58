"""Necessary enabling sets of guards (guard-based POR, Definition 10)."""

from __future__ import annotations

from mule.relations.accesses import union
from mule.relations.changes import TURNS_TRUE, Changing


def necessary_enabling_sets(table: list[Changing]) -> list[int]:
    """For each guard the transitions that can turn it from false to true: one of them must run first."""
    return [union(bits for bits, possible in row if possible & TURNS_TRUE) for row in table]
