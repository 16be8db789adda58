"""Büchi automata with generalised acceptance on edges, the form in which everything here works.

An automaton accepts a word if some run over it sees each acceptance mark infinitely often; with no marks every infinite
run accepts. A state-based Büchi automaton is the case of one mark that lies on all edges of a state or on none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mule.ltl import letters
from mule.ltl.letters import Cube


class Edge(NamedTuple):
    """A step of the automaton: on any letter of `label` to `target`."""

    label: int
    """A set of letters, see `mule.ltl.letters`."""
    target: int
    marks: int
    """The acceptance marks on the edge, as a mask."""

    def __repr__(self) -> str:
        """In base 16, because Python refuses to write such long numbers in base 10."""
        return f"Edge({self.label:#x}, {self.target}, {self.marks:#x})"


@dataclass(slots=True)
class Automaton:
    atoms: tuple[str, ...]
    """The texts of the propositions; bit i of a letter is the truth of atom i."""
    edges: list[list[Edge]]
    """The edges out of each state."""
    initial: int = 0
    marks: int = 0
    """The number of acceptance marks."""
    names: list[str] = field(default_factory=list)
    """A name for each state, for people; may be empty."""

    @property
    def states(self) -> int:
        return len(self.edges)

    def _repr_svg_(self) -> str | None:
        """A notebook draws it, where Graphviz is installed."""
        from mule.drawing.automata import property_automaton

        return property_automaton(self, "automaton")._repr_svg_()

    @property
    def full(self) -> int:
        """The label that allows every letter."""
        return letters.everything(len(self.atoms))

    @property
    def all_marks(self) -> int:
        return (1 << self.marks) - 1

    def cubes(self, edge: Edge) -> list[Cube]:
        """The label of an edge as a disjunction of conjunctions."""
        return letters.cubes(len(self.atoms), edge.label)

    def label_text(self, edge: Edge) -> str:
        """The letters of an edge over the texts of the atoms."""
        if edge.label == self.full:
            return "true"
        cubes = []
        for true, false in self.cubes(edge):
            literals = [
                text if true >> index & 1 else f"!({text})"
                for index, text in enumerate(self.atoms)
                if (true | false) >> index & 1
            ]
            cubes.append(" && ".join(literals))
        return " || ".join(cubes)

    def is_state_based(self) -> bool:
        """Büchi with the marks of a state on all of its edges: fit for a nested depth-first search."""
        return self.marks == 1 and all(len({edge.marks for edge in edges}) <= 1 for edges in self.edges)

    def accepting(self, state: int) -> bool:
        """Is the state accepting? Only for state-based automata."""
        return any(edge.marks for edge in self.edges[state])

    def is_deterministic(self) -> bool:
        return all(_disjoint([edge.label for edge in edges]) for edges in self.edges)

    def is_complete(self) -> bool:
        full = self.full
        return all(union(edge.label for edge in edges) == full for edges in self.edges)


def union(labels: Iterable[int]) -> int:
    result = 0
    for label in labels:
        result |= label
    return result


def _disjoint(labels: Sequence[int]) -> bool:
    seen = 0
    for label in labels:
        if seen & label:
            return False
        seen |= label
    return True


def merged(edges: Iterable[Edge]) -> list[Edge]:
    """Edges with the same target and marks become one; what an edge with more marks allows is taken from the others."""
    labels: dict[tuple[int, int], int] = {}
    for label, target, marks in edges:
        if label:
            labels[target, marks] = labels.get((target, marks), 0) | label
    result = []
    for (target, marks), label in labels.items():
        for (other, more), covered in labels.items():
            if other == target and more != marks and more & marks == marks:
                label &= ~covered
        if label:
            result.append(Edge(label, target, marks))
    return result


def restricted(automaton: Automaton, keep: Iterable[int]) -> Automaton:
    """The automaton on some of its states, the initial one among them, renumbered in that order."""
    order = list(keep)
    number = {state: index for index, state in enumerate(order)}
    edges = [
        [Edge(label, number[target], marks) for label, target, marks in automaton.edges[state] if target in number]
        for state in order
    ]
    names = [automaton.names[state] for state in order] if automaton.names else []
    return Automaton(automaton.atoms, edges, number[automaton.initial], automaton.marks, names)


def reachable(automaton: Automaton) -> list[int]:
    """The states that can be reached, in breadth-first order."""
    order = [automaton.initial]
    seen = {automaton.initial}
    for state in order:
        for edge in automaton.edges[state]:
            if edge.target not in seen:
                seen.add(edge.target)
                order.append(edge.target)
    return order


def nothing(atoms: tuple[str, ...]) -> Automaton:
    """The automaton of `false`: one state, no edges."""
    return Automaton(atoms, [[]], marks=1)
