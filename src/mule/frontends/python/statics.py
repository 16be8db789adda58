"""What is known before the run: expressions over constants, parameters that nobody assigns, and rounds of loops."""

from __future__ import annotations

import ast
import asyncio
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from mule.errors import MuleError
from mule.frontends.actors.constants import CONSTANT, frozen
from mule.frontends.actors.frames import MISSING, Frame, NotHere
from mule.frontends.actors.paths import NeedsDecision, Path
from mule.frontends.actors.processes import Process, field_names
from mule.frontends.actors.sources import Sources
from mule.frontends.actors.values import Failing, Method, Operation, is_known
from mule.frontends.python.code import Scope
from mule.frontends.python.contents import Contents
from mule.frontends.python.evaluator import ProcessEvaluator
from mule.frontends.python.memory import Memory
from mule.frontends.python.names import free_names
from mule.frontends.python.objects import Queue, Shared, Task, TaskGroup
from mule.frontends.python.step import Step
from mule.frontends.python.waiting import myself
from mule.model.builder import ModelBuilder
from mule.model.expressions import TRUE


class _Before(Step):
    """The world before the run: no field has a value that one could rely on."""

    def __init__(self, sources: Sources, files: frozenset[str], assigned: frozenset[str]) -> None:
        super().__init__(Memory(ModelBuilder("", "python"), [], frozenset()), sources, files)
        self.assigned = assigned

    def is_field(self, process: Process, name: str) -> bool:
        return name in self.assigned and name in field_names(type(process))

    def read(self, process: Process, name: str) -> Any:
        raise NotHere(f"{name} is not known before the run")

    def contents(self, queue: Queue[Any]) -> Contents:
        raise NotHere("a queue is not known before the run")


@dataclass(frozen=True, eq=False)
class Calling:
    """A call of an async function that nobody awaits here: what `gather` is given."""

    function: FunctionType
    arguments: list[Any]
    named: dict[str, Any]


class _StaticEvaluator(ProcessEvaluator):
    def __init__(self, path: Path, objects: Sequence[Shared], world: Step, running: int) -> None:
        super().__init__(path, objects, world)
        self.running = running

    def apply(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        if function is myself:
            return self.running
        if function in (asyncio.create_task, asyncio.ensure_future) and len(arguments) == 1:
            return arguments[0] if isinstance(arguments[0], Task) else self._spawned(arguments[0], None)
        if isinstance(function, Method) and function.function is TaskGroup.create_task and len(arguments) == 1:
            assert isinstance(function.owner, TaskGroup)
            return self._spawned(arguments[0], function.owner)
        if isinstance(function, Method) and inspect.iscoroutinefunction(function.function):
            return Calling(function.function, [function.owner, *arguments], named)
        if isinstance(function, FunctionType) and inspect.iscoroutinefunction(function):
            return Calling(function, arguments, named)
        return super().apply(function, arguments, named)

    def _spawned(self, calling: Any, group: TaskGroup | None) -> Spawn:
        if not isinstance(calling, Calling):
            raise self.error("a task is made of a call of an async function: asyncio.create_task(function(…))")
        return Spawn(calling, group)


class Tasks(list[Any]):
    """A list that only grows, by tasks that begin: what is in it is known before the run."""

    def __init__(self, branch: object) -> None:
        super().__init__()
        self.branch = branch


def list_now(value: Any) -> Any:
    """What a list that grows while instructions are written has in it here."""
    return frozen(list(value)) if isinstance(value, Tasks) else value


@dataclass(frozen=True, eq=False)
class Spawn:
    """A task that begins where this is evaluated."""

    calling: Calling
    group: TaskGroup | None


class Statics:
    def __init__(
        self, objects: list[Shared], sources: Sources, files: frozenset[str], assigned: frozenset[str]
    ) -> None:
        self.objects = objects
        self.sources = sources
        self.files = files
        self._world = _Before(sources, files, assigned)
        self.running = 0
        """The number of the process whose code is looked at."""
        self.cancels = False
        """Whether tasks can be cancelled."""
        self.group_of: dict[int, TaskGroup] = {}
        """The groups of tasks, by their numbers."""

    def add(self, made: Shared) -> None:
        """An object that the model does not make itself."""
        self.objects.append(made)

    def value(self, node: ast.expr, scope: Scope, statics: Mapping[str, Any]) -> Any:
        """What an expression is wherever it is evaluated; MISSING where only the run knows."""
        unknown = (scope.own | scope.extra) - statics.keys()
        if not unknown.isdisjoint(free_names(node)):
            return MISSING
        path = Path([])
        evaluator = _StaticEvaluator(path, self.objects, self._world, self.running)
        frame = Frame(
            scope.file, {name: list_now(each) for name, each in statics.items()}, Frame(scope.file, {}, free=scope.free)
        )
        try:
            with path.supposing(TRUE):
                value = evaluator.evaluate(node, frame)
        except (NeedsDecision, Failing, NotHere, MuleError):
            return MISSING
        return value if is_known(value) and not isinstance(value, Operation) else MISSING


def is_constant(value: Any) -> bool:
    """Whether a name can stand for it through a whole run: nothing can change it."""
    if isinstance(value, tuple):
        return all(is_constant(each) for each in value)
    if isinstance(value, CONSTANT):
        return True
    return not isinstance(value, list | dict | set | Method | Calling | Spawn) and value is not MISSING
