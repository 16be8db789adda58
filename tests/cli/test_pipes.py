"""Models that come through a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DVE = (ROOT / "examples" / "peterson.dve").read_text()
PROMELA = (ROOT / "examples" / "mailbox.pml").read_text()
ACTORS = (ROOT / "examples" / "register.py").read_text()


def mule(*arguments: str, given: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mule", *arguments]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", ["check", "explore", "show", "relations", "simulate", "validate", "compare"])
def test_every_command_reads_standard_input(command: str) -> None:
    answer = mule(command, "-", given=DVE)
    assert answer.returncode == 0, answer.stderr
    assert "<stdin>" in answer.stdout


def test_a_pipe_that_has_a_name(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.write(write, PROMELA.encode())
    os.close(write)
    command = [sys.executable, "-m", "mule", "check", f"/dev/fd/{read}"]
    answer = subprocess.run(command, capture_output=True, text=True, pass_fds=[read], check=False)
    os.close(read)
    assert answer.returncode == 0, answer.stderr
    assert "holds  <pipe>" in answer.stdout
    assert "holds  <stdin>" in mule("check", "/dev/stdin", given=PROMELA).stdout


def test_python_is_run_only_where_it_is_asked_for(tmp_path: Path) -> None:
    trap = f"import pathlib\nfrom mule.actors import *\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n"
    answer = mule("check", "-", given=trap)
    assert answer.returncode == 2
    assert "to run it, say --language actors" in answer.stderr
    assert not (tmp_path / "ran").exists()
    assert mule("check", "-", "--language", "actors", given=ACTORS).returncode in (0, 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "nothing came, expected a model"),
        ("hello", "cannot tell the language"),
        ("active proctype P() { y = 1 }", "<stdin>:1:23: `y` is not declared"),
    ],
)
def test_mistakes(given: str, message: str) -> None:
    answer = mule("check", "-", given=given)
    assert answer.returncode == 2
    assert message in answer.stderr
    assert "Traceback" not in answer.stderr


def test_choices_do_not_come_after_the_model() -> None:
    answer = mule("simulate", "-", "--interactive", given=DVE)
    assert answer.returncode == 2
    assert "the model comes from standard input, so the choices cannot" in answer.stderr
