"""With no property given everything is judged that the model declares, each property with its own verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Mule

NEVER = "byte x; active proctype P(){x=1;x=2} never{do::x==1->break::else od}"
BLOCKS = """
byte x; chan c = [0] of { byte };
active proctype P() { x = 1; assert(x == 2); c!1 }
ltl reached { <> (x == 1) }
ltl kept { [] (x == 0) }
"""
LARGE = """
byte a, b, c; bit go;
active proctype P() { do :: a++ :: b++ :: c++ :: go == 0 -> go = 1; false od }
active proctype R() { assert(a < 200 || b < 200 || c < 200 || a != b) }
ltl kept { [] (a + b + c < 700) }
"""
DVE = """
byte a = 0;
process P { state s; init s; trans s -> s { guard a < 3; effect a = a + 1; }, s -> s { guard a == 3; }; }
process CLAIM { state w, bad; init w; accept bad;
  trans w -> w {}, w -> bad { guard a == 3; }, bad -> bad {}; }
system async property CLAIM;
"""
PYTHON = """
from mule.processes import Shared, System, pause

class Counter(Shared):
    value: int = 0

async def count(c):
    c.value = 1
    await pause()
    c.value = 2

def system():
    counter = Counter()
    return System([count(counter)], ltl={"counted": "<> (counter.value == 2)", "stays": "[] (counter.value < 2)"})
"""


def verdicts(mule: Mule, file: Path, text: str, *arguments: str) -> tuple[int, dict[str, str]]:
    file.write_text(text)
    run = mule("check", str(file), "--json", *arguments)
    report: dict[str, Any] = json.loads(run.out)
    return run.status, {each["property"]: each["verdict"] for each in report["judgements"]}


def test_a_never_claim_that_comes_to_its_end_is_violated(mule: Mule, tmp_path: Path) -> None:
    """SPIN: claim violated."""
    assert verdicts(mule, tmp_path / "m.pml", NEVER) == (
        1,
        {"no deadlock": "holds", "no error of the model": "holds", "temporal property never": "violated"},
    )


def test_a_violation_leaves_nothing_undecided(mule: Mule, tmp_path: Path) -> None:
    assert verdicts(mule, tmp_path / "m.pml", BLOCKS) == (
        1,
        {
            "no deadlock": "violated",
            "no violated assertion": "violated",
            "no error of the model": "holds",
            "temporal property reached: <> (x == 1)": "holds",
            "temporal property kept: [] (x == 0)": "violated",
        },
    )


def test_a_property_process_is_judged(mule: Mule, tmp_path: Path) -> None:
    status, said = verdicts(mule, tmp_path / "m.dve", DVE)
    assert (status, said["temporal property CLAIM"]) == (1, "violated")


def test_the_formulas_of_a_python_system_are_judged(mule: Mule, tmp_path: Path) -> None:
    status, said = verdicts(mule, tmp_path / "m.py", PYTHON)
    assert status == 1
    assert said["temporal property counted: <> (counter.value == 2)"] == "holds"
    assert said["temporal property stays: [] (counter.value < 2)"] == "violated"


def test_safety_can_be_asked_for_alone(mule: Mule, tmp_path: Path) -> None:
    status, said = verdicts(mule, tmp_path / "m.pml", NEVER, "--deadlock", "--assertions")
    assert (status, set(said)) == (0, {"no deadlock", "no error of the model"})


@pytest.mark.parametrize("extra", [[], ["--max-states", "1"]])
def test_what_was_not_judged_is_under_no_green_verdict(mule: Mule, tmp_path: Path, extra: list[str]) -> None:
    (tmp_path / "m.pml").write_text("byte x; active proctype P(){do::x=1-x od} ltl p { []<> (x == 0) }")
    run = mule("check", str(tmp_path / "m.pml"), "--as-written", *extra)
    assert run.status == (3 if extra else 0)
    assert ("✓ holds" in run.out) == (not extra)
    assert ("? temporal property p: []<> (x == 0)" in run.out) == bool(extra)


def test_an_error_leaves_runs_undecided(mule: Mule, tmp_path: Path) -> None:
    """Nobody knows how a run would go on that divides by zero."""
    program = "byte x, y; active proctype P(){ do :: x < 3 -> x++; y = 6 / (3 - x) :: x = 0 od }"
    status, said = verdicts(mule, tmp_path / "m.pml", program, "--ltl", "[] (x < 3)")
    assert (status, said["temporal property [] (x < 3)"]) == (1, "incomplete")
    assert said["no error of the model"] == "violated"


def test_runs_go_on_after_a_violated_assertion(mule: Mule, tmp_path: Path) -> None:
    """As with SPIN's -A: the assertion has a verdict of its own."""
    program = "byte x; active proctype P(){ x = 1; assert(x == 2); x = 2 }"
    for formula, verdict in (("<> (x == 2)", "holds"), ("[] (x < 2)", "violated")):
        status, said = verdicts(mule, tmp_path / "m.pml", program, "--ltl", formula)
        assert (status, said[f"temporal property {formula}"]) == (1, verdict)
        assert said["no violated assertion"] == "violated"


def test_a_handler_that_fails_ends_the_run_but_is_no_deadlock(mule: Mule, tmp_path: Path) -> None:
    program = PYTHON.replace("    c.value = 2\n", "    assert c.value == 2\n    c.value = 2\n")
    status, said = verdicts(mule, tmp_path / "m.py", program)
    assert (status, said["no violated assertion"], said["no deadlock"]) == (1, "violated", "holds")
    assert said["temporal property counted: <> (counter.value == 2)"] == "incomplete"


def test_errors_outside_of_the_reach_of_a_property_are_spoken_of(mule: Mule, tmp_path: Path) -> None:
    """The search for a run with `x` never 1 does not go on where `x` is 1."""
    (tmp_path / "m.pml").write_text("byte x, y; active proctype P(){ x = 1; y = 1 / (x - 1) }")
    run = mule("check", str(tmp_path / "m.pml"), "--ltl", "<> (x == 1)")
    assert run.status == 0
    assert "looked for only where the property follows the runs" in " ".join(run.out.split())
    assert mule("check", str(tmp_path / "m.pml"), "--ltl", "<> (x == 1)", "--assertions").status == 1


def test_a_limit_that_nobody_set_is_not_blamed(mule: Mule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a violation leaves open is looked for in so many states only; who set a limit is told of that one."""
    monkeypatch.setattr("mule.safety.FURTHER", 1000)
    file = tmp_path / "large.pml"
    file.write_text(LARGE)
    asked = ("check", str(file), "--as-written", "--por", "none")
    assert " ".join(mule(*asked).out.split()).count("not decided within 1,000 more states") == 2
    limited = " ".join(mule(*asked, "--max-states", "1000").out.split())
    assert limited.count("not decided: the limit on states was reached") == 2
