"""The exit statuses that scripts may rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mule.results import Verdict

HOLDS = 0
VIOLATED = 1
BAD_INPUT = 2
INCOMPLETE = 3
INTERNAL = 4
"""A defect of Mule: nothing is said about the model."""
INTERRUPTED = 130
"""What a shell shows for a program that Ctrl-C has ended (128 + SIGINT)."""
TERMINATED = 143
"""The same for SIGTERM."""
BROKEN_PIPE = 141
"""What a shell shows for a program that nobody reads from any more (128 + SIGPIPE)."""

STATUSES = {"holds": HOLDS, "violated": VIOLATED, "incomplete": INCOMPLETE}


_signals: list[int] = []


def note_signal(number: int) -> None:
    _signals.append(number)


def signalled() -> bool:
    return bool(_signals)


def interrupted() -> int:
    """The status of a command that a signal has ended: of the first one that came."""
    return 128 + _signals[0] if _signals else INTERRUPTED


def status_of(verdict: Verdict | str, stopped: str | None = None) -> int:
    """What is decided counts, also after Ctrl-C."""
    found = STATUSES[verdict if isinstance(verdict, str) else verdict.value]
    return interrupted() if found == INCOMPLETE and stopped == "interrupted" else found
