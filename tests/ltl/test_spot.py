"""The built-in translator and Spot check each other, where Spot is installed."""

from __future__ import annotations

import pytest

from mule.ltl.parser import parse
from mule.ltl.stutter import stutter_invariant
from mule.ltl.translate import translate
from tests.ltl.against_spot import compare, patterns, random_formulas
from tests.ltl.words import same_words

pytestmark = pytest.mark.slow

spot = pytest.importorskip("spot")


@pytest.mark.parametrize("acceptance", ["edges", "states"])
def test_as_small_as_spot(acceptance: str) -> None:
    for formulas in (patterns(), random_formulas(spot, 100, seed=0)):
        tally = compare(spot, formulas, acceptance)  # type: ignore[arg-type]
        assert tally.different == []
        assert tally.no_larger >= 0.8 * tally.formulas
        assert tally.worst[0] <= 2


@pytest.mark.parametrize("acceptance", ["generalised", "edges", "states"])
def test_spot_as_translator(acceptance: str) -> None:
    for text in ("[]<>p", "[](p -> <>q)", "<>[]p || q", "false", "true", '(x == 1) U (y > "z")', '[] "/* p" -> "q */"'):
        formula = parse(text).formula
        automaton = translate(formula, acceptance, "spot")  # type: ignore[arg-type]
        assert same_words(automaton, translate(formula, "generalised", "builtin"))
        assert acceptance != "states" or automaton.is_state_based()


def test_stutter_invariance_as_spot_sees_it() -> None:
    for text, formula in random_formulas(spot, 200, seed=1):
        assert stutter_invariant(formula) == spot.is_stutter_invariant(spot.formula(text)), text
