"""Bounds for process numbers that follow from who starts whom alone, for programs of which nobody knows how many
processes they start.

A process that was started cannot outlive the one that started it: only the one with the highest number dies. So its
number is higher than those of all it descends from. And it is no higher than the number of processes that there can be
besides it; where it is the only one of its proctype, those that could only descend from it are not among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf

from mule.frontends.promela.graph import run_of
from mule.frontends.promela.processes import Proctype
from mule.tarjan import strongly_connected


def possible_numbers(types: Mapping[str, Proctype], active: Sequence[str]) -> dict[str, tuple[int, float]]:
    """For each proctype that can be started by `run`: the lowest number it can get, and one that is too high for it,
    which may be infinite."""
    descent = _Descent({name: _starts(type) for name, type in types.items()}, active)
    started = {name for creator in descent.there for name in descent.starts[creator]}
    return {name: (descent.lowest_started(name), descent.too_high(name)) for name in started}


def _starts(type: Proctype) -> dict[str, float]:
    """How many processes of each proctype one of this type starts at the most."""
    locations = type.graph.locations
    component: dict[int, int] = {}
    for number, members in enumerate(strongly_connected([[edge.target for edge in each.edges] for each in locations])):
        component |= dict.fromkeys(members, number)
    starts: dict[str, float] = {}
    for location in locations:
        for edge in location.edges:
            run = run_of(edge)
            if run is not None:
                is_repeated = component[edge.source] == component[edge.target]
                starts[run.process] = starts.get(run.process, 0) + (inf if is_repeated else 1)
    return starts


class _Descent:
    def __init__(self, starts: Mapping[str, Mapping[str, float]], active: Sequence[str]) -> None:
        self.starts = starts
        self.active = active
        self.there = self._reached(active)
        self._most: dict[str, float] = {}

    def too_high(self, name: str) -> float:
        others = self.there - {name}
        if self.most(name) == 1:
            others &= self._reached((each for each in self.active if each != name), without=name)
        return sum(map(self.most, others)) + self.most(name)

    def most(self, name: str) -> float:
        """How many processes of a proctype there can be in a run."""
        if name not in self._most:
            if name in self._reached(self.starts[name]):
                self._most[name] = inf
            else:
                started = (self.most(each) * self.starts[each][name] for each in self._creators(name))
                self._most[name] = self.active.count(name) + sum(started)
        return self._most[name]

    def lowest_started(self, name: str) -> int:
        """One more than the shortest way from a process that is there from the start, which has its place."""
        lowest: dict[str, int] = {}
        for pid, root in enumerate(self.active):
            level, generation = pid, {root}
            while generation:
                level += 1
                generation = {each for creator in generation for each in self.starts[creator]}
                generation = {each for each in generation if level < lowest.get(each, level + 1)}
                lowest.update(dict.fromkeys(generation, level))
        return lowest[name]

    def _creators(self, name: str) -> list[str]:
        return [each for each in self.there if name in self.starts[each]]

    def _reached(self, roots: Iterable[str], without: str | None = None) -> set[str]:
        """Who is there if these are, and all they start; `without`: nobody starts one of these."""
        found: set[str] = set()
        waiting = [*roots]
        while waiting:
            current = waiting.pop()
            if current not in found and current != without:
                found.add(current)
                waiting += self.starts[current]
        return found
