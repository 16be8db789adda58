"""The exit statuses that scripts may rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mule.results import Verdict

HOLDS = 0
VIOLATED = 1
BAD_INPUT = 2
INCOMPLETE = 3
INTERRUPTED = 130
"""What a shell shows for a program that Ctrl-C has ended (128 + SIGINT)."""
BROKEN_PIPE = 141
"""What a shell shows for a program that nobody reads from any more (128 + SIGPIPE)."""

STATUSES = {"holds": HOLDS, "violated": VIOLATED, "incomplete": INCOMPLETE}


def status_of(verdict: Verdict | str, stopped: str | None = None) -> int:
    """What is decided counts, also after Ctrl-C."""
    found = STATUSES[verdict if isinstance(verdict, str) else verdict.value]
    return INTERRUPTED if found == INCOMPLETE and stopped == "interrupted" else found
