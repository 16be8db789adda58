"""The smallest deterministic weak automaton of an obligation property.

Dax, Eisinger, Klaedtke, "Mechanizing the powerset construction for restricted classes of ω-automata" (ATVA 2007);
the minimisation is Löding's (IPL 2001).
"""

from __future__ import annotations

from mule.ltl import letters
from mule.ltl.automaton import Automaton, Edge, merged
from mule.ltl.components import Components, components, is_empty
from mule.ltl.product import disjoint


def weak_deterministic(automaton: Automaton, most: int) -> Automaton | None:
    """A complete, minimal, weak deterministic automaton, state-based. It accepts the same words if any such automaton
    does. None if the subset construction has more than `most` states."""
    subsets = _subsets(automaton, most)
    if subsets is None:
        return None
    deterministic, members = subsets
    parts = components(deterministic)
    accepting = [
        not parts.trivial[number] and _accepts_a_cycle(automaton, deterministic, parts, group[0], members)
        for number, group in enumerate(parts.members)
    ]
    even = _colours(deterministic, parts, accepting)
    return _minimised(deterministic, [even[parts.of[state]] for state in range(deterministic.states)])


def same_words(weak: Automaton, automaton: Automaton, negation: Automaton) -> bool:
    """Does the complete deterministic weak automaton accept what `automaton` accepts and `negation` does not?"""
    return disjoint(weak, negation) and disjoint(complemented(weak), automaton)


def complemented(weak: Automaton) -> Automaton:
    """The complement of a complete, deterministic, weak automaton: accepting components become rejecting ones."""
    edges = [[Edge(label, target, marks ^ 1) for label, target, marks in out] for out in weak.edges]
    return Automaton(weak.atoms, edges, weak.initial, 1)


def _subsets(automaton: Automaton, most: int) -> tuple[Automaton, list[frozenset[int]]] | None:
    start = frozenset([automaton.initial])
    number = {start: 0}
    order = [start]
    edges: list[list[Edge]] = []
    for subset in order:
        out = [edge for state in subset for edge in automaton.edges[state]]
        row = []
        for part in letters.partition([edge.label for edge in out], automaton.full):
            target = frozenset(edge.target for edge in out if edge.label & part)
            if target not in number:
                if len(order) >= most:
                    return None
                number[target] = len(order)
                order.append(target)
            row.append(Edge(part, number[target], 0))
        edges.append(merged(row))
    return Automaton(automaton.atoms, edges, 0, 1), order


def _accepts_a_cycle(
    automaton: Automaton, deterministic: Automaton, parts: Components, state: int, members: list[frozenset[int]]
) -> bool:
    """Take some cycle through the state: does the automaton accept it from there?"""
    word = _cycle(deterministic, parts, state)
    size = len(word)
    edges: list[list[Edge]] = []
    for source in range(automaton.states):
        for position in range(size):
            following = (position + 1) % size
            edges.append(
                [
                    Edge(1, target * size + following, marks)
                    for label, target, marks in automaton.edges[source]
                    if label >> word[position] & 1
                ]
            )
    edges.append([Edge(1, source * size, 0) for source in members[state]])
    return not is_empty(Automaton((), edges, len(edges) - 1, automaton.marks))


def _cycle(automaton: Automaton, parts: Components, start: int) -> list[int]:
    """The letters along a shortest cycle through a state."""
    words: dict[int, list[int]] = {}
    queue: list[tuple[int, list[int]]] = [(start, [])]
    for state, word in queue:
        for edge in automaton.edges[state]:
            letter = (edge.label & -edge.label).bit_length() - 1
            if edge.target == start:
                return [*word, letter]
            if edge.target not in words and parts.of[edge.target] == parts.of[start]:
                words[edge.target] = [*word, letter]
                queue.append((edge.target, words[edge.target]))
    raise AssertionError("the component has no cycle")


def _colours(automaton: Automaton, parts: Components, accepting: list[bool]) -> list[bool]:
    """For each component whether its colour is even; a component on no cycle takes the colour of what follows."""
    colour: list[int] = []
    for number, group in enumerate(parts.members):
        following = [
            colour[parts.of[edge.target]]
            for state in group
            for edge in automaton.edges[state]
            if parts.of[edge.target] != number
        ]
        if not following:
            colour.append(0 if accepting[number] else 1)
        elif parts.trivial[number]:
            colour.append(max(following))
        else:
            largest = max(following)
            colour.append(largest if (largest % 2 == 0) == accepting[number] else largest + 1)
    return [value % 2 == 0 for value in colour]


def _minimised(automaton: Automaton, accepting: list[bool]) -> Automaton:
    """Moore's algorithm."""
    block = [int(value) for value in accepting]
    count = 0
    while True:
        signatures: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
        following = []
        for state, edges in enumerate(automaton.edges):
            labels: dict[int, int] = {}
            for edge in edges:
                labels[block[edge.target]] = labels.get(block[edge.target], 0) | edge.label
            signature = (block[state], frozenset(labels.items()))
            following.append(signatures.setdefault(signature, len(signatures)))
        block = following
        if len(signatures) == count:
            break
        count = len(signatures)
    return _by_blocks(automaton, accepting, block, count)


def _by_blocks(automaton: Automaton, accepting: list[bool], block: list[int], count: int) -> Automaton:
    edges: list[list[Edge]] = [[] for _ in range(count)]
    for number in range(count):
        state = block.index(number)
        edges[number] = merged(
            Edge(label, block[target], int(accepting[state])) for label, target, _ in automaton.edges[state]
        )
    return Automaton(automaton.atoms, edges, block[automaton.initial], 1)
