"""Automata in the Hanoi Omega-Automata format (HOA v1), written and read.

Read are Büchi, generalised Büchi and `all` acceptance, on states or on edges; anything else is refused with a message.
"""

from __future__ import annotations

from mule.errors import Place
from mule.ltl import letters
from mule.ltl.automaton import Automaton, Edge
from mule.ltl.hoa_reader import Reader


def to_hoa(automaton: Automaton, name: str = "") -> str:
    """The automaton as HOA text; acceptance is written on states where it is state-based."""
    on_states = automaton.is_state_based()
    lines = ["HOA: v1", 'tool: "mule"']
    if name:
        lines.append(f"name: {_quoted(name)}")
    lines += [
        f"States: {automaton.states}",
        f"Start: {automaton.initial}",
        " ".join([f"AP: {len(automaton.atoms)}", *(_quoted(text) for text in automaton.atoms)]),
        *_acceptance(automaton.marks),
        "properties: trans-labels explicit-labels " + ("state-acc" if on_states else "trans-acc"),
        "--BODY--",
    ]
    for state, edges in enumerate(automaton.edges):
        title = f" {_quoted(automaton.names[state])}" if automaton.names else ""
        marks = _marks(1) if on_states and automaton.accepting(state) else ""
        lines.append(f"State: {state}{title}{marks}")
        for edge in edges:
            own = "" if on_states else _marks(edge.marks)
            lines.append(f"  [{_label(automaton, edge)}] {edge.target}{own}")
    return "\n".join([*lines, "--END--", ""])


def _acceptance(count: int) -> list[str]:
    if count == 0:
        return ["acc-name: all", "Acceptance: 0 t"]
    condition = " & ".join(f"Inf({mark})" for mark in range(count))
    name = "Buchi" if count == 1 else f"generalized-Buchi {count}"
    return [f"acc-name: {name}", f"Acceptance: {count} {condition}"]


def _marks(marks: int) -> str:
    present = [str(mark) for mark in range(marks.bit_length()) if marks >> mark & 1]
    return f" {{{' '.join(present)}}}" if present else ""


def _label(automaton: Automaton, edge: Edge) -> str:
    if edge.label == automaton.full:
        return "t"
    return " | ".join(_cube(cube, len(automaton.atoms)) for cube in automaton.cubes(edge))


def _cube(cube: letters.Cube, count: int) -> str:
    yes, no = cube
    literals = [str(index) if yes >> index & 1 else f"!{index}" for index in range(count) if (yes | no) >> index & 1]
    return "&".join(literals)


def from_hoa(text: str, file: str = "automaton") -> Automaton:
    """The automaton in a HOA text; several initial states become one."""
    return Reader(text, Place(file)).read()


def _quoted(text: str) -> str:
    """A backslash stands before any character that would mean something else; there are no other escapes in HOA."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
