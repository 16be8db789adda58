"""Never claims of SPIN: written so that SPIN accepts them, and read as SPIN, LTL2BA and Spot print them."""

from __future__ import annotations

from mule.ltl.automaton import Automaton, Edge
from mule.ltl.degeneralise import degeneralised
from mule.ltl.never_reader import ClaimReader


def to_never(automaton: Automaton, comment: str = "") -> str:
    """The automaton as a never claim; acceptance is put on states if need be."""
    if not automaton.is_state_based():
        automaton = degeneralised(automaton)
    order = [automaton.initial, *(state for state in range(automaton.states) if state != automaton.initial)]
    order.sort(key=lambda state: state != automaton.initial and _accepts_all(automaton, state))
    names = {state: _name(automaton, state, number) for number, state in enumerate(order)}
    lines = [f"never {{ /* {comment.replace('*/', '* /')} */" if comment else "never {"]
    for state in order:
        lines.append(f"{names[state]}:")
        if names[state] == "accept_all":
            lines.append("  skip")
        elif not automaton.edges[state]:
            lines.append("  false;")
        else:
            options = [
                f"  :: {_guard(automaton, edge)} -> goto {names[edge.target]}" for edge in automaton.edges[state]
            ]
            lines += ["  if", *options, "  fi;"]
    return "\n".join([*lines, "}", ""])


def _accepts_all(automaton: Automaton, state: int) -> bool:
    return automaton.edges[state] == [Edge(automaton.full, state, 1)]


def _name(automaton: Automaton, state: int, number: int) -> str:
    if state == automaton.initial:
        return "accept_init" if automaton.accepting(state) else "T0_init"
    if _accepts_all(automaton, state):
        return "accept_all"
    return f"accept_S{number}" if automaton.accepting(state) else f"T0_S{number}"


def _guard(automaton: Automaton, edge: Edge) -> str:
    if edge.label == automaton.full:
        return "(1)"
    conjunctions = []
    for yes, no in automaton.cubes(edge):
        literals = []
        for index, text in enumerate(automaton.atoms):
            if (yes | no) >> index & 1:
                literals.append(f"({text})" if yes >> index & 1 else f"!({text})")
        conjunctions.append(" && ".join(literals))
    return "(" + " || ".join(f"({part})" if len(conjunctions) > 1 else part for part in conjunctions) + ")"


def from_never(text: str, file: str = "never claim") -> Automaton:
    """The automaton of a never claim: a run that reaches the end of the claim is accepted."""
    return ClaimReader(text, file).read()
