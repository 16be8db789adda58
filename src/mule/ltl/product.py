"""Products of automata, and questions that they answer."""

from __future__ import annotations

from mule.ltl.automaton import Automaton, Edge
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
