"""Is a run of a product accepted? All its states are searched level by level, and accepting cycles are then looked for
among them without a stack: what cannot be on one is taken out until nothing changes ("one way catch them young": Černá
and Pelánek, "Distributed explicit fair cycle detection", SPIN 2003, for marks on edges).

What is in question are the states in components of the automaton that have all marks. In turn,
- states to which no step leads from a state in question are taken out, and so on;
- for each mark, only those stay that are reached from a step with this mark.

What is left has, for each state and each mark, a way there from a step with the mark, inside of what is left: followed
backwards for ever it comes to a cycle with all marks. And no accepting cycle is ever taken out. So nothing is left if
and only if no run is accepted."""

from __future__ import annotations

from typing import NamedTuple

from mule.budget import current
from mule.driving import Progress, ProgressCallback
from mule.engine import SearchOptions
from mule.gpu.cycles import Follow, Settle
from mule.gpu.machine import Argument, Half, Machine, OutOfMemoryError, Whole
from mule.gpu.product import ProductListing
from mule.gpu.search import LevelSearch
from mule.gpu.store import EVERYTHING
from mule.gpu.writer import Counter

FIRST_LOOK = 1 << 20
"""States from which on a cycle is looked for before all are known."""
BETWEEN_LOOKS = 4
"""Times as many states there are at the next look."""
MOST_SWEEPS = 100
"""Over states without a way on: those that are left cost time, and nothing else."""
_CELL = 8
"""Bytes."""


class RunsFound(NamedTuple):
    progress: Progress
    stopped: str | None
    failures: int
    """Steps that lead nowhere."""
    accepted: tuple[int, ...] | None
    """A state from which an accepted run goes on; None: there is none, as far as the search came."""
    way: list[tuple[tuple[int, ...], tuple[int, int]]]
    """From the first state to it: each state before, with its step."""


def search_runs(
    machine: Machine,
    listing: ProductListing,
    options: SearchOptions,
    progress: ProgressCallback | None = None,
    first_capacity: int | None = None,
    narrow: int | None = None,
    wide: int | None = None,
    first_look: int = FIRST_LOOK,
) -> RunsFound:
    """The kernels of the product are loaded already; the others as in `search`."""
    with current().polling(), LevelSearch(machine, listing, options, progress, None, narrow, wide) as search:
        try:
            search.open(first_capacity)
        except OutOfMemoryError:
            return RunsFound(Progress(0, 0, 0, 0, 0, 0.0), "memory", 0, None, [])
        search.begin()
        found, next_look = None, first_look
        while search.goes_on and found is None:
            search.search_level()
            if not search.goes_on or search.expanded >= next_look:
                next_look = BETWEEN_LOOKS * search.expanded
                found = _look_for_run(search, listing)
        counts = search.store.counts
        failures = counts[Counter.FAILURES] + counts[Counter.ASSERTIONS]
        if found is None:
            return RunsFound(search.so_far(), search.stopped, failures, None, [])
        return RunsFound(search.so_far(), None, failures, search.store.state(found), search.way_to(found))


def _look_for_run(search: LevelSearch, listing: ProductListing) -> int | None:
    """The place in the log of a state from which an accepted run goes on, over states that were expanded."""
    if search.stopped in ("time", "interrupted"):
        return None
    try:
        with _Look(search, listing) as look:
            return look.found()
    except OutOfMemoryError:
        search.stopped = search.stopped or (None if search.goes_on else "memory")
    except _EndedError as error:
        search.stopped = error.reason
    return None


