"""One result of many: what several judges say, by the rules of the one judge, and one trail over all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mule import _engine
from mule.cluster.partition import Report
from mule.driving import Node, Progress
from mule.engine import Found, SearchResult
from mule.records import Record, replace

ELSEWHERE = "ended elsewhere"
"""Why a partition is stopped: another one has found something, or has met a limit."""


class Way(Record, frozen=True):
    """Some last steps of a path, and the state that they begin in (the engine's PathEnd, as a value): `part` is who has
    numbered it, a thread among those of all partitions."""

    steps: tuple[tuple[int, int], ...]
    from_initial_state: bool
    part: int
    number: int

    @classmethod
    def of(cls, end: _engine.PathEnd) -> Way:
        return cls(tuple(end.steps), end.from_initial_state, end.part, end.number)


class PartResult(Record, frozen=True):
    """What one partition has to say at the end."""

    found: SearchResult
    way: Way
    """To what it has found; of no meaning where that is nothing."""
    error_states: bytes
    """The states after errors that it counted: others may have counted the same ones."""
    error_state_bytes: int
    """Of each of them."""
    report: Report
    host: str = ""


def whole_path(way: Way, path_to: Callable[[int, int], Way]) -> tuple[tuple[int, int], ...]:
    """The steps from the initial state on; `path_to(part, number)`: the end of the way to a state."""
    parts = [way.steps]
    while not way.from_initial_state:
        way = path_to(way.part, way.number)
        parts.append(way.steps)
    return tuple(step for steps in reversed(parts) for step in steps)


def merged(
    parts: Sequence[PartResult], path_to: Callable[[int, int], Way], stopped: str | None, seconds: float
) -> SearchResult:
    """`stopped`: why the leader ended the search, if it did."""
    found = [(whole_path(each.way, path_to), each.found) for each in parts if each.found.found is not Found.NOTHING]
    path, chosen = min(found, key=lambda pair: len(pair[0])) if found else ((), parts[0].found)
    own = [each.found.stopped for each in parts if each.found.stopped not in (None, ELSEWHERE)]
    twice = sum(each.found.error_states for each in parts) - _different(parts)
    return SearchResult(
        progress=_together(parts, seconds, twice),
        deadlocks=sum(each.found.deadlocks for each in parts),
        failures=sum(each.found.failures for each in parts),
        assertions=sum(each.found.assertions for each in parts),
        stopped=None if found else next(iter(own), stopped),
        found=chosen.found,
        proposition=chosen.proposition,
        path=path,
        sample=(),
        fully_expanded=sum(each.found.fully_expanded for each in parts),
        error_states=_different(parts),
        fired=bytes(map(max, *(each.found.fired for each in parts))) if len(parts) > 1 else parts[0].found.fired,
        expanded=sum(each.found.expanded for each in parts),
        workers=max(each.report.threads for each in parts),
    )


def so_far(reports: Sequence[Report], seconds: float) -> Progress:
    return Progress(
        states=sum(each.progress.states for each in reports),
        transitions=sum(each.progress.transitions for each in reports),
        depth=max(each.progress.depth for each in reports),
        queue=sum(each.progress.queue for each in reports),
        memory_bytes=sum(each.progress.memory_bytes for each in reports),
        seconds=seconds,
    )


def _different(parts: Sequence[PartResult]) -> int:
    """How many states after errors there are: several partitions may have met the same one."""
    met: set[bytes] = set()
    for each in parts:
        size = each.error_state_bytes
        met.update(each.error_states[at : at + size] for at in range(0, len(each.error_states), size or 1))
    return len(met)


def node_of(host: str, progress: Progress, report: Report) -> Node:
    return Node(
        host=host,
        states=progress.states,
        transitions=progress.transitions,
        memory_bytes=progress.memory_bytes,
        sent_batches=report.sent,
        received_batches=report.received,
        sent_bytes=report.sent_bytes,
        threads=report.threads,
    )


def _together(parts: Sequence[PartResult], seconds: float, twice: int) -> Progress:
    nodes = tuple(node_of(each.host, each.found.progress, each.report) for each in parts)
    progress = so_far([replace(each.report, progress=each.found.progress) for each in parts], seconds)
    return replace(progress, states=progress.states - twice, nodes=nodes)
