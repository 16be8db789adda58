"""The loop around all partitions: it asks where they stand, keeps the limits, tells the progress and knows the end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from mule.budget import current
from mule.cluster.merging import ELSEWHERE, PartResult, Way, merged, so_far
from mule.cluster.partition import Report
from mule.cluster.termination import Rounds
from mule.driving import BETWEEN_REPORTS, Limits, ProgressCallback
from mule.engine import SearchResult

FIRST_PAUSE = 0.001
LONGEST_PAUSE = 0.05
"""Seconds between two rounds of questions: few while a search may be over at once, more in a long one."""


class Team(Protocol):
    """The partitions, wherever they are."""

    def reports(self) -> Sequence[Report]:
        """One of each, in their order; not all of one moment."""

    def work(self, seconds: float) -> None:
        """Let them go on for so long."""

    def stop(self, reason: str) -> None:
        """All that have not ended themselves."""

    def results(self) -> Sequence[PartResult]:
        """Once, when all are over or were stopped."""

    def path_to(self, part: int, number: int) -> Way: ...


def lead(team: Team, limits: Limits, progress: ProgressCallback | None = None) -> SearchResult:
    """The search to its end, or until a limit is met, the budget ends or the callback says so."""
    started = last_told = time.perf_counter()
    rounds = Rounds()
    pause = FIRST_PAUSE
    stopped: str | None = None
    budget = current()
    with budget.polling():
        while True:
            reports = team.reports()
            now = time.perf_counter()
            if any(report.ended for report in reports):
                team.stop(ELSEWHERE)
                break
            if rounds.are_over(reports):
                break
            known = so_far(reports, now - started)
            stopped = budget.ended or _limit(limits, known.states, now - started)
            if stopped is None and progress is not None and now - last_told > BETWEEN_REPORTS:
                last_told = now
                stopped = None if progress(known) else "interrupted"
            if stopped is not None:
                team.stop(stopped)
                break
            team.work(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)
        return merged(team.results(), team.path_to, stopped, time.perf_counter() - started)


def _limit(limits: Limits, states: int, seconds: float) -> str | None:
    if limits.max_seconds is not None and seconds > limits.max_seconds:
        return "time"
    # Exactly as many are no reason to stop: there may be no more.
    return "states" if limits.max_states is not None and states > limits.max_states else None
