"""Ctrl-C: the first one stops a running search and keeps what it found, the second one gives up."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any


class Interrupts:
    """While entered, SIGINT sets `wanted` if a search runs; before that, and the second time, it interrupts at once."""

    def __init__(self) -> None:
        self.wanted = False
        self.searching = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.wanted or not self.searching:
            raise KeyboardInterrupt
        self.wanted = True
