"""All partitions in this process, in an order that a random number generator gives: whatever can happen on a network
without losses can happen here, and again."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from mule.cluster.merging import PartResult, Way
from mule.cluster.partition import Partition, Report
from mule.cluster.workers import entry_bytes, part_result
from mule.driving import ProgressCallback
from mule.engine import SearchOptions, SearchResult
from mule.planning import Preparation

TURNS = 8
"""What happens between two questions of the leader."""


class Message(NamedTuple):
    source: int
    to: int
    what: bytes | int
    """A batch, or how many more batches may be sent."""


class InProcess:
    """Batches may overtake each other, and arrive at any time after they were sent."""

    def __init__(
        self, prepared: Preparation, options: SearchOptions, parts: int, chosen: random.Random, states: int = 20
    ) -> None:
        self._prepared = prepared
        self._random = chosen
        self._states = states
        self._under_way: list[Message] = []
        engine, size = prepared.engine, entry_bytes(prepared, options)
        self.partitions = []
        for part in range(parts):
            reducer = None if prepared.options.por == "none" else prepared.reducer(prepared.options)
            search = engine.exploration(options, reducer, part, parts)
            self.partitions.append(Partition(search, part, parts, size, _Post(self._under_way, part)))

    @property
    def lost(self) -> bool:
        """Whether a batch has been sent and has not arrived."""
        return any(isinstance(message.what, bytes) for message in self._under_way)

    def reports(self) -> Sequence[Report]:
        found = []
        for partition in self.partitions:
            for _ in range(self._random.randrange(3)):
                self._happen()
            found.append(partition.report())
        return found

    def work(self, seconds: float) -> None:
        for _ in range(TURNS * len(self.partitions)):
            self._happen()

    def stop(self, reason: str) -> None:
        for partition in self.partitions:
            partition.search.stop(reason)

    def results(self) -> Sequence[PartResult]:
        return [part_result(self._prepared, partition, "") for partition in self.partitions]

    def path_to(self, part: int, number: int) -> Way:
        return Way.of(self.partitions[part].search.path_to(number))

    def _happen(self) -> None:
        if self._under_way and self._random.random() < 0.5:
            at = self._random.randrange(len(self._under_way))
            message = self._under_way.pop(at)
            partition = self.partitions[message.to]
            if isinstance(message.what, bytes):
                partition.deliver(message.source, message.what)
            else:
                partition.granted(message.source, message.what)
        else:
            self._random.choice(self.partitions).advance(self._random.randint(1, self._states))


class _Post:
    def __init__(self, under_way: list[Message], part: int) -> None:
        self._under_way = under_way
        self._part = part

    def batch(self, to: int, states: bytes) -> None:
        self._under_way.append(Message(self._part, to, states))

    def grant(self, to: int, batches: int) -> None:
        self._under_way.append(Message(self._part, to, batches))


def search_in_process(
    prepared: Preparation,
    options: SearchOptions,
    parts: int,
    seed: int = 0,
    progress: ProgressCallback | None = None,
) -> SearchResult:
    from mule.cluster.leading import lead

    return lead(InProcess(prepared, options, parts, random.Random(seed), states=1000), options, progress)
