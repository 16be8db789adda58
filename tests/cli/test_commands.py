from __future__ import annotations

import json
import os
import signal
from types import SimpleNamespace
from typing import Any

import pytest

from mule import budget
from mule.budget import current
from mule.comparison import Comparison, Row
from mule.options import Options
from mule.properties import Properties
from mule.records import replace
from mule.results import Verdict
from tests.cli.tiny_results import one_step_model, tiny_result

SNAPSHOT = SimpleNamespace(states=1, transitions=1, depth=1, queue=1, memory_bytes=1, seconds=0.1)


@pytest.mark.parametrize(("verdict", "status"), [(Verdict.HOLDS, 0), (Verdict.VIOLATED, 1), (Verdict.INCOMPLETE, 3)])
def test_the_verdict_decides_the_status(mule: Any, checking: Any, verdict: Verdict, status: int) -> None:
    checking.answer = lambda progress: tiny_result(verdict)
    assert mule("check", "m.dve").status == status
    assert mule("explore", "m.dve").status == status


def test_json_is_one_object_and_nothing_else(mule: Any, checking: Any) -> None:
    checking.answer = lambda progress: tiny_result(Verdict.VIOLATED)
    run = mule("check", "m.dve", "--json")
    assert run.err == ""
    assert json.loads(run.out)["violations"][0]["trail"][0]["changes"] == {"x": [0, 5]}


def test_options_reach_the_search(mule: Any, checking: Any) -> None:
    mule(
        *("check", "m.dve", "--por", "deletion", "--weak", "--no-nds", "--proviso", "duplicate-", "--search", "bfs"),
        *("--memory", "1K", "--time", "2.5", "--max-states", "7", "--remember", "none"),
    )
    [(_, _, properties, options, _)] = checking.calls
    assert properties is None
    assert options == Options("deletion", True, False, "duplicate-", "bfs", "none", memory=1024, time=2.5, max_states=7)


def test_disabling_sets_can_be_asked_for_and_declined(mule: Any, checking: Any) -> None:
    for argument in ((), ("--nds",), ("--no-nds",)):
        mule("explore", "m.dve", *argument)
    assert [call[2].nds for call in checking.calls] == [None, True, False]


def test_properties_reach_the_search(mule: Any, checking: Any) -> None:
    mule("check", "m.dve", "--deadlock", "--invariant", "x < 6", "--invariant", "-1 < x")
    [(_, _, properties, _, _)] = checking.calls
    assert properties == Properties(deadlock=True, invariants=("x < 6", "-1 < x"))


def test_explore_says_what_to_preserve(mule: Any, checking: Any) -> None:
    mule("explore", "m.dve", "--preserve", "safety")
    assert checking.calls[0][3] == "safety"


def test_ctrl_c_stops_the_search_and_keeps_the_result(mule: Any, checking: Any) -> None:
    def search(progress: Any) -> Any:
        with current().polling():
            assert progress(SNAPSHOT)
            os.kill(os.getpid(), signal.SIGINT)
            assert progress(SNAPSHOT)
        return tiny_result(Verdict.INCOMPLETE, current().ended)

    checking.answer = search
    run = mule("check", "m.dve")
    assert run.status == 130
    assert run.out.startswith("? incomplete  tiny: interrupted")


def test_ctrl_c_between_searches_keeps_what_is_known(mule: Any, checking: Any) -> None:
    def analysis(progress: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("still running")

    checking.answer = analysis
    run = mule("check", "m.dve", "--deadlock", "--json")
    assert (run.status, run.err) == (130, "")
    told = json.loads(run.out)
    assert (told["verdict"], told["stopped"]) == ("incomplete", "interrupted")
    assert [(each["property"], each["verdict"]) for each in told["judgements"]] == [
        ("no deadlock", "incomplete"),
        ("no error of the model", "incomplete"),
    ]


def test_the_time_holds_where_nothing_polls(mule: Any, checking: Any) -> None:
    def analysis(progress: Any) -> Any:
        while True:
            pass

    checking.answer = analysis
    run = mule("explore", "m.dve", "--time", "0.1", "--json")
    assert (run.status, run.err) == (3, "")
    assert json.loads(run.out)["stopped"] == "time"


def test_the_memory_holds_where_nothing_polls(mule: Any, checking: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "BESIDE", 2**20)

    def analysis(progress: Any) -> Any:
        held = []
        while True:
            held.append(bytearray(2**20))

    checking.answer = analysis
    run = mule("check", "m.dve", "--memory", "4M", "--json")
    assert (run.status, run.err) == (3, "")
    assert json.loads(run.out)["stopped"] == "memory"


def test_ctrl_c_twice_gives_up(mule: Any, checking: Any) -> None:
    def search(progress: Any) -> Any:
        with current().polling():
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("still running")

    checking.answer = search
    run = mule("check", "m.dve")
    assert (run.status, run.err) == (130, "mule: interrupted before there was a result\n")


def test_compare_is_incomplete_if_a_row_is(mule: Any, checking: Any) -> None:
    row = Row(algorithm="none", states=2, transitions=1, deadlocks=1, seconds=0.1, stopped=None)
    late = replace(row, stopped="time")
    checking.answer = lambda progress: Comparison(one_step_model(), [row])
    assert mule("compare", "m.dve").status == 0
    checking.answer = lambda progress: Comparison(one_step_model(), [row, late])
    assert mule("compare", "m.dve", "--json").status == 3


def test_validate_reports_what_was_refuted(mule: Any, checking: Any) -> None:
    finding = SimpleNamespace(relation="D1", message="p.go loses a state")
    good = SimpleNamespace(
        model=tiny_result(Verdict.HOLDS).model, states=2, checks=9, findings=(), seconds=0.1, stopped=None, notes=()
    )
    checking.answer = lambda progress: good
    assert mule("validate", "m.dve").out.startswith("✓ valid  tiny")
    checking.answer = lambda progress: SimpleNamespace(**{**vars(good), "findings": (finding,)})
    run = mule("validate", "m.dve", "--sample", "5")
    assert run.status == 1
    assert "  ✗ D1: p.go loses a state\n" in run.out
    assert checking.calls[-1][3] == 5
