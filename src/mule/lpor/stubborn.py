"""The LPOR stubborn set algorithm (LPOR, section III, Algorithms 1 and 2).

The forward enable sets are computed once. The paper keeps with each of their members the necessary enabling
transitions that were met on the way (`en`), of which there may be exponentially many. What is asked of them is whether
some way avoids all members of the stubborn set; that is a search in a graph, so the ways need not be kept: a
transition that waits for a member of the set is taken out of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic

from mule.lpor.relations import LporRelations, T


class Lpor(Generic[T]):
    """Stubborn sets of one system. All tables are computed here; `stubborn` is for every state anew."""

    def __init__(
        self,
        transitions: Sequence[T],
        relations: LporRelations[T],
        visible: Callable[[T], bool] | None = None,
    ) -> None:
        """`visible`: the transitions that may change what the property sees. They are made to depend on each other
        (condition V), so that their order is kept; the search must also see to it that none is put off for ever."""
        self.transitions = tuple(transitions)
        self.relations = relations
        self._number = {t: number for number, t in enumerate(self.transitions)}
        if len(self._number) != len(self.transitions):
            raise ValueError("a transition is listed twice")
        seen = _bits(n for n, t in enumerate(self.transitions) if visible is not None and visible(t))
        count = range(len(self.transitions))
        self.dependent_on = [
            _bits(
                u
                for u in count
                if u != t and ((seen >> u & seen >> t & 1) or relations.dep(self.transitions[u], self.transitions[t]))
            )
            for t in count
        ]
        """For each t those that it is dependent on."""
        self.enables = [
            _bits(u for u in count if u != t and relations.can_enable(self.transitions[t], self.transitions[u]))
            for t in count
        ]
        self.forward_enable_sets = [_reachable(self.enables, t) for t in count]
        """For each t what a sequence that begins with it can enable, each member enabling the next one."""
        self.leads_to_dependency = [
            _bits(u for u in count if self.forward_enable_sets[u] & self.dependent_on[t]) for t in count
        ]
        """For each t the first members of sequences that enable something on which it is dependent."""
        self.is_transitive = all(
            not self.dependent_on[u] & ~(self.dependent_on[t] | 1 << t)
            for t in count
            for u in _members(self.dependent_on[t])
        )

    def stubborn(
        self, initial: T, enabled: Iterable[T], state: Any = None, executed: Iterable[T] | None = None
    ) -> list[T]:
        """A strong stubborn set that contains `initial`, one of the `enabled` transitions; in the order of `enabled`.

        With a `state` the relations are asked what is necessary there. With `executed`, the transitions on the path
        from the initial state, they are asked what is necessary at all: only for a search that does not compare
        states, since another path to the same state has another past. With neither, no NET is used."""
        known = list(enabled)
        here = _bits(self._number[t] for t in known)
        first = self._number[initial]
        if not here >> first & 1:
            raise ValueError("the initial transition is not enabled")
        net: _Necessary[T] | None = None
        if state is not None or executed is not None:
            past = 0 if executed is None or state is not None else _bits(self._number[t] for t in executed)
            net = _Necessary(self, here, state, past)
        chosen = self._close(first, here, net)
        return [t for t in known if chosen >> self._number[t] & 1]

    def _close(self, first: int, enabled: int, net: _Necessary[T] | None) -> int:
        stubborn = 1 << first
        work = [first]
        for t in work:
            direct = enabled & ~stubborn & self.dependent_on[t]
            stubborn |= direct
            if not self.is_transitive:
                work += _members(direct)
            for u in _members(enabled & ~stubborn & self.leads_to_dependency[t]):
                if net is None or net.leads_to(u, self.dependent_on[t], stubborn):
                    stubborn |= 1 << u
                    work.append(u)
        return stubborn


class _Necessary(Generic[T]):
    """What can still run in one state if no member of a stubborn set does."""

    def __init__(self, lpor: Lpor[T], enabled: int, state: Any, executed: int) -> None:
        self._lpor, self._enabled, self._state, self._executed = lpor, enabled, state, executed
        self._sets: list[list[int]] | None = None
        self._runnable = 0
        self._without = -1

    def leads_to(self, start: int, targets: int, stubborn: int) -> bool:
        """Whether a sequence of enabling transitions from `start` comes to one of `targets` outside the set. All but
        its first member are disabled here, for a sequence can begin with the last one that is enabled."""
        allowed = self._what_can_run(stubborn) & ~self._enabled
        reached = frontier = self._lpor.enables[start] & allowed
        while frontier and not reached & targets:
            fresh = 0
            for t in _members(frontier):
                fresh |= self._lpor.enables[t]
            frontier = fresh & allowed & ~reached
            reached |= frontier
        return bool(reached & targets)

    def _what_can_run(self, stubborn: int) -> int:
        if self._without == stubborn:
            return self._runnable
        if self._sets is None:
            self._sets = [self._sets_of(t) for t in range(len(self._lpor.transitions))]
        self._without = stubborn
        runnable = self._enabled & ~stubborn
        grows = True
        while grows:
            grows = False
            for t, sets in enumerate(self._sets):
                if not (runnable | self._enabled) >> t & 1 and all(members & runnable for members in sets):
                    runnable |= 1 << t
                    grows = True
        self._runnable = runnable
        return runnable

    def _sets_of(self, t: int) -> list[int]:
        if self._enabled >> t & 1:
            return []
        number, transitions = self._lpor._number, self._lpor.transitions
        sets = self._lpor.relations.enabling_sets(self._state, transitions[t])
        found = [_bits(number[u] for u in members) for members in sets]
        return [members for members in found if not members & self._executed]


def _reachable(successors: list[int], start: int) -> int:
    reached = 1 << start
    work = [start]
    for t in work:
        fresh = successors[t] & ~reached
        reached |= fresh
        work += _members(fresh)
    return reached


def _members(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _bits(numbers: Iterable[int]) -> int:
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits
