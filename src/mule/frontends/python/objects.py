"""Shared objects: locks, semaphores, events, queues, and what a model derives from `Shared`.

What waits is written with `until`, so that the same few lines are what a run executes and what the checker compiles."""

from __future__ import annotations

import asyncio
import typing
from collections import deque
from typing import Any, ClassVar, Generic, TypeVar

from mule.frontends.actors.processes import Process as WithFields
from mule.frontends.python.waiting import until

Item = TypeVar("Item")


class Shared(WithFields):
    """Base of what processes share: annotated fields, and methods over them."""


class Lock(Shared):
    """As asyncio's, but nobody has to wait in line: any waiter may be next."""

    held: bool = False

    def locked(self) -> bool:
        return self.held

    async def acquire(self) -> bool:
        await until(lambda: not self.held)
        self.held = True
        return True

    def release(self) -> None:
        if not self.held:
            raise RuntimeError("Lock is not acquired.")
        self.held = False

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        self.release()


class Semaphore(Shared):
    """As asyncio's, but nobody has to wait in line."""

    value: int

    def __init__(self, value: int = 1, **fields: Any) -> None:
        super().__init__(value=value, **fields)

    def locked(self) -> bool:
        return self.value == 0

    async def acquire(self) -> bool:
        await until(lambda: self.value > 0)
        self.value -= 1
        return True

    def release(self) -> None:
        self.value += 1

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        self.release()


class Event(Shared):
    """As asyncio's, except that who is woken looks again: it may find the event cleared, and waits on."""

    flag: bool = False

    def is_set(self) -> bool:
        return self.flag

    def set(self) -> None:
        self.flag = True

    def clear(self) -> None:
        self.flag = False

    async def wait(self) -> bool:
        await until(lambda: self.flag)
        return True


class Queue(Shared, Generic[Item]):
    """As asyncio's, with a bound. `of` is the type of the items: int, unless it is given; also `tuple[int, bool]`."""

    native: ClassVar[frozenset[str]] = frozenset({"qsize", "empty", "full", "put_nowait", "get_nowait"})
    """Methods that the checker knows: a queue is a channel of the model."""

    def __init__(self, maxsize: int, of: Any = int, **fields: Any) -> None:
        super().__init__(**fields)
        if maxsize < 1:
            raise ValueError(f"a queue needs a bound that is at least 1, not {maxsize}")
        self.__dict__.update(maxsize=maxsize, of=of, items=deque[Item]())

    maxsize: ClassVar[int]
    of: ClassVar[Any]
    items: ClassVar[deque[Any]]

    @property
    def types(self) -> tuple[Any, ...]:
        """Of each part of an item."""
        return typing.get_args(self.of) if self.is_tuple else (self.of,)

    @property
    def is_tuple(self) -> bool:
        return typing.get_origin(self.of) is tuple

    def qsize(self) -> int:
        return len(self.items)

    def empty(self) -> bool:
        return not self.items

    def full(self) -> bool:
        return len(self.items) >= self.maxsize

    def put_nowait(self, item: Item) -> None:
        if self.full():
            raise asyncio.QueueFull
        self.items.append(item)

    def get_nowait(self) -> Item:
        if self.empty():
            raise asyncio.QueueEmpty
        item: Item = self.items.popleft()
        return item

    async def put(self, item: Item) -> None:
        await until(lambda: not self.full())
        self.put_nowait(item)

    async def get(self) -> Item:
        await until(lambda: not self.empty())
        return self.get_nowait()
