from __future__ import annotations

from pathlib import Path

import pytest

from mule.cli import main
from tests.benchmarks.corpora import COUNTER, corpus, facts, spin_search


def test_the_command_runs_a_benchmark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = corpus(tmp_path, {"counter.pml": (COUNTER, facts(full=spin_search(73, 129)))}, [])
    assert main(["bench", "promela-counts", "--models", str(models)]) == 0
    assert "1 of 1 models have SPIN's number of states" in capsys.readouterr().out


def test_limits_reach_the_benchmark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = corpus(tmp_path, {"counter.pml": (COUNTER, facts())}, [])
    assert main(["bench", "promela-verdicts", "--models", str(models), "--time", "7"]) == 0
    assert "could not be decided in 7 s" in capsys.readouterr().out


def test_a_limit_that_the_benchmark_does_not_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "promela-counts", "--models", str(tmp_path), "--rounds", "2"]) == 2
    assert "the benchmark promela-counts has no --rounds" in capsys.readouterr().err
