"""How an automaton accepts a word: a run of it, for every word that it accepts and for no other."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from mule.ltl.automaton import Automaton, Edge
from mule.ltl.words import accepting_run, accepts
from tests.ltl.formulas import lassos

WORDS = lassos(1, 3, 3)


@st.composite
def automata(draw: st.DrawFn) -> Automaton:
    states, marks = draw(st.integers(1, 4)), draw(st.integers(0, 2))
    edge = st.builds(Edge, st.integers(1, 3), st.integers(0, states - 1), st.integers(0, (1 << marks) - 1))
    return Automaton(("a",), [draw(st.lists(edge, max_size=4)) for _ in range(states)], 0, marks)


@settings(deadline=None, max_examples=200)
@given(automata(), st.sampled_from(WORDS))
def test_run_is_one_of_the_automaton_and_sees_every_mark(
    automaton: Automaton, word: tuple[list[int], list[int]]
) -> None:
    stem, loop = word
    run = accepting_run(automaton, stem, loop)
    assert (run is not None) == accepts(automaton, stem, loop)
    if run is None:
        return
    letters = [*stem, *loop]
    whole = [*run.stem, *run.loop, run.loop[0]]
    assert whole[0] == (0, automaton.initial)
    marks = 0
    for number, ((position, state), (after, target)) in enumerate(pairwise(whole)):
        assert after == (position + 1 if position + 1 < len(letters) else len(stem))
        edges = [e for e in automaton.edges[state] if e.target == target and e.label >> letters[position] & 1]
        assert edges
        if number >= len(run.stem):
            for edge in edges:
                marks |= edge.marks
    assert marks == automaton.all_marks
