"""A pool of workers: all jobs are done before it is closed, unless one that fails is not reported."""

from __future__ import annotations

from pathlib import Path

import mule
from mule.results import Verdict

POOL = Path(__file__).parents[2] / "examples" / "worker_pool.py"


def test_the_pool_is_closed_when_all_jobs_are_done() -> None:
    system = mule.load(POOL)
    assert system.check().verdict is Verdict.HOLDS
    assert system.check(ltl="<> pool.closed").verdict is Verdict.HOLDS


def test_a_job_that_fails_and_is_not_reported_makes_main_wait_for_ever() -> None:
    result = mule.load(POOL, defines=["bug=true"]).check(deadlock=True)
    assert result.verdict is Verdict.VIOLATED
    assert "deadlock" in str(result)
