"""What came through pipes, which can be read once, while a command needs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

streams: ContextVar[dict[str, str] | None] = ContextVar("texts that came through pipes", default=None)


@contextmanager
def keeping_streams() -> Iterator[None]:
    """For one command, and no longer: what comes through a pipe of the same name later is something else."""
    token = streams.set({})
    try:
        yield
    finally:
        streams.reset(token)
