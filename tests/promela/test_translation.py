"""Tiny programs have as many states and transitions as SPIN 6.5.2 stores for them.

`counts.txt` has the two numbers above each program: from `spin -o1 -o2 -o3 -a`, `gcc -DSAFETY -DNOREDUCE -DNOCLAIM` and
`pan -m100000 -n -c0`, where SPIN's transitions are the edges plus one.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mule.checking import explore
from mule.frontends.promela import load
from mule.model.interpreter import Interpreter
from mule.options import Options
from tests.differential.spin_runner import ask_spin
from tests.small_models import reachable

pytestmark = pytest.mark.slow

SPIN = shutil.which("spin") and shutil.which("gcc")


def programs() -> list[tuple[str, int, int]]:
    found = []
    for part in (Path(__file__).parent / "counts.txt").read_text().rstrip("\n").split("\n===\n"):
        numbers, text = part.split("\n", 1)
        states, transitions = map(int, numbers.split())
        found.append((text, states, transitions))
    return found


def test_there_are_many() -> None:
    assert len(programs()) >= 200


@pytest.mark.parametrize(("text", "states", "transitions"), programs())
def test_counts(text: str, states: int, transitions: int) -> None:
    model = load(text, "m.pml")
    counted = explore(model, Options(por="none", as_written=True)).statistics
    assert (counted.states, counted.transitions) == (states, transitions)


@pytest.mark.parametrize(("text", "states"), [(text, states) for text, states, _ in programs()])
def test_the_interpreter_counts_the_same(text: str, states: int) -> None:
    model = load(text, "m.pml")
    found = reachable(model, 5000)
    assert found is not None
    interpreter = Interpreter(model)
    stored = [s for s in found if model.transient is None or not interpreter.evaluate(model.transient, s)]
    assert len(stored) == states


@pytest.mark.skipif(not SPIN, reason="spin or gcc is not installed")
@pytest.mark.parametrize("part", range(8))
def test_spin_counts_the_same(part: int) -> None:
    different = []
    for text, states, transitions in programs()[part::8]:
        answer = ask_spin(text)
        if (answer.states, answer.transitions - 1) != (states, transitions):
            different.append((text, answer))
    assert different == []
