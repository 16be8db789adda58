"""Somebody who follows a page of the documentation: writes its files, runs its commands, reads what they print."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import mule
from mule.cli.main import main
from tests.docs.blocks import Code, Command, Script

ROOT = Path(__file__).parents[2]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), *sorted(ROOT.glob("*.md"))]
DVE = ROOT.parent / "shared" / "models" / "dve"

NOT_HERE = {
    r"pip install |python3 -m venv ": "it installs something, from the network",
    r"^(helm|kubectl|ray) ": "it needs a cluster of machines",
    r" --cluster\b": "it starts Ray, as tests/cluster does",
    r" --gpu\b|\btests\.gpu\b| -m gpu$": "it needs a GPU, as tests/gpu does",
    r" --serve\b": "it waits for a browser, as tests/pages does",
    r" m\.pml\.trail$": "it needs a trail of SPIN's; docs/trails.md makes one",
    r"^mule bench ": "it takes minutes; tests/benchmarks runs each on models that take seconds",
    r"python -m tests\.": "it takes minutes; a sample of it is a test",
    r"^(\.ci/run|cmake|MULE_FUZZ=|LD_PRELOAD=)|\bmkdocs |\bpytest( -n 2| tests/)": "it is what runs this test",
    r"/\.(bash|zsh)rc$": "it changes the files of its user; tests/cli/test_completion.py runs what it writes",
}
"""Commands that do not run in this test, and why not. Their words are read all the same."""

INSTEAD = {
    "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/mule check examples/broken_mutex.dve": (
        "mule check examples/broken_mutex.dve"
    ),
    "mule completion fish > ~/.config/fish/completions/mule.fish": "mule completion fish > mule.fish",
    "mule check model.pml --workers 16": "mule check model.pml --workers 2",
    "mule check MODEL --lpor FILE.py:Class": (
        "mule check examples/philosophers.pnml --lpor src/mule/frontends/pnml/lpor.py:NetRelations"
    ),
    "mule check MODEL --por dpor-classic": "mule check MODEL --por dpor-classic --max-states 1000",
    "mule check m.py --deadlock --search bfs --checkpoint run": (
        "mule check m.py --deadlock --search bfs --checkpoint run --max-states 5"
    ),
    "mule check m.py --resume run": "mule check m.py --resume run --max-states 100000",
}
"""The same thing smaller, or without what belongs to the user."""

STANDS_FOR = {
    "MODEL": "examples/echo_multicast.py",
    "FILE": "found.json",
    "m.pml": "examples/mailbox.pml",
    "model.pml": "examples/mailbox.pml",
    "m.dve": "examples/philosophers.dve",
    "model.dve": "examples/philosophers.dve",
    "m.py": "examples/two_phase_commit.py",
    "peterson.4.dve": str(DVE / "peterson.4.dve"),
}
"""Which model a name means on pages that do not show one."""

COLUMNS = {"README.md": "100"}
"""Of the terminal for which a page shows output, where that is not 80."""
TYPED = "q\n"
"""What a person answers."""


class NotSoError(Exception):
    """What the page says is not so."""


class Reader:
    def __init__(self, directory: Path, page: str) -> None:
        self.directory, self.columns = directory, COLUMNS.get(page, "80")
        self._not_begun: set[str] = set()
        """Runs with checkpoints whose first command does not run here."""
        for name in ("examples", "src"):
            (directory / name).symlink_to(ROOT / name)

    def write(self, code: Code) -> None:
        file = self.directory / code.file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code.added_to(file.read_text() if file.exists() else ""))

    def run(self, command: Command) -> list[str] | None:
        """What it prints; None: it does not run here."""
        text = INSTEAD.get(command.text, command.text)
        resumed = re.search(r"--resume (\S+)", text)
        if why_not_here(text) is not None or (resumed is not None and resumed[1] in self._not_begun):
            self._not_begun.update(re.findall(r"--checkpoint (\S+)", text))
            return None
        text = " ".join(self._real(word) for word in text.split(" "))
        with self._at_home():
            if not text.startswith("mule "):
                return _by_the_shell(text)
            here, _, target = text.partition(" > ")
            here, _, reader = here.partition(" | ")
            target, piped = (target, reader) if reader == "" else ("", f"{reader} > {target}" if target else reader)
            output = _by_mule(
                shlex.split(here)[1:], refused=command.output[:1] != () and command.output[0][:6] == "mule: "
            )
        if target:
            (self.directory / target).write_text(output)
            return []
        if piped:
            with self._at_home():
                return _by_the_shell(piped, output) if shutil.which(piped.split()[0]) else None
        return output.splitlines()

    def execute(self, script: Script) -> None:
        """Python code; the last line may be one that fails in a test."""
        fails = script.text.splitlines()[-1].startswith("result.assert_holds()")
        with self._at_home(), redirect_stdout(io.StringIO()):
            try:
                exec(compile(script.text, f"line {script.line}", "exec"), {"mule": mule})
            except AssertionError:
                if not fails:
                    raise

    def _real(self, word: str) -> str:
        return word if word not in STANDS_FOR or (self.directory / word).exists() else STANDS_FOR[word]

    @contextmanager
    def _at_home(self) -> Iterator[None]:
        before, columns = Path.cwd(), os.environ.get("COLUMNS")
        os.chdir(self.directory)
        os.environ["COLUMNS"] = self.columns
        try:
            yield
        finally:
            os.chdir(before)
            if columns is None:
                del os.environ["COLUMNS"]
            else:
                os.environ["COLUMNS"] = columns


def why_not_here(text: str) -> str | None:
    for pattern, reason in NOT_HERE.items():
        if re.search(pattern, text):
            return reason
    if f"{DVE}/" in " ".join(STANDS_FOR.get(word, word) for word in text.split()) and not DVE.is_dir():
        return "the third-party models are not beside the checkout"
    if text.startswith("spin ") and not (shutil.which("spin") and shutil.which("cc")):
        return "SPIN is not installed"
    return None


def is_synopsis(text: str) -> bool:
    """It says what could be typed, with brackets around what may be left out."""
    return " [" in re.sub(r"'[^']*'", "", text)


def _by_mule(words: list[str], refused: bool) -> str:
    status, printed = _apart(words) if "--memory" in words else _in_process(words)
    partial = {"--store", "--max-states"} & set(words)
    if status not in ((2,) if refused else (0, 1, 3) if partial else (0, 1)):
        raise NotSoError(f"status {status}: {printed}")
    return printed


def _in_process(words: list[str]) -> tuple[int, str]:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    typed, sys.stdin = sys.stdin, io.StringIO(TYPED)
    try:
        with redirect_stdout(stream), redirect_stderr(stream):
            status = main(words)
    finally:
        sys.stdin = typed
    stream.seek(0)
    return status, stream.read()


def _apart(words: list[str]) -> tuple[int, str]:
    """For a limit on memory all that the process holds counts."""
    environment = {**os.environ, "PYTHONPATH": str(Path(mule.__file__).parents[1]), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "mule", *words]
    done = subprocess.run(command, input=TYPED, capture_output=True, text=True, check=False, env=environment)
    return done.returncode, done.stdout + done.stderr


def _by_the_shell(text: str, given: str | None = None) -> list[str]:
    text = re.sub(r"^python ", f"{shlex.quote(sys.executable)} ", text)
    environment = {**os.environ, "PYTHONPATH": str(Path(mule.__file__).parents[1]), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(text, shell=True, input=given, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise NotSoError(f"status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout.splitlines()
