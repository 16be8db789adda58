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


@pytest.mark.parametrize(("states", "shown"), [(73, False), (72, True)])
def test_another_count_of_the_reference_tool_is_shown(states: int, shown: bool, tmp_path: Path) -> None:
    models = corpus(tmp_path, {"counter.pml": (COUNTER, facts(full=spin_search(states, 129)))}, [])
    status, text = printed(gpu.run, models)
    assert (status, f"(reference: {states})" in text) == (0, shown)
    assert "not finished" in printed(gpu.run, models, time=1e-9)[1]


def test_another_count_than_this_computer_s_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "_DEVICE", Options(por="none"))  # the model made smaller
    models = corpus(tmp_path, {"counter.pml": (COUNTER, facts(full=spin_search(73, 129)))}, [])
    status, text = printed(gpu.run, models)
    assert (status, "1 models have other counts" in text) == (1, True)


def test_small_models_and_unknown_counts_are_left_out(tmp_path: Path) -> None:
    few, unknown = facts(full=spin_search(9, 9)), facts(full=spin_search(73, 129, complete=False))
    models = corpus(tmp_path, {"few.pml": (COUNTER, few), "unknown.pml": (COUNTER, unknown)}, [])
    assert ".pml" not in printed(gpu.run, models)[1]
