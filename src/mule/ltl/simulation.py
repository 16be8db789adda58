"""Reduction by direct simulation, forwards and backwards.

Etessami and Holzmann (CONCUR 2000) and Somenzi and Bloem (CAV 2000) for the quotients and the pruning of edges, here
with marks on edges as in Babiak, Badie, Duret-Lutz, Křetínský, Strejček, "Compositional approach to suspension and
other improvements to LTL translation" (SPIN 2013).
"""

from __future__ import annotations

from mule.ltl.automaton import Automaton, Edge, merged, reachable, restricted
from mule.ltl.components import cleaned, components, pruned

_Links = list[list[Edge]]


def simulators(links: _Links, start: list[int]) -> list[int]:
    """The largest direct simulation below `start`: for each state the mask of the states that can do all it can."""
    above = list(start)
    changed = True
    while changed:
        changed = False
        for state, mask in enumerate(above):
            rest = mask & ~(1 << state)
            while rest:
                bit = rest & -rest
                rest ^= bit
                if not _covered(links[state], links[bit.bit_length() - 1], above):
                    mask ^= bit
            if mask != above[state]:
                above[state] = mask
                changed = True
    return above


def _covered(links: list[Edge], by: list[Edge], above: list[int]) -> bool:
    for label, target, marks in links:
        allowed = above[target]
        for other_label, other_target, other_marks in by:
            if label & other_label and not marks & ~other_marks and allowed >> other_target & 1:
                label &= ~other_label
                if not label:
                    break
        if label:
            return False
    return True


def backwards(automaton: Automaton) -> _Links:
    """The edges turned round."""
    links: _Links = [[] for _ in automaton.edges]
    for state, edges in enumerate(automaton.edges):
        for label, target, marks in edges:
            links[target].append(Edge(label, state, marks))
    return links


def forward_reduced(automaton: Automaton) -> Automaton:
    """States that simulate each other become one, and an edge goes where a better one leaves the same state."""
    everything = (1 << automaton.states) - 1
    above = simulators(automaton.edges, [everything] * automaton.states)
    quotient, above = _quotient(automaton, above)
    edges = [_best(out, above) for out in quotient.edges]
    return pruned(Automaton(automaton.atoms, edges, quotient.initial, automaton.marks, quotient.names))


def merged_states(automaton: Automaton) -> Automaton:
    """States that simulate each other become one; no edge goes."""
    everything = (1 << automaton.states) - 1
    return _quotient(automaton, simulators(automaton.edges, [everything] * automaton.states))[0]


def backward_reduced(automaton: Automaton) -> Automaton:
    """The same against the direction of the edges: fewer ways to come to a state."""
    first = 1 << automaton.initial
    everything = (1 << automaton.states) - 1
    start = [first if state == automaton.initial else everything for state in range(automaton.states)]
    if automaton.is_state_based():
        accepting = sum(1 << state for state in range(automaton.states) if automaton.accepting(state))
        start = [mask & accepting if accepting >> state & 1 else mask for state, mask in enumerate(start)]
    above = simulators(backwards(automaton), start)
    quotient, above = _quotient(automaton, above)
    links = [_best(into, above) for into in backwards(quotient)]
    edges: _Links = [[] for _ in quotient.edges]
    for state, into in enumerate(links):
        for label, source, marks in into:
            edges[source].append(Edge(label, state, marks))
    return pruned(
        Automaton(automaton.atoms, [merged(out) for out in edges], quotient.initial, automaton.marks, quotient.names)
    )


def _quotient(automaton: Automaton, above: list[int]) -> tuple[Automaton, list[int]]:
    """One state for each set of states that simulate each other, and the order of these."""
    chief = [
        next(other for other in range(automaton.states) if above[state] >> other & 1 and above[other] >> state & 1)
        for state in range(automaton.states)
    ]
    chiefs = sorted(set(chief))
    if len(chiefs) == automaton.states:
        return automaton, above
    number = {state: index for index, state in enumerate(chiefs)}
    gathered: _Links = [[] for _ in chiefs]
    for state, edges in enumerate(automaton.edges):
        gathered[number[chief[state]]] += [Edge(label, number[chief[target]], marks) for label, target, marks in edges]
    order = [sum(1 << number[other] for other in chiefs if above[state] >> other & 1) for state in chiefs]
    names = [automaton.names[state] for state in chiefs] if automaton.names else []
    quotient = Automaton(
        automaton.atoms,
        [merged(edges) for edges in gathered],
        number[chief[automaton.initial]],
        automaton.marks,
        names,
    )
    return quotient, order


def _best(links: list[Edge], above: list[int]) -> list[Edge]:
    """Without the letters of an edge for which another has all its marks and a state above its own."""
    result = []
    for index, (label, target, marks) in enumerate(links):
        for other, (other_label, other_target, other_marks) in enumerate(links):
            if other == index or marks & ~other_marks or not above[target] >> other_target & 1:
                continue
            if (target, marks) != (other_target, other_marks) or other < index:
                label &= ~other_label
        if label:
            result.append(Edge(label, target, marks))
    return merged(result)


def reduced(automaton: Automaton) -> Automaton:
    """A generalised automaton after both reductions in turn, until nothing changes."""
    automaton = cleaned(automaton)
    while True:
        size = _size(automaton)
        automaton = cleaned(forward_reduced(automaton))
        automaton = cleaned(backward_reduced(automaton))
        if _size(automaton) == size:
            return restricted(automaton, reachable(automaton))


def state_reduced(automaton: Automaton) -> Automaton:
    """The same for a state-based automaton, which stays one."""
    automaton = settled(automaton)
    while True:
        size = _size(automaton)
        automaton = settled(forward_reduced(automaton))
        automaton = settled(backward_reduced(automaton))
        if _size(automaton) == size:
            return restricted(automaton, reachable(automaton))


def settled(automaton: Automaton) -> Automaton:
    """State-based and pruned; a state outside of all accepting cycles does not accept, unless it is on no cycle at all
    and has the same edges as an accepting one."""
    automaton = pruned(automaton)
    parts = components(automaton)
    accepting = [parts.accepting(parts.of[state]) and automaton.accepting(state) for state in range(automaton.states)]
    twins = {_outline(automaton, state) for state in range(automaton.states) if accepting[state]}
    for state in range(automaton.states):
        if parts.trivial[parts.of[state]] and _outline(automaton, state) in twins:
            accepting[state] = True
    edges = [
        [Edge(label, target, int(accepting[state])) for label, target, _ in out]
        for state, out in enumerate(automaton.edges)
    ]
    return Automaton(automaton.atoms, [merged(out) for out in edges], automaton.initial, 1, automaton.names)


def _outline(automaton: Automaton, state: int) -> frozenset[tuple[int, int]]:
    labels: dict[int, int] = {}
    for label, target, _ in automaton.edges[state]:
        labels[target] = labels.get(target, 0) | label
    return frozenset(labels.items())


def _size(automaton: Automaton) -> tuple[int, int, int]:
    return automaton.states, sum(len(edges) for edges in automaton.edges), automaton.marks
