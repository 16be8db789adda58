"""Products of automata, and questions that they answer."""

from __future__ import annotations

from mule.ltl.automaton import Automaton, Edge, union
from mule.ltl.components import is_empty


def intersection(left: Automaton, right: Automaton) -> Automaton:
    """The words that both accept; the automata must have the same atoms."""
    assert left.atoms == right.atoms
    number = {(left.initial, right.initial): 0}
    order = [(left.initial, right.initial)]
    edges: list[list[Edge]] = []
    for first, second in order:
        out = []
        for label, target, marks in left.edges[first]:
            for other_label, other_target, other_marks in right.edges[second]:
                both = label & other_label
                if both:
                    key = (target, other_target)
                    if key not in number:
                        number[key] = len(order)
                        order.append(key)
                    out.append(Edge(both, number[key], marks | other_marks << left.marks))
        edges.append(out)
    return Automaton(left.atoms, edges, 0, left.marks + right.marks)


def disjoint(left: Automaton, right: Automaton) -> bool:
    """Is there no word that both accept?"""
    return is_empty(intersection(left, right))


def deterministic_complement(automaton: Automaton) -> Automaton | None:
    """The words that a deterministic Büchi automaton does not accept; None for any other automaton.

    The second copy of a state is entered by a guess that no mark comes any more.
    """
    if automaton.marks > 1 or not automaton.is_deterministic():
        return None
    count, full = automaton.states, automaton.full
    sink = 2 * count
    first: list[list[Edge]] = []
    second: list[list[Edge]] = []
    for edges in automaton.edges:
        missing = full & ~union(edge.label for edge in edges)
        lost = [Edge(missing, sink, 0)] if missing else []
        marked = automaton.marks == 0
        stay = [Edge(label, target, 0) for label, target, _ in edges]
        jump = [Edge(label, target + count, 0) for label, target, _ in edges]
        quiet = [Edge(label, target + count, 1) for label, target, marks in edges if not (marks or marked)]
        first.append(stay + jump + lost)
        second.append(quiet + lost)
    return Automaton(automaton.atoms, [*first, *second, [Edge(full, sink, 1)]], automaton.initial, 1)
