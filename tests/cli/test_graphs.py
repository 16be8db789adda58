"""Graphs from the command line: saved by `explore`, asked by `check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Mule

PETERSON = str(Path(__file__).parents[2] / "examples" / "peterson.dve")
OBSERVE = ("--observe", "left.critical", "--observe", "right.critical")


def test_a_graph_is_saved_and_asked(mule: Mule, tmp_path: Path) -> None:
    path = str(tmp_path / "graph")
    explored = mule("explore", PETERSON, "--preserve", "ctl", *OBSERVE, "--save", path, "--json")
    assert explored.status == 0
    assert json.loads(explored.out)["states"] == 20
    asked = mule("check", path, "--ltl", "[]<> left.critical", "--ctl", "AG EF left.critical", "--json")
    assert asked.status == 1
    answer = json.loads(asked.out)
    assert (answer["verdict"], answer["model"]) == ("violated", "peterson")
    assert answer["holding"] == ["temporal property AG EF left.critical"]
    [violation] = answer["violations"]
    assert violation["property"] == "[]<> left.critical"
    assert violation["loop"] is not None
    assert mule("check", path, "--ctl", "AG EF left.critical").status == 0


def test_several_trails_say_what_they_are_about(mule: Mule) -> None:
    run = mule("check", PETERSON, "--ctl", "AF left.critical", "--ctl", "AG !left.critical")
    assert run.status == 1
    assert "\nViolated: temporal property AF left.critical\n" in run.out
    assert "\nViolated: temporal property AG !left.critical\n" in run.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ctl", "AG ("], "formula:1:4: this ( is not closed"),
        (["--ctl", "G left.critical"], "formula:1:1: G needs a path quantifier"),
        (["--ctl", "AG left.nowhere"], "formula:1:9: process left has no state nowhere"),
        (["--ctl", "AG true", "--fairness", "weak"], "leave out --fairness"),
        (["--ctl", "AG true", "--proviso", "stack-"], "use --proviso auto or stack or static"),
    ],
)
def test_bad_formulas_have_a_place(mule: Mule, arguments: list[str], message: str) -> None:
    run = mule("check", PETERSON, *arguments)
    assert run.status == 2
    assert message in run.err
    assert run.out == ""


def test_what_a_saved_graph_cannot_answer(mule: Mule, tmp_path: Path) -> None:
    path = str(tmp_path / "graph")
    mule("explore", PETERSON, "--preserve", "ltl", *OBSERVE, "--save", path)
    for arguments, message in (
        (["--deadlock"], "a saved graph answers --ltl, --ctl and --claim"),
        ([], "say what to check on this graph"),
        (["--ctl", "AG left.critical"], "explore again with --preserve ctl"),
        (["--ltl", "[] left.idle"], "explore again with --observe"),
    ):
        run = mule("check", path, *arguments)
        assert (run.status, message in run.err) == (2, True)


def test_a_place_that_cannot_be_written(mule: Mule, tmp_path: Path) -> None:
    run = mule("explore", PETERSON, "--preserve", "ltl", *OBSERVE, "--save", str(tmp_path / "nowhere" / "graph"))
    assert run.status == 2
    assert "the graph cannot be written" in run.err


def test_propositions_are_needed(mule: Mule) -> None:
    run = mule("explore", PETERSON, "--preserve", "ctl")
    assert run.status == 2
    assert "say what formulas will speak of" in run.err
