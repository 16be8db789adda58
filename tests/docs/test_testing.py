"""docs/testing.md: its files are written, its suite passes, and the commands of its workflow succeed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mule
from mule.cli.main import main

pytestmark = pytest.mark.slow

FENCE = re.compile(r"^```(\w+) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGE = (Path(__file__).parents[2] / "docs" / "testing.md").read_text()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert PAGE.count("\n```") == 2 * len(FENCE.findall(PAGE)), "a block that no file is named for"
    for _, name, text in FENCE.findall(PAGE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def suite() -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(mule.__file__).parents[1])}
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(words, capture_output=True, text=True, check=False, env=environment)


def test_the_suite_passes_and_keeps_the_report_of_what_fails(project: Path) -> None:
    done = suite()
    assert "5 passed" in done.stdout
    assert not (project / "reports").exists()
    lock = project / "lock.pml"
    lock.write_text(lock.read_text().replace("atomic { !locked -> locked = true }", "(!locked); locked = true"))
    done = suite()
    assert done.returncode == 1
    assert "violated" in done.stdout
    assert (project / "reports" / "test_only_one_client_is_inside[2].html").read_text().startswith("<!doctype html>")


def test_the_commands_of_the_workflow(project: Path) -> None:
    workflow = (project / ".github/workflows/models.yml").read_text()
    commands = [line.split() for line in re.findall(r"^ +- run: (.*)$", workflow, re.MULTILINE)]
    programs = [words[0] for words in commands]
    assert programs == ["pip", "mkdir", "mule", "python"], "each kind is tried below"
    (project / "reports").mkdir()
    assert main(commands[2][1:]) == 0
    assert (project / "reports" / "lock.html").exists()
