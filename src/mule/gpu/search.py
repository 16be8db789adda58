"""Breadth-first search by the threads of a machine, level by level."""

from __future__ import annotations

import time
from bisect import bisect_right
from typing import NamedTuple

from mule.budget import current
from mule.codegen import Listing
from mule.codegen.module import HEADER_WORDS
from mule.driving import BETWEEN_REPORTS, Progress, ProgressCallback
from mule.engine import Found, SearchOptions, SearchResult
from mule.gpu.machine import Argument, Half, Machine, OutOfMemoryError, Whole
from mule.gpu.sets import Sets
from mule.gpu.store import EVERYTHING, Store
from mule.gpu.writer import FINDING_WORDS, MOST_FINDINGS, Counter, Sought
from mule.model.interpreter import Interpreter

_FOUND = {
    Sought.PROPOSITION: Found.PROPOSITION,
    Sought.DEADLOCK: Found.DEADLOCK,
    Sought.ASSERTION: Found.FAILURE,
    Sought.ERROR: Found.FAILURE,
}
_HALF = (1 << 32) - 1
NARROW, NARROW_IF_WIDE = 2048, 512
"""States of a level up to which the threads of one block are faster than more of them. States of more than two words
take longer to expand than the other threads take to come together: one for each thread of a block."""
LOOK_BYTES = 40
"""For each state of a product, about what a look for accepting cycles takes (see `emptiness`)."""
MOST_LEVELS = 4096
"""That one block finishes at once."""
WIDE = 1 << 23
"""Words of a level up to which several levels are finished at once by all threads, which wait for each other: that
takes less time than to start them anew. With reduced sets it took twice as long (docs/decisions.md)."""
FEW_LEVELS = 16
"""That all threads finish at once. Limits and interrupts are looked at in between, several times a second."""


class Finding(NamedTuple):
    what: Sought
    number: int
    """The place of the state in the log."""
    state: tuple[int, ...]
    detail: int
    """The number of the proposition, or the header of the failing step."""


def search(
    machine: Machine,
    listing: Listing,
    options: SearchOptions,
    progress: ProgressCallback | None = None,
    sets: Sets | None = None,
    first_capacity: int | None = None,
    narrow: int | None = None,
    wide: int | None = None,
) -> SearchResult:
    """The kernels of the model are loaded already, with `sets` if there is a reduction. `first_capacity`: for how many
    states there is room at first; None: as the memory of the machine suggests. `narrow`: states of a level that is left
    to a few threads; None: as their width suggests. `wide`: states
    of a level up to which all threads search several at once; None: as their width suggests."""
    assert not options.cuts
    with current().polling(), LevelSearch(machine, listing, options, progress, sets, narrow, wide) as found:
        try:
            found.open(first_capacity)
        except OutOfMemoryError:
            return _nothing_done(listing)
        found.begin()
        while found.goes_on:
            found.search_level()
        return found.result()


class Crew(NamedTuple):
    """Threads that wait for each other at the end of a level."""

    threads: int
    """0: they do not, and are as many as pay."""
    levels: int
    """How many levels they search, at most."""
    widest: int
    """States of a level at which they stop, if it has more."""


_ALONE = Crew(0, 1, 0)
"""A level alone."""


