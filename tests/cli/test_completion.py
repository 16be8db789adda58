"""Real shells, in a terminal of their own, complete what is typed."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import sys
from importlib import import_module
from pathlib import Path

import pytest

from mule.cli.completion import SHELLS, command_lines
from mule.cli.main import COMMANDS, main

TYPED = {
    "mule expl": "explore",
    "mule check par": "check part.pml",
    "mule check part.pml --asser": "check part.pml --assertions",
    "mule check part.pml --por no": "check part.pml --por none",
    "mule check part.pml --por=no": "check part.pml --por=none",
    "mule check part.pml --spill fold": "check part.pml --spill folder",
    "mule check part.pml --report par": "check part.pml --report part.pml",
    "mule check part.pml --time par": "check part.pml --time par",
    "mule trail part.pml par": "trail part.pml part.pml",
    "mule automaton --transl": "automaton --translator",
    "mule bench promela-cou": "bench promela-counts",
    "mule doctor --js": "doctor --json",
    "mule completion zs": "completion zsh",
}
"""What is typed before the tabulator, and the words that mule gets then."""

STARTED = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
PREPARED = {
    "bash": 'source ./script; mule() { echo "[got:$*]"; }\r',
    "zsh": 'autoload -U compinit; compinit -u -D; source ./script; mule() { echo "[got:$*]"; }\r',
    "fish": 'source ./script; function mule; echo "[got:$argv]"; end\r',
}
ANSWER = r"\[got:([^\]\n$]*)\]"
PATIENCE = 60
"""Seconds until a shell that says nothing is given up."""


class Terminal:
    """A shell that believes that somebody types."""

    def __init__(self, shell: str, folder: Path) -> None:
        words = STARTED[shell]
        environment = {**os.environ, "HOME": str(folder), "TERM": "dumb", "INPUTRC": "/dev/null", "COLUMNS": "200"}
        self.process, self.master = pty.fork()
        if not self.process:
            os.chdir(folder)
            os.execvpe(words[0], words, environment)
        self.type(PREPARED[shell])
        self.type("mule ready\r")
        assert self.wait_for(ANSWER) == "ready"

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait_for(self, wanted: str) -> str:
        seen = ""
        while (found := re.search(wanted, seen)) is None:
            assert select.select([self.master], [], [], PATIENCE)[0], f"only this came: {seen!r}"
            seen += os.read(self.master, 65536).decode(errors="replace")
        return found[1]

    def completed(self, typed: str) -> str:
        self.type(f"{typed}\t\r")
        return self.wait_for(ANSWER).strip().removesuffix("/")

    def close(self) -> None:
        os.close(self.master)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    assert main(["completion", shell]) == 0
    (tmp_path / "script").write_text(capsys.readouterr().out)
    (tmp_path / "part.pml").touch()
    (tmp_path / "folder").mkdir()
    terminal = Terminal(shell, tmp_path)
    try:
        assert {typed: terminal.completed(typed) for typed in TYPED} == TYPED
    finally:
        terminal.close()


def test_every_option_and_choice_is_completed() -> None:
    """The words are those of the parsers, so that none can be forgotten."""
    lines = {line.command: line for line in command_lines()}
    assert lines.keys() == COMMANDS.keys()
    (por,) = (option for option in lines["check"].options if "--por" in option.names)
    assert {"auto", "none", "deletion", "dpor"} <= set(por.value.words)
    assert {name for option in lines["trail"].options for name in option.names} >= {"-c", "--chart", "-o", "--output"}
    assert import_module("mule.cli.bench").MEANINGS.keys() == set(lines["bench"].operands[0].words)


def test_the_scripts_are_short_and_quick(capsys: pytest.CaptureFixture[str]) -> None:
    """A shell reads them each time it starts: nothing of Mule is run while somebody types."""
    for shell in SHELLS:
        main(["completion", shell])
        script = capsys.readouterr().out
        assert len(script) < 50_000
        assert sys.executable not in script
