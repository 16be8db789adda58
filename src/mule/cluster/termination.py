"""When nobody has anything left to do, and no batch is under way.

A partition that was idle when it was asked may have been sent something since, so one round of questions is not enough.
Two rounds are (Mattern, Algorithms for Distributed Termination Detection, 1987, the four counter method): where
everybody was idle in both, and as many batches had been received by the time of the first round as were sent by the
time of the second, nothing was under way between the two, so nobody could become busy again.
"""

from __future__ import annotations

from collections.abc import Sequence

from mule.cluster.partition import Report


class Rounds:
    """Told of one round of questions after the other; the answers of a round need not be of one moment."""

    def __init__(self) -> None:
        self._received_before: int | None = None
        """In the last round, if everybody was idle in it."""

    def are_over(self, reports: Sequence[Report]) -> bool:
        before, self._received_before = self._received_before, None
        if not all(report.idle for report in reports):
            return False
        self._received_before = sum(report.received for report in reports)
        return before is not None and before == sum(report.sent for report in reports)
