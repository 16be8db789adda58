"""What the code of processes may do beyond the expressions and statements that all models in Python share."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from mule.errors import MuleError
from mule.frontends.actors.frames import Frame, NotHere
from mule.frontends.actors.paths import Path
from mule.frontends.actors.shapes import codes_in, value_in
from mule.frontends.actors.statements import Evaluator
from mule.frontends.actors.types import INT
from mule.frontends.actors.values import Failing, Operation, Symbol
from mule.frontends.python.exceptions import failing
from mule.frontends.python.objects import CANCELLED, COUNTED, IDLE, RETURNED, RUNNING, Queue, Semaphore, Shared, Task
from mule.frontends.python.step import Step
from mule.frontends.python.waiting import choose, pause, sleep, until
from mule.model.expressions import Expression

HINTS: dict[type[ast.AST], str] = {
    ast.Await: "an await cannot be compiled here: write it in a statement of its own, name = await …",
    ast.Yield: "a process cannot yield: await pause() lets others run",
    ast.YieldFrom: "a process cannot yield: await pause() lets others run",
    ast.Try: "exceptions can be caught in async functions only: ask first, with if",
    ast.TryStar: "except* cannot be compiled: write except ExceptionGroup",
    ast.With: "`with` cannot be compiled: write async with for locks and semaphores",
    ast.AsyncWith: "`async with` cannot be compiled here: a function in which processes wait is async, and is awaited",
    ast.AsyncFor: "`async for` cannot be compiled: write while, with item = await queue.get()",
    ast.AsyncFunctionDef: "define async functions at the top of the module",
    ast.Global: "variables of the module are constants here: make it a field of a Shared object",
    ast.Nonlocal: "variables of another function are constants here: make it a field of a Shared object",
    ast.Delete: "nothing can be deleted: assign None, or discard from a set",
}


class ProcessEvaluator(Evaluator):
    """Runs the code of processes on one path."""

    reference = "docs/processes.md"
    bounded = "others cannot run while it goes on; await pause() in it, or await until(lambda: …) instead"

    def __init__(self, path: Path, objects: Sequence[Shared], step: Step) -> None:
        super().__init__(path, objects, step)
        self.step = step

    def unsupported(self, node: ast.AST) -> MuleError:
        hint = HINTS.get(type(node))
        return self.error(hint) if hint else super().unsupported(node)

    def not_awaited(self, name: str) -> str:
        return f"{name} is async: write await {name}(…), in a statement of its own"

    def execute(self, node: ast.stmt, frame: Frame) -> None:
        self._execute(node, frame)

    def matches(self, subject: Any, pattern: ast.pattern, frame: Frame, captured: dict[str, Any]) -> Expression:
        return self._matches(subject, pattern, frame, captured)

    def _statement(self, node: ast.stmt, frame: Frame) -> None:
        if type(node) in HINTS:
            raise self.unsupported(node)
        if isinstance(node, ast.Raise) and node.exc is not None:
            raise self._raised(node.exc, frame)
        super()._statement(node, frame)

    def _raised(self, node: ast.expr, frame: Frame) -> Failing:
        cls = self.evaluate(node.func if isinstance(node, ast.Call) else node, frame)
        if not isinstance(cls, type) or not issubclass(cls, BaseException):
            raise self.error("raise an exception class, or a call of one")
        return failing(cls, f"raises {ast.unparse(node)}")

    def attribute(self, owner: Any, name: str) -> Any:
        if isinstance(owner, Queue | Task) and name in owner.native:
            return Operation(owner, name)
        return super().attribute(owner, name)

    def _store(self, owner: Any, name: str, value: Any) -> None:
        if isinstance(owner, Semaphore | Task) and name in COUNTED:
            self.path.effect()
            if self.step.is_field(owner, name):
                self.step.write(owner, name, value)  # no more can wait than there are tasks
        else:
            super()._store(owner, name, value)

    def apply(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        if function is choose:
            return self._choose(*arguments)
        if isinstance(function, FunctionType) and function in (until, pause, sleep):
            raise self.error(
                f"{function.__name__} does nothing unless it is awaited: write await {function.__name__}(…)"
            )
        if function in (asyncio.create_task, asyncio.ensure_future):
            raise self.error("a task begins in a statement of its own: task = asyncio.create_task(function(…))")
        if isinstance(function, type) and issubclass(function, Shared):
            raise self.error("shared objects are made in system(), not at run time")
        return super().apply(function, arguments, named)

    def outcome(self, task: Task, codes: Sequence[int]) -> int:
        """How a task stands, one of these, by deciding."""
        code = codes[self.path.choose(len(codes))]
        self.path.assume(self.equal(self.step.read(task, "outcome"), code))
        return code

    def _ended(self, task: Task, name: str) -> Any:
        code = self.outcome(task, [IDLE, RUNNING, RETURNED, *sorted(task.codes)])
        if code in (IDLE, RUNNING):
            raise failing(asyncio.InvalidStateError, "raises InvalidStateError: the task has not ended")
        if code == RETURNED:
            return self.returned(task) if name == "result" else None
        cls = self.exception(code)
        if name == "exception" and code != CANCELLED:
            raise self.error("what an exception carries is not kept: await the task, with try and except")
        raise failing(cls)

    def returned(self, task: Task) -> Any:
        raise NotHere(f"what {task.name} returns is not known here")

    def exception(self, code: int) -> type[BaseException]:
        raise NotHere("how a task ends is not known here")

    def _operation(self, owner: Any, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        if isinstance(owner, Task) and not arguments:
            return self._ended(owner, name)
        if not isinstance(owner, Queue):
            return super()._operation(owner, name, arguments, named)
        contents = self.step.contents(owner)
        match name, arguments:
            case "qsize", []:
                return Symbol(contents.length, INT)
            case "empty", []:
                return self.boolean(contents.empty())
            case "full", []:
                return self.boolean(contents.full())
            case "put_nowait", [item]:
                self.path.effect()
                contents.put(self.path, self._payload(owner, item))
                if self.step.is_field(owner, "unfinished"):
                    self._store(owner, "unfinished", self.arithmetic(ast.Add(), self.attribute(owner, "unfinished"), 1))
                return None
            case "get_nowait", []:
                self.path.effect()
                codes = iter(contents.get(self.path))
                return value_in(contents.place.shape, lambda kind: Symbol(next(codes), kind))
        raise self.error(f"wrong arguments for {owner.name}.{name}")

    def _payload(self, queue: Queue[Any], item: Any) -> tuple[Any, ...]:
        shape = self.step.contents(queue).place.shape
        return tuple(codes_in(shape, self.shaped(item, shape, f"an item of {queue.name}"), self.code))
