"""Generalised acceptance to one mark, on states or on edges: levels that count which marks have been seen.

Gastin and Oddoux, "Fast LTL to Büchi automata translation" (CAV 2001), with levels reset between components and marks
anticipated, as in Babiak et al. (SPIN 2013).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, permutations

from mule.ltl.automaton import Automaton, Edge, merged
from mule.ltl.components import Components, components

_MOST_ORDERS = 6


def degeneralised(automaton: Automaton, order: Sequence[int] | None = None) -> Automaton:
    """A state-based Büchi automaton for the same words; `order` is that in which the marks are waited for."""
    return _Levels(automaton, range(automaton.marks) if order is None else order).build()


def degeneralised_on_edges(automaton: Automaton, order: Sequence[int] | None = None) -> Automaton:
    """A Büchi automaton for the same words with one mark on edges."""
    if automaton.marks == 1:
        return automaton
    return _EdgeLevels(automaton, range(automaton.marks) if order is None else order).build()


def orders(automaton: Automaton) -> Iterator[Sequence[int]]:
    """The orders of marks that are worth trying."""
    return islice(permutations(range(automaton.marks)), _MOST_ORDERS)


class _Levels:
    """States (s, l): l of the marks, in order, have been seen since the last accepting state."""

    def __init__(self, automaton: Automaton, order: Sequence[int]) -> None:
        self._automaton = automaton
        self._order = list(order)
        self._parts: Components = components(automaton)
        self._number: dict[tuple[int, int], int] = {}
        self._queue: list[tuple[int, int]] = []
        self._first: dict[int, int] = {}
        """The level at which a state was met first."""
        self._ahead = [self._anticipated(state) for state in range(automaton.states)]

    def _anticipated(self, state: int) -> int:
        """The marks on all edges of the state that stay in its component."""
        home = self._parts.of[state]
        result = self._automaton.all_marks
        for edge in self._automaton.edges[state]:
            if self._parts.of[edge.target] == home:
                result &= edge.marks
        return result

    def build(self) -> Automaton:
        initial = self._enter(self._automaton.initial)
        edges: list[list[Edge]] = []
        for state, level in self._queue:
            edges.append(merged(self._edge(state, level, edge) for edge in self._automaton.edges[state]))
        return Automaton(self._automaton.atoms, edges, initial, 1, self._names())

    def _names(self) -> list[str]:
        names = self._automaton.names
        return [f"{names[state]}, {level}" for state, level in self._queue] if names else []

    def _edge(self, state: int, level: int, edge: Edge) -> Edge:
        last = len(self._order)
        accepting = int(level == last)
        if self._leaves(state, edge):
            return Edge(edge.label, self._enter(edge.target), accepting)
        seen = 0 if level == last else level
        raised = self._raised(seen, edge.marks | self._ahead[edge.target])
        return Edge(edge.label, self._index(edge.target, raised), accepting)

    def _leaves(self, state: int, edge: Edge) -> bool:
        """Does the edge leave its component, or stay in one where levels do not matter?"""
        home = self._parts.of[state]
        return self._parts.of[edge.target] != home or not self._parts.accepting(home)

    def _enter(self, state: int) -> int:
        """A component may be entered at any level: at one that is there already if possible."""
        if not self._parts.accepting(self._parts.of[state]):
            return self._index(state, 0)
        return self._index(state, self._first.get(state, self._raised(0, self._ahead[state])))

    def _raised(self, level: int, marks: int) -> int:
        while level < len(self._order) and marks >> self._order[level] & 1:
            level += 1
        return level

    def _index(self, state: int, level: int) -> int:
        key = (state, level)
        if key not in self._number:
            self._first.setdefault(state, level)
            self._number[key] = len(self._queue)
            self._queue.append(key)
        return self._number[key]


class _EdgeLevels(_Levels):
    """The same with the mark on the edge that completes the count."""

    def _edge(self, state: int, level: int, edge: Edge) -> Edge:
        if self._leaves(state, edge):
            return Edge(edge.label, self._enter(edge.target), 0)
        last = len(self._order)
        raised = self._raised(level, edge.marks)
        if raised < last:
            return Edge(edge.label, self._index(edge.target, raised), 0)
        again = self._raised(0, edge.marks)
        return Edge(edge.label, self._index(edge.target, again if again < last else 0), 1)

    def _enter(self, state: int) -> int:
        return self._index(state, self._first.get(state, 0))
