"""Verdicts, trails and messages of CTL on examples, and limits."""

from __future__ import annotations

from pathlib import Path

import pytest

import mule
from mule.checking import check
from mule.frontends import load_text
from mule.options import Options
from mule.properties import Properties
from mule.results import Result, Verdict
from tests.small_models import reachable

EXAMPLES = Path(__file__).parents[2] / "examples"

ATOMIC = """
byte x; bool flag;
active [2] proctype W() { atomic { flag = 1; x++; flag = 0 } }
"""
"""Inside the atomic steps flag is set, which nobody can see."""

CREATING = """
byte x;
chan c = [1] of { byte };
proctype W() { byte n; c?n; x++; if :: n > 0 -> c!n-1; run W() :: else fi }
init { c!9; run W() }
"""
"""The first guess of how many processes there can be is too small."""


def example(name: str) -> mule.System:
    return mule.load(str(EXAMPLES / f"{name}.dve"))


def judged(text: str, *formulas: str, **options: object) -> Result:
    return check(load_text(text, "test.pml"), Properties(ctl=formulas), Options(**options))  # type: ignore[arg-type]


def test_several_formulas_are_judged_on_one_graph() -> None:
    result = example("peterson").check(ctl=["AG EF left.critical", "AF left.critical", "AG !right.critical"])
    assert result.verdict is Verdict.VIOLATED
    assert result.holding == ("temporal property AG EF left.critical",)
    lasso, path = result.violations
    assert (lasso.property, lasso.trail.loop) == ("AF left.critical", 0)
    assert lasso.message == "from here on !left.critical holds for ever"
    assert (path.property, path.trail.loop) == ("AG !right.critical", None)
    assert path.message == "right.critical holds here"


@pytest.mark.parametrize(
    ("formula", "length", "message"),
    [
        ("EF (left.critical && right.critical)", 0, "which no single run can show"),
        ("AG !EF left.critical", 3, "left.critical holds here"),
        ("AG (left.critical -> AX left.idle)", 3, "holds here"),
        ("!E[!left.critical U right.critical]", 3, "right.critical holds here"),
        ("A[!right.critical W left.critical]", 3, "holds here"),
    ],
)
def test_evidence(formula: str, length: int, message: str) -> None:
    [violation] = example("peterson").check(ctl=formula).violations
    assert len(violation.trail) >= length
    assert message in violation.message


def test_steps_are_counted_on_the_full_graph() -> None:
    result = example("peterson").check(ctl="AG EX true")
    assert (result.verdict, result.options.por) == (Verdict.HOLDS, "none")
    assert "EX and AX count steps, so nothing was reduced" in result.notes


@pytest.mark.parametrize("por", ["none", "deletion"])
def test_what_happens_inside_a_step_is_not_seen(por: str) -> None:
    result = judged(ATOMIC, "AG !flag", "AF AG (x == 2)", "EF (x == 1)", por=por)
    assert result.verdict is Verdict.HOLDS


def test_a_finite_run_stutters_in_its_last_state() -> None:
    result = judged(ATOMIC, "AF AG (x == 2)", "AG EX true", "AG (x == 2 -> AX (x == 2))")
    assert result.verdict is Verdict.HOLDS


def test_more_room_is_made_for_processes() -> None:
    assert any(transition.limit for transition in load_text(CREATING, "test.pml").transitions)
    result = judged(CREATING, "EF (x == 10)", "AG (x <= 10)", por="deletion")
    assert result.verdict is Verdict.HOLDS


def test_other_properties_come_first() -> None:
    broken = example("broken_mutex").check(assertions=True, ctl="AG true")
    assert broken.verdict is Verdict.VIOLATED
    assert [violation.kind.value for violation in broken.violations] == ["assertion"]
    assert broken.holding[-1] == "temporal property AG true"
    whole = example("peterson").check(deadlock=True, ltl="[] !(left.critical && right.critical)", ctl="AG true")
    assert whole.verdict is Verdict.HOLDS
    assert len(whole.properties) == 4


def test_limits() -> None:
    result = example("pipeline").check(ctl="AG true", por="none", max_states=10)
    assert (result.verdict, result.stopped) == (Verdict.INCOMPLETE, "states")


def test_fairness_is_refused() -> None:
    with pytest.raises(mule.MuleError, match="CTL is judged over all runs"):
        example("peterson").check(ctl="AG true", fairness="weak")


def test_the_full_graph_has_all_states() -> None:
    system = example("philosophers")
    found = system.explore(preserve="ctl", observe=["true"], por="none").statistics
    states = reachable(system.model, 100_000)
    assert states is not None
    assert found.states == len(states)
    reference = system.explore(por="none", as_written=True).statistics
    assert (found.transitions, found.deadlocks) == (reference.transitions, reference.deadlocks)
