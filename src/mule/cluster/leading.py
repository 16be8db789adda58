"""The loop around all partitions: it asks where they stand, keeps the limits, tells the progress, knows the end, and
begins again at the last cut when a worker is lost.

A cut is all partitions at one moment. Everybody stops exploring, but goes on taking and sending what there is, until
nothing is under way; then each writes what it has. So no state is in a cut without being expanded or waiting there."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from mule.budget import current
from mule.cluster.cuts import Cut
from mule.cluster.merging import ELSEWHERE, PartResult, Way, merged, so_far
from mule.cluster.partition import Report
from mule.cluster.termination import Rounds
from mule.driving import BETWEEN_REPORTS, Limits, ProgressCallback
from mule.engine import SearchResult
from mule.errors import MuleError

FIRST_PAUSE = 0.001
LONGEST_PAUSE = 0.05
"""Seconds between two rounds of questions: few while a search may be over at once, more in a long one."""
BETWEEN_CUTS = 30.0
"""Seconds of search before a cut; and no more than a part of the time is spent on cuts."""
SHARE_OF_CUTS = 20
STUCK = 60.0
"""Seconds after which a batch that has not arrived is taken for lost, where everybody waits."""
MOST_LOSSES = 5
"""So often may workers be lost without a cut in between."""


class LostError(Exception):
    """A worker does not answer any more."""


class UnwritableError(Exception):
    """A worker cannot write its part of a cut."""


class Workers(Protocol):
    """The partitions, wherever they are. Each call may raise LostError."""

    def reports(self) -> Sequence[Report]:
        """One of each, in their order; not all of one moment."""

    def work(self, seconds: float) -> None:
        """Let them go on for so long."""

    def stop(self, reason: str) -> None:
        """All that have not ended themselves."""

    def pause(self, paused: bool) -> None:
        """Whether they explore nothing, and only take and send what there is."""

    def save(self, number: int) -> Cut:
        """Each what it has, under this number; only the last two are kept. An UnwritableError where that cannot be
        done."""

    def restore(self, cut: Cut | None) -> None:
        """All back to a cut, or, where there is none or it cannot be read, to the beginning; whoever was lost is
        replaced."""


class Team(Workers, Protocol):
    """Those that explore states."""

    def results(self) -> Sequence[PartResult]:
        """Once, when all are over or were stopped."""

    def path_to(self, part: int, number: int) -> Way:
        """`part`: who has numbered the state."""


class Keeper(Protocol):
    """Who keeps cuts for a command that goes on after its end."""

    @property
    def last(self) -> Cut | None:
        """The cut that the search began at."""

    def record(self, cut: Cut) -> None:
        """The cut is complete."""

    def failed(self, problem: str) -> None:
        """There is no cut, since one of them could not be written."""


W = TypeVar("W", bound=Workers)


def lead(
    team: Team,
    limits: Limits,
    progress: ProgressCallback | None = None,
    between_cuts: float = BETWEEN_CUTS,
    keeper: Keeper | None = None,
) -> SearchResult:
    """The search to its end, or until a limit is met, the budget ends or the callback says so. With a keeper there is a
    cut in the last three cases, too, and the team has begun at the last one that was kept."""
    with current().polling():
        return _StatesLeader(team, limits, progress, between_cuts, keeper).run()


class Leader(Generic[W]):
    """Of a search that goes back to its last cut where a worker is lost."""

    def __init__(
        self, team: W, limits: Limits, progress: ProgressCallback | None, between_cuts: float, keeper: Keeper | None
    ) -> None:
        self._team = team
        self._limits = limits
        self._progress = progress
        self._started = self._last_told = time.perf_counter()
        self._between_cuts = between_cuts
        self._next_cut = self._started + between_cuts
        self._keeper = keeper
        self._cut = None if keeper is None else keeper.last
        self._losses = 0
        self._waits_since: float | None = None

    def _interlude(self, reports: Sequence[Report]) -> bool:
        """Now and then; True: what is looked for is found."""
        return False

    def _before_cut(self) -> None:
        """When all are paused and nothing is under way."""

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self._started

    def _search(self) -> str | None:
        """Until the end; why it was stopped."""
        rounds = Rounds()
        pause = FIRST_PAUSE
        self._waits_since = None
        while True:
            reports = self._team.reports()
            if any(report.ended for report in reports):
                self._team.stop(ELSEWHERE)
                return None
            # Whoever has no memory left has nothing to do, either: that is not the end.
            is_full = any(report.is_full for report in reports)
            if not is_full and rounds.are_over(reports):
                return None
            stopped = "memory" if is_full else self._why_to_stop(reports)
            if stopped is not None:
                self._before_stop()
                self._team.stop(stopped)
                return stopped
            self._require_motion(reports)
            if self._interlude(reports):
                return None
            if time.perf_counter() > self._next_cut:
                self._make_cut()
            self._team.work(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)

    def _require_motion(self, reports: Sequence[Report]) -> None:
        """Where everybody waits, a batch must be under way, and not for long."""
        now = time.perf_counter()
        self._waits_since = (self._waits_since or now) if all(report.idle for report in reports) else None
        if self._waits_since is not None and now - self._waits_since > STUCK:
            raise LostError("a batch was lost on its way")

    def _why_to_stop(self, reports: Sequence[Report]) -> str | None:
        known = so_far(reports, self._seconds)
        if current().ended is not None:
            return current().ended
        if self._limits.max_seconds is not None and known.seconds > self._limits.max_seconds:
            return "time"
        # Exactly as many are no reason to stop: there may be no more.
        if self._limits.max_states is not None and known.states > self._limits.max_states:
            return "states"
        now = time.perf_counter()
        if self._progress is None or now - self._last_told < BETWEEN_REPORTS:
            return None
        self._last_told = now
        return None if self._progress(known) else "interrupted"

    def _is_quiet(self, is_last: bool = False) -> bool:
        """Whether nothing is under way any more; False where there is no use in a cut. The last one is made although
        the budget has ended."""
        rounds = Rounds()
        self._waits_since = None
        while True:
            reports = self._team.reports()
            if any(report.ended for report in reports):
                return False
            if current().ended is not None and not is_last:
                return False
            if rounds.are_over(reports):
                return True
            self._require_motion(reports)
            self._team.work(FIRST_PAUSE)

    def _recover(self, error: LostError) -> None:
        while True:
            self._losses += 1
            if self._losses > MOST_LOSSES:
                raise MuleError(f"workers of the cluster are lost again and again: {error}") from error
            try:
                return self._team.restore(self._cut)
            except LostError as another:
                error = another

    def _before_stop(self) -> None:
        """A limit is met: who goes on later, goes on from there."""
        if self._keeper is not None:
            self._make_cut(is_last=True)

    def _make_cut(self, is_last: bool = False) -> None:
        began = time.perf_counter()
        self._team.pause(True)
        if self._is_quiet(is_last):
            self._before_cut()
            self._keep()
        if not is_last:
            self._team.pause(False)
        now = time.perf_counter()
        self._next_cut = now + max(self._between_cuts, SHARE_OF_CUTS * (now - began))

    def _keep(self) -> None:
        try:
            cut = self._team.save(0 if self._cut is None else self._cut.number + 1)
        except UnwritableError as error:
            if self._keeper is not None:
                self._keeper.failed(str(error))
            return
        self._cut = cut
        self._losses = 0
        if self._keeper is not None:
            self._keeper.record(cut)


class _StatesLeader(Leader[Team]):
    def run(self) -> SearchResult:
        while True:
            try:
                stopped = self._search()
                return merged(self._team.results(), self._team.path_to, stopped, self._seconds)
            except LostError as error:
                self._recover(error)
