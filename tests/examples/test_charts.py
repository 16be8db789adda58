"""Message sequence charts of trails."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"
HEADING = ["coordinator", "participant", "1", "participant", "2"]


def test_check_draws_the_trail(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    file = str(EXAMPLES / "two_phase_commit.py")
    asked = ["-D", "participants=2", "-D", "bug=1", "--por", "none", "--chart", "--assertions"]
    assert main(["check", file, *asked]) == 1
    lines = capsys.readouterr().out.splitlines()
    heading = [number for number, line in enumerate(lines) if line.split() == HEADING][-1]
    assert lines[heading + 1].startswith("   1  * ask ")
    assert lines[heading + 2].startswith("      |---- Prepare -----. |")
    assert any(">* Prepare" in line for line in lines[heading:])
    assert any(">* Decision True" in line for line in lines[heading:])
    assert lines[-1].startswith("x assertion self.state is State.PREPARED")


def test_there_is_no_chart_where_nothing_is_violated(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(EXAMPLES / "two_phase_commit.py"), "-D", "participants=2", "--chart"]) == 0
    assert "|" not in capsys.readouterr().out