class LevelSearch:
    """Opened, begun, and then searched level by level as long as it goes on."""

    def __init__(
        self,
        machine: Machine,
        listing: Listing,
        options: SearchOptions,
        progress: ProgressCallback | None,
        sets: Sets | None,
        narrow: int | None,
        wide: int | None,
    ) -> None:
        self._started = self._last_told = time.perf_counter()
        self.machine = machine
        self._listing = listing
        self._options = options
        self._progress = progress
        self._sets = sets
        self._words = listing.layout.words
        self._narrow = narrow if narrow is not None else NARROW if self._words <= 2 else NARROW_IF_WIDE
        self._wide = wide if wide is not None else WIDE // self._words if sets is None else 0
        self._threads = self._fitting_threads()
        self._blocks: list[int] = []
        beside = LOOK_BYTES if listing.is_product else 0
        self.store = self._new_store(max(listing.max_successors, 1), options.max_bytes, beside)
        self._errors: Store | None = None
        self._ends = [0, 1]
        """Where each level begins in the log, and where the last one, which is searched now, ends."""
        self._first = 0
        """Of the states that are still to be expanded."""
        self._found: Finding | None = None
        self._path: tuple[tuple[int, int], ...] = ()
        self.stopped: str | None = None
        self._initial_is_transient = 0

    def __enter__(self) -> LevelSearch:
        return self

    def __exit__(self, *raised: object) -> None:
        for address in self._blocks:
            self.machine.free(address)
        self.store.close()
        if self._errors is not None:
            self._errors.close()

    def open(self, first_capacity: int | None) -> None:
        """OutOfMemoryError where there is not enough to begin with."""
        self._fired = self._block(len(self._listing.model.transitions) + 1)  # a product stutters, too
        self._findings = self._block(8 * FINDING_WORDS * MOST_FINDINGS)
        self._noted = self._block(8 * MOST_LEVELS)
        self._relations: list[Argument] = []
        if self._sets is not None:
            place = self._block(len(self._sets.table))
            self.machine.write(place, self._sets.table)
            self._relations = [Whole(place)]
        self.store.open(first_capacity, self._arguments(_ALONE))

    def begin(self) -> None:
        model = self._listing.model
        if model.transient is not None:
            self._initial_is_transient = int(Interpreter(model).evaluate(model.transient, model.initial_state) != 0)
        self.store.begin(self._listing.layout.pack(model.initial_state))

    @property
    def goes_on(self) -> bool:
        return self._first < self.store.stored and self.stopped is None and self._found is None

    @property
    def expanded(self) -> int:
        """How many states of the log were, from the first on."""
        return self._first

    # -- a level

    def search_level(self) -> None:
        """To its end, or, if it is narrow, a few more."""
        try:
            self._search_level()
        except OutOfMemoryError:
            self.stopped = "memory"

    def _search_level(self) -> None:
        if self._first == self._ends[-1]:
            self._ends.append(self.store.stored)
        failing, begin, end = self._counts[Counter.FAILING], self._first, self._ends[-1]
        # A level that was begun is finished, so that of its violations the same one is told every time.
        while self.stopped is None and (self._first < end or self._first not in self._ends[-2:]):
            self.stopped = self._why_to_stop()
            if self.stopped is None:
                self._advance(self._ends[-1] - self._first)
        if self._counts[Counter.FAILING] != failing:
            self._count_error_states(begin, self._first)
        self._found = self._best_finding()
        if self._found is not None:
            self.stopped = None
            self._path = self._path_to(self._found)

    def _advance(self, count: int) -> None:
        store = self.store
        if not store.make_room():
            self.stopped = "memory"
            return
        limit = store.limit
        if self._options.max_states is not None:
            limit = min(limit, self._options.max_states + self._transient)
        crew = self._crew_for(count)
        more = [*store.table, *self._arguments(crew)]
        taken = store.sweep("level", store.log, self._first, count, limit, more, crew.threads)
        finished = self._counts[Counter.LEVELS]
        if finished:
            noted = self.machine.read(self._noted, 8 * finished)
            ends = [int.from_bytes(noted[at : at + 8], "little") for at in range(0, len(noted), 8)]
            self._first = ([self._ends[-1], *ends])[finished - 1]
            self._ends += ends if ends[-1] > self._first else ends[:-1]
        self._first += taken

    @property
    def _counts(self) -> list[int]:
        return self.store.counts

    def _crew_for(self, count: int) -> Crew:
        few, all_ = self.machine.crews
        if count <= self._narrow:
            return Crew(min(few, self._threads), MOST_LEVELS, self._narrow)
        if count <= self._wide and 0 < all_ <= self._threads:
            return Crew(all_, FEW_LEVELS, self._wide)
        return _ALONE

    def _arguments(self, crew: Crew) -> list[Argument]:
        """What the kernel wants to know besides the states and their table."""
        what: list[Argument] = [Whole(self._fired), Whole(self._findings), Half(self._sought)]
        goes_on: list[Argument] = [Half(crew.levels), Half(crew.widest), Half(max(crew.threads, 1)), Whole(self._noted)]
        return [*what, *goes_on, *self._relations]

    def _why_to_stop(self) -> str | None:
        limits = self._options
        # Exactly as many are no reason to stop: there may be no more.
        if limits.max_states is not None and self.store.stored - self._transient > limits.max_states:
            return "states"
        return self.why_to_end()

    def why_to_end(self) -> str | None:
        """At once, whatever is being done."""
        if current().ended is not None:
            return current().ended
        now = time.perf_counter()
        if self._options.max_seconds is not None and now - self._started > self._options.max_seconds:
            return "time"
        if self._progress is None or now - self._last_told < BETWEEN_REPORTS:
            return None
        self._last_told = now
        return None if self._progress(self.so_far()) else "interrupted"

    @property
    def _sought(self) -> int:
        sought = Sought.PROPOSITION if self._listing.propositions else 0
        sought |= Sought.DEADLOCK if self._options.stop_at_deadlock else 0
        sought |= Sought.ASSERTION if self._options.stop_at_assertion else 0
        return sought | (Sought.ERROR if self._options.stop_at_error else 0)

    def _new_store(self, per_state: int, memory: int | None, beside: int) -> Store:
        return Store(self.machine, self._words, self._threads, per_state, memory, beside)

    def _fitting_threads(self) -> int:
        """As many as pay, unless there is little room for what they store."""
        lanes = self.machine.target.lanes
        threads = self.machine.most_threads("level")
        states = self.machine.available() // (8 * self._words * 4)
        if self._options.max_bytes is not None:
            states = min(states, self._options.max_bytes // (8 * self._words * 4))
        if self._options.max_states is not None:
            states = min(states, self._options.max_states)
        fitting = states // 8 // max(self._listing.max_successors, 1)
        return max(min(threads, fitting) // lanes * lanes, lanes)

    def _count_error_states(self, first: int, end: int) -> None:
        """What is kept of states with failing steps, each once."""
        if self._errors is None:
            beside = 32 * self._words  # most of what is left is for other states
            self._errors = self._new_store(1, self._options.max_bytes, beside)
            self._errors.taken_by_others = self.store.bytes
            try:
                self._errors.open(1)
            except OutOfMemoryError:
                self.stopped = "memory"
                return
        errors = self._errors
        errors.taken_by_others = self.store.bytes
        while first < end:
            if not errors.make_room():
                self.stopped = "memory"
                return
            more = [*errors.table, Whole(errors.log)]
            first += errors.sweep("errors", self.store.log, first, end - first, errors.limit, more)
            self.store.taken_by_others = errors.bytes

    # -- what is found

    def _best_finding(self) -> Finding | None:
        """Always the same one, whoever has found it: the nearest, then by what it is and where."""
        count = min(self._counts[Counter.FINDINGS], MOST_FINDINGS)
        content = self.machine.read(self._findings, 8 * FINDING_WORDS * count) if count else b""
        words = [int.from_bytes(content[at : at + 8], "little") for at in range(0, len(content), 8)]
        noted = [words[at : at + 3] for at in range(0, len(words), FINDING_WORDS)]
        least = min((what for what, _, _ in noted), default=0)
        return min(
            (
                Finding(Sought(what), number, self.store.state(number), detail)
                for what, number, detail in noted
                if what == least
            ),
            default=None,
            key=lambda finding: (
                (finding.detail, finding.state) if finding.what is Sought.PROPOSITION else (0, finding.state)
            ),
        )

    def _path_to(self, finding: Finding) -> tuple[tuple[int, int], ...]:
        steps = [step for _, step in self.way_to(finding.number)]
        return (*steps, _step(finding.detail)) if finding.what in (Sought.ASSERTION, Sought.ERROR) else tuple(steps)

    def way_to(self, number: int) -> list[tuple[tuple[int, ...], tuple[int, int]]]:
        """From the first state to one of the log: each state on the way, and the step from it. Found backwards: of each
        level before, one state with a step to the state at hand."""
        way: list[tuple[tuple[int, ...], tuple[int, int]]] = []
        state = self.store.state(number)
        target = self._block(8 * (self._words + 1))
        successors = self._block(8 + max(self._listing.max_successors, 1) * self._stride)
        for level in reversed(range(bisect_right(self._ends, number) - 1)):
            first, end = self._ends[level], self._ends[level + 1]
            wanted = b"".join(word.to_bytes(8, "little") for word in state)
            self.machine.write(target, wanted + b"\xff" * 8)
            while first < end:
                first += self.store.sweep(
                    "predecessor", self.store.log, first, end - first, EVERYTHING, [Whole(target)]
                )
            before = int.from_bytes(self.machine.read(target + 8 * self._words, 8), "little")
            step = self._step_between(before, wanted, successors)
            state = self.store.state(before)
            way.append((state, step))
        return way[::-1]

    @property
    def _stride(self) -> int:
        """Bytes of a successor as `expand` writes it."""
        return 8 * (HEADER_WORDS + self._words)

    def _step_between(self, before: int, wanted: bytes, place: int) -> tuple[int, int]:
        """`place`: where there is room for all successors of a state."""
        stride = self._stride
        self.store.sweep("describe", self.store.log, before, 1, EVERYTHING, [Whole(place)])
        count = int.from_bytes(self.machine.read(place, 8), "little")
        entries = self.machine.read(place + 8, count * stride)
        for at in range(0, len(entries), stride):
            header = int.from_bytes(entries[at + 8 : at + 16], "little")
            if not header >> 48 and entries[at + 8 * HEADER_WORDS : at + stride] == wanted:
                return _step(header)
        raise AssertionError("a state has a step to another one that cannot be found")

    # -- the result

    @property
    def _transient(self) -> int:
        return self._counts[Counter.TRANSIENT] + self._initial_is_transient

    def so_far(self) -> Progress:
        errors = 0 if self._errors is None else self._errors.stored
        counts_errors = self._listing.error_mask is not None
        return Progress(
            states=self.store.stored - self._transient + errors,
            transitions=self._counts[Counter.STEPS] + (self._counts[Counter.FAILURES] if counts_errors else 0),
            depth=len(self._ends) - 2,
            queue=self.store.stored - self._first,
            memory_bytes=self.store.bytes + (0 if self._errors is None else self._errors.bytes),
            seconds=time.perf_counter() - self._started,
        )

    def result(self) -> SearchResult:
        found = self._found
        return SearchResult(
            progress=self.so_far(),
            deadlocks=self._counts[Counter.DEADLOCKS],
            failures=self._counts[Counter.FAILURES],
            assertions=self._counts[Counter.ASSERTIONS],
            stopped=self.stopped,
            found=Found.NOTHING if found is None else _FOUND[found.what],
            proposition=found.detail if found is not None and found.what is Sought.PROPOSITION else 0,
            path=self._path,
            sample=(),
            fully_expanded=self._counts[Counter.FULLY],
            error_states=0 if self._errors is None else self._errors.stored,
            fired=self.machine.read(self._fired, len(self._listing.model.transitions)),
            expanded=self._first,
            device=self.machine.name,
        )

    def _block(self, size: int) -> int:
        address = self.machine.allocate(size)
        self.machine.clear(address, size)
        self._blocks.append(address)
        return address


def _step(header: int) -> tuple[int, int]:
    """The transition and its outcome."""
    return header & _HALF, header >> 32 & 0xFFFF


def _nothing_done(listing: Listing) -> SearchResult:
    """Not even the first state has room."""
    return SearchResult(
        progress=Progress(0, 0, 0, 0, 0, 0.0),
        deadlocks=0,
        failures=0,
        assertions=0,
        stopped="memory",
        found=Found.NOTHING,
        proposition=0,
        path=(),
        sample=(),
        fully_expanded=0,
        error_states=0,
        fired=bytes(len(listing.model.transitions)),
    )
