"""How much a command says: --quiet, --verbose, and what was not checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

LIVELY = """
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
active proctype Q() { assert(x < 9) }
ltl low { [] (x < 4) }
ltl back { []<> (x == 0) }
"""


@pytest.fixture
def lively(tmp_path: Path) -> str:
    path = tmp_path / "lively.pml"
    path.write_text(LIVELY)
    return str(path)


def test_quiet_prints_the_verdicts_alone(mule: Any, examples: Path) -> None:
    run = mule("check", str(examples / "broken_mutex.dve"), "--quiet")
    assert run.status == 1
    assert run.out.splitlines() == [
        "✗ violated  broken_mutex: an assertion can fail",
        "  ✓ no deadlock",
        "  ✗ assertion left.critical: not right.critical",
        "  ✓ no error of the model",
    ]
    assert mule("explore", str(examples / "philosophers.dve"), "-q", "--por", "none").out.splitlines() == [
        "✓ explored  philosophers",
        "  118 states, 340 transitions, 1 deadlock, depth 10",
    ]


def test_verbose_prints_each_search_with_its_options(mule: Any, examples: Path) -> None:
    out = mule("check", str(examples / "broken_mutex.dve"), "-v").out
    assert "Search 1 of 2" in out
    assert "proviso=stack-, search=dfs" in " ".join(out.split())


def test_verbose_shows_the_whole_trail(mule: Any, tmp_path: Path) -> None:
    path = tmp_path / "long.pml"
    path.write_text("byte n; active proctype P() { do :: n < 100 -> n++ :: n == 100 -> assert(false) od }")
    usual, verbose = mule("check", str(path)).out, mule("check", str(path), "--verbose").out
    assert "--full-trail shows them" in usual
    assert "n: 49 → 50" not in usual
    assert "n: 49 → 50" in verbose


@pytest.mark.parametrize(
    ("asked", "left_out"),
    [
        ([], []),
        (["--deadlock"], ["the model's assertions were not checked", "properties low, back were not checked"]),
        (["--deadlock", "--assertions"], ["the model's temporal properties low, back were not checked"]),
        (["--deadlock", "--assertions", "--claim", "low"], ["the model's temporal property back was not checked"]),
        (["--assertions", "--claim", "all"], ["deadlocks were not looked for"]),
        (["--claim", "all"], ["deadlocks were not looked for", "the model's assertions were not checked"]),
    ],
)
def test_what_was_not_checked_is_said_beside_the_verdicts(
    mule: Any, lively: str, asked: list[str], left_out: list[str]
) -> None:
    lines = [line for line in mule("check", lively, *asked, "--quiet").out.splitlines() if line.startswith("  - ")]
    assert len(lines) == len(left_out)
    assert all(said in line for said, line in zip(left_out, lines, strict=True))


def test_assertions_that_were_judged_with_a_temporal_property_are_not_called_unchecked(
    mule: Any, tmp_path: Path
) -> None:
    path = tmp_path / "m.pml"
    path.write_text(
        "byte n; active proctype P() { do :: n < 3 -> n++ :: n == 3 -> assert(n < 3) od } ltl low { [] (n < 4) }"
    )
    lines = mule("check", str(path), "--claim", "low", "-q").out.splitlines()
    assert "  ✗ no violated assertion" in lines
    assert [line for line in lines if line.startswith("  - ")] == ["  - deadlocks were not looked for"]


@pytest.mark.parametrize("command", ["check", "explore"])
@pytest.mark.parametrize("option", ["--quiet", "--verbose"])
def test_json_has_everything_always(mule: Any, lively: str, command: str, option: str) -> None:
    run = mule(command, lively, option, "--json")
    assert run.status == 2
    assert f"{option} has no effect on --json" in run.err


def test_quiet_and_verbose_exclude_each_other(mule: Any, lively: str) -> None:
    assert mule("check", lively, "-q", "-v").status == 2


def test_a_page_of_a_saved_trail(mule: Any, examples: Path, tmp_path: Path) -> None:
    model, found, page = str(examples / "broken_mutex.dve"), tmp_path / "found.json", tmp_path / "found.html"
    found.write_text(mule("check", model, "--json").out)
    run = mule("trail", model, str(found), "--report", str(page), "--quiet")
    assert run.status == 1
    assert run.out == "✗ violated  broken_mutex: assertion left.critical: not right.critical\n"
    text = page.read_text()
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    assert data["searched"] is False
    assert len(data["violations"][0]["steps"]) == 4
    assert "0 states" not in text


def test_no_page_of_a_run_that_shows_nothing(mule: Any, lively: str, tmp_path: Path) -> None:
    path, found, page = tmp_path / "m.dve", tmp_path / "found.json", tmp_path / "found.html"
    path.write_text("byte x; process P { state a, b; init a; assert b: x == 1; trans a -> b {}; } system async;")
    found.write_text(mule("check", str(path), "--assertions", "--json").out)
    path.write_text(path.read_text().replace("byte x;", "byte x = 1;"))
    run = mule("trail", str(path), str(found), "--report", str(page))
    assert "was not written" in run.err or run.status == 2
    assert not page.exists()
