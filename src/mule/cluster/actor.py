"""One actor of a Ray cluster: it owns a partition, which a thread of its own advances."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from mule.cluster.assignment import Assignment, preparation_for, product_for
from mule.cluster.cuts import Cut, Cuts, Shelf, UnreadableError, why_not_shared
from mule.cluster.merging import PartResult, Way
from mule.cluster.partition import Explorer, Partition, Report
from mule.cluster.workers import entry_bytes, for_partition, part_result, product_entry_bytes, reducer_of
from mule.driving import FIRST_STEP, next_step
from mule.engine import SearchOptions
from mule.errors import MuleError
from mule.memory import available_memory
from mule.options import Options
from mule.records import Record, replace
from mule.temporal.product import Share

LONGEST_STEP = 2**15
"""States of one turn of a thread: others wait for what it finds."""
FOR_ASKERS = 0.001
"""Seconds between two turns where somebody wants to look at the partition."""
IDLE = 0.02
"""Seconds for which a worker with nothing to do waits for a batch."""
BEFORE_BETTER_CODE = 0.1
"""Seconds of search after which better code is made of the model."""


class Saved(Record, frozen=True):
    """What came of writing a part of a cut."""

    digest: str = ""
    problem: str = ""


class Worker:
    """What Ray makes an actor of: its public methods are called from other processes."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        """Held while the partition advances, and by whoever looks at it."""
        self._askers: list[None] = []
        """One for each of those who want to look: Python's locks have no queue, and the next turn would begin first."""
        self._news = threading.Event()
        self._over = False
        self._failed: Exception | None = None
        """What the thread that advances came to grief with."""
        self._search = 0
        """Which search it works at: batches of another one come too late."""

    def host(self) -> str:
        return socket.gethostname()

    def process(self) -> int:
        return os.getpid()

    def prepare(
        self, assignment: Assignment, part: int, threads: Sequence[int], on_this_machine: int, shelf: Shelf
    ) -> str | None:
        """The model; what is wrong, if something is. `threads`: of each partition."""
        if shelf.run and (problem := why_not_shared(shelf)):
            return f"{socket.gethostname()}: {problem}"
        try:
            self._prepared = preparation_for(assignment)
        except MuleError as error:
            return f"{socket.gethostname()}: {error.message}"
        self._product, self._runs = None, assignment.runs
        if assignment.runs is not None:
            try:
                self._product = product_for(assignment, self._prepared)
            except MuleError as error:
                return f"{socket.gethostname()}: {error.message}"
        search = for_partition(assignment.search, part, threads)
        self._options = _within_memory(search, assignment.options, on_this_machine)
        self._threads = threads[part]
        self._most_states = assignment.search.max_states if assignment.search.sets_aside else None
        self._part = part
        self._shelf = shelf
        return None

    def load(self, search: int, peers: Sequence[Any], cut: Cut | None) -> str | None:
        """The partition as it was at a cut, or at the beginning; what is wrong, if it is not to be had any more."""
        with self._between_turns():
            self._search = search
            self._peers = peers
            self._over, self._failed = False, None
            try:
                found, size = self._begun(len(peers), cut)
            except UnreadableError as error:
                return f"{socket.gethostname()}: {error}"
            self._partition: Partition[Any] = Partition(
                found, self._part, len(peers), size, self, self._most_states, self._threads
            )
            return None

    def _begun(self, parts: int, cut: Cut | None) -> tuple[Explorer, int]:
        """What the partition advances, and the size of its entries."""
        cuts = Cuts(self._shelf, self._part)
        if self._product is not None:
            assert self._runs is not None
            share = Share(self._part, parts, self._options.max_bytes, self._options.identity)
            written = partial(self._product.read_partition, self._runs, share)
            found = self._product.partition(self._runs, share) if cut is None else cuts.read(cut, written)
            return found, product_entry_bytes(self._product)
        engine, reducer = self._prepared.engine, reducer_of(self._prepared)
        size = entry_bytes(self._prepared, self._options)
        if cut is None:
            return engine.exploration(self._options, reducer, self._part, parts, self._options.team), size
        read, team = engine.read_exploration, self._options.team
        return cuts.read(cut, lambda path: read(self._options, path, reducer, self._part, parts, team)), size

    def begin(self, search: int) -> None:
        threading.Thread(target=self._run, args=(search,), name="mule-partition", daemon=True).start()

    def pause(self, paused: bool) -> None:
        with self._between_turns():
            self._partition.paused = paused
        self._news.set()

    def call(self, question: str, arguments: Sequence[Any]) -> Any:
        """Of the part of a product."""
        with self._between_turns():
            found = getattr(self._partition.search, question)(*arguments)
        self._news.set()
        return found

    def save(self, number: int) -> Saved:
        with self._between_turns():
            try:
                return Saved(digest=Cuts(self._shelf, self._part).write(self._partition, number))
            except (OSError, RuntimeError) as error:
                return Saved(problem=f"{socket.gethostname()}: {error}")

    def forget(self) -> None:
        """The search is over."""
        if not self._shelf.run:
            shutil.rmtree(self._shelf.folder, ignore_errors=True)
        with self._between_turns():
            self._search = 0
            del self._partition, self._prepared, self._product, self._peers

    def take(self, search: int, source: int, states: bytes) -> None:
        if search == self._search:
            self._partition.deliver(source, states)
            self._news.set()

    def take_grant(self, search: int, source: int, batches: int) -> None:
        if search == self._search:
            self._partition.granted(source, batches)
            self._news.set()

    def report(self) -> Report:
        with self._between_turns():
            if self._failed is not None:
                raise self._failed
            return self._partition.report()

    def stop(self, reason: str) -> None:
        with self._between_turns():
            self._over = True
            self._partition.search.stop(reason)

    def result(self) -> PartResult:
        with self._between_turns():
            self._over = True
            return part_result(self._prepared, self._partition, socket.gethostname())

    def path_to(self, part: int, number: int) -> Way:
        with self._between_turns():
            return Way.of(self._partition.search.path_to(part, number))

    def batch(self, to: int, states: bytes) -> None:
        """The partition's post."""
        self._peers[to].take.remote(self._search, self._partition.part, states)

    def grant(self, to: int, batches: int) -> None:
        self._peers[to].take_grant.remote(self._search, self._partition.part, batches)

    @contextmanager
    def _between_turns(self) -> Iterator[None]:
        self._askers.append(None)
        try:
            with self._turn:
                yield
        finally:
            self._askers.pop()

    def _run(self, search: int) -> None:
        try:
            self._advance(search)
        except Exception as error:
            self._failed = error

    def _advance(self, search: int) -> None:
        states = FIRST_STEP
        began = time.perf_counter()
        while True:
            before = time.perf_counter()
            with self._turn:
                if self._over or self._search != search:
                    return
                self._news.clear()
                worked = self._partition.advance(states)
                explored = self._partition.explored
            now = time.perf_counter()
            if self._askers:
                time.sleep(FOR_ASKERS)
            if not worked:
                self._news.wait(IDLE)
                continue
            if explored:
                states = min(next_step(states, now - before), LONGEST_STEP * self._threads)
            if now - began > BEFORE_BETTER_CODE:
                (self._product or self._prepared).engine.optimise_in_background()


def _within_memory(search: SearchOptions, options: Options, on_this_machine: int) -> SearchOptions:
    """The limit is one for each machine, and the workers on it share it."""
    most = available_memory() if options.memory is None else options.memory
    return replace(search, max_bytes=most // on_this_machine)
