"""Inclusion of languages, against formulas (whose negations are known) and all short words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mule.ltl.automaton import Automaton, Edge
from mule.ltl.formula import Formula, not_
from mule.ltl.inclusion import included
from mule.ltl.product import disjoint
from mule.ltl.stutter import closure, self_loopised
from mule.ltl.translate import translate
from mule.ltl.words import accepts
from tests.ltl.formulas import formulas, lassos

pytestmark = pytest.mark.slow

ATOMS = ("a", "b")


@settings(deadline=None, max_examples=150)
@given(formulas(leaves=4), formulas(leaves=4))
def test_same_answer_as_with_a_complement(first: Formula, second: Formula) -> None:
    if set(first.atoms()) != set(ATOMS) or set(second.atoms()) != set(ATOMS):
        return
    left, right, other = (translate(f, "edges", "builtin") for f in (first, second, not_(second)))
    if not left.atoms == right.atoms == other.atoms:
        return
    assert included(left, right) is disjoint(left, other)


@st.composite
def automata(draw: st.DrawFn) -> Automaton:
    states = draw(st.integers(1, 3))
    edge = st.builds(Edge, st.integers(1, 3), st.integers(0, states - 1), st.integers(0, 1))
    return Automaton(("a",), [draw(st.lists(edge, max_size=3)) for _ in range(states)], 0, 1)


@settings(deadline=None, max_examples=300)
@given(automata(), automata())
def test_no_short_word_says_otherwise(left: Automaton, right: Automaton) -> None:
    words = lassos(1, 3, 3)
    lost = [word for word in words if accepts(left, *word) and not accepts(right, *word)]
    answer = included(left, right)
    assert answer is not None
    if lost:
        assert answer is False
    if answer is False and left.states * right.states <= 4:
        longer = lassos(1, 4, 5)
        assert any(accepts(left, *word) and not accepts(right, *word) for word in longer)


@settings(deadline=None, max_examples=100)
@given(automata())
def test_stuttering_only_adds_words(automaton: Automaton) -> None:
    assert included(automaton, self_loopised(closure(automaton))) is True
