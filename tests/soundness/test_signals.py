"""Every command ends when it is told to: `python -m tests.soundness.signals` tries more of them, and measures."""

from __future__ import annotations

import signal
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
