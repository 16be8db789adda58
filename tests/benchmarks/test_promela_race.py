from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mule.benchmarks.promela_race import Finish, Lane, run
from tests.benchmarks.corpora import COUNTER, STUCK, corpus, facts, printed

pytestmark = pytest.mark.slow

FAST, SLOW, LATE = Finish(1.0, False), Finish(4.0, False), Finish(60.0, None)


def test_the_speed_is_spin_s_time_over_ours() -> None:
    lane = Lane("m", spin=SLOW, cold=FAST, warm=SLOW)
    assert (lane.speed(lane.cold), lane.speed(lane.warm)) == (4.0, 1.0)


def test_a_tool_that_is_late_counts_with_the_time_limit() -> None:
    assert Lane("m", spin=SLOW, cold=LATE, warm=LATE).decided
    assert not Lane("m", spin=LATE, cold=LATE, warm=LATE).decided


def test_no_verdict_is_not_another_verdict() -> None:
    assert Lane("m", spin=FAST, cold=Finish(1.0, True), warm=Finish(1.0, True)).verdicts_differ
    assert not Lane("m", spin=FAST, cold=LATE, warm=LATE).verdicts_differ


@pytest.mark.skipif(not (shutil.which("spin") and shutil.which("gcc")), reason="SPIN or gcc is not installed")
def test_both_tools_come_to_the_same_verdict(tmp_path: Path) -> None:
    models = corpus(tmp_path, {"counter.pml": (COUNTER, facts()), "stuck.pml": (STUCK, facts())}, [])
    status, text = printed(run, models, rounds=1)
    assert status == 0
    assert "no verdict" not in text
    for title in ("with reduction", "without reduction"):
        assert f"\n{title}: geometric mean of SPIN's time over ours" in "\n" + text
    assert text.count("over 2 of 2 models") == 2
