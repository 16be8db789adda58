"""Commands run in this process, and models in files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from mule.cli.main import main


@dataclass(frozen=True)
class Run:
    status: int
    out: str
    err: str


Mule = Callable[..., Run]


@pytest.fixture
def mule(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Mule:
    """Runs a command in an empty folder; `into`: a file for what it prints."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, into: str | None = None) -> Run:
        status = main(arguments)
        captured = capsys.readouterr()
        if into is not None:
            Path(into).write_text(captured.out)
        return Run(status, captured.out, captured.err)

    return run
