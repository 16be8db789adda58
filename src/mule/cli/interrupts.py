"""Ctrl-C and SIGTERM: the first one ends the budget and keeps what was found, the second one gives up."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any

from mule.budget import Budget
from mule.cli.status import note_signal

ONCE_MORE = 0.02
SIGNALS = (signal.SIGINT, signal.SIGTERM)

_held: list[int] = []
"""The signals that came while the program was being loaded."""


def _hold(number: int, frame: FrameType | None) -> None:
    note_signal(number)
    if _held:
        raise KeyboardInterrupt
    _held.append(number)


def _raise(number: int, frame: FrameType | None) -> None:
    note_signal(number)
    _raised.append(number)
    raise KeyboardInterrupt


_raised: list[int] = []


def _again(dropped: sys.UnraisableHookArgs) -> None:
    """Python drops what is raised while it cleans up, as after an import: our interruption comes once more, a little
    later."""
    if _raised and issubclass(dropped.exc_type, KeyboardInterrupt):
        threading.Timer(ONCE_MORE, os.kill, (os.getpid(), _raised[-1])).start()
    else:
        sys.__unraisablehook__(dropped)


def hold_back() -> None:
    """Until `release`, or until there is a budget to end: native modules cannot be loaded by halves."""
    for each in SIGNALS:
        signal.signal(each, _hold)


def release() -> None:
    for each in SIGNALS:
        if signal.getsignal(each) is _hold:
            signal.signal(each, _raise)
    sys.unraisablehook = _again
    if _held:
        raise KeyboardInterrupt


class Interrupts:
    """While entered, a signal ends the budget; the second one interrupts at once."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._wanted = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        self._before = {each: signal.signal(each, self._handle) for each in SIGNALS}
        if _held:
            self._handle(_held[0], None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each, before in self._before.items():
            signal.signal(each, _raise if before is _hold else before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        note_signal(number)
        if self._wanted:
            raise KeyboardInterrupt
        self._wanted = True
        self._budget.interrupt()
