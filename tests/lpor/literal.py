"""Algorithms 1 and 2 of the LPOR paper word for word, en-fields and all."""

from __future__ import annotations

from dataclasses import dataclass, field

from mule.lpor import LporRelations

Pairs = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Given(LporRelations[int]):
    """Relations as sets of pairs, in the paper's order: (t, t') in net where t' is necessary for t."""

    count: int
    dependencies: Pairs
    enabling: Pairs
    necessary: Pairs = field(default_factory=frozenset)

    def dep(self, t1: int, t: int) -> bool:
        return (t1, t) in self.dependencies

    def can_enable(self, t1: int, t: int) -> bool:
        return (t1, t) in self.enabling

    def net(self, state: object, t: int) -> list[int]:
        return sorted(other for one, other in self.necessary if one == t)


Forward = frozenset[tuple[int, frozenset[int]]]


def forward_enable_set(given: Given, start: int) -> Forward:
    known: set[tuple[int, frozenset[int]]] = {(start, frozenset())}
    while True:
        before = set(known)
        for t1 in range(given.count):
            for t, en in before:
                if (t, t1) in given.enabling:
                    known.add((t1, en | frozenset(given.net(None, t1))))
        if known == before:
            return frozenset(known)


def stubborn(given: Given, initial: int, enabled: list[int], executed: list[int], transitive: bool) -> set[int]:
    """`choose` and `forall` take the first: work in the order of arrival, transitions in ascending order."""
    forward = {t: forward_enable_set(given, t) for t in range(given.count)}
    result, work = {initial}, [initial]
    for t in work:
        for t1 in enabled:
            if t1 not in result and (t1, t) in given.dependencies:
                result.add(t1)
                if not transitive:
                    work.append(t1)
        for t1 in enabled:
            if t1 not in result and any(
                (t_dep, t) in given.dependencies and all(t2 not in result or t2 in executed for t2 in en)
                for t_dep, en in forward[t1]
            ):
                result.add(t1)
                work.append(t1)
    return result
