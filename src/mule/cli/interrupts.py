"""Ctrl-C: the first one ends the budget and keeps what was found, the second one gives up."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any

from mule.budget import Budget


class Interrupts:
    """While entered, SIGINT ends the budget; the second time it interrupts at once."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._wanted = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._wanted:
            raise KeyboardInterrupt
        self._wanted = True
        self._budget.interrupt()
