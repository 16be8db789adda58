"""Shared objects: locks, semaphores, events, queues, and what a model derives from `Shared`.

What waits is written with `until`, so that the same few lines are what a run executes and what the checker compiles.
Each permits what asyncio's permits, and more: a task stops at every one of them, also where nothing blocks it, and any
of those who wait may be the next."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from mule.frontends.actors.processes import Process as WithFields
from mule.frontends.actors.types import HIGH, MOST_MEMBERS, Range
from mule.frontends.python.waiting import choose, myself, pause, until

Item = TypeVar("Item")
Waiters = Annotated[int, Range(0, 64)]
"""How many tasks wait; a model has as many values for it as tasks."""
Tasks = set[Annotated[int, Range(0, MOST_MEMBERS - 1)]]
"""Which tasks wait; a model has a member for each task."""
Outcome = Annotated[int, Range(0, 250)]
IDLE, RUNNING, RETURNED, CANCELLED, FAILED = range(5)
"""How a task stands; `FAILED` and more: with an exception of which class."""
COUNTED = {
    "asked": frozenset({"timeout", "wait_for"}),
    "requested": frozenset({"cancel", "timeout", "wait_for", "TaskGroup"}),
    "reporting": frozenset({"TaskGroup"}),
    "unfinished": frozenset({"join", "task_done"}),
    "joining": frozenset({"join", "task_done"}),
    "queued": frozenset({"locked", "BoundedSemaphore"}),
}
"""Fields that only matter to models in which certain names appear."""


MOST_ITEMS = 65_536
"""In a queue, as in a channel of Promela."""


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
    queued: Waiters = 0

    def __init__(self, value: int = 1, **fields: Any) -> None:
        if not isinstance(value, int):
            raise TypeError(f"a semaphore begins with a whole number, not with {value!r}")
        if value < 0:
            raise ValueError("Semaphore initial value must be >= 0")
        if value > HIGH:
            raise ValueError(f"a semaphore begins with at most {HIGH}")
        super().__init__(value=value, **fields)

    def locked(self) -> bool:
        """What was released belongs to those who wait for it already, asyncio says; whether they do is open here."""
        return self.value == 0 or (self.queued > 0 and choose(True, False))

    async def acquire(self) -> bool:
        self.queued += 1
        try:
            await until(lambda: self.value > 0)
        finally:
            self.queued -= 1
        self.value -= 1
        return True

    def release(self) -> None:
        self.value += 1

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        self.release()


class BoundedSemaphore(Semaphore):
    """It cannot be released more often than it was acquired."""

    bound: int

    def __init__(self, value: int = 1, **fields: Any) -> None:
        super().__init__(value, bound=value, **fields)

    def release(self) -> None:
        if self.value - self.queued >= self.bound or (self.value >= self.bound and choose(True, False)):
            raise ValueError("BoundedSemaphore released too many times")
        self.value += 1


class Event(Shared):
    """As asyncio's: `set` wakes all that wait, even if `clear` comes before they run."""

    flag: bool = False
    waiting: Tasks

    def __init__(self, **fields: Any) -> None:
        super().__init__(waiting=set(), **fields)

    def is_set(self) -> bool:
        return self.flag

    def set(self) -> None:
        self.flag = True
        self.waiting.clear()

    def clear(self) -> None:
        self.flag = False

    async def wait(self) -> bool:
        if self.flag:
            await pause()
        else:
            me = myself()
            self.waiting.add(me)
            try:
                await until(lambda: me not in self.waiting)
            finally:
                self.waiting.discard(me)
        return True


class ConditionLock(Lock):
    """The lock of a condition that was not given any."""


class Condition(Shared):
    """As asyncio's, but `notify` wakes any of those that wait, not the first."""

    lock: Lock
    waiting: Tasks

    def __init__(self, lock: Lock | None = None, **fields: Any) -> None:
        super().__init__(lock=ConditionLock() if lock is None else lock, waiting=set(), **fields)

    def locked(self) -> bool:
        return self.lock.locked()

    async def acquire(self) -> bool:
        return await self.lock.acquire()

    def release(self) -> None:
        self.lock.release()

    async def wait(self) -> bool:
        if not self.lock.locked():
            raise RuntimeError("cannot wait on un-acquired lock")
        self.lock.release()
        me = myself()
        self.waiting.add(me)
        try:
            await until(lambda: me not in self.waiting)
        finally:
            self.waiting.discard(me)
            cancelled = False
            while self.lock.held:
                try:
                    await until(lambda: not self.lock.held)
                except asyncio.CancelledError:
                    cancelled = True
            self.lock.held = True
            if cancelled:
                raise asyncio.CancelledError
        return True

    async def wait_for(self, predicate: Any) -> Any:
        result = predicate()
        while not result:
            await self.wait()
            result = predicate()
        return result

    def notify(self, n: int = 1) -> None:
        if not self.lock.locked():
            raise RuntimeError("cannot notify on un-acquired lock")
        for _ in range(n):
            if self.waiting:
                self.waiting.discard(choose(self.waiting))

    def notify_all(self) -> None:
        if not self.lock.locked():
            raise RuntimeError("cannot notify on un-acquired lock")
        self.waiting.clear()

    async def __aenter__(self) -> None:
        await self.lock.acquire()

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        self.lock.release()


