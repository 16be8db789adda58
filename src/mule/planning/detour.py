"""A search that has not found anything for long looks elsewhere for a moment: best first, led by how far each state is
at least from what is looked for.

Most violations are found depth first within a few states, so that comes first and alone; no estimate is made for them.
When there is a detour, and how long it is, depends on numbers of states only, so that the same command always gives the
same answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mule.driving import Progress, ProgressCallback, told_as
from mule.engine import Found, Order, SearchOptions, SearchResult
from mule.engine import Proviso as EngineProviso
from mule.planning.preparation import Preparation
from mule.records import replace

if TYPE_CHECKING:
    from mule.directed.patterns import Pattern

FIRST = 3_000_000
"""States that are expanded before the first detour."""
FURTHER = 10
"""The next one comes after so many times as many."""
SHARE = 20
"""A detour stores one state for so many of the search that waits."""


def guided(options: SearchOptions, projection: Pattern, order: Order) -> SearchOptions:
    """The same search led by the distances in a projection."""
    proviso = options.proviso
    if proviso in (EngineProviso.STACK, EngineProviso.STACK_MINUS):
        proviso = EngineProviso.CLOSED_MINUS
    return replace(options, order=order, patterns=(projection.distances,), proviso=proviso, team=None)


class Detour:
    """What is found on one is told by the same program, so everything else is as if the first search had found it."""

    def __init__(self, prepared: Preparation, options: SearchOptions, progress: ProgressCallback | None) -> None:
        self.prepared = prepared
        self.options = options
        self.progress = progress
        self.due = FIRST
        self.taken = 0
        """States, where it has found something."""

    def __call__(self, so_far: Progress) -> SearchResult | None:
        states, self.due = self.due // SHARE, self.due * FURTHER
        projection = self.prepared.projection
        if projection is None:
            return None
        most_bytes = self.options.max_bytes
        options = replace(
            guided(self.options, projection, Order.BEST_FIRST),
            max_states=states,
            max_bytes=None if most_bytes is None else max(most_bytes - so_far.memory_bytes, 0),
        )
        found = self.prepared.search(options, told_as(so_far, self.progress))
        if found.found is Found.NOTHING:
            return None
        self.taken = found.progress.states
        return replace(found, progress=replace(so_far, states=so_far.states + found.progress.states))
