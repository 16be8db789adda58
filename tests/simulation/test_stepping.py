"""Runs chosen by a person, with a pipe in the person's place."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.simulation import programs
from tests.simulation.programs import command, mule, written

pytestmark = pytest.mark.slow


def session(folder: Path, program: str, *answers: str, status: int = 0, options: tuple[str, ...] = ()) -> str:
    text = "".join(f"{answer}\n" for answer in answers)
    run = mule(written(folder, program), "--interactive", "--seed", "1", *options, answers=text)
    assert (run.returncode, run.stderr) == (status, "")
    return run.stdout


def test_a_short_session(tmp_path: Path) -> None:
    program = "byte x; active proctype P() { x = 1 } active proctype Q() { x = 2 }"
    assert (
        session(tmp_path, program, "2", "q")
        == """m (promela), seed 1

Possible steps:
  1  P: line 1: x = 1   x: 0 → 1
  2  Q: line 1: x = 2   x: 0 → 2
1-2, r, b, s, q, ?: 2

     1  Q: line 1: x = 2   x: 0 → 2

Possible steps:
  1  P: line 1: x = 1   x: 2 → 1
  2  Q: line 1: -end-
1-2, r, b, s, q, ?: q
left after 1 step
"""
    )


def test_the_end_of_the_input_leaves(tmp_path: Path) -> None:
    assert session(tmp_path, programs.PING).endswith("1, r, b, s, q, ?: \nleft after 0 steps\n")


def test_back_to_the_beginning_and_no_further(tmp_path: Path) -> None:
    out = session(tmp_path, programs.PING, "1", "1", "b", "b", "b", "q")
    assert "this is the initial state: there is no step to take back\n" in out
    assert out.endswith("left after 0 steps\n")


def test_the_whole_state_and_the_help(tmp_path: Path) -> None:
    out = session(tmp_path, programs.PING, "s", "?")
    assert "  P    line 7\n  Q    end\n  P:i  0\n  Q:j  0\n  b    []\n" in out
    assert "  b       go one step back\n" in out


def test_other_answers_are_asked_again(tmp_path: Path) -> None:
    out = session(tmp_path, programs.PING, "2", "0", "x", "", "²", "1")
    for wrong in ("2", "0", "x", "²"):
        assert f"{wrong!r} is none of these: a number from 1 to 1, or r, b, s, q, ? (for help)\n" in out
    assert out.endswith("left after 1 step\n")


def test_random_steps_up_to_the_end(tmp_path: Path) -> None:
    out = session(tmp_path, programs.PING, *["r"] * 25)
    assert "✓ every process is where it may end\nb, s, q, ?: r\n" in out
    assert out.endswith("left after 20 steps\n")


def test_the_status_tells_of_a_violation(tmp_path: Path) -> None:
    out = session(tmp_path, programs.ASSERTS, "1", "q", status=1)
    assert "✗ assertion violated: x == 5\n" in out
    session(tmp_path, programs.ASSERTS, "1", "b", "q", status=0)


def test_choices_within_an_atomic_step(tmp_path: Path) -> None:
    out = session(tmp_path, programs.LOOP_IN_ATOMIC, *["r"] * 10)
    assert "Within the same atomic step:\n" in out
    assert out.endswith("left after 0 steps\n")
    out = session(tmp_path, programs.LOOP_IN_ATOMIC, "1", "b", "q")
    assert out.count("Possible steps:\n") == 2


def test_a_chart_of_what_was_chosen(tmp_path: Path) -> None:
    out = session(tmp_path, programs.PING, "1", "1", options=("--chart",))
    assert out.splitlines()[-3:] == [
        "      P                    Q",
        "   1  * i < 3              |",
        "   2  |---- a!ping, 0 ---->|",
    ]


def test_ctrl_c_leaves_politely(tmp_path: Path) -> None:
    keyboard, terminal = pty.openpty()
    path = written(tmp_path, programs.PING)
    with subprocess.Popen(
        command(path, "--interactive"), stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as started:
        os.write(keyboard, b"1\n")
        time.sleep(2)
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=30)
    os.close(keyboard)
    os.close(terminal)
    assert (started.returncode, err) == (0, "")
    assert out.endswith("left after 1 step\n")
