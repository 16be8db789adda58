"""Runs on a cluster that are written and go on: with the same answer, or refused with a message."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mule.checking import check
from mule.checkpoints import finish
from mule.cluster.cuts import Cut, CutCheckpoints, Cuts, Shelf, why_not_shared
from mule.errors import MuleError
from mule.exploring import explore
from mule.frontends import load_text
from mule.model import Model
from mule.options import FRAGMENTED, Options, Proviso
from mule.properties import Properties
from mule.results import Result
from tests.checkpoints.killed import compare, model
from tests.checkpoints.runs import damaged
from tests.cluster.resumed import KilledError, disturbed, mortal_partitions, try_model

FULL = Options(por="none", search="bfs", as_written=True, cluster="local:3")
PARTS = 3
VIOLATED_AT_THE_END = "P0->turns + P1->turns + P2->turns + P3->turns + P4->turns < 15"


@pytest.fixture(scope="module")
def counters() -> Model:
    return load_text(model(3, 6, 3), "counters.dve", "dve")


@pytest.fixture(scope="module")
def alone(counters: Model) -> Result:
    return explore(counters, FULL.but(cluster=None))


def asked(counters: Model, options: Options, life: int | None = None) -> Result:
    with mortal_partitions(PARTS, random.Random(0), life):
        return explore(counters, options)


@pytest.fixture
def stopped(counters: Model, tmp_path: Path) -> Path:
    """A run that waits to be resumed."""
    directory = tmp_path / "run"
    found = asked(counters, FULL.but(checkpoint=str(directory), max_states=300))
    assert found.stopped == "states"
    return directory


def go_on(counters: Model, directory: Path, **options: object) -> Result:
    return asked(counters, FULL.but(checkpoint=str(directory), resume=True).but(**options))


def record_in(directory: Path) -> Path:
    (found,) = directory.glob("*.cut")
    return found


def partitions_in(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.partition"))


def test_a_run_goes_on_beyond_its_limit(counters: Model, alone: Result, stopped: Path) -> None:
    assert len(partitions_in(stopped)) == PARTS
    found = go_on(counters, stopped)
    assert (found.states, found.transitions) == (alone.states, alone.transitions)
    finish(stopped, "explore")
    assert [path.name for path in stopped.iterdir()] == ["run.json"]


def test_a_limit_ends_all_partitions_soon(counters: Model, alone: Result, tmp_path: Path) -> None:
    found = asked(counters, FULL.but(checkpoint=str(tmp_path / "run"), max_states=10))
    assert found.stopped == "states"
    assert 10 < found.states < alone.states // 4
    assert "to go on: mule explore --resume" in " ".join(found.notes)


@pytest.mark.parametrize("proviso", ["closed-", "duplicate-", "duplicate", "static", *FRAGMENTED])
def test_every_proviso_goes_on(counters: Model, proviso: Proviso, tmp_path: Path) -> None:
    options = Options(por="deletion", proviso=proviso, cluster="local:3")
    invariant = Properties(invariants=("common < 5",))
    for seed in range(3):
        chosen = random.Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        found = disturbed(lambda each: check(counters, invariant, each), options, PARTS, chosen, folder)
        assert found.holds


def test_a_cut_that_was_not_completed_is_not_read(counters: Model, alone: Result, stopped: Path) -> None:
    record, before = record_in(stopped), {path.name: path.read_bytes() for path in partitions_in(stopped)}
    for life in range(0, 40, 3):
        for path in stopped.glob("*.partition"):
            if path.name not in before:
                path.unlink()
        with pytest.raises(KilledError), mortal_partitions(PARTS, random.Random(life), life):
            explore(counters, FULL.but(checkpoint=str(stopped), resume=True))
        if not record.exists():
            break
        assert {path.name: path.read_bytes() for path in partitions_in(stopped)}.items() >= before.items()
    found = go_on(counters, stopped)
    assert (found.states, found.transitions) == (alone.states, alone.transitions)


class Waiting:
    """What takes the place of a run's search."""

    stem, every = "0" * 32, 1.0

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.problem = ""

    def note(self, problem: str) -> None:
        self.problem = problem


