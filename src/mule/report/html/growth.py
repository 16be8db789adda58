"""How a search went over time, for a picture of it."""

from __future__ import annotations

from mule.report.progress import Snapshot

MOST = 400
"""Points that are kept of one search; of more, every second one is dropped."""


class Growth:
    """The numbers of states that searches had found, at times; each search is a line of its own."""

    def __init__(self) -> None:
        self.searches: list[list[tuple[float, int]]] = []
        self._every, self._skipped = 1, 0

    def note(self, snapshot: Snapshot) -> None:
        last = self.searches[-1][-1] if self.searches else None
        if last is None or snapshot.states < last[1] or snapshot.seconds < last[0]:
            self.searches.append([])
            self._every, self._skipped = 1, 0
        self._skipped += 1
        if self._skipped < self._every:
            return
        self._skipped = 0
        points = self.searches[-1]
        points.append((round(snapshot.seconds, 3), snapshot.states))
        if len(points) > MOST:
            del points[1:-1:2]
            self._every *= 2
