"""The steps of a whole system; where there are too many ways through an atomic step, it is cut in pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mule.errors import MuleError
from mule.frontends.promela.chains import Chains, TooManyWays, Way
from mule.frontends.promela.graph import Edge, Graph, loop_heads
from mule.frontends.promela.processes import Instance, Proctype
from mule.frontends.promela.system import System

MOST_WAYS = 50_000
"""Where even a single statement has more ways to be executed, the program is beyond us."""

_Start = tuple[Instance, int, bool]
"""Where steps begin: a place of an instance, and whether that is in the middle of an atomic step."""


def all_ways(system: System, chains: Chains) -> list[tuple[Instance, bool, Way]]:
    """The steps from every place; begun again for the processes whose steps had to be cut."""
    known: dict[_Start, list[Way]] = {}
    while True:
        cut = _find_ways(system, chains, known)
        if cut is None:
            ordered = sorted(known, key=lambda start: (start[0].process, start[1], start[2]))
            return [(instance, middle, way) for instance, n, middle in ordered for way in known[instance, n, middle]]
        for start in [s for s, ways in known.items() if any(i.type in cut for w in ways for i in w.moves)]:
            del known[start]


def _find_ways(system: System, chains: Chains, known: dict[_Start, list[Way]]) -> set[Proctype] | None:
    """All steps into `known`, from the places where other steps end; the answer are the processes that were cut in
    more places, if that was needed."""
    waiting = [(instance, instance.type.graph.start, False) for instance in system.instances]
    seen = set(waiting)
    while waiting:
        start = waiting.pop()
        instance, location, _ = start
        if start not in known:
            try:
                known[start] = chains.all_from(*start)
            except TooManyWays as found:
                looping = _cut_loop(found.visits)
                if looping is not None:
                    return {looping}
                return _cut_more(system, chains, instance.type, instance.type.graph.locations[location].at)
        for way in known[start]:
            for other, (_, target) in way.moves.items():
                place = other.place(target)
                if place is not None and (other, *place) not in seen:
                    seen.add((other, *place))
                    waiting.append((other, *place))
    return None


def _cut_more(system: System, chains: Chains, type: Proctype, at: int) -> set[Proctype]:
    """A step may go on in another process, so that all of them may have to be cut."""
    if _grow_cuts(type):
        return {type}
    others = {other for other in system.types.values() if _grow_cuts(other)}
    if not others:
        if chains.limit > MOST_WAYS:
            raise MuleError("this atomic step has too many ways to go on", system.scope.place(at))
        chains.limit *= 4
    return others


def _cut_loop(visits: Counter[tuple[Instance, int]]) -> Proctype | None:
    """Cut steps at the head of the loop that was run through most often; the answer is the process it belongs to."""
    for (instance, location), count in visits.most_common():
        type = instance.type
        if count > 1 and location not in type.cuts and location in _loop_heads(type.graph):
            type.cuts.add(location)
            return type
    return None


def _grow_cuts(type: Proctype) -> bool:
    """Cut steps at more places: where ways join, then everywhere."""
    graph = type.graph
    for candidates in (_joins(graph), _all_kept(graph)):
        if not candidates <= type.cuts:
            type.cuts |= candidates
            return True
    return False


def _kept_edges(graph: Graph) -> Iterator[Edge]:
    for location in graph.locations:
        for edge in location.edges:
            if edge.keeps:
                yield edge


def _all_kept(graph: Graph) -> set[int]:
    return {edge.target for edge in _kept_edges(graph)}


def _joins(graph: Graph) -> set[int]:
    counts: dict[int, int] = {}
    for edge in _kept_edges(graph):
        counts[edge.target] = counts.get(edge.target, 0) + 1
    return {target for target, count in counts.items() if count > 1}


def _loop_heads(graph: Graph) -> set[int]:
    """Places that a way through an atomic step comes back to."""
    following: dict[int, list[int]] = {}
    for edge in _kept_edges(graph):
        following.setdefault(edge.source, []).append(edge.target)
    return loop_heads(following)
