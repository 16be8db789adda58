from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from mule.benchmarks import figure8
from mule.cli import bench, main
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


def test_models_that_come_with_mule_need_no_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(figure8, "run", partial(figure8.run, cases=()))
    assert main(["bench", "figure8", "--time", "7"]) == 0
    assert "agree in 0 of 0 protocols" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "which benchmark? choose one of counts, reachability, "),
        (["nope"], "there is no benchmark 'nope': choose one of counts, "),
        (["table6"], "table6 needs --models DIR, a folder of this kind: PROMELA"),
        (["counts", "--models", "no/such"], "no/such is not a folder; counts needs one of this kind: DVE"),
        (["counts", "--models", "src"], "src has no expected.json; counts needs one of this kind: DVE"),
    ],
)
def test_what_is_missing_is_said(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_the_help_says_what_the_names_and_the_folders_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--help"]) == 0
    told = capsys.readouterr().out
    assert set(bench.FUNCTIONS) == set(bench.MEANINGS)
    assert all(f"  {name} " in told for name in bench.FUNCTIONS)
    assert "what the folder DIR holds:" in told
