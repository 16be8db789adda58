"""Automata accept exactly the words on which their formula holds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from mule.ltl.builtin import Translation
from mule.ltl.formula import Formula, Op, negation_normal_form
from mule.ltl.obligation import complemented
from mule.ltl.parser import parse
from mule.ltl.product import disjoint
from mule.ltl.simplify import simplify
from mule.ltl.translate import translate
from mule.ltl.words import accepts, holds
from tests.ltl.formulas import ATOMS, formulas, lassos, projected
from tests.ltl.patterns import PATTERNS

pytestmark = pytest.mark.slow

WORDS = lassos(2, 2, 2)
SIZES = [
    ("[]<>p", 1, 2),
    ("<>[]p", 2, 2),
    ("[](p -> <>q)", 2, 2),
    ("<>p", 2, 2),
    ("[]p", 1, 1),
    ("p U q", 2, 2),
    ("[]<>p && []<>q", 1, 3),
    ("[]<>p -> []<>q", 3, 4),
    ("false", 1, 1),
    ("true", 1, 1),
]


@given(formulas())
@settings(max_examples=150, deadline=None)
def test_automata_accept_what_the_formula_says(formula: Formula) -> None:
    translation = Translation(formula)
    atoms = ATOMS[:2]
    automata = [translation.plain, translation.generalised, translation.edge_based, translation.state_based]
    automata += [automaton for automaton in (translation.joined, translation.waiting, translation.weak) if automaton]
    for stem, loop in WORDS:
        expected = holds(formula, atoms, stem, loop)
        own = projected(stem, atoms, translation.atoms), projected(loop, atoms, translation.atoms)
        assert all(accepts(automaton, *own) is expected for automaton in automata), (stem, loop)


@given(formulas(ATOMS, leaves=8))
@settings(max_examples=300, deadline=None)
def test_simplification_keeps_the_meaning(formula: Formula) -> None:
    simple = simplify(formula)
    negated = negation_normal_form(formula, negated=True)
    assert all(node.args[0].op is Op.ATOM for node in simple.walk() if node.op is Op.NOT)
    for stem, loop in lassos(3, 1, 2):
        expected = holds(formula, ATOMS, stem, loop)
        assert holds(simple, ATOMS, stem, loop) is expected
        assert holds(negated, ATOMS, stem, loop) is not expected


@given(formulas(ATOMS, leaves=7))
@settings(max_examples=100, deadline=None)
def test_a_formula_and_its_negation_share_no_word(formula: Formula) -> None:
    translation = Translation(formula)
    assert disjoint(translation.state_based, translation.negation.generalised)
    if translation.weak:
        assert disjoint(complemented(translation.weak), translation.edge_based)


@pytest.mark.parametrize(("text", "generalised", "state_based"), SIZES)
def test_sizes(text: str, generalised: int, state_based: int) -> None:
    formula = parse(text).formula
    assert translate(formula, "generalised", "builtin").states == generalised
    automaton = translate(formula, "states", "builtin")
    assert automaton.states == state_based
    assert automaton.is_state_based()


def test_a_promise_is_not_lost_in_a_formula_that_implies_it() -> None:
    """(X F p) W p is F p: leaving F p out of the state would accept the word without p."""
    formula = parse("(X <> p) W p").formula
    assert not accepts(translate(formula, translator="builtin"), [], [0])


def test_the_patterns_have_219_states_in_all() -> None:
    assert sum(translate(parse(text).formula, "states", "builtin").states for _, text in PATTERNS) == 219
