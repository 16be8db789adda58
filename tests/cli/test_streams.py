"""What only a real process shows: pipes, encodings, terminals."""

from __future__ import annotations

import os
import subprocess
import sys


def test_a_reader_that_goes_away_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as nobody:
        run = subprocess.run([sys.executable, "-m", "mule", "--help"], stdout=nobody, stderr=-1)
    assert (run.returncode, run.stderr) == (141, b"")


def test_help_works_on_an_ascii_stream() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    run = subprocess.run([sys.executable, "-m", "mule", "check", "--help"], capture_output=True, env=environment)
    assert run.returncode == 0


def test_starting_up_imports_neither_rich_nor_the_engine() -> None:
    code = "import sys, mule.cli.main, mule.cli.check; print([m for m in sys.modules if m in sys.argv[1:]])"
    heavy = ["rich", "typer", "llvmlite", "mule.checking", "mule.engine", "mule.codegen"]
    run = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True)
    assert run.stdout == "[]\n"
