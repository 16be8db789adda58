"""A limit is never an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

import mule
from mule.checking import check
from mule.comparison import compare
from mule.frontends import load_text
from mule.options import Options
from mule.properties import Properties
from mule.results import Verdict
from tests.soundness.limited_cases import CASES, SPAWNING, Case
from tests.soundness.limits import try_out

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_known_about_the_cases(case: Case) -> None:
    """Without limits everything is decided, and as it is written down."""
    truth = case.truth("none")
    wanted = Properties(True, True, tuple(case.invariants), tuple(case.ltl), tuple(case.claims), ctl=tuple(case.ctl))
    for judgement in check(case.model, wanted).judgements:
        known = Verdict.HOLDS if truth[judgement.property] else Verdict.VIOLATED
        assert judgement.verdict is (Verdict.INCOMPLETE if judgement.property in case.open else known), judgement


def test_no_limit_is_an_answer() -> None:
    counted, problems = try_out(60, seed=1)
    assert problems == []
    assert counted["incomplete"] > 10
    assert counted["holds"] + counted["violated"] > 10


@pytest.mark.parametrize("most", [1, 10, 20])
def test_a_model_that_has_not_got_its_room_is_not_judged(most: int) -> None:
    """With room for fewer processes `done` never comes to 10."""
    model = load_text(SPAWNING, "m.pml")
    result = check(model, Properties(ltl=("[] (done < 10)",), ctl=("AG (done < 10)",)), Options(max_states=most))
    assert result.verdict is Verdict.INCOMPLETE
    assert result.stopped == "states"


def test_an_incomplete_graph_is_not_saved(tmp_path: Path) -> None:
    file = tmp_path / "m.pml"
    file.write_text(SPAWNING)
    graph = tmp_path / "graph"
    result = mule.load(str(file)).explore(preserve="ctl", observe=["done == 10"], save=str(graph), max_states=20)
    assert result.verdict is Verdict.INCOMPLETE
    assert not graph.exists()
    assert "nothing was saved: the graph is incomplete" in result.notes


def test_a_table_about_too_narrow_a_model_is_incomplete() -> None:
    assert all(row.stopped for row in compare(load_text(SPAWNING, "m.pml"), Options(max_states=20)))


def test_a_limit_on_states_does_not_count_those_inside_a_step() -> None:
    inside = "; ".join(f"x = {value}" for value in range(1, 50))
    model = load_text(f"byte x; active [2] proctype P() {{ d_step {{ {inside} }} }}", "steps.pml")
    formula = Properties(ltl=("[] x < 60",))
    enough = Options(por="none", as_written=True, max_states=20)
    assert check(model, formula, enough).verdict is Verdict.HOLDS
    assert check(model, formula, enough.but(max_states=2)).stopped == "states"
