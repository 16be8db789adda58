"""What every worker does with its partition, whatever brings it its batches."""

from __future__ import annotations

from mule.cluster.merging import PartResult, Way
from mule.cluster.partition import Partition
from mule.engine import Proviso, SearchOptions
from mule.planning import Preparation
from mule.records import replace

_WORD = 8
_BEFORE = 3
"""Words before a state on its way: where it comes from, its hash, and the step that leads to it."""


def entry_bytes(prepared: Preparation, options: SearchOptions) -> int:
    """How long a state is on its way."""
    tagged = options.proviso is Proviso.FRAGMENTED_HISTORY
    return (_BEFORE + int(tagged) + prepared.engine.compiled.layout.words) * _WORD


def part_result(prepared: Preparation, partition: Partition, host: str) -> PartResult:
    """Once, at the end."""
    search = partition.search
    report = partition.report()
    states = search.error_states
    way = Way.of(search.found_path)
    found = prepared.engine.result_of(search, 0.0)
    size = prepared.engine.compiled.layout.words * _WORD
    return PartResult(replace(found, sample=()), way, states, size, report, host)
