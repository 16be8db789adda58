"""Stutter-invariance, and the form of automata that partial-order reduction needs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from mule.ltl.automaton import Automaton, Edge
from mule.ltl.formula import Formula
from mule.ltl.never import from_never
from mule.ltl.parser import parse
from mule.ltl.stutter import (
    closure,
    is_self_looped,
    self_loopised,
    stutter_closed,
    stutter_invariant,
    stutter_invariant_automaton,
)
from mule.ltl.translate import translate
from mule.ltl.words import accepts
from tests.ltl.formulas import formulas, lassos

pytestmark = pytest.mark.slow

SPIN_LOSES = """
never {
T0: if :: p || !q -> goto T0  :: !p && q -> goto accept_all
       :: p && q -> goto accept_S2  :: p && !q -> goto T3 fi;
accept_S2: if :: p -> goto accept_S2 fi;
T3: if :: !p && !q -> goto accept_all  :: p && q -> goto T3 fi;
accept_all: skip }
"""
"""The claim of SOUNDNESS 3.1: no stuttering in T3."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[](p -> <>q)", True),
        ("X p", False),
        ("<> X p", False),
        ("[]<> X p", True),
        ("p && X !p", False),
        ("p && (p U (!p && X p))", False),
        ("<>(p && X !p)", True),
        ("<>(p && X(!p && q))", True),
        ("[](p -> X p)", True),
        ("[](p <-> X !p)", False),
    ],
)
def test_invariance_of_formulas(text: str, expected: bool) -> None:
    assert stutter_invariant(parse(text).formula) is expected


def test_invariance_of_automata() -> None:
    assert stutter_invariant_automaton(translate(parse("[](p -> <>q)").formula, translator="builtin")) is True
    assert stutter_invariant_automaton(translate(parse("X p").formula, translator="builtin")) is False
    assert stutter_invariant_automaton(from_never(SPIN_LOSES)) is True


def test_long_chains_are_left_open() -> None:
    def chain(length: int) -> Automaton:
        states = (f"s{n}: if :: p -> goto s{n + 1} fi;" for n in range(length))
        return from_never(f"never {{ {' '.join(states)} s{length}: skip }}")

    assert stutter_invariant_automaton(chain(20)) is False
    assert stutter_invariant_automaton(chain(5_000)) is None


@given(formulas(leaves=5))
@settings(max_examples=150, deadline=None)
def test_the_closed_form(formula: Formula) -> None:
    automaton = translate(formula, "edges", "builtin")
    closed = stutter_closed(automaton)
    assert is_self_looped(closed)
    assert {*map(tuple, closure(closed).edges)} == {*map(tuple, closed.edges)}
    if stutter_invariant(formula):
        for stem, loop in lassos(len(automaton.atoms), 2, 2):
            assert accepts(closed, stem, loop) is accepts(automaton, stem, loop)


def test_the_claim_on_which_spin_is_wrong() -> None:
    claim = from_never(SPIN_LOSES)
    assert not is_self_looped(claim)
    closed = stutter_closed(claim)
    assert is_self_looped(closed)
    for stem, loop in lassos(2, 2, 3):
        assert accepts(closed, stem, loop) is accepts(claim, stem, loop)


def test_added_loops_do_not_accept() -> None:
    p_once = Automaton(("p",), [[Edge(0b10, 1, 1)], [Edge(0b01, 0, 1)]], 0, 1)
    looped = self_loopised(p_once)
    assert accepts(looped, [], [1, 1, 0])
    assert not accepts(looped, [], [1])


def test_a_dead_end_gets_no_loop() -> None:
    """Where every infinite run accepts, a loop in a state that no run leaves would accept words."""
    dead_end = Automaton(("a",), [[Edge(2, 1, 0), Edge(1, 0, 0)], []], 0, 0)
    closed = stutter_closed(dead_end)
    assert not accepts(closed, [1], [1])
    assert accepts(closed, [0], [0])
