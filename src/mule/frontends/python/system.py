"""A system: coroutines that run side by side, and what must hold."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import AsyncGeneratorType, CodeType, CoroutineType
from typing import TYPE_CHECKING, Any

from mule.errors import MuleError, briefly
from mule.frontends.counted import MOST_OBJECTS
from mule.frontends.described import Described, Formulas, Predicate, Predicates, require_name

if TYPE_CHECKING:
    from mule.frontends.python.code import Scope
    from mule.frontends.python.objects import Task as Handle
    from mule.model import Model


@dataclass
class Task:
    """A coroutine that has not begun: the call that made it."""

    code: CodeType
    variables: Mapping[str, Any]
    """Its arguments, and the variables of outer functions that it uses."""
    free: Mapping[str, Any]
    """The names of its module."""
    background: bool
    coroutine: Coroutine[Any, Any, Any] | None = field(repr=False)
    """None: another task will make it."""
    name: str = ""
    handle: Handle | None = None
    """What others know of it, where others can."""
    scope: Scope | None = None
    """Its names, where another task gives them values."""

    def close(self) -> None:
        """It will not be run: Python would warn."""
        if self.coroutine is not None:
            self.coroutine.close()


class System(Described):
    """What `mule check` looks for in a module: the function `system` returns one.

    `tasks` are coroutines, calls of `async def` functions: each becomes a process. Those in `background` need not end;
    a state in which nothing can move and another one has not ended is a deadlock. `invariants` hold in every reachable
    state; `propositions` are names for formulas; `ltl` are temporal properties over them. Predicates are functions
    without parameters."""

    def __init__(
        self,
        tasks: Iterable[Coroutine[Any, Any, Any]],
        *,
        background: Iterable[Coroutine[Any, Any, Any]] = (),
        invariants: Predicates = (),
        propositions: Mapping[str, Predicate] | None = None,
        ltl: Formulas = None,
        name: str = "system",
    ) -> None:
        super().__init__(invariants, propositions, ltl, name)
        self.tasks = (*_made_of(tasks, in_background=False), *_made_of(background, in_background=True))
        if len(self.tasks) > MOST_OBJECTS:
            raise MuleError(f"a system has at most {MOST_OBJECTS:,} tasks")
        if not self.tasks:
            raise MuleError("a system needs at least one task: System([worker(…), …])")
        self._give_names()

    def run(self) -> None:
        """One run of the program as it is, under asyncio."""
        asyncio.run(self._gather())

    async def _gather(self) -> None:
        made = [(task.background, task.coroutine) for task in self.tasks if task.coroutine is not None]
        background = [asyncio.ensure_future(coroutine) for waits, coroutine in made if waits]
        await asyncio.gather(*(coroutine for waits, coroutine in made if not waits))
        for each in background:
            each.cancel()

    @property
    def process_names(self) -> list[str]:
        return [task.name for task in self.tasks]

    def compile(self) -> Model:
        from mule.frontends.python.translation import translate

        return translate(self)

    def _give_names(self) -> None:
        """`worker 1`, `worker 2`; `producer` where there is one only."""
        for task in self.tasks:
            alike = [each for each in self.tasks if each.code is task.code]
            word = task.code.co_name.replace("_", " ").strip()
            task.name = word if len(alike) == 1 else f"{word} {[each is task for each in alike].index(True) + 1}"
        names = [task.name for task in self.tasks]
        for name in names:
            require_name(name)
            if names.count(name) > 1:
                raise MuleError(f"two functions are called {name}: give each a name of its own")

    def __del__(self) -> None:
        for task in getattr(self, "tasks", []):
            task.close()


def _made_of(tasks: Iterable[Coroutine[Any, Any, Any]], in_background: bool) -> list[Task]:
    return [_task(each, in_background) for each in islice(tasks, MOST_OBJECTS + 1)]


def _task(coroutine: Any, background: bool) -> Task:
    if not isinstance(coroutine, CoroutineType):
        hint = ": call it" if inspect.iscoroutinefunction(coroutine) else ""
        if isinstance(coroutine, AsyncGeneratorType):
            hint = f": {coroutine.__name__} has a yield in it, write await pause()"
        raise MuleError(f"a task is a call of an async def function, and {briefly(coroutine)} is none{hint}")
    frame = coroutine.cr_frame
    if frame is None or inspect.getcoroutinestate(coroutine) != inspect.CORO_CREATED:
        raise MuleError(f"{coroutine.__name__} has begun to run: make a new coroutine for each system")
    variables = inspect.getcoroutinelocals(coroutine)
    return Task(coroutine.cr_code, dict(variables), frame.f_globals, background, coroutine)
