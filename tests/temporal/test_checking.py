"""Temporal properties from a text to a verdict: every way to ask, and what the answer looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.checking import check
from mule.errors import MuleError
from mule.frontends import load
from mule.model import Model
from mule.options import Options
from mule.properties import Properties
from mule.results import Result, Verdict, ViolationKind
from mule.temporal import claim_names, questions_of

TURNS = """
byte turn = 0;
bool greedy;
active proctype Left()  { do :: turn == 0 -> progress: turn = 1 :: turn == 0 -> greedy = !greedy od }
active proctype Right() { do :: turn == 1 -> turn = 0 od }
ltl fair { [] <> (turn == 1) }
ltl sane { [] (turn == 0 || turn == 1) }
"""

SPIN_LOSES = """
bool pp=1; bool qq=0;
active proctype P0(){ pp=0 }
active proctype P1(){ bit x; do :: x=1-x od }
#define p (pp==1)
#define q (qq==1)
never {
T0: if :: p || !q -> goto T0  :: !p && q -> goto accept_all
       :: p && q -> goto accept_S2  :: p && !q -> goto T3 fi;
accept_S2: if :: p -> goto accept_S2 fi;
T3: if :: !p && !q -> goto accept_all  :: p && q -> goto T3 fi;
accept_all: skip }
"""

LIMITED = """
byte x = 0;
process P { state a, b; init a; trans a -> a { effect x = x + 100; }, a -> b {}, b -> b {}; }
system async;
"""


def model_of(tmp_path: Path, text: str, name: str = "m.pml") -> Model:
    path = tmp_path / name
    path.write_text(text)
    return load(str(path))


def judged(model: Model, options: Options | None = None, **wanted: object) -> Result:
    return check(model, Properties(**wanted), options)  # type: ignore[arg-type]


def test_a_lasso_is_shown(tmp_path: Path) -> None:
    result = judged(model_of(tmp_path, TURNS), ltl=("[]<> (turn == 1)",))
    assert result.verdict is Verdict.VIOLATED
    [violation] = result.violations
    assert violation.kind is ViolationKind.TEMPORAL
    trail = violation.trail
    assert trail.loop is not None
    assert trail.loop < len(trail.steps)
    assert trail.states[trail.loop] == trail.states[-1]


def test_claims_by_name_and_all_of_them(tmp_path: Path) -> None:
    model = model_of(tmp_path, TURNS)
    assert claim_names(model) == ["fair", "sane"]
    assert judged(model, claims=("sane",)).verdict is Verdict.HOLDS
    assert judged(model, claims=("fair",)).verdict is Verdict.VIOLATED
    assert judged(model, claims=("all",)).verdict is Verdict.VIOLATED
    with pytest.raises(MuleError, match="the model declares fair, sane"):
        judged(model, claims=("fare",))


def test_propositions_without_variables_do_not_count(tmp_path: Path) -> None:
    """As macros over the numbers of processes make them: at most 16 propositions can be told apart."""
    many = " && ".join(f"({i} == {j} || x != {i})" for i in range(5) for j in range(5) if i != j)
    model = model_of(tmp_path, "byte x; active proctype P() { x = 7; x = 8 }")
    assert judged(model, ltl=(f"[] (x == 0 || ({many}))",)).verdict is Verdict.HOLDS
    assert judged(model, ltl=(f"[] ({many})",)).verdict is Verdict.VIOLATED
    assert judged(model, ltl=("[] (1 == 1)",)).verdict is Verdict.HOLDS
    assert judged(model, ltl=("<> (1 == 2)",)).verdict is Verdict.VIOLATED


def test_what_is_wrong_with_a_claim_is_said_with_its_line(tmp_path: Path) -> None:
    model = model_of(tmp_path, "byte x;\nactive proctype P() { skip }\nltl p { [] (x == 0 && y == 1) }\n")
    with pytest.raises(MuleError, match=r"m\.pml:3(:\d+)?: in `.*y == 1.*`: .*`y`"):
        judged(model, claims=("p",))
    with pytest.raises(MuleError, match=r"^formula:1:5: in `z == 1`: .*`z`"):
        judged(model, ltl=("[] (z == 1)",))


def test_all_claims_of_a_model_that_declares_none_are_no_question(tmp_path: Path) -> None:
    model = model_of(tmp_path, "active proctype P() { skip }")
    with pytest.raises(MuleError, match="the model declares none"):
        judged(model, claims=("all",))
    with pytest.raises(MuleError, match="the model declares none"):
        judged(model, deadlock=True, claims=("all",))


def test_fairness_and_progress(tmp_path: Path) -> None:
    model = model_of(tmp_path, TURNS)
    assert judged(model, Options(fairness="weak"), claims=("fair",)).verdict is Verdict.VIOLATED
    assert judged(model, progress=True).verdict is Verdict.VIOLATED
    fixed = model_of(tmp_path, TURNS.replace(":: turn == 0 -> greedy = !greedy", ""))
    assert judged(fixed, progress=True, claims=("all",)).verdict is Verdict.HOLDS


def test_automata_from_files(tmp_path: Path) -> None:
    model = model_of(tmp_path, TURNS)
    never = tmp_path / "claim.never"
    never.write_text(
        "never { T0: if :: (1) -> goto T0 :: turn == 0 -> goto accept fi; accept: if :: turn == 0 -> goto accept fi }"
    )
    assert judged(model, claims=(str(never),)).verdict is Verdict.VIOLATED
    hoa = tmp_path / "claim.hoa"
    hoa.write_text(
        'HOA: v1\nStates: 1\nStart: 0\nAP: 1 "turn == 2"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n'
        "--BODY--\nState: 0 {0}\n[0] 0\n--END--\n"
    )
    assert judged(model, claims=(str(hoa),)).verdict is Verdict.HOLDS
    hoa.write_text("HOA: v1\nStates: x")
    with pytest.raises(MuleError, match=r"claim\.hoa"):
        judged(model, claims=(str(hoa),))


@pytest.mark.parametrize("por", ["auto", "none", "ample", "closure", "beam", "deletion"])
@pytest.mark.parametrize("proviso", ["auto", "stack", "static", "c3prime"])
def test_what_spin_loses_is_found(tmp_path: Path, por: str, proviso: str) -> None:
    model = model_of(tmp_path, SPIN_LOSES)
    if por == "none" and proviso != "auto":
        pytest.skip("nothing is reduced, so no proviso is needed")
    options = Options(por=por, proviso=proviso)  # type: ignore[arg-type]
    assert judged(model, options, claims=("all",)).verdict is Verdict.VIOLATED


def test_a_property_that_counts_steps_is_not_reduced(tmp_path: Path) -> None:
    model = model_of(tmp_path, TURNS)
    result = judged(model, ltl=("X (turn == 0)",))
    assert result.verdict is Verdict.HOLDS
    assert any("counts steps" in note for note in result.notes)
    assert not questions_of(model, Properties(ltl=("X (turn == 0)",)))[0].stutters


def test_an_error_of_the_model_is_reported(tmp_path: Path) -> None:
    result = judged(model_of(tmp_path, LIMITED, "m.dve"), ltl=("G F (P.a || P.b)",))
    assert result.verdict is Verdict.VIOLATED
    assert result.violations[0].kind is ViolationKind.MODEL_ERROR


CREATING = """
byte x;
chan c = [1] of { byte };
proctype W() { byte n; c?n; x++; if :: n > 0 -> c!n-1; run W() :: else fi }
init { c!9; run W() }
"""
"""The first guess of how many processes there can be is too small."""


@pytest.mark.parametrize("fairness", ["none", "weak"])
def test_more_room_is_made_for_processes(tmp_path: Path, fairness: str) -> None:
    model = model_of(tmp_path, CREATING)
    assert any(transition.limit for transition in model.transitions)
    options = Options(fairness=fairness)  # type: ignore[arg-type]
    assert judged(model, options, ltl=("[] (x < 10)",)).verdict is Verdict.VIOLATED


def test_safety_is_judged_first(tmp_path: Path) -> None:
    result = judged(model_of(tmp_path, TURNS), deadlock=True, invariants=("turn == 0",), claims=("sane",))
    assert result.verdict is Verdict.VIOLATED
    assert result.violations[0].kind is ViolationKind.INVARIANT


def test_a_limit_makes_it_incomplete(tmp_path: Path) -> None:
    result = judged(model_of(tmp_path, TURNS), Options(max_states=1), claims=("sane",))
    assert result.verdict is Verdict.INCOMPLETE


@pytest.mark.parametrize("kind", ["byte", "int"])
def test_a_loop_in_which_something_unread_counts_on(tmp_path: Path, kind: str) -> None:
    program = f"{kind} x; bool done; active proctype P() {{ do :: x++ :: done = 1 od }}"
    [violation] = judged(model_of(tmp_path, program), ltl=("<> done",)).violations
    assert violation.trail.loop is not None
    assert "every turn of the loop changes x, which makes no difference to the property" in violation.message


def test_properties_without_a_name_are_counted_apart(tmp_path: Path) -> None:
    program = "bit x; ltl one { []!x } ltl { <>x } ltl two { []<>x } ltl { []x } active proctype P() { x = 1 }"
    assert claim_names(model_of(tmp_path, program)) == ["one", "ltl_0", "two", "ltl_1"]


def test_variables_of_processes_after_an_implication(tmp_path: Path) -> None:
    program = "proctype P(byte k) { byte v = k; do :: v < 5 -> L: v++ :: else -> break od } init { run P(1); run P(3) }"
    model = model_of(
        tmp_path, program + " ltl low { [] (P[2]@L -> P[2]:v > 2) } ltl high { [] (P[1]@L -> P[1]:v > 2) }"
    )
    assert judged(model, claims=("low",)).verdict is Verdict.HOLDS
    assert judged(model, claims=("high",)).verdict is Verdict.VIOLATED
