"""Every command ends when it is told to: `python -m tests.soundness.signals` tries more of them, and measures."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.soundness.signals import outcomes, try_out

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="what is left behind is looked for in /proc"),
]


def test_any_moment_of_any_command() -> None:
    assert [f"{each}: {each.problem}" for each in outcomes(7, 1, large=False, longest=0.7) if each.problem] == []


def test_an_automaton_that_takes_for_ever() -> None:
    """Spot keeps Python's lock."""
    pytest.importorskip("spot", reason="Spot is not installed")
    formula = " && ".join(f"[]<>(a{n} U b{n})" for n in range(16))
    outcome = try_out(("automaton", formula), signal.SIGTERM, 1.0)
    assert (outcome.status, outcome.problem) == (143, None)


DROPPED = """
import os, signal, time, weakref
from mule.cli.interrupts import hold_back, release
hold_back()
release()
class Owner: pass
owner = Owner()
known = weakref.ref(owner, lambda _: os.kill(os.getpid(), signal.SIGINT))
try:
    del owner
    for _ in range(1000):
        time.sleep(0.01)
except KeyboardInterrupt:
    print("heard")
"""


def test_an_interruption_that_python_drops_comes_again() -> None:
    done = subprocess.run([sys.executable, "-c", DROPPED], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("heard\n", "")
