"""How far a search has come: one line on the terminal, rewritten in place."""

from __future__ import annotations

import shutil
import time
from typing import Protocol, TextIO

from mule import numbers

INTERVAL = 0.1
PATIENCE = 0.3
"""A search that ends sooner shows no progress at all: a line that flashes up helps nobody."""


class Snapshot(Protocol):
    """What the engine reports while it searches."""

    @property
    def states(self) -> int: ...
    @property
    def transitions(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def queue(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def estimate(self) -> int | None: ...


class ProgressLine:
    """Shows snapshots on a terminal, and nothing anywhere else."""

    def __init__(self, stream: TextIO, silent: bool = False) -> None:
        self._stream = stream
        self._shown = stream.isatty() and not silent
        self._next = time.monotonic() + PATIENCE
        self._dirty = False

    def show(self, snapshot: Snapshot) -> None:
        now = time.monotonic()
        if not self._shown or now < self._next:
            return
        self._next = now + INTERVAL
        width = shutil.get_terminal_size().columns
        self._stream.write("\r\x1b[K" + progress_text(snapshot, width - 1))
        self._stream.flush()
        self._dirty = True

    def clear(self) -> None:
        if self._dirty:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._dirty = False


def progress_text(snapshot: Snapshot, width: int) -> str:
    """As many facts as fit, the most telling first."""
    facts = [numbers.count(snapshot.states, "state")]
    speed = numbers.rate(snapshot.states, snapshot.seconds)
    guided = snapshot.estimate is not None
    depth = f"depth {snapshot.depth:,}"
    facts += [f"estimate {snapshot.estimate:,}", depth] if guided else []
    facts += [speed] if speed else []
    facts += [numbers.seconds(snapshot.seconds), numbers.size(snapshot.memory_bytes)]
    facts += [f"{snapshot.queue:,} waiting"] if guided else [depth, f"{snapshot.queue:,} waiting"]
    text = facts[0][:width]
    for fact in facts[1:]:
        if len(text) + 2 + len(fact) > width:
            break
        text += "  " + fact
    return text
