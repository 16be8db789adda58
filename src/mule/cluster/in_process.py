"""All partitions in this process, in an order that a random number generator gives: whatever can happen on a network
without losses can happen here, and again."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Generic, NamedTuple

from mule import _engine
from mule.cluster.cuts import Cut, Cuts, Shelf, UnreadableError
from mule.cluster.leading import LostError, lead
from mule.cluster.merging import PartResult, Way
from mule.cluster.partition import E, Partition, Report
from mule.cluster.workers import (
    entry_bytes,
    for_partition,
    part_result,
    partition_of,
    product_entry_bytes,
    reducer_of,
)
from mule.driving import ProgressCallback
from mule.engine import SearchOptions, SearchResult
from mule.planning import Preparation
from mule.temporal.product import Product, Runs, Share

LOSING = 0.05
"""How likely it is at each turn that a worker is lost, where some are to be lost."""
TURNS = 8
"""What happens between two questions of the leader."""


class Message(NamedTuple):
    source: int
    to: int
    what: bytes | int
    """A batch, or how many more batches may be sent."""


class Here(ABC, Generic[E]):
    """Batches may overtake each other, and arrive at any time after they were sent."""

    def __init__(
        self,
        parts: int,
        entry_bytes: int,
        chosen: random.Random,
        states: int,
        shelf: Shelf | None,
        losses: int,
        threads: Sequence[int] | None = None,
    ) -> None:
        """`shelf`: for cuts; `losses`: so many times a worker is lost, with what it knows and what is under way;
        `threads`: of each partition."""
        self._parts = parts
        self._threads = tuple(threads or (1,) * parts)
        self._entry_bytes = entry_bytes
        self._random = chosen
        self._states = states
        self._shelf = shelf
        self._losses = losses
        self._lost: set[int] = set()
        self._under_way: list[Message] = []
        self.partitions: list[Partition[E]] = []
        self._most_states: int | None = None

    @abstractmethod
    def _fresh(self, part: int) -> E:
        """What a partition begins with."""

    @abstractmethod
    def _written(self, part: int, path: Path) -> E:
        """The same, from a cut."""

    @property
    def lost(self) -> bool:
        """Whether a batch has been sent and has not arrived."""
        return any(isinstance(message.what, bytes) for message in self._under_way)

    def reports(self) -> Sequence[Report]:
        found = []
        for part, partition in enumerate(self.partitions):
            for _ in range(self._random.randrange(3)):
                self._happen()
            if part in self._lost:
                raise LostError(f"worker {part}")
            found.append(partition.report())
        return found

    def work(self, seconds: float) -> None:
        for _ in range(TURNS * len(self.partitions)):
            self._happen()

    def stop(self, reason: str) -> None:
        for partition in self._all():
            partition.search.stop(reason)

    def pause(self, paused: bool) -> None:
        for partition in self._all():
            partition.paused = paused

    def save(self, number: int) -> Cut:
        assert self._shelf is not None
        assert not self.lost, "a batch is under way"
        digests = []
        for part, partition in enumerate(self._all()):
            self._happen_to_lose()
            digests.append(Cuts(self._shelf, part).write(partition, number))
        self._all()
        return Cut(number, self._shelf.team, tuple(digests), self._threads)

    def restore(self, cut: Cut | None) -> None:
        try:
            self._begin(cut)
        except UnreadableError:
            self._begin(None)

    def _begin(self, cut: Cut | None) -> None:
        searches = [self._fresh(part) if cut is None else self._read(part, cut) for part in range(self._parts)]
        self._lost.clear()
        self._under_way.clear()
        self.partitions = [
            Partition(
                search,
                part,
                self._parts,
                self._entry_bytes,
                _Post(self._under_way, part),
                self._most_states,
                self._threads[part],
            )
            for part, search in enumerate(searches)
        ]

    def _read(self, part: int, cut: Cut) -> E:
        assert self._shelf is not None
        return Cuts(self._shelf, part).read(cut, partial(self._written, part))

    def _all(self) -> list[Partition[E]]:
        if self._lost:
            raise LostError(f"worker {min(self._lost)}")
        return self.partitions

    def _happen_to_lose(self) -> None:
        if self._losses and self._random.random() < LOSING:
            self._losses -= 1
            self._lost.add(self._random.randrange(len(self.partitions)))

    def _happen(self) -> None:
        self._happen_to_lose()
        if self._under_way and self._random.random() < 0.5:
            at = self._random.randrange(len(self._under_way))
            message = self._under_way.pop(at)
            partition = self.partitions[message.to]
            if message.to in self._lost:
                return
            if isinstance(message.what, bytes):
                partition.deliver(message.source, message.what)
            else:
                partition.granted(message.source, message.what)
        else:
            part = self._random.randrange(len(self.partitions))
            if part not in self._lost:
                self.partitions[part].advance(self._random.randint(1, self._states))


class InProcess(Here[_engine.Exploration]):
    """The partitions of a search of states."""

    def __init__(
        self,
        prepared: Preparation,
        options: SearchOptions,
        parts: int,
        chosen: random.Random,
        states: int = 20,
        shelf: Shelf | None = None,
        losses: int = 0,
        cut: Cut | None = None,
        threads: Sequence[int] | None = None,
    ) -> None:
        """`cut`: where to begin."""
        self._prepared = prepared
        super().__init__(parts, entry_bytes(prepared, options), chosen, states, shelf, losses, threads)
        self._options = [for_partition(options, part, self._threads) for part in range(parts)]
        self._most_states = options.max_states if options.sets_aside else None
        self._begin(cut)

    def results(self) -> Sequence[PartResult]:
        return [part_result(self._prepared, partition, "") for partition in self._all()]

    def path_to(self, part: int, number: int) -> Way:
        return Way.of(self._all()[partition_of(part, self._threads)].search.path_to(part, number))

    def _fresh(self, part: int) -> _engine.Exploration:
        options, reducer = self._options[part], reducer_of(self._prepared)
        return self._prepared.engine.exploration(options, reducer, part, self._parts, options.team)

    def _written(self, part: int, path: Path) -> _engine.Exploration:
        options, reducer = self._options[part], reducer_of(self._prepared)
        return self._prepared.engine.read_exploration(options, path, reducer, part, self._parts, options.team)


class InProcessRuns(Here[_engine.ProductPartition]):
    """The partitions of a product."""

    def __init__(
        self,
        product: Product,
        runs: Runs,
        parts: int,
        chosen: random.Random,
        states: int = 20,
        shelf: Shelf | None = None,
        losses: int = 0,
        cut: Cut | None = None,
        identity: tuple[int, ...] = (),
        max_bytes: int | None = None,
    ) -> None:
        """`cut`: where to begin; `max_bytes`: of each partition."""
        self._product, self._runs = product, runs
        self._shares = [Share(part, parts, max_bytes, identity) for part in range(parts)]
        super().__init__(parts, product_entry_bytes(product), chosen, states, shelf, losses)
        self._begin(cut)

    @property
    def hosts(self) -> Sequence[str]:
        return [""] * self._parts

    def ask_all(self, question: str, *arguments: Any) -> Sequence[Any]:
        return [getattr(partition.search, question)(*arguments) for partition in self._all()]

    def ask(self, part: int, question: str, *arguments: Any) -> Any:
        return getattr(self._all()[part].search, question)(*arguments)

    def _fresh(self, part: int) -> _engine.ProductPartition:
        return self._product.partition(self._runs, self._shares[part])

    def _written(self, part: int, path: Path) -> _engine.ProductPartition:
        return self._product.read_partition(self._runs, self._shares[part], path)


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
    team = InProcess(prepared, options, parts, random.Random(seed), states=5000)
    return lead(team, options, progress, between_cuts=float("inf"))
