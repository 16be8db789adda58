"""Stuttering: is a property blind to repeated letters, and the form its automaton needs under partial-order reduction.

Michaud and Duret-Lutz, "Practical stutter-invariance checks for ω-regular languages" (SPIN 2015). Letters that no edge
of an automaton tells apart count as one letter here.
"""

from __future__ import annotations

from math import inf

from mule.ltl import letters
from mule.ltl.automaton import Automaton, Edge, merged, reachable, restricted, union
from mule.ltl.builtin import Translation
from mule.ltl.components import pruned
from mule.ltl.degeneralise import degeneralised_on_edges
from mule.ltl.formula import Formula
from mule.ltl.inclusion import included
from mule.ltl.product import disjoint
from mule.ltl.simplify import simplify
from mule.ltl.simulation import merged_states, reduced

MOST_JOINS = 2_000_000
"""Pairs of edges. With more, whether an automaton is stutter-invariant is left open: so many take a second or two."""


class _TooLarge(Exception):  # noqa: N818 - is caught here
    """More pairs of edges than were allowed."""


def stutter_closed(automaton: Automaton) -> Automaton:
    """The automaton in the form that SOUNDNESS 3.1 asks for, with acceptance on edges.

    - After an edge under a letter, its target has a loop under that letter.
    - Where two edges follow each other under a letter, one edge under it does what both do, with the marks of both.
    The loops that are added have no marks. If the automaton is stutter-invariant it accepts the same words.
    """
    looped = self_loopised(closure(pruned(automaton)))  # a loop must not be added where no run goes on
    return closure(merged_states(looped))


def closure(automaton: Automaton, most_joins: float = inf) -> Automaton:
    """A repeated letter can be skipped: u·a·a·v is accepted, so u·a·v is too."""
    edges = [list(out) for out in automaton.edges]
    changed = True
    while changed:
        changed = False
        for state, out in enumerate(edges):
            most_joins -= sum(len(edges[first.target]) for first in out)
            if most_joins < 0:
                raise _TooLarge
            longer = [
                Edge(first.label & second.label, second.target, first.marks | second.marks)
                for first in out
                for second in edges[first.target]
                if first.label & second.label
            ]
            joined = merged([*out, *longer])
            if set(joined) != set(out):
                edges[state] = joined
                changed = True
    return Automaton(automaton.atoms, edges, automaton.initial, automaton.marks, automaton.names)


def self_loopised(automaton: Automaton) -> Automaton:
    """A letter can be repeated: u·a·v is accepted, so u·a·a·v is too.

    A state is split by the letter that leads to it where it has no loop under that letter.
    """
    parts = letters.partition([edge.label for out in automaton.edges for edge in out], automaton.full)
    loops = _loops(automaton)
    start = (automaton.initial, 0)
    number = {start: 0}
    order = [start]
    rows: list[list[Edge]] = []
    for state, loop in order:
        index = number[state, loop]
        row = [Edge(loop, index, 0)]
        for label, target, marks in automaton.edges[state]:
            for part in parts:
                if part & label:
                    key = (target, 0 if part & loops[target] else part)
                    if key not in number:
                        number[key] = len(order)
                        order.append(key)
                    row.append(Edge(part, number[key], marks))
        rows.append(merged(row))
    names = [automaton.names[state] for state, _ in order] if automaton.names else []
    return Automaton(automaton.atoms, rows, 0, automaton.marks, names)


def is_self_looped(automaton: Automaton) -> bool:
    """Does each edge lead to a state with a loop under each letter of the edge?"""
    loops = _loops(automaton)
    return all(not edge.label & ~loops[edge.target] for out in automaton.edges for edge in out)


def _loops(automaton: Automaton) -> list[int]:
    """The letters under which each state has a loop."""
    return [union(edge.label for edge in out if edge.target == state) for state, out in enumerate(automaton.edges)]


def stutter_invariant(formula: Formula) -> bool:
    """Does the truth of the formula not change when letters of a word are repeated or repetitions left out? Exact."""
    if simplify(formula).next_free:
        return True
    translation = Translation(formula)
    return disjoint(self_loopised(closure(translation.plain)), translation.negation.plain)


def stutter_invariant_automaton(automaton: Automaton) -> bool | None:
    """The same for an automaton; None if it is too large to tell."""
    one_mark = degeneralised_on_edges(automaton) if automaton.marks > 1 else automaton
    try:
        skipping = closure(pruned(one_mark), MOST_JOINS)
    except _TooLarge:
        return None
    looped = self_loopised(skipping)  # a loop must not be added where no run goes on
    return included(reduced(restricted(looped, reachable(looped))), one_mark)