def test_what_cannot_be_recorded_leaves_the_last_cut_whole(stopped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many cuts come after it."""
    waiting = Waiting(stopped)
    kept = CutCheckpoints(waiting)  # type: ignore[arg-type]
    partition: Any = SimpleNamespace(search=SimpleNamespace(write=lambda path: Path(path).write_text("states")))

    def make_cut(number: int) -> Cut:
        cut = Cut(number, kept.shelf.team, tuple(Cuts(kept.shelf, part).write(partition, number) for part in range(2)))
        kept.record(cut)
        return cut

    @contextmanager
    def full(_: Path) -> Iterator[None]:
        raise OSError(28, "No space left on device")
        yield

    last = make_cut(1)
    with monkeypatch.context() as patched:
        patched.setattr("mule.cluster.cuts.written_whole", full)
        for number in range(2, 6):
            make_cut(number)
    assert "No space left" in waiting.problem
    assert CutCheckpoints(waiting).last == last  # type: ignore[arg-type]
    for part in range(2):
        assert kept.shelf.file(1, part).read_text() == "states"
        assert [each for each in range(1, 6) if kept.shelf.file(each, part).exists()] == [1, 4, 5]
    assert make_cut(6) == CutCheckpoints(waiting).last  # type: ignore[arg-type]
    assert not kept.shelf.file(1, 0).exists()


def test_a_partition_that_is_cut_short_or_changed_is_refused(counters: Model, stopped: Path) -> None:
    for part, path in enumerate(partitions_in(stopped)):
        whole = path.read_bytes()
        for data in damaged(whole, 1024 if part == 0 else 30_000):
            path.write_bytes(data)
            with pytest.raises(MuleError, match="this file is damaged, or not one of the last cut") as raised:
                go_on(counters, stopped)
            assert str(path) in str(raised.value)
        path.write_bytes(whole)
    go_on(counters, stopped)


def test_partitions_that_are_missing_or_of_others_are_refused(counters: Model, stopped: Path) -> None:
    first, second, _ = partitions_in(stopped)
    whole = first.read_bytes()
    first.write_bytes(second.read_bytes())
    with pytest.raises(MuleError, match="not one of the last cut"):
        go_on(counters, stopped)
    first.unlink()
    with pytest.raises(MuleError, match="cannot be read \\(No such file"):
        go_on(counters, stopped)
    first.write_bytes(whole)
    go_on(counters, stopped)


def test_a_record_that_is_cut_short_or_changed_is_refused(counters: Model, stopped: Path) -> None:
    path = record_in(stopped)
    whole = path.read_bytes()
    for data in damaged(whole, 5):
        path.write_bytes(data)
        with pytest.raises(MuleError, match=r"this file is damaged|was begun by Mule"):
            go_on(counters, stopped)
    known = json.loads(whole)
    path.write_text(json.dumps(known | {"format": 99}))
    with pytest.raises(MuleError, match="was begun by Mule"):
        go_on(counters, stopped)
    path.write_bytes(whole)
    go_on(counters, stopped)


def test_a_run_of_a_cluster_stays_one(counters: Model, stopped: Path, tmp_path: Path) -> None:
    with pytest.raises(MuleError, match="one of a cluster: say --cluster, too"):
        explore(counters, FULL.but(checkpoint=str(stopped), resume=True, cluster=None))
    other = tmp_path / "other"
    explore(counters, FULL.but(checkpoint=str(other), cluster=None, max_states=300))
    with pytest.raises(MuleError, match="searched by one machine: leave out --cluster"):
        go_on(counters, other)


def test_another_number_of_workers_is_refused(counters: Model, stopped: Path) -> None:
    options = FULL.but(checkpoint=str(stopped), resume=True)
    with pytest.raises(MuleError, match="this run has 3 workers: say --cluster local:3"):
        explore(counters, options.but(cluster="local:2"))


def test_another_number_of_threads_is_refused(counters: Model, stopped: Path) -> None:
    options = FULL.but(checkpoint=str(stopped), resume=True)
    with pytest.raises(MuleError, match="threads, and keeps them: leave out --workers"):
        explore(counters, options.but(workers=7))


def test_a_folder_that_is_not_shared_is_told(stopped: Path, tmp_path: Path) -> None:
    shelf = CutCheckpoints(Waiting(stopped)).shelf  # type: ignore[arg-type]
    assert why_not_shared(shelf) is None
    elsewhere = Shelf(tmp_path / "elsewhere", shelf.stem, shelf.team, shelf.run)
    assert "cannot be seen: with --checkpoint all machines have to share" in str(why_not_shared(elsewhere))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "run.json").write_text("{}")
    assert "another run in" in str(why_not_shared(elsewhere))


@pytest.mark.slow
@pytest.mark.parametrize("proviso", ["none", "closed-", "duplicate-", "duplicate", "static", *FRAGMENTED])
@pytest.mark.parametrize("invariant", ["common < 5", VIOLATED_AT_THE_END])
def test_a_run_goes_on_with_more_memory(proviso: Proviso, invariant: str, tmp_path: Path) -> None:
    """Partitions are full before they have met all of their states, some at once after they are resumed."""
    large = load_text(model(5, 3, 3), "large.dve", "dve")
    wanted = Properties(invariants=(invariant,))
    options = Options(por="none" if proviso == "none" else "deletion", proviso=proviso, as_written=True)
    options = options.but(cluster="local:3", checkpoint=str(tmp_path / "run"))
    stops = []
    for memory in (300_000, 300_000, 700_000, None):
        with mortal_partitions(PARTS, random.Random(memory), None, memory):
            found = check(large, wanted, options)
        stops.append(found.stopped)
        options = options.but(resume=True)
        if found.stopped is None:
            break
    if found.holds or proviso not in FRAGMENTED:  # depth first the violation is near
        assert stops[:2] == ["memory", "memory"]
    alone = check(large, wanted, Options(por="none", as_written=True))
    assert found.verdict is alone.verdict
    if proviso == "none" and found.holds:
        assert (found.states, found.transitions) == (alone.states, alone.transitions)


@pytest.mark.slow
def test_a_leader_that_is_killed_is_resumed_on_a_real_cluster() -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'mule-checker[cluster]'")
    assert compare(2, "cluster") > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_random_models(seed: int) -> None:
    try_model(seed)
