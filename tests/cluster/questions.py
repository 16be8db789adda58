"""One question about a model, asked of a search by one worker and of a cluster in this process."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from mule.cluster.cuts import new_shelf
from mule.cluster.in_process import InProcess
from mule.cluster.leading import lead
from mule.engine import Found, Order, SearchOptions, SearchResult, Team, bit_words
from mule.model import Model
from mule.model.expressions import Expression
from mule.options import Options, Preserve
from mule.planning import Analysis, Plan, Preparation, resolve, search_options
from mule.records import replace


class Asked:
    """A model and what is asked of it."""

    def __init__(self, model: Model, preserve: Preserve, observed: Sequence[Expression] = ()) -> None:
        self.analysis = Analysis(model)
        self.preserve = preserve
        self.observed = tuple(observed)

    def prepared(self, options: Options) -> Preparation:
        resolved = resolve(options.but(as_written=True), self.preserve)
        return Preparation(Plan(self.analysis, resolved, self.preserve, self.observed))

    def alone(self, options: Options, **stops: bool) -> SearchResult:
        prepared = self.prepared(options)
        return prepared.search(search_options(prepared.options, self.preserve, **stops), None)

    def shared(
        self,
        options: Options,
        parts: int,
        chosen: random.Random,
        folder: Path | None = None,
        losses: int = 0,
        **stops: bool,
    ) -> SearchResult:
        """On a cluster in this process, in an order that `chosen` gives; with a folder there is a cut at every turn."""
        prepared = self.prepared(options.but(cluster="local:1"))
        search = search_options(prepared.options, self.preserve, **stops)
        if prepared.sticky:
            search = replace(search, sticky=bit_words(prepared.sticky, len(prepared.searched.transitions)))
        shelf = None if folder is None else new_shelf(folder)
        search, threads = with_threads(search, parts, chosen)
        states = chosen.choice((1, 5, 50))
        team = InProcess(prepared, search, parts, chosen, states, shelf, losses, threads=threads)
        found = lead(team, search, between_cuts=float("inf") if folder is None else 0.0)
        if found.found is Found.NOTHING and found.stopped is None:
            assert not team.lost, "the search was over before a batch had arrived"
            assert not any(partition.search.has_work for partition in team.partitions)
        return found


MOST_THREADS = 3


def with_threads(
    search: SearchOptions, parts: int, chosen: random.Random
) -> tuple[SearchOptions, tuple[int, ...] | None]:
    """The search, and how many threads each partition has: also different numbers, and with levels and tables so small
    that they share them often. Fragments have one thread."""
    if search.order is Order.DEPTH_FIRST or chosen.random() < 0.2:
        return search, None
    threads = tuple(chosen.randint(1, MOST_THREADS) for _ in range(parts))
    return replace(search, team=Team(1, worth_sharing=chosen.choice((1, 3, 50)), capacity=5)), threads


def counted(found: SearchResult) -> tuple[object, ...]:
    """What must not depend on how many workers there are, where nothing is reduced."""
    progress = found.progress
    return (
        progress.states,
        progress.transitions,
        found.deadlocks,
        found.failures,
        found.assertions,
        found.error_states,
        found.fired,
        found.stopped,
    )
