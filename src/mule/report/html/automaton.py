"""The automaton of the runs that violate a property, and how it follows a trail."""

from __future__ import annotations

from mule.errors import MuleError
from mule.ltl.automaton import Automaton, Edge
from mule.ltl.words import accepting_run
from mule.report.json import Json
from mule.results import Violation, ViolationKind
from mule.trails.judging import holds, is_inside_a_step
from mule.trails.runs import question_about, stem_and_loop

MOST_STATES = 50
"""Nobody reads a larger one."""
MOST_PAIRS = 500_000
"""Of its states and those of the trail."""


def automaton_object(violation: Violation) -> Json | None:
    """`edges[q]`: `[label, target, marks]`; `at[i]`: in which states it is before step i + 1, one for each time that
    the run comes by; None where the property has no automaton, or one that nobody can read."""
    trail = violation.trail
    if violation.kind is not ViolationKind.TEMPORAL or trail.loop is None:
        return None
    try:
        question = question_about(trail.model, violation.property)
    except MuleError:
        return None
    if question is None:
        return None
    automaton = question.automaton
    if automaton.states > MOST_STATES or automaton.states * (len(trail) + 1) > MOST_PAIRS:
        return None
    stem, loop = stem_and_loop(trail)
    steps = [position for position, state in enumerate((*stem, *loop)) if not is_inside_a_step(trail.model, state)]
    letters = [
        sum(holds(trail.model, atom, state) << index for index, atom in enumerate(question.atoms))
        for state in (*stem, *loop)
    ]
    split = sum(position < len(stem) for position in steps)
    word = [letters[position] for position in steps]
    run = accepting_run(automaton, word[:split], word[split:])
    if run is None:
        return None
    at: list[list[int]] = [[] for _ in range(len(stem) + len(loop))]
    for position, state in (*run.stem, *run.loop):
        at[steps[position]].append(state)
    return {
        "initial": automaton.initial,
        "marks": automaton.marks,
        "edges": [[_edge(automaton, edge) for edge in edges] for edges in automaton.edges],
        "names": automaton.names,
        "at": at,
        "atoms": [[text, [letter >> index & 1 for letter in letters]] for index, text in enumerate(automaton.atoms)],
    }


def _edge(automaton: Automaton, edge: Edge) -> list[object]:
    return [
        automaton.label_text(edge),
        edge.target,
        [mark for mark in range(automaton.marks) if edge.marks >> mark & 1],
    ]
