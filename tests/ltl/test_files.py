"""HOA texts and never claims, there and back."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings

from mule.errors import MuleError
from mule.ltl.formula import Formula
from mule.ltl.hoa import from_hoa, to_hoa
from mule.ltl.never import from_never, to_never
from mule.ltl.parser import parse
from mule.ltl.translate import Acceptance, translate
from mule.ltl.words import accepts
from tests.ltl.formulas import formulas
from tests.ltl.words import same_words

needs_spin = pytest.mark.skipif(shutil.which("spin") is None, reason="spin is not installed")
TEXTS = ["[]<>p", "<>[](p && q)", "[](p -> <>q)", "p U q", "[]p", "<>p", "false", "true", "<>(p && <>(q && <>p))"]


@given(formulas(leaves=5))
@settings(max_examples=60, deadline=None)
def test_hoa_round_trip(formula: Formula) -> None:
    kinds: tuple[Acceptance, ...] = ("generalised", "edges", "states")
    for kind in kinds:
        automaton = translate(formula, kind, "builtin")
        back = from_hoa(to_hoa(automaton, "some name"))
        assert (back.atoms, back.initial, back.marks) == (automaton.atoms, automaton.initial, automaton.marks)
        assert [set(out) for out in back.edges] == [set(out) for out in automaton.edges]


@given(formulas(leaves=5))
@settings(max_examples=60, deadline=None)
def test_never_round_trip(formula: Formula) -> None:
    automaton = translate(formula, "generalised", "builtin")
    assert same_words(from_never(to_never(automaton)), automaton)


def test_hoa_with_aliases_implicit_labels_and_several_starts() -> None:
    text = """HOA: v1 States: 2 Start: 0 Start: 1 AP: 1 "p" Alias: @a !0
        Acceptance: 1 Inf(0) --BODY-- State: 0 0 1 State: [@a] 1 {0} 1 --END--"""
    automaton = from_hoa(text)
    assert accepts(automaton, [], [0])
    assert accepts(automaton, [1], [0])
    assert not accepts(automaton, [], [1])


BODY = "--BODY-- State: 0 [0] 0 {0} --END--"


def test_hoa_1_1() -> None:
    """A version of two numbers, properties that are negated, names that escape any character, headers to pass over."""
    header = """HOA: v1.1 name: "x" tool: "t" "2.13" States: 1 Start: 0 acc-name: Buchi AP: 1 "x \\= 1"
        Acceptance: 1 Inf(0)
        controllable-AP: 0 properties: trans-labels !complete !univ-branch very-weak trans-acc"""
    automaton = from_hoa(f"{header} {BODY}")
    assert automaton.atoms == ("x = 1",)
    assert accepts(automaton, [], [1])
    assert not accepts(automaton, [], [1, 0])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("HOA: v2 Start: 0 " + BODY, "HOA v2 is not known: v1 and v1.1 are"),
        ("HOA: v1.1 Start: 0 properties: univ-branch " + BODY, "alternating automata are not supported"),
        ("HOA: v1.1 Start: 0&1 " + BODY, "alternating automata are not supported"),
        ("HOA: v1.1 Start: 0 Weights: 3 " + BODY, "Weights: is not known, and its capital letter says that it matters"),
        ('HOA: v1 Start: 0 AP: 1 "p" Acceptance: 0 t ' + BODY, "there is no acceptance set 0"),
    ],
)
def test_hoa_that_would_mean_something_else_is_refused(text: str, problem: str) -> None:
    with pytest.raises(MuleError, match=problem):
        from_hoa(text)


@pytest.mark.parametrize("condition", ["1 Fin(0)", "2 Inf(0) | Inf(1)", "2 Inf(0)", "1 Inf(!0)", "0 f"])
def test_other_acceptance_is_refused(condition: str) -> None:
    with pytest.raises(MuleError, match="only Büchi"):
        from_hoa(f"HOA: v1 States: 1 Start: 0 AP: 0 Acceptance: {condition} --BODY-- State: 0 [t] 0 --END--")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("never { T0: if :: p -> goto T1 fi }", "no label T1"),
        ("never { T0: if :: p -> x = 1 fi }", "not supported"),
        ("never { T0: goto T0 }", "leads back to itself"),
        ("always { }", "expected never"),
    ],
)
def test_bad_claims(text: str, message: str) -> None:
    with pytest.raises(MuleError, match=message):
        from_never(text)


@needs_spin
@pytest.mark.parametrize("text", TEXTS)
def test_spin_reads_our_claims_and_we_read_spins(text: str, tmp_path: Path) -> None:
    automaton = translate(parse(text).formula, "states", "builtin")
    spins = subprocess.run(["spin", "-f", text], capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    assert same_words(from_never(spins), automaton)
    model = tmp_path / "model.pml"
    model.write_text("bool p, q; active proctype P() { p = 1 }\n" + to_never(automaton, text))
    outcome = subprocess.run(["spin", "-a", "model.pml"], capture_output=True, text=True, cwd=tmp_path)
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "", "")
