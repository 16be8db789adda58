"""docs/coming-from.md: every command of Mule that it names runs, on models for which its words make sense."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from mule.cli.completion import command_lines
from mule.cli.main import COMMANDS, main, parser_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "coming-from.md").read_text()
NAMED = [line.replace("\\|", "|") for line in re.findall(r"`(mule [^`]+)`", PAGE)]
MODELS = {"m.pml": "mailbox.pml", "m.dve": "philosophers.dve", "m.py": "two_phase_commit.py"}
ONLY_READ = ("--serve", "--interactive", "--cluster", "m.pml.trail")
"""These wait for a person, start Ray, or need SPIN, and have tests of their own: here only their words are read."""


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    for name, example in MODELS.items():
        shutil.copy(ROOT / "examples" / example, name)
    main(["check", "m.dve", "--json"])
    Path("FILE").write_text(capsys.readouterr().out)


def commands() -> list[str]:
    assert len(NAMED) > 50
    return [line for line in NAMED if "--resume" not in line]


@pytest.mark.parametrize("line", sorted(set(commands())))
def test_it_runs(line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(line)[1:]
    if any(word in ONLY_READ for word in words):
        assert parser_of(words[0]).parse_args(words[1:])
        return
    status = main(words)
    assert status in (0, 1, 3), capsys.readouterr().err
    assert status != 3 or "--store" in words or "--max-states" in words, "decided"


def test_a_run_is_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = (line for line in NAMED if "--resume" in line)
    (begin,) = (line for line in NAMED if "--checkpoint" in line)
    assert main([*shlex.split(begin)[1:], "--max-states", "5"]) == 3
    assert main([*shlex.split(line)[1:], "--max-states", "100000"]) == 0


def test_every_option_in_code_exists() -> None:
    known = {name for line in command_lines() for option in line.options for name in option.names}
    right = [row.split(" | ")[-1] for row in PAGE.splitlines() if row.startswith("| ")]
    named = {
        word for cell in right for code in re.findall(r"`([^`]+)`", cell) for word in re.findall(r"--[\w-]+", code)
    }
    assert named <= known
    assert {line.split()[1] for line in NAMED} <= COMMANDS.keys()
