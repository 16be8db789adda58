"""Whole commands on the examples, engine and all."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

REDUCTIONS = ["none", "ample", "closure", "closure-h", "beam", "beam-noh", "deletion"]


@pytest.mark.parametrize("por", REDUCTIONS)
@pytest.mark.parametrize("search", ["dfs", "bfs"])
@pytest.mark.parametrize(
    ("example", "status"), [("peterson", 0), ("pipeline", 0), ("broken_mutex", 1), ("philosophers", 1)]
)
def test_verdicts_do_not_depend_on_the_reduction(
    mule: Any, examples: Path, example: str, status: int, por: str, search: str
) -> None:
    assert mule("check", str(examples / f"{example}.dve"), "--por", por, "--search", search).status == status


def test_peterson_holds(mule: Any, examples: Path) -> None:
    run = mule("check", str(examples / "peterson.dve"))
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith("✓ holds  ")


def test_an_invariant_of_peterson(mule: Any, examples: Path) -> None:
    model = str(examples / "peterson.dve")
    assert mule("check", model, "--invariant", "not (left.critical and right.critical)").status == 0
    assert mule("check", model, "--invariant", "turn == 0").status == 1
    wrong = mule("check", model, "--invariant", "tern == 0")
    assert wrong.status == 2
    assert "tern" in wrong.err


def test_the_broken_mutex_has_a_trail_of_four_steps(mule: Any, examples: Path) -> None:
    run = mule("check", str(examples / "broken_mutex.dve"), "--search", "bfs", "--por", "none", "--json")
    [violation] = json.loads(run.out)["violations"]
    assert (violation["kind"], violation["length"], violation["shortest"]) == ("assertion", 4, True)
    assert violation["final_state"]["processes"] == {"left": "critical", "right": "critical"}


def test_the_philosophers_deadlock_with_a_fork_each(mule: Any, examples: Path) -> None:
    run = mule("check", str(examples / "philosophers.dve"), "--deadlock", "--json")
    [violation] = json.loads(run.out)["violations"]
    assert violation["kind"] == "deadlock"
    assert set(violation["final_state"]["processes"].values()) == {"hungry"}
    assert violation["final_state"]["variables"]["fork"] == [1, 1, 1, 1]


def test_reduction_keeps_deadlocks_and_drops_states(mule: Any, examples: Path) -> None:
    full, reduced = (
        json.loads(mule("explore", str(examples / "philosophers.dve"), "--por", por, "--json").out)
        for por in ("none", "deletion")
    )
    assert full["verdict"] is None
    assert full["deadlocks"] == reduced["deadlocks"] == 1
    assert reduced["states"] < full["states"]


def test_a_search_with_a_limit_is_incomplete(mule: Any, examples: Path) -> None:
    run = mule("explore", str(examples / "pipeline.dve"), "--por", "none", "--max-states", "100", "--json")
    assert run.status == 3
    found = json.loads(run.out)
    assert (found["verdict"], found["stopped"]) == ("incomplete", "states")


def test_compare_has_a_row_for_every_reduction(mule: Any, examples: Path) -> None:
    run = mule("compare", str(examples / "philosophers.dve"), "--json")
    rows = json.loads(run.out)["rows"]
    assert run.status == 0
    assert rows[0]["algorithm"] == "none"
    assert {row["deadlocks"] for row in rows} == {1}


def test_validate_finds_nothing_wrong(mule: Any, examples: Path) -> None:
    for example in ("peterson", "broken_mutex", "philosophers"):
        assert mule("validate", str(examples / f"{example}.dve")).status == 0


def test_show_and_relations(mule: Any, examples: Path) -> None:
    model = str(examples / "broken_mutex.dve")
    shown = mule("show", model)
    assert (shown.status, shown.err) == (0, "")
    assert "locked" in shown.out
    related = mule("relations", model)
    assert (related.status, related.err) == (0, "")
    assert json.loads(mule("relations", model, "--json").out)["model"] == "broken_mutex"


def test_a_missing_file_is_bad_input(mule: Any) -> None:
    run = mule("check", "no/such/model.dve")
    assert run.status == 2
    assert run.err.startswith("mule: no/such/model.dve: ")


def test_a_syntax_error_has_its_place(mule: Any, tmp_path: Path) -> None:
    broken = tmp_path / "broken.dve"
    broken.write_text("byte x;\nprocess p {\n  state a\n  init a;\n}\nsystem async;\n")
    run = mule("check", str(broken))
    assert run.status == 2
    assert run.err.startswith(f"mule: {broken}:4:3: ")
    assert "^" in run.err


def test_ctrl_c_stops_a_search_and_prints_what_it_knows(tmp_path: Path) -> None:
    counters = "".join(
        f"process p{n} {{ byte x; state a; init a; trans a -> a {{ effect x = x + 1; }}; }}\n" for n in range(8)
    )
    model = tmp_path / "counters.dve"
    model.write_text(counters + "system async;\n")
    command = [sys.executable, "-m", "mule", "explore", str(model), "--por", "none", "--json"]
    for seconds in (2, 8, 30):  # a busy machine may need longer before it searches
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        if b"before there was a result" not in err:
            break
    assert (process.returncode, err) == (130, b"")
    assert json.loads(out)["stopped"] == "interrupted"
