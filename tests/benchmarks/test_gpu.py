"""What is compared with the GPU's counts; this computer takes its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.benchmarks import gpu
from mule.options import Options
from tests.benchmarks.corpora import COUNTER, corpus, facts, printed, spin_search


@pytest.fixture(autouse=True)
def _no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "require_gpu", lambda: None)
    monkeypatch.setattr(gpu, "_DEVICE", Options(por="none", as_written=True))
    monkeypatch.setattr(gpu, "LEAST_STATES", {"dve": 10, "promela": 10})


@pytest.mark.parametrize(("states", "status"), [(73, 0), (72, 0)])
def test_a_search_here_that_is_done_decides(states: int, status: int, tmp_path: Path) -> None:
    models = corpus(tmp_path, {"counter.pml": (COUNTER, facts(full=spin_search(states, 129)))}, [])
    assert printed(gpu.run, models)[0] == status


@pytest.mark.parametrize(("states", "status", "told"), [(73, 0, "not finished"), (72, 1, "1 models have other counts")])
def test_otherwise_the_reference_tool_does(states: int, status: int, told: str, tmp_path: Path) -> None:
    models = corpus(tmp_path, {"counter.pml": (COUNTER, facts(full=spin_search(states, 129)))}, [])
    found, text = printed(gpu.run, models, time=1e-9)
    assert (found, told in text) == (status, True)


def test_small_models_and_unknown_counts_are_left_out(tmp_path: Path) -> None:
    few, unknown = facts(full=spin_search(9, 9)), facts(full=spin_search(73, 129, complete=False))
    models = corpus(tmp_path, {"few.pml": (COUNTER, few), "unknown.pml": (COUNTER, unknown)}, [])
    assert ".pml" not in printed(gpu.run, models)[1]
