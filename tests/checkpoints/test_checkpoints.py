"""Runs that are written and go on: with the same answer, or refused with a message."""

from __future__ import annotations

import fcntl
import json
import os
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

import pytest

import mule
from mule import _engine
from mule.checkpoints import DIGEST_BYTES, Run, Saving, read_run
from mule.cli.main import main
from mule.driving import Progress
from mule.errors import MuleError
from mule.exploring import explore
from mule.options import Options
from tests.checkpoints.killed import model
from tests.checkpoints.runs import FULL, go_on, search_files


@pytest.mark.parametrize("search", ["bfs", "dfs"])
@pytest.mark.parametrize("por", ["none", "deletion"])
def test_a_run_goes_on_beyond_its_limit(file: Path, tmp_path: Path, search: str, por: str) -> None:
    options: dict[str, Any] = {"por": por, "search": search, "invariant": "common < 5", "workers": 1}
    expected = mule.load(file).check(**options)
    directory = str(tmp_path / "run")
    limits = [expected.states // 4, expected.states // 2, None]
    for number, limit in enumerate(limits):
        found = mule.load(file).check(**options, checkpoint=directory, resume=number > 0, max_states=limit)
        assert (found.stopped == "states") == (limit is not None)
        assert search_files(Path(directory))
    assert found.holds
    assert (found.states, found.transitions) == (expected.states, expected.transitions)
    assert found.statistics.depth == expected.statistics.depth


@pytest.mark.parametrize(("begun", "resumed"), [(2, 3), (3, 1), (1, 2)])
def test_any_number_of_workers_goes_on(file: Path, tmp_path: Path, begun: int, resumed: int) -> None:
    options: dict[str, Any] = {"por": "none", "invariant": "common < 5", "as_written": True}
    expected = mule.load(file).check(**options, workers=1)
    options["checkpoint"] = str(tmp_path / "run")
    few = mule.load(file).check(**options, workers=begun, max_states=expected.states // 2)
    assert few.stopped == "states"
    found = mule.load(file).check(**options, workers=resumed, resume=True)
    assert found.holds
    assert (found.states, found.transitions) == (expected.states, expected.transitions)
    assert found.statistics.depth == expected.statistics.depth


def test_one_worker_goes_on_breadth_first(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(tmp_path / "run")
    asked = ["check", str(file), "--invariant", "common < 5", "--workers", "2"]
    assert main([*asked, "--checkpoint", run, "--max-states", "100"]) == 3
    (before,) = search_files(Path(run))
    with pytest.raises(MuleError, match="say --search bfs, too"):
        mule.load(file).check(invariant="common < 5", workers=1, checkpoint=run, resume=True)
    capsys.readouterr()
    assert main(["check", "--resume", run, "--workers", "1", "--max-states", "200", "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert (found["options"]["search"], found["options"]["workers"]) == ("bfs", 1)
    (after,) = search_files(Path(run))
    assert before.name.split(".")[0] == after.name.split(".")[0]
    assert main(["check", "--resume", run, "--workers", "2", "--max-states", "1000000"]) == 0


def test_several_workers_do_not_go_on_depth_first(file: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"invariant": "common < 5", "checkpoint": str(tmp_path / "run")}
    assert mule.load(file).check(**options, max_states=50).stopped == "states"
    with pytest.raises(MuleError, match=r"several workers search breadth first, and this run may not: leave out"):
        mule.load(file).check(**options, workers=2, resume=True)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_writes_a_checkpoint(
    file: Path, tmp_path: Path, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mule.driving.BETWEEN_REPORTS", 0.0)  # a fast machine would be done before the first one
    seen: list[int] = []

    def stop_later(progress: Progress) -> bool:
        seen.append(progress.states)
        return False

    file.write_text(model(6, 3, 3))
    options = Options(checkpoint=str(tmp_path / "run"), workers=workers, **FULL)
    found = explore(mule.load(file).model, options, progress=stop_later)
    assert found.stopped == "interrupted"
    assert any("--resume" in note for note in found.notes)
    again = explore(mule.load(file).model, options.but(resume=True))
    assert again.stopped is None
    assert again.states == mule.load(file).explore(**FULL).states
    assert again.states > seen[0] > 0


def test_resuming_needs_no_other_arguments(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(tmp_path / "run")
    asked = ["--por", "none", "--invariant", "P0->turns + P1->turns < 11", "--search", "bfs", "--as-written"]
    assert main(["check", str(file), *asked, "--workers", "1", "--json"]) == 1
    expected = json.loads(capsys.readouterr().out)
    assert main(["check", str(file), *asked, "--checkpoint", run, "--max-states", "100"]) == 3
    assert f"mule check --resume {run}" in capsys.readouterr().out.replace("\n             ", " ")
    file.unlink()
    assert main(["check", "--resume", run, "--max-states", "1000000", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    for name in ("verdict", "property", "states", "transitions", "depth"):
        assert found[name] == expected[name]
    assert found["violations"][0]["length"] == expected["violations"][0]["length"]
    assert main(["check", "--resume", run]) == 2
    assert "has come to its end" in capsys.readouterr().err


def test_a_problem_is_told_only_until_a_checkpoint_is_written(stopped: Path) -> None:
    class Search:
        disk_is_full = True

        def write(self, file: str) -> None:
            if self.disk_is_full:
                raise OSError("no space left")
            Path(file).write_bytes(b"states")

    run, search = Run(stopped, 1.0, read_run(stopped, "explore")), Search()
    saving = Saving(run, b"identity")
    saving.save(cast(_engine.Stepped, search))
    assert run.problem == "no space left"
    search.disk_is_full = False
    saving.save(cast(_engine.Stepped, search))
    assert run.problem == ""


def test_what_is_not_the_same_run_is_refused(file: Path, stopped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(MuleError, match="this run has other options: leave out --por"):
        go_on(file, stopped, por="deletion")
    with pytest.raises(MuleError, match="asked for other properties"):
        go_on(file, stopped, preserve="safety")
    other = file.with_name("other.dve")
    other.write_text(model(3, 6, 4))
    with pytest.raises(MuleError, match="of another model"):
        go_on(other, stopped)
    assert main(["check", "--resume", str(stopped)]) == 2
    assert "this run is one of `mule explore`" in capsys.readouterr().err
    with pytest.raises(MuleError, match="not empty: go on with the run in it by --resume"):
        mule.load(file).explore(checkpoint=str(stopped))
    with pytest.raises(MuleError, match="there is no run to go on with"):
        go_on(file, stopped / "missing")


def test_a_run_is_that_of_one_command_at_a_time(file: Path, stopped: Path) -> None:
    """Two would remove each other's files."""
    handle = os.open(stopped, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        with pytest.raises(MuleError, match="another command is at work on this run"):
            go_on(file, stopped)
        assert len(search_files(stopped)) == 1
    finally:
        os.close(handle)
    with pytest.raises(MuleError, match="leave out --por"):
        go_on(file, stopped, por="deletion")
    go_on(file, stopped)


def test_what_is_asked_again_is_not_taken_for_something_left_out(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Although it is what is meant where nothing is said."""
    run = str(tmp_path / "run")
    begun = ["--ltl", "[]<>(common < 5)", "--fairness", "weak", "--por", "none", "--checkpoint", run]
    assert main(["check", str(file), *begun, "--max-states", "100"]) == 3
    for option, word in (("--fairness", "none"), ("--por", "auto")):
        assert main(["check", "--resume", run, option, word]) == 2
        assert f"this run has other options: leave out {option}" in capsys.readouterr().err
    assert main(["check", "--resume", run, "--fairness", "weak", "--por", "none", "--max-states", "200"]) == 3

    run = str(tmp_path / "explored")
    begun = ["--preserve", "safety", "--por", "none", "--checkpoint", run]
    assert main(["explore", str(file), *begun, "--max-states", "100"]) == 3
    capsys.readouterr()
    assert main(["explore", "--resume", run, "--preserve", "deadlocks"]) == 2
    assert "this run preserves safety: leave out --preserve" in capsys.readouterr().err
    assert main(["explore", "--resume", run, "--preserve", "safety", "--max-states", "200"]) == 3


def test_a_run_that_goes_on_is_of_the_model_that_it_was(stopped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for option, word in (("-D", "N=3"), ("--processes", "3")):
        assert main(["explore", "--resume", str(stopped), option, word]) == 2
        assert f"this run has its model in it: {option} has no effect" in capsys.readouterr().err


WATCHED = """
byte x = 0, seen = 0;
process Counter { state a; init a; trans a -> a { guard x < 90; effect x = x + 1; }; }
process Watcher { state a, b; init a; trans a -> b { guard x == 5; effect seen = 1; }; }
system async;
"""
RELATIONS = """
from mule.lpor import LporRelations

class Relations(LporRelations):
    def __init__(self, model): pass
    def dep(self, t1, t): return DEPENDENT or t1.moves[0].process == t.moves[0].process
    can_enable = dep
"""


def test_relations_that_were_mended_search_anew(tmp_path: Path) -> None:
    """The wrong ones leave the watcher behind."""
    watched, relations = tmp_path / "watched.dve", tmp_path / "relations.py"
    watched.write_text(WATCHED)
    asked: dict[str, Any] = {"invariant": "seen == 0", "lpor": f"{relations}:Relations", "search": "bfs"}
    asked["checkpoint"] = str(tmp_path / "run")
    relations.write_text(RELATIONS.replace("DEPENDENT", "False"))
    assert mule.load(watched).check(**asked, max_states=40).stopped == "states"
    relations.write_text(RELATIONS.replace("DEPENDENT", "True"))
    assert mule.load(watched).check(**asked, resume=True, max_states=1000).violations


def with_digest(data: bytes) -> bytes:
    return data + blake2b(data, digest_size=DIGEST_BYTES).digest()


def test_a_search_of_another_kind_or_version_is_refused(file: Path, stopped: Path, tmp_path: Path) -> None:
    (search,) = search_files(stopped)
    body = search.read_bytes()[:-DIGEST_BYTES]
    search.write_bytes(with_digest(bytes([body[0] + 1]) + body[1:]))
    with pytest.raises(MuleError, match="written by another version of Mule"):
        go_on(file, stopped)
    search.write_bytes(with_digest(b"something else entirely"))
    with pytest.raises(MuleError, match="holds no search of Mule"):
        go_on(file, stopped)
    foreign = tmp_path / "foreign"
    mule.load(file).explore(por="none", search="dfs", checkpoint=str(foreign), max_states=300)
    (other,) = search_files(foreign)
    search.write_bytes(other.read_bytes())
    with pytest.raises(MuleError, match="of another model or search"):
        go_on(file, stopped)


def test_a_run_of_another_version_is_refused(file: Path, stopped: Path) -> None:
    path = stopped / "run.json"
    known = json.loads(path.read_text())
    path.write_text(json.dumps(known | {"mule": "99.0"}))
    with pytest.raises(MuleError, match=r"begun by Mule 99\.0, .* go on with that one"):
        go_on(file, stopped)


@pytest.mark.parametrize(
    "options",
    [{"search": "astar"}, {"por": "dpor"}, {"stateless": True}],
    ids=lambda options: str(*options),
)
def test_other_searches_have_no_checkpoints(file: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(MuleError, match="checkpoint"):
        mule.load(file).check(deadlock=True, checkpoint=str(tmp_path / "run"), **options)


def test_the_model_is_the_same_where_a_run_without_reduction_goes_on(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(tmp_path / "run")
    asked = ["check", str(file), "--por", "none", "--deadlock"]
    assert main([*asked, "--checkpoint", str(tmp_path / "other"), "--json"]) == 1
    expected = json.loads(capsys.readouterr().out)
    assert main([*asked, "--checkpoint", run, "--max-states", "100"]) == 3
    (before,) = search_files(Path(run))
    capsys.readouterr()
    assert main(["check", "--resume", run, "--max-states", "200"]) == 3
    (after,) = search_files(Path(run))
    assert before.name.split(".")[0] == after.name.split(".")[0]
    capsys.readouterr()
    assert main(["check", "--resume", run, "--max-states", "1000000", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["states"], found["transitions"]) == (expected["states"], expected["transitions"])


def test_an_answer_that_nobody_has_heard_is_told_again(file: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"invariant": "common < 5", "search": "bfs", "checkpoint": str(tmp_path / "run")}
    first = mule.load(file).check(**options)
    again = mule.load(file).check(**options, resume=True)
    assert first.holds
    assert again.holds
    assert again.states == first.states
