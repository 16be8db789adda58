"""Searches for runs that violate temporal properties: written, and gone on with by any number of workers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import mule
from mule.checking import check
from mule.checkpoints import DIGEST_BYTES
from mule.cli.main import main
from mule.errors import MuleError
from mule.options import Options
from mule.properties import Properties
from mule.results import Result
from tests.checkpoints.killed import without_end
from tests.checkpoints.runs import search_files
from tests.checkpoints.test_checkpoints import with_digest

HOLDS: dict[str, Any] = {"ltl": "[](P0.b -> <> P0.a)", "fairness": "weak"}
VIOLATED: dict[str, Any] = {"ltl": "[](common == 2 -> <> P0.b)", "as_written": True}
FEW = 60


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    path = tmp_path / "endless.dve"
    path.write_text(without_end(3, 3))
    return path


def counts(result: Result) -> tuple[object, ...]:
    known = result.statistics
    return result.verdict, result.stopped, known.states, known.transitions, known.depth


@pytest.mark.parametrize("asked", [HOLDS, VIOLATED], ids=["holds", "violated"])
@pytest.mark.parametrize("por", ["none", "deletion"])
def test_any_number_of_workers_goes_on(endless: Path, tmp_path: Path, asked: dict[str, Any], por: str) -> None:
    system = mule.load(endless)
    options = {**asked, "por": por}
    expected = system.check(**options, checkpoint=str(tmp_path / "other"))
    run = str(tmp_path / "run")
    for number, (workers, limit) in enumerate([(2, FEW), (1, 2 * FEW), (3, None)]):
        found = system.check(
            **options, workers=workers, search="bfs", checkpoint=run, resume=number > 0, max_states=limit
        )
        assert (found.stopped == "states") == (limit is not None)
        assert search_files(Path(run))
    assert counts(found) == counts(expected)
    assert bool(found.violations) == (asked is VIOLATED)
    if found.violations:
        assert found.violations[0].trail.loop is not None


def test_one_worker_goes_by_levels_and_says_so(endless: Path, tmp_path: Path) -> None:
    system = mule.load(endless)
    saved = system.check(**HOLDS, checkpoint=str(tmp_path / "run"))
    assert (saved.options.search, saved.options.proviso, saved.options.workers) == ("bfs", "duplicate", 1)
    assert any("only a search by levels has checkpoints" in note for note in saved.notes)
    deep = system.check(**HOLDS)
    assert deep.holds
    assert (deep.options.search, deep.options.proviso) == ("dfs", "stack")
    shared = system.check(**HOLDS, workers=2)
    assert counts(shared) == counts(saved)


def test_resuming_needs_no_other_arguments(endless: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(tmp_path / "run")
    asked = ["--ltl", HOLDS["ltl"], "--fairness", "weak", "--checkpoint", run]
    assert main(["check", str(endless), *asked, "--max-states", str(FEW)]) == 3
    assert f"mule check --resume {run}" in capsys.readouterr().out.replace("\n             ", " ")
    (before,) = search_files(Path(run))
    assert main(["check", "--resume", run, "--workers", "2", "--max-states", str(2 * FEW)]) == 3
    (after,) = search_files(Path(run))
    assert before.name.split(".")[0] == after.name.split(".")[0]
    capsys.readouterr()
    assert main(["check", "--resume", run, "--max-states", "1000000", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = mule.load(endless).check(**HOLDS, workers=2)
    assert (found["states"], found["transitions"]) == (expected.states, expected.transitions)
    assert not search_files(Path(run))


def test_each_property_has_a_file(endless: Path, tmp_path: Path) -> None:
    system = mule.load(endless)
    options: dict[str, Any] = {"ltl": [HOLDS["ltl"], "[]<> P1.b"], "fairness": "strong", "por": "none"}
    expected = system.check(**options)
    few = system.check(**options, checkpoint=str(tmp_path / "run"), max_states=FEW)
    assert few.stopped == "states"
    found = system.check(**options, checkpoint=str(tmp_path / "run"), resume=True)
    assert (found.verdict, found.states) == (expected.verdict, expected.states)
    assert [each.verdict for each in found.judgements] == [each.verdict for each in expected.judgements]


@pytest.mark.parametrize("deep", [{"search": "dfs"}, {"proviso": "stack"}], ids=lambda deep: str(*deep))
def test_a_stack_has_no_checkpoints(endless: Path, tmp_path: Path, deep: dict[str, Any]) -> None:
    system = mule.load(endless)
    named = " ".join(f"--{name} {value}" for name, value in deep.items())
    with pytest.raises(MuleError, match=f"--checkpoint has no effect on temporal properties: .*leave out {named}"):
        system.check(**HOLDS, **deep, checkpoint=str(tmp_path / "run"))
    both = system.check(deadlock=True, **HOLDS, **deep, checkpoint=str(tmp_path / "both"))
    assert any("searched anew" in note for note in both.notes)


def test_trees_are_searched_anew(endless: Path, tmp_path: Path) -> None:
    system = mule.load(endless)
    both = system.check(**VIOLATED, ctl="AG EF P0.a", por="none", checkpoint=str(tmp_path / "run"))
    assert any("CTL and saved graphs have no checkpoints; after --resume" in note for note in both.notes)


def test_a_product_that_is_damaged_or_another_one_is_refused(endless: Path, tmp_path: Path) -> None:
    system = mule.load(endless)
    options: dict[str, Any] = {**HOLDS, "checkpoint": str(tmp_path / "run")}
    system.check(**options, max_states=FEW)
    (file,) = search_files(tmp_path / "run")
    whole = file.read_bytes()

    def go_on(data: bytes, message: str) -> None:
        file.write_bytes(data)
        with pytest.raises(MuleError, match=message):
            system.check(**options, resume=True)

    for at in range(0, len(whole), len(whole) // 7):
        go_on(whole[:at], "this file is damaged")
        go_on(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :], "this file is damaged")
    body = whole[:-DIGEST_BYTES]
    go_on(with_digest(bytes([body[0] + 1]) + body[1:]), "written by another version of Mule")
    go_on(with_digest(body[:-200]), "damaged: it does not hold a whole search")
    other = {**VIOLATED, "checkpoint": str(tmp_path / "other")}
    system.check(**other, max_states=20)
    (foreign,) = search_files(tmp_path / "other")
    go_on(foreign.read_bytes(), "of another model or search")
    file.write_bytes(whole)
    assert system.check(**options, resume=True).holds


def test_an_interrupt_writes_a_product(endless: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mule.driving.BETWEEN_REPORTS", 0)
    model = mule.load(endless).model
    wanted = Properties(ltl=(HOLDS["ltl"],))
    options = Options(fairness="weak", por="none", checkpoint=str(tmp_path / "run"))
    assert check(model, wanted, options, lambda progress: progress.states < FEW).stopped == "interrupted"
    assert search_files(tmp_path / "run")
    again = check(model, wanted, options.but(resume=True, workers=2))
    assert counts(again) == counts(check(model, wanted, options.but(checkpoint=None, workers=2)))
