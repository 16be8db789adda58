"""Ctrl-C: the first one ends the budget and keeps what was found, the second one gives up."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any

from mule.budget import Budget

_held: list[int] = []
"""The signals that came while the program was being loaded."""


def _hold(number: int, frame: FrameType | None) -> None:
    if _held:
        raise KeyboardInterrupt
    _held.append(number)


def hold_back() -> None:
    """Until `release`, or until there is a budget to end: native modules cannot be loaded by halves."""
    signal.signal(signal.SIGINT, _hold)


def release() -> None:
    if signal.getsignal(signal.SIGINT) is _hold:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if _held:
        raise KeyboardInterrupt


class Interrupts:
    """While entered, SIGINT ends the budget; the second time it interrupts at once."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._wanted = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        self._before = signal.signal(signal.SIGINT, self._handle)
        if _held:
            self._handle(signal.SIGINT, None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler if self._before is _hold else self._before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._wanted:
            raise KeyboardInterrupt
        self._wanted = True
        self._budget.interrupt()
