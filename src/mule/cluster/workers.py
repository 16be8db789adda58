"""What every worker does with its partition, whatever brings it its batches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from mule import _engine
from mule.cluster.merging import PartResult, Way
from mule.cluster.partition import Partition
from mule.engine import Proviso, SearchOptions, Team
from mule.planning import Preparation
from mule.records import replace
from mule.temporal.product import Product

_WORD = 8
_BEFORE_RUNS = 2
"""Words before a state of a product on its way: the edge that it comes by, and its marks."""
_BEFORE = 3
"""Words before a state on its way: where it comes from, its hash, and the step that leads to it."""


def entry_bytes(prepared: Preparation, options: SearchOptions) -> int:
    """How long a state is on its way."""
    tagged = options.proviso is Proviso.FRAGMENTED_HISTORY
    return (_BEFORE + int(tagged) + prepared.engine.compiled.layout.words) * _WORD


def product_entry_bytes(product: Product) -> int:
    """How long two states of a product are on their way. Batches are cut only there, and so also between the notes of
    other phases, which have two words."""
    return 2 * (_BEFORE_RUNS + product.engine.compiled.layout.words) * _WORD


def for_partition(options: SearchOptions, part: int = 0, threads: Sequence[int] = (1,)) -> SearchOptions:
    """A partition knows when its memory is full, and leaves the clock to its leader; also the limit on states, where it
    may be stopped only between two steps, to be written. `threads`: of each partition."""
    most = None if options.sets_aside else options.max_states
    team = None
    if max(threads) > 1:  # a thread is known to other partitions by its number among all
        team = replace(options.team or Team(1), workers=threads[part], first=sum(threads[:part]))
    return replace(options, team=team, spill="", max_seconds=None, max_states=most)


def partition_of(thread: int, threads: Sequence[int]) -> int:
    """Which partition has this one of all threads."""
    return bisect_right(list(accumulate(threads)), thread)


def for_cuts(options: SearchOptions, identity: tuple[int, ...]) -> SearchOptions:
    """The search that a command with checkpoints does."""
    return replace(options, identity=identity, sets_aside=True)


def part_result(prepared: Preparation, partition: Partition[_engine.Exploration], host: str) -> PartResult:
    """Once, at the end."""
    search = partition.search
    report = partition.report()
    states = search.error_states
    way = Way.of(search.found_path)
    found = prepared.engine.result_of(search, 0.0)
    size = prepared.engine.compiled.layout.words * _WORD
    return PartResult(replace(found, sample=()), way, states, size, report, host)


def reducer_of(prepared: Preparation) -> _engine.Reducer | None:
    return None if prepared.options.por == "none" else prepared.reducer(prepared.options)
