"""How many processes and shared objects a model in Python makes: a parameter with a few zeros too many would keep it
making them until there is no memory left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from mule.errors import MuleError

MOST_OBJECTS = 1_000

_made: ContextVar[list[object] | None] = ContextVar("objects that the model being read has made", default=None)


@contextmanager
def counting() -> Iterator[None]:
    """While a model is read."""
    token = _made.set([])
    try:
        yield
    finally:
        _made.reset(token)


def count(made: object) -> None:
    """One more."""
    known = _made.get()
    if known is None:
        return
    known.append(made)
    if len(known) > MOST_OBJECTS:
        raise MuleError(f"the model makes more than {MOST_OBJECTS:,} processes and shared objects")