class _EndedError(Exception):
    """The look cannot be finished."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _List(NamedTuple):
    """Of cells, in the memory of the machine. Some may be no longer in question."""

    address: int
    length: int


class _Look:
    def __init__(self, search: LevelSearch, listing: ProductListing) -> None:
        self._search = search
        self._store = search.store
        self._marks = listing.marks
        self._rooms: list[int] = []
        self._store.require_table()
        self._facts = self._room(self._store.cells)
        search.machine.clear(self._facts, _CELL * self._store.cells)

    def __enter__(self) -> _Look:
        return self

    def __exit__(self, *raised: object) -> None:
        for address in self._rooms:
            self._store.release(address)

    def found(self) -> int | None:
        states = self._search.expanded
        spare = self._room(states + 1)
        self._begin_list()
        address = self._room(states + 1)
        self._run("enlist", self._store.log, 0, states, [*self._store.table, *self._lists(address)])
        left, spare = self._shrunk(_List(address, self._listed), spare)
        return self._a_way_in(left, spare) if left.length else None

    # -- what may be on an accepting cycle

    def _shrunk(self, cells: _List, spare: int) -> tuple[_List, int]:
        """What is left of them, all in question, and the room that is not needed for it."""
        while True:
            alive = cells.length - self._trim(cells, spare)
            changed = False
            for mark in range(self._marks):
                if not alive:
                    break
                reached = self._reach(cells, spare, 1 << mark)
                changed |= reached != alive
                alive = reached
                cells, spare = _List(spare, reached), cells.address
            if not alive or not changed:
                return cells._replace(length=alive), spare

    def _trim(self, cells: _List, queue: int) -> int:
        """Take out those to which no step leads, until there is none; how many there were."""
        self._follow(cells, queue, Follow.COUNT)
        self._begin_list()
        self._settle(cells, queue, Settle.ROOTS)
        self._spread(queue, 0, Follow.TAKE_AWAY)
        return self._listed

    def _reach(self, cells: _List, queue: int, marks: int) -> int:
        """Keep those that can be reached from a step with these marks, and list them; how many they are."""
        self._begin_list()
        self._follow(cells, queue, Follow.REACH, marks)
        self._spread(queue, 0, Follow.REACH)
        reached = self._listed
        self._settle(cells, queue, Settle.KEEP)
        return reached

    # -- a state from which an accepting cycle can be reached

    def _a_way_in(self, cells: _List, queue: int) -> int:
        """The nearest state that will do. What is left may also be behind the accepting cycles, where there are none
        any more."""
        spare = self._room(cells.length + 1)
        while True:
            self._leave_dead_ends(cells, queue)
            nearest = self._nearest()
            self._begin_list()
            self._run("enlist", self._store.log, nearest, nearest + 1, [*self._store.table, *self._lists(queue)])
            self._spread(queue, 0, Follow.REACH)
            behind = _List(queue + _CELL, self._listed - 1)
            self._settle(cells, queue, Settle.PUT_ASIDE)
            if self._shrunk(behind, spare)[0].length:
                return nearest
            self._settle(cells, queue, Settle.TAKE_BACK)

    def _leave_dead_ends(self, cells: _List, queue: int) -> None:
        for _ in range(MOST_SWEEPS):
            self._store.set_counter(Counter.LOST, 0)
            self._follow(cells, queue, Follow.DEAD_ENDS)
            if not self._store.counts[Counter.LOST]:
                return

    def _nearest(self) -> int:
        self._store.set_counter(Counter.NEAREST, EVERYTHING)
        self._run("nearest", self._store.log, 0, self._search.expanded, [*self._store.table, Whole(self._facts)])
        nearest = self._store.counts[Counter.NEAREST]
        assert nearest < self._search.expanded, "an accepting cycle was lost"
        return nearest

    # -- kernels

    def _follow(self, cells: _List, to: int, what: Follow, wanted: int = 0, first: int = 0) -> None:
        more = [*self._store.table, *self._lists(to), Half(what), Whole(wanted)]
        self._run("follow", cells.address, first, cells.length, more)

    def _spread(self, queue: int, first: int, what: Follow) -> None:
        """Follow what is listed from the first on, and what is listed meanwhile."""
        while first < self._listed:
            end = self._listed
            self._follow(_List(queue, end), queue, what, first=first)
            first = end

    def _settle(self, cells: _List, to: int, what: Settle) -> None:
        self._run("settle", cells.address, 0, cells.length, [*self._lists(to), Half(what)])

    def _lists(self, to: int) -> list[Argument]:
        return [Whole(self._facts), Whole(to)]

    def _run(self, kernel: str, log: int, first: int, end: int, more: list[Argument]) -> None:
        while first < end:
            first += self._store.sweep(kernel, log, first, end - first, EVERYTHING, more)
            if (reason := self._search.why_to_end()) is not None:
                raise _EndedError(reason)

    def _begin_list(self) -> None:
        self._store.set_counter(Counter.LISTED, 0)
        self._store.counts[Counter.LISTED] = 0

    @property
    def _listed(self) -> int:
        return self._store.counts[Counter.LISTED]

    def _room(self, words: int) -> int:
        address = self._store.allocate(_CELL * words)
        self._rooms.append(address)
        return address
