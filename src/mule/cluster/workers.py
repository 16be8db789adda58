"""What every worker does with its partition, whatever brings it its batches."""

from __future__ import annotations

from pathlib import Path

from mule import _engine
from mule.cluster.merging import PartResult, Way
from mule.cluster.partition import Partition
from mule.engine import Proviso, SearchOptions
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


def for_partition(options: SearchOptions) -> SearchOptions:
    """A partition has one worker, stops where its memory is full, and leaves the clock to its leader."""
    return replace(options, team=None, spill="", max_seconds=None)


def part_result(prepared: Preparation, partition: Partition[_engine.Exploration], host: str) -> PartResult:
    """Once, at the end."""
    search = partition.search
    report = partition.report()
    states = search.error_states
    way = Way.of(search.found_path)
    found = prepared.engine.result_of(search, 0.0)
    size = prepared.engine.compiled.layout.words * _WORD
    return PartResult(replace(found, sample=()), way, states, size, report, host)


class Cuts:
    """Where a worker keeps its part of the cuts: a folder of the same name on every machine, or one that all share."""

    def __init__(self, folder: Path, part: int) -> None:
        self._folder = folder
        self._part = part

    def write(self, partition: Partition[_engine.Exploration], cut: int) -> None:
        """Of one that is paused, when nothing is under way. All of it or nothing; the last two are kept, since others
        may not come to write theirs."""
        self._folder.mkdir(parents=True, exist_ok=True)
        unfinished = self._file(cut).with_suffix(".unfinished")
        partition.search.write(str(unfinished))
        unfinished.replace(self._file(cut))
        self._file(cut - 2).unlink(missing_ok=True)

    def read(
        self, prepared: Preparation, options: SearchOptions, reducer: _engine.Reducer | None, cut: int
    ) -> _engine.Exploration | None:
        """None: it is not there, or it is damaged."""
        try:
            return prepared.engine.read_exploration(options, self._file(cut), reducer)
        except RuntimeError:
            return None

    def _file(self, cut: int) -> Path:
        return self._folder / f"{self._part}-{cut}.cut"


def reducer_of(prepared: Preparation) -> _engine.Reducer | None:
    return None if prepared.options.por == "none" else prepared.reducer(prepared.options)
