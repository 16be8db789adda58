"""What happens to runs whose process is killed, and whose files are damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

import mule
from mule.checkpoints import require_whole
from mule.errors import MuleError
from tests.checkpoints.killed import compare, compare_temporal
from tests.checkpoints.runs import damaged, go_on, search_files, stopped_run

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", [3, 5, 8])
def test_a_run_that_is_killed_and_resumed_ends_as_one_that_nobody_disturbs(seed: int) -> None:
    compare(seed)


@pytest.mark.parametrize("seed", [3, 6, 9])
def test_workers_that_are_killed_and_resumed_end_as_one_that_nobody_disturbs(seed: int) -> None:
    compare(seed, "workers")


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_a_temporal_property_that_is_killed_and_resumed_ends_as_one_that_nobody_disturbs(seed: int) -> None:
    compare_temporal(seed)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_search_that_is_cut_short_or_changed_is_refused(file: Path, tmp_path: Path, workers: int) -> None:
    stopped = stopped_run(file, tmp_path / "run", workers=workers)
    (search,) = search_files(stopped)
    whole = search.read_bytes()
    system = mule.load(file)
    for number, data in enumerate(damaged(whole, 1024)):
        search.write_bytes(data)
        with pytest.raises(MuleError, match="this file is damaged"):
            require_whole(search)
        if number % 16 < 2:
            with pytest.raises(MuleError, match="this file is damaged"):
                go_on(system, stopped, workers=workers)
    search.write_bytes(whole)
    go_on(system, stopped, workers=3 - workers)


def test_a_description_that_is_cut_short_or_changed_is_refused(file: Path, stopped: Path) -> None:
    path = stopped / "run.json"
    whole = path.read_bytes()
    system = mule.load(file)
    for data in damaged(whole, 37):
        path.write_bytes(data)
        with pytest.raises(MuleError, match=r"this file is damaged|was begun by Mule"):
            go_on(system, stopped)
    path.write_bytes(whole)
    go_on(system, stopped)
