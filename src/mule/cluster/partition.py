"""One worker's share of the states. How batches travel is no business of it: `post` sends, `deliver` brings them."""

from __future__ import annotations

from collections import deque
from typing import Generic, Protocol, TypeVar

from mule import _engine
from mule.driving import Progress, to_progress
from mule.records import Record

SMALLEST, LARGEST = 64 * 2**10, 2**20
"""Bytes of states that are sent together. Each batch costs Ray about the same, so large ones carry more in a second;
but there is one being filled for each of the others. (Ray puts what is larger than 100 kB aside and sends it by another
way, which is worth it from about 256 KiB on.)"""
BUFFERS = 4 * 2**20
"""Bytes of all batches that are being filled, for each thread; more where the smallest ones take more."""
WINDOW = 8
"""So many batches may be under way from one partition to another: then it waits until the other has taken some."""
HELD_UP = 4
"""A partition that has more batches than this to send to another one explores nothing more until it may."""
PATIENCE = 8
"""After so many turns, or as many as there are partitions, a batch is sent even if it is small and the partition has
other things to do: with many others it would send almost nothing but small ones."""


def batch_bytes(parts: int, threads: int) -> int:
    """Of a partition with so many threads, which is one of so many."""
    return max(SMALLEST, min(LARGEST, BUFFERS * threads // parts))


class Post(Protocol):
    """How a partition reaches the others."""

    def batch(self, to: int, states: bytes) -> None: ...

    def grant(self, to: int, batches: int) -> None:
        """So many batches have been taken: as many more may be sent."""


class Report(Record, frozen=True):
    """Where a partition stands, between two turns."""

    part: int
    idle: bool
    """It has nothing to do until a batch comes."""
    ended: bool
    """It goes no further: what is looked for is found, or a limit was met."""
    is_full: bool
    """It explores no further, for want of memory, but it can be written."""
    sent: int
    """Batches, from the beginning on."""
    received: int
    sent_bytes: int
    progress: Progress
    threads: int = 1


class Explorer(Protocol):
    """What a partition advances: an exploration of states, or a part of a product."""

    @property
    def has_work(self) -> bool: ...
    @property
    def ended(self) -> bool: ...
    @property
    def is_full(self) -> bool: ...
    @property
    def progress(self) -> _engine.Progress: ...
    def step(self, states: int) -> bool: ...
    def outbox(self, owner: int) -> bytes: ...
    def receive(self, batch: bytes) -> None: ...
    def stop(self, reason: str) -> None: ...
    def write(self, path: str) -> None: ...


E = TypeVar("E", bound=Explorer)


class Partition(Generic[E]):
    """`entry_bytes`: of one state on its way, with its origin. `most_states`: once it has more than these it explores
    nothing until the leader, who sees that, stops everybody. `threads`: of its search."""

    def __init__(
        self,
        search: E,
        part: int,
        parts: int,
        entry_bytes: int,
        post: Post,
        most_states: int | None = None,
        threads: int = 1,
    ) -> None:
        self.search = search
        self.part = part
        self.threads = threads
        self.paused = False
        """Whether it only takes what comes and sends what it has, for a cut."""
        self.explored = False
        """Whether it has explored something in its last turn."""
        self._post = post
        self._most_states = most_states
        self._batch = max(1, batch_bytes(parts, threads) // entry_bytes) * entry_bytes
        self._waiting = [bytearray() for _ in range(parts)]
        self._may_send = [WINDOW] * parts
        self._owes = [0] * parts
        # Filled by other threads than the one that advances.
        self._inbox: deque[tuple[int, bytes]] = deque()
        self._grants: deque[tuple[int, int]] = deque()
        self._sent = self._received = self._sent_bytes = 0
        self._turns = 0
        self._patience = max(PATIENCE, parts)

    def deliver(self, source: int, states: bytes) -> None:
        self._inbox.append((source, states))

    def granted(self, source: int, batches: int) -> None:
        self._grants.append((source, batches))

    def advance(self, states: int) -> bool:
        """One turn, of about so many states; False: there was nothing to do."""
        took = self._take_in()
        self.explored = self._explores_on and not self._is_held_up
        if self.explored:
            self.search.step(states)
        elif took:
            self.search.step(0)  # what came would pile up where threads store it
        self._turns += 1
        sent = self._send_off(small=not self._explores_on or self._turns % self._patience == 0)
        return took or self.explored or sent

    def report(self) -> Report:
        return Report(
            part=self.part,
            idle=not self._explores_on and not self._inbox and not any(self._waiting),
            ended=self.search.ended,
            is_full=self.search.is_full,
            sent=self._sent,
            received=self._received,
            sent_bytes=self._sent_bytes,
            progress=to_progress(self.search.progress, 0.0),
            threads=self.threads,
        )

    @property
    def _explores_on(self) -> bool:
        return not self.paused and self.search.has_work and not self._has_enough

    @property
    def _has_enough(self) -> bool:
        return self._most_states is not None and self.search.progress.states > self._most_states

    @property
    def _is_held_up(self) -> bool:
        return any(len(waiting) > HELD_UP * self._batch for waiting in self._waiting)

    def _take_in(self) -> bool:
        took = False
        while self._grants:
            source, batches = self._grants.popleft()
            self._may_send[source] += batches
            took = True
        while self._inbox:
            source, states = self._inbox.popleft()
            self.search.receive(states)
            self._received += 1
            self._owes[source] += 1
            took = True
        for source, batches in enumerate(self._owes):
            # Half a window at a time: a grant for each batch would double the number of messages.
            if batches >= WINDOW // 2:
                self._post.grant(source, batches)
                self._owes[source] = 0
        return took

    def _send_off(self, small: bool) -> bool:
        sent = False
        for to, waiting in enumerate(self._waiting):
            if to == self.part:
                continue
            waiting += self.search.outbox(to)
            while waiting and self._may_send[to] and (small or len(waiting) >= self._batch):
                states = bytes(waiting[: self._batch])
                del waiting[: self._batch]
                self._may_send[to] -= 1
                self._sent += 1
                self._sent_bytes += len(states)
                self._post.batch(to, states)
                sent = True
        return sent