class Queue(Shared, Generic[Item]):
    """As asyncio's, with a bound. `of` is the type of the items: int, unless it is given; also `tuple[int, bool]`,
    or a frozen dataclass."""

    native: ClassVar[frozenset[str]] = frozenset({"qsize", "empty", "full", "put_nowait", "get_nowait"})
    """Methods that the checker knows: a queue is a channel of the model."""
    unfinished: int = 0
    """How many items were put in, for which `task_done` was not called yet."""
    joining: Tasks

    def __init__(self, maxsize: int, of: Any = int, **fields: Any) -> None:
        super().__init__(joining=set(), **fields)
        if not isinstance(maxsize, int):
            raise TypeError(f"the bound of a queue is a whole number, not {maxsize!r}")
        if maxsize < 1:
            raise ValueError(f"a queue needs a bound that is at least 1, not {maxsize}")
        if maxsize > MOST_ITEMS:
            raise ValueError(f"a queue has room for at most {MOST_ITEMS} items")
        self.__dict__.update(maxsize=maxsize, of=of, items=deque[Item]())

    maxsize: ClassVar[int]
    of: ClassVar[Any]
    items: ClassVar[deque[Any]]

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
        self.unfinished += 1

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

    def task_done(self) -> None:
        if self.unfinished <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished -= 1
        if self.unfinished == 0:
            self.joining.clear()

    async def join(self) -> None:
        if self.unfinished == 0:
            await pause()
        else:
            me = myself()
            self.joining.add(me)
            try:
                await until(lambda: me not in self.joining)
            finally:
                self.joining.discard(me)


class Task(Shared):
    """A task that another one has started, as asyncio's. The rest of it is known to the checker."""

    native: ClassVar[frozenset[str]] = frozenset({"result", "exception"})
    outcome: Outcome = IDLE
    """Assigned by the checker."""
    requested: bool = False
    """Whether an exception will be raised where it waits."""
    asked: bool = False
    """Whether it was cancelled at any time."""
    reporting: bool = False
    """Whether its group will hear that it has failed."""

    number: ClassVar[int]
    codes: ClassVar[set[int]]
    """Other outcomes than to return that were found so far."""
    result: ClassVar[Any]
    """The variable with what it returns."""
    wanted: ClassVar[bool]
    """Whether someone wants to know that."""
    awaited: ClassVar[bool]
    """Whether someone looks at how it ends."""

    def __init__(self, number: int, **fields: Any) -> None:
        super().__init__(**fields)
        self.__dict__.update(number=number, codes=set(), result=None, wanted=False, awaited=False)

    def done(self) -> bool:
        return self.outcome > RUNNING

    def cancelled(self) -> bool:
        return self.outcome == CANCELLED

    def cancel(self, msg: object = None) -> bool:
        if self.outcome != RUNNING:
            return False
        self.requested = True
        self.asked = True
        return True


class TaskGroup(Shared):
    """What a model writes as asyncio.TaskGroup(): the tasks in it, and how its block is left."""

    aborting: bool = False
    failed: bool = False
    interrupted: bool = False
    """Whether the task around the block was cancelled, because of a task in the group."""

    parent: ClassVar[Task]
    tasks: ClassVar[list[Task]]

    def __init__(self, parent: Task, **fields: Any) -> None:
        super().__init__(**fields)
        self.__dict__.update(parent=parent, tasks=[])

    def begin(self) -> None:
        self.aborting = False
        self.failed = False
        self.interrupted = False

    def create_task(self, coroutine: Any, *, name: Any = None, context: Any = None) -> Task:
        raise NotImplementedError

    def admit(self) -> None:
        """Before a task begins."""
        if self.aborting:
            raise RuntimeError("TaskGroup is shutting down")

    def abort(self) -> None:
        self.aborting = True
        for each in self.tasks:
            each.cancel()

    def report(self, task: Task) -> None:
        """A task has failed: the others are cancelled, and so is who waits in the block."""
        task.reporting = False
        self.failed = True
        if not self.aborting and not self.interrupted:
            self.abort()
            self.interrupted = True
            self.parent.cancel()

    def finished(self) -> bool:
        return all(each.outcome != RUNNING and not each.reporting for each in self.tasks)

    async def leave(self, cancelled: bool, raised: bool) -> None:
        """The end of the block: it came with CancelledError, or with another exception."""
        propagate = cancelled and not self.interrupted
        if (cancelled or raised) and not self.aborting:
            self.abort()
        while not self.finished():
            try:
                await until(self.finished)
            except asyncio.CancelledError:
                if not self.aborting:
                    propagate = True
                    self.abort()
        if propagate and not self.failed:
            raise asyncio.CancelledError
        if raised or self.failed:
            raise ExceptionGroup("unhandled errors in a TaskGroup", [])
