"""The parts of a formula say together what it says, and the rules take it apart."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mule.ltl.formula import Formula, Op
from mule.ltl.parser import parse
from mule.ltl.splitting import components, conjuncts, split
from mule.ltl.words import holds
from tests.ltl.formulas import formulas

LETTERS = 4
words = st.lists(st.integers(0, LETTERS - 1), max_size=4)
loops = st.lists(st.integers(0, LETTERS - 1), min_size=1, max_size=4)


@settings(max_examples=500)
@given(formulas(), words, loops)
def test_a_split_formula_says_the_same(formula: Formula, stem: list[int], loop: list[int]) -> None:
    atoms = ("a", "b")
    whole = holds(formula, atoms, stem, loop)
    rewritten = split(formula)
    assert holds(rewritten, atoms, stem, loop) == whole
    assert all(holds(part, atoms, stem, loop) for part in conjuncts(rewritten)) == whole


@given(formulas())
def test_components_are_temporal(formula: Formula) -> None:
    for part in components(split(formula)):
        assert part.op not in (Op.NOT, Op.AND, Op.OR)
        assert not part.boolean


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[](a && b)", {"G a", "G b"}),
        ("<>(a || b)", {"F a", "F b"}),
        ("<>[](a && b)", {"F G a", "F G b"}),
        ("[]<>(a || b)", {"G F a", "G F b"}),
        ("(a && b) U c", {"(a U c)", "(b U c)"}),
        ("a U (b || c)", {"(a U b)", "(a U c)"}),
        ("a && !b", set()),
        ("!(a && []b)", {"F !b"}),
        ("[](a -> <>b)", {"G (!a || F b)"}),
        ("[]((a && b) || c)", {"G (a || c)", "G (b || c)"}),
        ("(a || b) V (c && d)", {"(a R c)", "(a R d)", "(b R c)", "(b R d)"}),
    ],
)
def test_rules(text: str, parts: set[str]) -> None:
    found = {part.text.replace('"', "") for part in components(split(parse(text).formula))}
    assert found == parts
