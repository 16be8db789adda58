"""States in the memory of a machine: a log, in which each has its place in the order in which they were met, and a
table to find them. The table can be made again from the log, so that it need not outlive its growth."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import product

from mule.gpu.machine import Argument, Half, Machine, OutOfMemoryError, Whole
from mule.gpu.table import MARK
from mule.gpu.writer import COUNTERS, Counter

MOST_AT_ONCE = 1 << 26
"""States for one run of a kernel, so that limits and interrupts are looked at in between."""
_WORDS = struct.Struct(f"<{COUNTERS}Q")
EVERYTHING = (1 << 63) - 1

_FACTORS = (4.0, 2.0, 1.5, 1.2)
_CELLS = (2.0, 1.25)
"""Of the table, for each state that the log has room for: more make it faster, fewer save memory."""
_ALMOST, _LEAST_GROWTH = 0.98, 1.05
_FIRST_SHARE = 8
"""Of the memory that there is one part of so many is taken first, if that is not more than is of use."""
_FIRST_BYTES = 1 << 32


class Store:
    def __init__(
        self, machine: Machine, words: int, threads: int, per_state: int, memory: int | None, beside: int = 0
    ) -> None:
        """`per_state`: how many states one that is expanded may add. `memory`: bytes, at most. `beside`: bytes that
        are left to others, for each state that there is room for."""
        self._machine = machine
        self._words = words
        self._threads = threads
        self._memory = memory
        self._beside = beside
        self.taken_by_others = 0
        """Bytes within the same limit."""
        lanes = machine.target.lanes
        self._under_way = max(threads, lanes) // lanes * lanes * per_state
        """So many states may be stored by threads that have begun when there was room."""
        self.stored = 0
        self.capacity = 0
        self.log = self._table = 0
        self.cells = 0
        self.counters = 0
        self.counts = [0] * COUNTERS
        self._blocks: dict[int, int] = {}

    def open(self, first: int | None, rehearsed: Sequence[Argument] | None = None) -> None:
        """`first`: for how many states there is room at first. OutOfMemoryError where there is not enough for any.
        `rehearsed`: further arguments of the kernel that expands; it is run without a state, so that the machine takes
        the memory that its threads need before the store takes the rest."""
        self.counters = self.allocate(8 * COUNTERS)
        self._machine.clear(self.counters, 8 * COUNTERS)
        if rehearsed is not None:
            self.sweep("level", 0, 0, 0, EVERYTHING, [Whole(0), Whole(0), *rehearsed])
        if not self._grow(self._first_capacity() if first is None else first):
            raise OutOfMemoryError

    @property
    def bytes(self) -> int:
        return sum(self._blocks.values())

    @property
    def limit(self) -> int:
        """No thread begins with a state when more are stored."""
        return self.capacity - self._under_way

    def make_room(self) -> bool:
        """For what one round of all threads may store; False where there is no more memory."""
        return self.stored <= self.limit or self._grow()

    def require_table(self) -> None:
        """Where a larger one had no room there is none any more: then one for the states that there are.
        OutOfMemoryError where even that has no room."""
        if not self._table:
            self._make_table(int(self.stored * _CELLS[-1]) + 1)

    def begin(self, state: Sequence[int]) -> None:
        """With one state, that is in the table already or will be put there by `rehash`."""
        self._machine.write(self.log, b"".join(word.to_bytes(8, "little") for word in state))
        self.set_counter(Counter.STORED, 1)
        self.stored = 1
        self._rehash()

    def state(self, number: int) -> tuple[int, ...]:
        size = 8 * self._words
        content = self._machine.read(self.log + number * size, size)
        first, *others = (int.from_bytes(content[at : at + 8], "little") for at in range(0, size, 8))
        return (first & ~MARK, *others)

    def set_counter(self, counter: Counter, value: int) -> None:
        self._machine.write(self.counters + 8 * counter, value.to_bytes(8, "little"))

    def sweep(
        self, kernel: str, log: int, first: int, count: int, limit: int, more: Sequence[Argument], crew: int = 0
    ) -> int:
        """Run a kernel over so many states of a log at most; how many of them were taken, or, if a crew has finished
        them, of the level that it was at last. What the threads have counted is then in `counts`."""
        count = min(count, MOST_AT_ONCE)
        self._machine.clear(self.counters + 8 * Counter.NEXT, 16)
        arguments: list[Argument] = [Whole(self.counters), Whole(limit), Whole(log), Whole(first), Half(count)]
        threads = crew or min(self._threads, max(count, 1))
        self._machine.run(kernel, threads, [*arguments, *more], crew=bool(crew))
        self.counts = list(_WORDS.unpack(self._machine.read(self.counters, _WORDS.size)))
        self.stored = self.counts[Counter.STORED]
        return self.counts[Counter.NEXT] if crew else min(self.counts[Counter.NEXT], count)

    @property
    def table(self) -> list[Argument]:
        return [Whole(self._table), Whole(self.cells)]

    def close(self) -> None:
        for address in list(self._blocks):
            self.release(address)

    # -- room

    def _first_capacity(self) -> int:
        enough = min(self._left() // _FIRST_SHARE, _FIRST_BYTES)
        return max(int(enough / self._bytes_for(1, _CELLS[0])), 2 * self._under_way)

    def _bytes_for(self, capacity: int, cells: float) -> int:
        return 8 * self._words * (capacity + int(capacity * cells))

    def _left(self) -> int:
        left = self._machine.available()
        return left if self._memory is None else min(left, self._memory - self.bytes - self.taken_by_others)

    def _grow(self, wanted: int | None = None) -> bool:
        """To the first size that there is memory for. If there is little, all of it is taken at once, since all states
        have to be put into a new table each time."""
        least = self.stored + self._under_way + 1
        wanted_sizes = [int(self.capacity * factor) for factor in _FACTORS] if wanted is None else [wanted]
        worth_it = self.capacity * _LEAST_GROWTH
        self.release(self._table)
        self._table = 0
        for cells, wanted_size in (*product(_CELLS, wanted_sizes), (_CELLS[-1], self._largest(_CELLS[-1]))):
            capacity = max(wanted_size, least)
            if capacity < worth_it:
                return False
            if self._has_room_for(capacity, cells) and self._try_size(capacity, int(capacity * cells) + 1):
                return True
        return False

    def _largest(self, cells: float) -> int:
        """Nearly the largest capacity that `_has_room_for`: what is allocated may be rounded up."""
        size, left = 8 * self._words, self._left()
        whole = left + self._blocks.get(self.log, 0) - 64
        return int(min(left / size, whole / (size * (1 + cells) + self._beside)) * _ALMOST)

    def _has_room_for(self, capacity: int, cells: float) -> bool:
        """While the log moves there are two of them, and afterwards there is one with its table."""
        log = 8 * self._words * capacity
        old = self._blocks.get(self.log, 0)
        whole = self._bytes_for(capacity, cells) + self._beside * capacity
        return log <= self._left() and whole + 64 - old <= self._left()

    def _try_size(self, capacity: int, cells: int) -> bool:
        size = 8 * self._words
        try:
            log = self.allocate(size * capacity)
        except OutOfMemoryError:
            return False
        if self.log:
            self._machine.copy(log, self.log, size * self.stored)
            self.release(self.log)
        self.log, self.capacity = log, capacity
        try:
            self._make_table(cells)
        except OutOfMemoryError:
            return False
        return True

    def _make_table(self, cells: int) -> None:
        size = 8 * self._words * cells
        self._table = self.allocate(size)
        self.cells = cells
        self._machine.clear(self._table, size)
        self._rehash()

    def _rehash(self) -> None:
        done = 0
        while done < self.stored:
            done += self.sweep("rehash", self.log, done, self.stored - done, EVERYTHING, self.table)

    def allocate(self, size: int) -> int:
        """Within the limit on memory, until it is released or all is closed."""
        if size > self._left():
            raise OutOfMemoryError
        address = self._machine.allocate(size)
        self._blocks[address] = size
        return address

    def release(self, address: int) -> None:
        if address:
            self._machine.free(address)
            del self._blocks[address]
