"""Commands that end before they are done say what they know."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.soundness.interrupts import Command, Kind, outcomes, try_out

pytestmark = pytest.mark.slow


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
def test_any_moment_leaves_a_result_and_no_traceback() -> None:
    """`python -m tests.soundness.interrupts` tries more of them, on huge models, and measures how late they are."""
    assert [each.problem for each in outcomes(8, seed=3, huge=False, longest=0.8) if each.problem] == []


COUNTING = "byte x{0}; process P{0} {{ state s; init s; trans s -> s {{ effect x{0} = x{0} + 1; }}; }}\n"
"""With four of these there are 256 ** 4 states."""


@pytest.mark.parametrize("kind", ["time", "interrupt"])
def test_a_search_that_goes_on_for_long_ends(kind: Kind, tmp_path: Path) -> None:
    model = tmp_path / "counters.dve"
    model.write_text("".join(COUNTING.format(number) for number in range(4)) + "system async;\n")
    outcome = try_out(Command(("explore", "--por", "none"), model), kind, 1.5)
    assert outcome.problem is None
    assert outcome.status == (3 if kind == "time" else 130)
