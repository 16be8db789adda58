"""Options without effect are refused, and the report names what was done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Mule

MODEL = """
byte x, y;
active proctype P() { do :: x = 1 - x od }
active proctype Q() { do :: y < 3 -> y++ :: else -> y = 0 od }
"""
LTL = ["--ltl", "[]<> (x == 0)"]
CTL = ["--ctl", "AG EF (x == 0)"]


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "m.pml").write_text(MODEL)
    return str(tmp_path / "m.pml")


@pytest.mark.parametrize(
    "arguments",
    [
        [*LTL, "--search", "bfs"],
        [*LTL, "--proviso", "none"],
        [*LTL, "--proviso", "stack-"],
        [*LTL, "--proviso", "duplicate-"],
        [*LTL, "--weak"],
        [*LTL, "--remember", "valid"],
        [*LTL, "--por", "none", "--proviso", "stack"],
        [*LTL, "--por", "none", "--visibility", "vi"],
        [*LTL, "--no-net"],
        [*LTL, "--por", "ample", "--no-nds"],
        [*CTL, "--search", "bfs"],
        [*CTL, "--weak"],
        [*CTL, "--proviso", "c3prime"],
        [*CTL, "--visibility", "vi"],
        [*CTL, "--emptiness", "scc"],
        [*CTL, "--translator", "builtin"],
        ["--deadlock", "--fairness", "weak"],
        ["--deadlock", "--visibility", "c2"],
        ["--deadlock", "--emptiness", "scc"],
        ["--deadlock", "--translator", "builtin"],
        ["--deadlock", "--proviso", "c3prime"],
        ["--deadlock", "--por", "none", "--weak"],
        ["--deadlock", "--por", "none", "--nds"],
        ["--deadlock", "--por", "none", "--remember", "exact"],
        ["--deadlock", "--por", "none", "--proviso", "stack-"],
        ["--deadlock", "--por", "lpor", "--remember", "valid"],
        ["--deadlock", "--por", "deletion", "--no-net"],
        ["--assertions", "--proviso", "fragmented", "--spill", "."],
        ["--deadlock", "--chart", "--json"],
    ],
)
def test_options_without_effect_are_refused(mule: Mule, model: str, arguments: list[str]) -> None:
    run = mule("check", model, *arguments)
    assert run.status == 2
    assert "has no effect" in run.err


@pytest.mark.parametrize("arguments", [["--search", "bfs"], ["--weak"], ["--proviso", "c3prime"]])
def test_graphs_refuse_them_too(mule: Mule, model: str, arguments: list[str]) -> None:
    run = mule("explore", model, "--preserve", "ltl", "--observe", "x == 0", *arguments)
    assert run.status == 2
    assert "has no effect" in run.err


@pytest.mark.parametrize(
    "arguments",
    [["--fairness", "weak"], ["--por", "none"], ["--search", "bfs"], ["--emptiness", "scc"], ["--processes", "3"]],
)
def test_a_saved_graph_takes_limits_only(mule: Mule, model: str, tmp_path: Path, arguments: list[str]) -> None:
    graph = str(tmp_path / "graph")
    assert mule("explore", model, "--preserve", "ltl", "--observe", "x == 0", "--save", graph).status == 0
    assert mule("check", graph, *LTL, "--time", "5").status in (0, 1)
    run = mule("check", graph, *LTL, *arguments)
    assert run.status == 2
    assert "has no effect" in run.err


@pytest.mark.parametrize("proviso", ["stack", "static", "c3prime", "stack-", "duplicate", "duplicate-"])
def test_each_search_gets_the_proviso_that_is_meant_for_it(mule: Mule, model: str, proviso: str) -> None:
    wanted = ["--ltl", "[] (y < 4)", "--deadlock", "--invariant", "y < 4", "--proviso", proviso, "--json"]
    run = mule("check", model, *wanted)
    assert run.status == 0
    states, runs = (search["options"]["proviso"] for search in json.loads(run.out)["searches"])
    assert (states, runs) == (
        "stack-" if proviso == "c3prime" else proviso,
        proviso if proviso in ("stack", "static") else "c3prime",
    )


@pytest.mark.parametrize(
    ("arguments", "used"),
    [
        (LTL, {"proviso": "c3prime", "visibility": "vi", "search": "dfs", "emptiness": "ndfs", "remember": "exact"}),
        ([*LTL, "--proviso", "stack"], {"proviso": "stack"}),
        ([*LTL, "--proviso", "static", "--visibility", "c2"], {"proviso": "static", "visibility": "c2"}),
        ([*LTL, "--fairness", "weak"], {"proviso": "stack", "visibility": "fair", "emptiness": "scc"}),
        ([*LTL, "--por", "none"], {"proviso": "none", "visibility": None, "remember": "none"}),
        (["--ltl", "X (x == 0)"], {"por": "none", "proviso": "none", "as_written": True}),
        (CTL, {"proviso": "stack", "visibility": "c2"}),
        (["--deadlock"], {"por": "deletion", "visibility": None, "translator": None, "search": "bfs"}),
    ],
)
def test_the_report_names_what_was_used(mule: Mule, model: str, arguments: list[str], used: dict[str, Any]) -> None:
    report = json.loads(mule("check", model, *arguments, "--json").out)
    assert {name: report["options"][name] for name in used} == used
    assert "auto" not in report["options"].values()
    text = " ".join(mule("check", model, *arguments).out.split())
    if report["options"]["proviso"] != "none":
        assert f"proviso {report['options']['proviso']}" in text


def test_a_smaller_model_is_spoken_of_wherever_it_is_counted(mule: Mule, tmp_path: Path) -> None:
    """The first two steps are the same for all runs: they are taken before the search."""
    (tmp_path / "m.pml").write_text("byte x; active proctype P() { x = 1; x = 2; do :: x = 5 - x od }")
    for command in (["check"], ["check", "--ltl", "<> (x == 2)"], ["explore"]):
        smaller = mule(command[0], str(tmp_path / "m.pml"), *command[1:])
        assert "made smaller first" in smaller.out
        assert "made smaller first" not in mule(command[0], str(tmp_path / "m.pml"), *command[1:], "--as-written").out
