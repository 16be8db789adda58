"""The scheduling points: what an `await` comes down to in the end.

The checker never calls these functions, it compiles them. When coroutines are run as they are, whoever runs them is
told what they wait for (`stepping`); under asyncio they look again in every round of the event loop."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Choice = TypeVar("Choice")
Test = Callable[[], Any]
Chooser = Callable[[list[Any]], Any]

_chooser: ContextVar[Chooser | None] = ContextVar("chooser", default=None)
_running: ContextVar[int] = ContextVar("running")


def _always() -> bool:
    return True


class Point:
    """A place where others may run before the coroutine goes on; it goes on only where the test holds."""

    def __init__(self, test: Test) -> None:
        self.test = test

    def __await__(self) -> Generator[Any, None, None]:
        if _chooser.get() is not None:
            yield self
            return
        yield None
        while not self.test():
            yield None


def until(test: Test) -> Awaitable[None]:
    """Wait until the test holds: `await until(lambda: buffer.count > 0)`."""
    return Point(test)


def pause() -> Awaitable[None]:
    """Let others run, as `asyncio.sleep(0)` does."""
    return Point(_always)


def sleep(seconds: float) -> Awaitable[None]:
    """Let others run, for how long ever: the checker knows no time."""
    return pause() if seconds == 0 or _chooser.get() is not None else asyncio.sleep(seconds)


class Gathered(Point):
    """A place where a task waits for others, which begin when it gets there; who runs it sets the test."""

    def __init__(self, coroutines: Sequence[Coroutine[Any, Any, Any]]) -> None:
        super().__init__(_always)
        self.coroutines = coroutines


def gather(*coroutines: Coroutine[Any, Any, Any]) -> Awaitable[Any]:
    """Run tasks side by side, and wait until all of them have ended."""
    return asyncio.gather(*coroutines) if _chooser.get() is None else Gathered(coroutines)


def myself() -> Any:
    """The task that runs this, for those that keep a list of who waits. The checker knows it before the run."""
    return asyncio.current_task() if _chooser.get() is None else _running.get()


def choose(*options: Choice) -> Choice:
    """One of the options, any of them: the checker tries them all, a run takes one at random. A single list, tuple or
    range stands for its members."""
    members: list[Any] = list(options)
    if len(options) == 1 and isinstance(options[0], list | tuple | range | set | frozenset):
        members = list(options[0])
    chosen: Choice = (_chooser.get() or random.choice)(members)
    return chosen


@contextmanager
def stepping(chooser: Chooser, task: int) -> Iterator[None]:
    """While this lasts, coroutines yield the `Point` that they wait at, and `chooser` decides what they leave open."""
    tokens = _chooser.set(chooser), _running.set(task)
    try:
        yield
    finally:
        _chooser.reset(tokens[0])
        _running.reset(tokens[1])
