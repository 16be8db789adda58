"""Mule's own translation: several ways to an automaton, and the smallest result."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from mule.ltl import letters
from mule.ltl.automaton import Automaton, Edge
from mule.ltl.components import pruned
from mule.ltl.degeneralise import degeneralised, degeneralised_on_edges, orders
from mule.ltl.formula import Formula, negation_normal_form
from mule.ltl.junctions import postponed
from mule.ltl.obligation import same_words, weak_deterministic
from mule.ltl.simplify import simplify
from mule.ltl.simulation import reduced, state_reduced
from mule.ltl.tableau import TooLargeError, tableau

_MOST_SUBSETS = 200


class Translation:
    """The automata of a formula, each computed when it is asked for."""

    def __init__(self, formula: Formula) -> None:
        self.formula = simplify(formula)
        self.atoms = formula.atoms()
        letters.check_count(self.atoms)

    @cached_property
    def negation(self) -> Translation:
        other = Translation(negation_normal_form(self.formula, negated=True))
        other.atoms = self.atoms
        return other

    @cached_property
    def plain(self) -> Automaton:
        """The reduced tableau."""
        return reduced(tableau(self.formula, self.atoms))

    @cached_property
    def waiting(self) -> Automaton | None:
        """The reduced tableau with choices left open, where there are any."""
        formula = postponed(self.formula)
        return None if formula is self.formula else reduced(tableau(formula, self.atoms))

    @cached_property
    def joined(self) -> Automaton | None:
        """The reduced tableau with alternatives kept in one state, if that is not too large."""
        try:
            return reduced(tableau(self.formula, self.atoms, joined=True, most=100))
        except TooLargeError:
            return None

    @cached_property
    def weak(self) -> Automaton | None:
        """The minimal weak deterministic automaton, complete, if the formula is an obligation."""
        weak = weak_deterministic(self.plain, _MOST_SUBSETS)
        if weak is None or not same_words(weak, self.plain, self.negation.plain):
            return None
        return weak

    def candidates(self) -> Iterator[Automaton]:
        yield self.plain
        if self.joined and self.joined.edges != self.plain.edges:
            yield self.joined
        if self.waiting:
            yield self.waiting
        if self.weak:
            yield pruned(self.weak)

    @cached_property
    def generalised(self) -> Automaton:
        """The smallest automaton found, with generalised acceptance on edges."""
        return min(self.candidates(), key=_size)

    @cached_property
    def edge_based(self) -> Automaton:
        """The smallest Büchi automaton found with one mark on edges."""
        found = [
            _with_a_mark(reduced(degeneralised_on_edges(automaton, order)))
            for automaton in self.candidates()
            for order in orders(automaton)
        ]
        return min(found, key=_size)

    @cached_property
    def state_based(self) -> Automaton:
        """The smallest state-based Büchi automaton found."""
        found = [
            state_reduced(degeneralised(automaton, order))
            for automaton in [*self.candidates(), self.edge_based]
            for order in orders(automaton)
        ]
        return min(found, key=_size)


def _with_a_mark(automaton: Automaton) -> Automaton:
    """One mark also where every run accepts."""
    if automaton.marks:
        return automaton
    edges = [[Edge(label, target, 1) for label, target, _ in out] for out in automaton.edges]
    return Automaton(automaton.atoms, edges, automaton.initial, 1, automaton.names)


def _size(automaton: Automaton) -> tuple[int, bool, int, int]:
    return (
        automaton.states,
        not automaton.is_deterministic(),
        automaton.marks,
        sum(len(automaton.cubes(edge)) for edges in automaton.edges for edge in edges),
    )
