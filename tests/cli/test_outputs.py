"""Wherever the words of a command go, its exit status says what it found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mule.cli.main import COMMANDS as ALL_COMMANDS
from tests.benchmarks.corpora import COUNTER, corpus, facts, spin_search

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMANDS = {
    "check peterson.dve": 0,
    "check broken_mutex.dve --chart": 1,
    "check broken_mutex.dve --json": 1,
    "check peterson.dve --max-states 3": 3,
    "explore peterson.dve": 0,
    "simulate peterson.dve --seed 1 --steps 400 --json": 0,
    "simulate mailbox.pml --seed 1 --steps 400 --quiet": 0,
    "trail broken_mutex.dve {trail}": 1,
    "show peterson.dve": 0,
    "relations peterson.dve": 0,
    "validate peterson.dve": 0,
    "compare peterson.dve": 0,
    "automaton []<>a": 0,
    "graph peterson.dve": 0,
    "doctor": 0,
    "completion bash": 0,
    "bench promela-counts --models {models}": 0,
    "check --help": 0,
    "check missing.dve": 2,
    "check peterson.dve --por unheard-of": 2,
}
"""With their statuses."""
OUTPUTS = (">&-", ">/dev/full 2>/dev/full", "2>&1 | true")
BROKEN_PIPE = 141


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("files")
    with (trail := folder / "trail.json").open("wb") as out:
        command = [sys.executable, "-m", "mule", "check", str(EXAMPLES / "broken_mutex.dve"), "--json"]
        subprocess.run(command, stdout=out, check=False)
    models = corpus(folder, {"counter.pml": (COUNTER, facts(full=spin_search(73, 129)))}, [])
    return {"trail": trail, "models": models}


@pytest.mark.slow
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_the_status_does_not_hang_on_the_output(command: str, output: str, files: dict[str, Path]) -> None:
    words = " ".join(map(repr, command.format(**files).split()))
    line = f"set -o pipefail; {sys.executable} -m mule {words} {output}"
    done = subprocess.run(["bash", "-c", line], cwd=EXAMPLES, capture_output=True, text=True, check=False)
    known = {COMMANDS[command], BROKEN_PIPE} if "|" in output else {COMMANDS[command]}
    assert done.returncode in known, done.stderr
    assert "Traceback" not in done.stderr


def test_all_commands_are_tried() -> None:
    assert ALL_COMMANDS.keys() == {words.split()[0] for words in COMMANDS}
