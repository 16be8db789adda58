"""Automata of temporal properties."""

from __future__ import annotations

from mule.drawing.picture import Picture, escaped
from mule.ltl.automaton import Automaton


def property_automaton(automaton: Automaton, name: str) -> Picture:
    """Its states and edges; a dot on an edge for each acceptance mark, two lines around an accepting state."""
    picture = Picture(name, {"rankdir": "LR"})
    by_states = automaton.is_state_based()
    picture.node("start", shape="point")
    for state in range(automaton.states):
        accepting = by_states and automaton.accepting(state)
        label = automaton.names[state] if automaton.names else str(state)
        picture.node(f"q{state}", label=escaped(label), shape="circle", peripheries="2" if accepting else "1")
    picture.edge("start", f"q{automaton.initial}")
    for state, edges in enumerate(automaton.edges):
        for edge in edges:
            marks = [] if by_states else [str(mark) for mark in range(automaton.marks) if edge.marks >> mark & 1]
            label = automaton.label_text(edge) + (f"\n● {', '.join(marks)}" if marks else "")
            picture.edge(f"q{state}", f"q{edge.target}", label=escaped(label), **({"penwidth": "2"} if marks else {}))
    if not by_states and automaton.marks:
        picture.notes.append("a run is accepted if it sees each number beside a dot again and again")
    return picture
