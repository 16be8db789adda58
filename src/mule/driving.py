"""The loop around every search of the engine: it steps the search, keeps the limits and tells the progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from mule import _engine
from mule.budget import current
from mule.records import Record, replace

BETWEEN_REPORTS = 0.1
"""Seconds between two calls of a progress callback."""
BETWEEN_LOOKS = 0.02
"""About as many seconds are spent in the engine before the limits are looked at."""
FIRST_STEP = 64
"""States; where each costs much, the first step must not take long either."""


class Node(Record, frozen=True):
    """What one worker of a cluster did."""

    host: str
    states: int
    transitions: int
    memory_bytes: int
    sent_batches: int
    received_batches: int
    sent_bytes: int
    threads: int = 1


class Progress(Record, frozen=True):
    """How far a search has come; transient states, and the transitions to them, do not count."""

    states: int
    transitions: int
    depth: int
    queue: int
    """States that wait to be expanded (breadth first) or are on the stack (depth first)."""
    memory_bytes: int
    seconds: float
    disk_bytes: int = 0
    estimate: int | None = None
    """How many steps are left at least or about, of the states met so far that are the nearest; None: nobody says."""
    nodes: tuple[Node, ...] = ()
    """At the end of a search on a cluster: what each worker did."""


ProgressCallback = Callable[[Progress], bool]
"""Called a few times a second; False stops the search."""


class Limits(Record, frozen=True):
    """Where a search stops, whatever it looks for."""

    max_states: int | None = None
    max_bytes: int | None = None
    max_seconds: float | None = None


class Driven(NamedTuple):
    seconds: float
    goes_on: bool
    """Whether there is more to do: the caller had asked for a pause."""


class Saving(Protocol):
    """Where a search is written now and then (see `mule.checkpoints`)."""

    def is_due(self) -> bool: ...
    def save(self, search: _engine.Stepped) -> None: ...


def drive(
    search: _engine.Stepped,
    limits: Limits,
    progress: ProgressCallback | None = None,
    pause: int | None = None,
    saving: Saving | None = None,
    since: float | None = None,
) -> Driven:
    """Step the search to its end, or until a limit is met, the budget ends or the callback says so; or for so many
    states, if there is to be a pause. `saving`: of a search that can be written. `since`: when the search began, if it
    goes on after a pause."""
    budget = current()
    entered = last_report = time.perf_counter()
    started = entered if since is None else since

    def why_to_stop() -> str:
        nonlocal last_report
        now = time.perf_counter()
        if limits.max_seconds is not None and now - started > limits.max_seconds:
            return "time"
        if budget.ended:
            return budget.ended
        native = search.progress
        if limits.max_bytes is not None and native.bytes > limits.max_bytes:
            return "memory"
        if progress is not None and now - last_report > BETWEEN_REPORTS:
            last_report = now
            if not progress(to_progress(native, now - started)):
                return "interrupted"
        return ""

    def save(stops: bool) -> None:
        if saving is None or not (stops or saving.is_due()):
            return
        if search.can_be_written and search.has_more:
            saving.save(search)

    with budget.polling():
        # Who is to be written is stopped between two steps only; or while it looks for cycles in a product, which
        # stays as it is meanwhile.
        search.asks(why_to_stop if saving is None or isinstance(search, _engine.EmptinessSearch) else None)
        try:
            states = FIRST_STEP
            before = entered
            left = pause
            goes_on = True
            while goes_on and left != 0:
                states = states if left is None else min(states, left)
                goes_on = search.step(states)
                reason = why_to_stop() if goes_on else ""
                save(stops=bool(reason) or not goes_on)
                if reason:
                    search.stop(reason)
                    goes_on = False
                left = None if left is None else left - states
                now = time.perf_counter()
                states = next_step(states, now - before)
                before = now
        except MemoryError:
            search.stop("memory")
            goes_on = False
        finally:
            search.asks(None)
    return Driven(time.perf_counter() - started, goes_on)


def next_step(states: int, seconds: float) -> int:
    """How many states to step for, after so many took so long."""
    if seconds < BETWEEN_LOOKS / 2:
        return states * 2
    return states if seconds < BETWEEN_LOOKS * 2 else max(states // 2, 1)


def to_progress(native: _engine.Progress, seconds: float) -> Progress:
    return Progress(
        states=native.states,
        transitions=native.transitions,
        depth=native.depth,
        queue=native.open,
        memory_bytes=native.bytes,
        seconds=seconds,
        disk_bytes=native.disk,
        estimate=None if native.estimate < 0 else native.estimate,
    )


def told_as(so_far: Progress, progress: ProgressCallback | None) -> ProgressCallback | None:
    """For a second search: the one that waits for it is what progress tells of."""
    if progress is None:
        return None
    return lambda second: progress(replace(so_far, seconds=so_far.seconds + second.seconds))


def native_limits(limits: Limits) -> _engine.Limits:
    native = _engine.Limits()
    set_limits(native, limits)
    return native


def set_limits(native: _engine.Limits, limits: Limits) -> None:
    if limits.max_states is not None:
        native.max_states = limits.max_states
    if limits.max_bytes is not None:
        native.max_bytes = limits.max_bytes
