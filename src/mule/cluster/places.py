"""Which machines the partitions of a search go to, and how many threads each of them has there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mule.cores import available_cores
from mule.errors import MuleError

MOST_THREADS = 2**16 - 1
"""Of all partitions together: the engine has 16 bits for who has numbered a state."""


class Place(NamedTuple):
    threads: int = 1
    machine: str | None = None
    """Ray's name for it; None: wherever there is room."""


def places_here(partitions: int, threads: int | None) -> list[Place]:
    """On this machine alone; `threads`: for each partition, if somebody says."""
    return _within([Place(threads or max(1, available_cores() // partitions))] * partitions)


def places_on(free: Mapping[str, int], threads: int | None) -> list[Place]:
    """On machines with so many free CPUs: a partition for each machine that has all of them, or, where somebody says
    how many threads it has, as many as there is room for."""
    found = [
        Place(threads or cpus, machine)
        for machine, cpus in free.items()
        for _ in range(cpus // threads if threads else min(cpus, 1))
    ]
    if not found:
        raise MuleError(f"no machine of the cluster has {threads} CPUs that are free: use a smaller --workers")
    return _within(found)


def places_like(threads: Sequence[int], free: Mapping[str, int]) -> list[Place]:
    """For partitions of so many threads each: each on the smallest machine that has as many free CPUs, or, if there is
    none for some of them, all of them wherever there is room."""
    left = dict(free)
    found = []
    for wanted in threads:
        machine = min((each for each in left if left[each] >= wanted), key=left.__getitem__, default=None)
        if machine is None:
            return [Place(each) for each in threads]
        left[machine] -= wanted
        found.append(Place(wanted, machine))
    return found


def _within(places: list[Place]) -> list[Place]:
    if sum(place.threads for place in places) > MOST_THREADS:
        raise MuleError(f"a cluster has no more than {MOST_THREADS:,} threads: use --workers with a smaller number")
    return places
