"""`[] p`: the way to a state without p, and no more."""

from __future__ import annotations

from itertools import pairwise

import pytest

from mule.checking import check
from mule.frontends.promela import load
from mule.model.interpreter import Interpreter
from mule.options import Fairness, Options, Por
from mule.properties import Properties
from mule.results import Result, Verdict, ViolationKind
from mule.temporal import checking
from mule.temporal.questions import questions_of
from mule.temporal.shortening import reached_sooner

COUNTERS = """
byte x = 1, a[2];
chan c = [1] of { byte };
active proctype P() { do :: x = x + 2 od }
active proctype Q() { do :: x = x + 1 :: atomic { a[0] = 1; a[0] = 0 } od }
"""


def judged(formula: str, por: Por = "auto") -> Result:
    return check(load(COUNTERS, "m.pml"), Properties(ltl=(formula,)), Options(por=por))


@pytest.mark.parametrize("por", ["none", "ample", "deletion"])
@pytest.mark.parametrize(
    ("formula", "steps"),
    [
        ("[] (x % 2 == 1)", 1),
        ("[] (x == 1 || x == 3 || !(x == 2))", 1),
        ("[] (x < 5 -> x != 4)", 2),
    ],
)
def test_the_trail_ends_where_p_is_false(por: Por, formula: str, steps: int) -> None:
    result = judged(formula, por)
    assert result.verdict is Verdict.VIOLATED
    (violation,) = result.violations
    assert violation.kind is ViolationKind.TEMPORAL
    assert len(violation.trail.steps) == steps
    assert violation.trail.loop is None
    interpreter = Interpreter(result.model)
    for (before, after), step in zip(pairwise(violation.trail.states), violation.trail.steps, strict=True):
        assert after in [each.target for each in interpreter.fire(step.transition, before)]


def test_steps_that_are_joined_for_the_search_are_cut_where_p_is_false() -> None:
    counter = load("byte x; active proctype P() { do :: x < 9 -> x++ :: x == 9 -> x = 0 od }", "m.pml")
    (violation,) = check(counter, Properties(ltl=("[] (x < 5)",))).violations
    assert len(violation.trail.steps) == 10


def test_what_a_step_hides_is_no_violation() -> None:
    assert judged("[] (a[0] == 0)").verdict is Verdict.HOLDS


@pytest.mark.parametrize("formula", ["<> (x == 0 && a[1] == 1)", "[] <> (a[1] == 1)", "[] (x == 1 -> <> (a[1] == 1))"])
def test_other_properties_need_a_loop(formula: str) -> None:
    (violation,) = judged(formula).violations
    assert violation.trail.loop is not None


def test_a_trail_is_one_of_the_model_that_was_asked_about() -> None:
    """The first search is cut short, so that nobody knows that there is too little room; the second finds out."""
    program = """
byte x;
proctype Q() { x == 200 }
active proctype P() { do :: x < 30 -> x++; if :: x % 3 == 0 -> run Q() :: else fi :: x == 30 -> x = 0 od }
"""
    model = load(program, "m.pml")
    assert model.wider is not None
    question = next(iter(questions_of(model, Properties(ltl=("[] (x < 29)",)), "builtin")))
    assert reached_sooner(model, question, Options(), 100_000, 1_000_000) is None


COUNTING = "int n; active proctype P() { do :: n++ od }"


@pytest.fixture
def short_glance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "GLANCE", 100)


@pytest.mark.usefixtures("short_glance")
@pytest.mark.parametrize("fairness", ["none", "F", "weak", "strong"])
def test_a_state_without_p_is_seen_where_runs_count_on_and_on(fairness: Fairness) -> None:
    model = load(COUNTING, "m.pml")
    result = check(model, Properties(ltl=("[] (n < 5)",)), Options(fairness=fairness, max_states=1_000))
    assert result.verdict is Verdict.VIOLATED
    (violation,) = result.violations
    assert (len(violation.trail.steps), violation.trail.loop) == (5, None)
    assert "found breadth first: 100 states of runs had shown nothing" in result.notes


@pytest.mark.usefixtures("short_glance")
def test_the_glance_stops_at_nothing_else() -> None:
    counter = load("byte n, x; active proctype P() { do :: n++ od } active proctype Q() { do :: x++ od }", "m.pml")
    result = check(counter, Properties(ltl=("[] (n * x != 7919)",)), Options(as_written=True, por="none"))
    assert (result.verdict, result.statistics.states) == (Verdict.HOLDS, 65_536)
    assert not any("found breadth first" in note for note in result.notes)
    far = check(load(COUNTING, "m.pml"), Properties(ltl=("[] (n < 400)",)), Options(max_states=1_000))
    assert far.verdict is Verdict.INCOMPLETE


@pytest.mark.usefixtures("short_glance")
def test_with_fewer_states_than_a_glance_there_is_none() -> None:
    result = check(load(COUNTING, "m.pml"), Properties(ltl=("[] (n < 2000)",)), Options(max_states=100))
    assert result.verdict is Verdict.INCOMPLETE


@pytest.mark.usefixtures("short_glance")
@pytest.mark.parametrize("top", [50, 400])
def test_a_state_without_p_that_only_an_error_follows_is_on_no_run(top: int) -> None:
    """Whether the search is long enough for a glance or not."""
    model = load(
        f"int n; byte a[3]; active proctype P() {{ do :: n < {top} -> n++ :: n == 5 -> n = -1; a[n] = 1 od }}", "m"
    )
    result = check(model, Properties(ltl=("[] (n >= 0)",)), Options(por="none", as_written=True))
    assert [(each.kind, each.verdict) for each in result.judgements] == [
        (ViolationKind.TEMPORAL, Verdict.INCOMPLETE),
        (ViolationKind.MODEL_ERROR, Verdict.VIOLATED),
    ]
