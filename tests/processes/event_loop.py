"""Programs under asyncio itself: its own tasks, locks and queues, on an event loop that lets someone else decide which
of the handles that are ready runs next.

A real loop takes the oldest. In what order handles get ready hangs on I/O and on time, so a model has to permit more
than one order; any order is the most that could be asked of it."""

from __future__ import annotations

import asyncio
import random
import warnings
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

MOST_STEPS = 2000

Pick = Callable[[int], int]
"""Which one of so many goes on."""


class Store:
    """What stands for `Shared`: annotated fields with their first values."""

    def __init__(self, **fields: Any) -> None:
        for base in reversed(type(self).__mro__):
            for name in getattr(base, "__annotations__", {}):
                if hasattr(base, name):
                    setattr(self, name, getattr(base, name))
        for name, value in fields.items():
            setattr(self, name, value)


class System:
    def __init__(self, tasks: Iterable[Coroutine[Any, Any, Any]], **_: Any) -> None:
        self.coroutines = list(tasks)


class _Queue(asyncio.Queue[Any]):
    def __init__(self, maxsize: int, of: Any = int) -> None:
        super().__init__(maxsize)


async def pause() -> None:
    await asyncio.sleep(0)


def stand_in() -> ModuleType:
    """What a program imports in place of mule.processes."""
    module = ModuleType("asyncio stands in for mule.processes")
    for name in ("BoundedSemaphore", "Condition", "Event", "Lock", "Semaphore", "gather", "sleep"):
        setattr(module, name, getattr(asyncio, name))
    module.Shared, module.System, module.Queue, module.pause = Store, System, _Queue, pause  # type: ignore[attr-defined]
    return module


class Loop(asyncio.BaseEventLoop):
    """Handles that are ready run in the order that `pick` wants; None: in the order in which they got ready. There is
    no time: a timer may go off whenever something else could run, or (None) when nothing else can."""

    def __init__(self, pick: Pick | None) -> None:
        super().__init__()
        self.pick = pick
        self.failures: list[BaseException] = []
        self.set_exception_handler(lambda loop, context: None)

    def _process_events(self, event_list: Any) -> None:
        raise NotImplementedError

    def step(self) -> bool:
        """Run one handle; False: there is none."""
        ready, timers = self._ready, self._scheduled  # type: ignore[attr-defined]
        for handles in (ready, timers):
            for handle in [each for each in handles if each.cancelled()]:
                handles.remove(handle)
        if self.pick is None:
            handle = ready.popleft() if ready else timers.pop(timers.index(min(timers))) if timers else None
        else:
            choices = [*ready, *timers]
            handle = choices[self.pick(len(choices))] if choices else None
            if handle is not None:
                (ready if handle in ready else timers).remove(handle)
        if handle is not None:
            handle._run()
        return handle is not None

    def time(self) -> float:
        return 0.0


@dataclass(frozen=True)
class End:
    """How a run ended: what the shared object holds, and which tasks have not ended; or the exception of which task."""

    values: tuple[tuple[str, Any], ...] = ()
    pending: tuple[int, ...] = ()
    failure: str = ""
    failed: int = -1


def run(module: ModuleType, pick: Pick | None) -> End | None:
    """One run of the program; None: it goes on for long."""
    loop = Loop(pick)
    asyncio._set_running_loop(loop)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            system: System = module.system()
            tasks = [loop.create_task(each) for each in system.coroutines]
            for _ in range(MOST_STEPS):
                for number, task in enumerate(tasks):
                    if task.cancelled() or (task.done() and task.exception() is not None):
                        error = asyncio.CancelledError() if task.cancelled() else task.exception()
                        return End(failure=type(error).__name__, failed=number)
                if not loop.step():
                    pending = tuple(number for number, task in enumerate(tasks) if not task.done())
                    return End(values_of(module.STORE), pending)
            return None
        finally:
            asyncio._set_running_loop(None)
            _drop(loop)


def _drop(loop: Loop) -> None:
    for task in asyncio.all_tasks(loop):
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        coroutine = task.get_coro()
        try:
            coroutine.close()
        except BaseException:  # whatever its blocks do when they are left like this
            continue
    loop.close()


def values_of(store: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((name, _plain(getattr(store, name))) for name in sorted(type(store).__annotations__))


def _plain(value: Any) -> Any:
    return tuple(map(int, value)) if isinstance(value, list) else int(value)


def ends(module: ModuleType, runs: int, choice: random.Random) -> set[End]:
    """Of the run that a real loop makes, and of others: all, where there are not more than so many."""
    found = {end for end in [run(module, None)] if end is not None}
    open_choices: list[list[int]] = [[]]
    made = 0
    while open_choices and made < runs:
        given = open_choices.pop(choice.randrange(len(open_choices)))
        taken: list[tuple[int, int]] = []

        def pick(options: int, given: list[int] = given, taken: list[tuple[int, int]] = taken) -> int:
            answer = given[len(taken)] if len(taken) < len(given) else choice.randrange(options)
            taken.append((answer, options))
            return answer

        end = run(module, pick)
        made += 1
        if end is not None:
            found.add(end)
        answers = [answer for answer, _ in taken]
        for position in range(len(given), len(taken)):
            answer, options = taken[position]
            open_choices += [[*answers[:position], other] for other in range(options) if other != answer]
    return found
