"""Texts that ask for too much: a message with a place, soon, and no verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Mule

HOA = """HOA: v1
States: {states}
Start: {start}
AP: 1 "left.critical"
Acceptance: {sets} Inf(0)
--BODY--
State: 0 {{{mark}}}
[{label}] {target}
--END--
"""
FINE = {"states": "1", "start": "0", "sets": "1", "mark": "0", "label": "t", "target": "0"}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"target": "99999999999"}, ":8:5: there is no state 99999999999"),
        ({"target": "9" * 5_000}, "is too large"),
        ({"start": "77"}, "there is no state 77 to start in"),
        ({"sets": "4000000000"}, ":5:24: the acceptance"),
        ({"mark": "4000000000"}, ":7:11: there is no acceptance set"),
        ({"label": "(" * 3_000 + "0" + ")" * 3_000}, "nested too deeply"),
        ({"label": "!" * 5_000 + "0"}, "nested too deeply"),
    ],
)
def test_automata(mule: Mule, examples: Path, tmp_path: Path, changed: dict[str, str], message: str) -> None:
    claim = tmp_path / "claim.hoa"
    claim.write_text(HOA.format(**FINE | changed))
    told = mule("check", str(examples / "peterson.dve"), "--claim", str(claim))
    assert told.status == 2
    assert message in told.err
    assert told.err.count("\n") <= 5
    assert max(map(len, told.err.splitlines())) < 400


@pytest.mark.parametrize("states", ["1", "30000", "4000000000"])
def test_states_that_nothing_leads_to_cost_nothing(mule: Mule, examples: Path, tmp_path: Path, states: str) -> None:
    claim = tmp_path / "claim.hoa"
    claim.write_text(HOA.format(**FINE | {"states": states}))
    assert mule("check", str(examples / "peterson.dve"), "--claim", str(claim)).status == 1


@pytest.mark.parametrize(
    "question",
    [
        ("--ltl", "(" * 20_000 + "left.critical" + ")" * 20_000),
        ("--ltl", "X " * 400 + "left.critical"),
        ("--ltl", "!" * 30_000 + "left.critical"),
        ("--ctl", "AX " * 400 + "left.critical"),
        ("--ctl", "(" * 20_000 + "left.critical" + ")" * 20_000),
    ],
)
def test_formulas(mule: Mule, examples: Path, question: tuple[str, str]) -> None:
    told = mule("check", str(examples / "peterson.dve"), *question)
    assert told.status == 2
    assert "nested too deeply" in told.err
    assert len(told.err) < 400


@pytest.mark.parametrize("question", [("--ltl", "X " * 40 + "true"), ("--ltl", "(" * 60 + "true" + ")" * 60)])
def test_formulas_that_people_write_are_fine(mule: Mule, examples: Path, question: tuple[str, str]) -> None:
    assert mule("check", str(examples / "peterson.dve"), *question).status == 0


def test_more_processes_than_there_can_be(mule: Mule, tmp_path: Path) -> None:
    model = tmp_path / "many.pml"
    model.write_text("active [2000000000] proctype p() { skip }\n")
    told = mule("check", str(model))
    assert told.status == 2
    assert "many.pml:1:1: there can be at most 255 processes" in told.err


@pytest.mark.parametrize("body", ["for i in range(10**9): self.n += 1", "self.n = len(list(range(10**9)))"])
def test_loops_of_a_handler(mule: Mule, tmp_path: Path, body: str) -> None:
    model = tmp_path / "loops.py"
    model.write_text(
        "from mule.actors import *\n"
        "class A(Process):\n"
        "    n: int = 0\n"
        "    @step(when=lambda self: self.n < 3)\n"
        "    def go(self):\n"
        f"        {body}\n"
        "def system(): return System([A()])\n"
    )
    told = mule("check", str(model))
    assert told.status == 2
    assert "loops.py:6" in told.err
    assert "more than 20,000 elements of this range" in told.err
