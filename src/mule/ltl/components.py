"""Strongly connected components, and what they say about acceptance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mule.ltl.automaton import Automaton, Edge, nothing, reachable, restricted
from mule.tarjan import strongly_connected


@dataclass(slots=True)
class Components:
    """The components of an automaton; a component is numbered before those that lead to it."""

    of: list[int]
    """The component of each state."""
    members: list[list[int]]
    marks: list[int]
    """All marks on the edges inside a component."""
    trivial: list[bool]
    """No edge inside: a run passes at most once."""
    all_marks: int

    def accepting(self, component: int) -> bool:
        """Is there an accepting cycle inside?"""
        return not self.trivial[component] and self.marks[component] == self.all_marks


def components(automaton: Automaton) -> Components:
    members = strongly_connected([[edge.target for edge in edges] for edges in automaton.edges])
    of = [0] * automaton.states
    for number, group in enumerate(members):
        for state in group:
            of[state] = number
    marks = [0] * len(members)
    trivial = [True] * len(members)
    for state, edges in enumerate(automaton.edges):
        for edge in edges:
            if of[edge.target] == of[state]:
                marks[of[state]] |= edge.marks
                trivial[of[state]] = False
    return Components(of, members, marks, trivial, automaton.all_marks)


def useful_states(automaton: Automaton, parts: Components) -> list[bool]:
    """From which states is there an accepting run?"""
    useful = [False] * len(parts.members)
    for number, group in enumerate(parts.members):
        useful[number] = parts.accepting(number) or any(
            useful[parts.of[edge.target]] for state in group for edge in automaton.edges[state]
        )
    return [useful[parts.of[state]] for state in range(automaton.states)]


def is_empty(automaton: Automaton) -> bool:
    """Does it accept no word?"""
    trimmed = restricted(automaton, reachable(automaton))
    parts = components(trimmed)
    return not any(parts.accepting(number) for number in range(len(parts.members)))


def pruned(automaton: Automaton) -> Automaton:
    """Without the states from which no word is accepted."""
    trimmed = restricted(automaton, reachable(automaton))
    useful = useful_states(trimmed, components(trimmed))
    if not useful[trimmed.initial]:
        return nothing(automaton.atoms)
    return restricted(trimmed, [state for state in range(trimmed.states) if useful[state]])


def cleaned(automaton: Automaton) -> Automaton:
    """Pruned, with marks only inside accepting components, and without the marks that others make superfluous."""
    automaton = pruned(automaton)
    parts = components(automaton)
    edges = []
    for state, out in enumerate(automaton.edges):
        home = parts.of[state]
        counts = parts.accepting(home)
        edges.append(
            [
                Edge(edge.label, edge.target, edge.marks if counts and parts.of[edge.target] == home else 0)
                for edge in out
            ]
        )
    return _without_superfluous_marks(
        Automaton(automaton.atoms, edges, automaton.initial, automaton.marks, automaton.names), parts
    )


def _without_superfluous_marks(automaton: Automaton, parts: Components) -> Automaton:
    """Drop each mark that, inside accepting components, lies wherever another one lies."""
    inner = [
        edge.marks
        for state, out in enumerate(automaton.edges)
        for edge in out
        if parts.of[edge.target] == parts.of[state] and parts.accepting(parts.of[state])
    ]
    kept: list[int] = []
    for mark in range(automaton.marks):
        bit = 1 << mark
        others = [*kept, *range(mark + 1, automaton.marks)]
        if not all(marks & bit for marks in inner) and not any(
            all(marks & bit for marks in inner if marks >> other & 1) for other in others
        ):
            kept.append(mark)
    rejects = any(not parts.trivial[number] and not parts.accepting(number) for number in range(len(parts.members)))
    if not kept and rejects and automaton.marks:
        kept = [0]
    return automaton if len(kept) == automaton.marks else relabelled(automaton, kept)


def relabelled(automaton: Automaton, kept: Sequence[int]) -> Automaton:
    """The automaton with the marks `kept`, numbered in that order."""

    def only(marks: int) -> int:
        return sum(1 << new for new, old in enumerate(kept) if marks >> old & 1)

    edges = [[Edge(edge.label, edge.target, only(edge.marks)) for edge in out] for out in automaton.edges]
    return Automaton(automaton.atoms, edges, automaton.initial, len(kept), automaton.names)
