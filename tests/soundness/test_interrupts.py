"""Commands that end before they are done say what they know."""

from __future__ import annotations

import sys

import pytest

from tests.soundness.interrupts import EXAMPLES, Command, Kind, outcomes, try_out


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
def test_any_moment_leaves_a_result_and_no_traceback() -> None:
    """`python -m tests.soundness.interrupts` tries more of them, on huge models, and measures how late they are."""
    assert [each.problem for each in outcomes(8, seed=3, huge=False, longest=0.8) if each.problem] == []


@pytest.mark.parametrize("kind", ["time", "interrupt"])
def test_a_search_that_goes_on_for_long_ends(kind: Kind) -> None:
    raft = Command(("explore", "--por", "none"), EXAMPLES / "raft_election.py")
    outcome = try_out(raft, kind, 1.5)
    assert outcome.problem is None
    assert outcome.status == (3 if kind == "time" else 130)
