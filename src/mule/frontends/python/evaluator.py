"""What the code of processes may do beyond the expressions and statements that all models in Python share."""

from __future__ import annotations

import ast
import asyncio
import dataclasses
import inspect
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from mule.errors import MuleError
from mule.frontends.actors.frames import Frame, NotHere
from mule.frontends.actors.messages import Message
from mule.frontends.actors.paths import Path
from mule.frontends.actors.scalars import with_article
from mule.frontends.actors.statements import Evaluator
from mule.frontends.actors.types import INT, Kind
from mule.frontends.actors.values import Failing, Operation, Record, Symbol, is_known, type_name
from mule.frontends.python.exceptions import failing
from mule.frontends.python.objects import CANCELLED, COUNTED, IDLE, RETURNED, RUNNING, Queue, Semaphore, Shared, Task
from mule.frontends.python.shapes import Shape, is_record, recorded, value_in
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
        if function is dataclasses.replace and len(arguments) == 1:
            return self._replaced(arguments[0], named)
        if _is_dataclass(function) and not (is_record(function) and is_known([*arguments, *named.values()])):
            return self._made(function, arguments, named)
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
                return value_in(contents.place.shape, iter(contents.get(self.path)))
        raise self.error(f"wrong arguments for {owner.name}.{name}")

    def _payload(self, queue: Queue[Any], item: Any) -> tuple[Any, ...]:
        return tuple(self._codes(self.step.contents(queue).place.shape, item, f"an item of {queue.name}"))

    def _codes(self, shape: Shape, value: Any, what: str) -> list[Expression]:
        """What the slots of a value of this shape hold."""
        if isinstance(shape, Kind):
            return [self.code(self.coerced(value, shape, what), shape)]
        value = recorded(value)
        if shape.cls is tuple and isinstance(value, tuple):
            parts = self.unpacked(value, len(shape.shapes))
        elif isinstance(value, Record) and value.cls is shape.cls:
            parts = [value.fields[name] for name in shape.names]
        else:
            raise self.error(f"{what} is {with_article(shape.cls.__name__)}, and this is {type_name(value)}")
        return [code for each, part in zip(shape.shapes, parts, strict=True) for code in self._codes(each, part, what)]

    # frozen dataclasses -----------------------------------------------------------------------------------------------

    def equal(self, left: Any, right: Any) -> Expression:
        if isinstance(left, Record) is not isinstance(right, Record):
            left, right = recorded(left), recorded(right)
        return super().equal(left, right)

    def _made(self, cls: type, arguments: list[Any], named: dict[str, Any]) -> Record:
        """An instance of a dataclass, with values that only the run knows."""
        if not is_record(cls):
            hint = "write @dataclass(frozen=True), or derive it from Shared and make its instances in system()"
            raise self.error(f"{cls.__name__} could be changed, or does more than hold fields: {hint}")
        fields = dataclasses.fields(cls)
        if any(not each.init or each.default_factory is not dataclasses.MISSING for each in fields):
            raise self.error(f"a field of {cls.__name__} is computed when it is made: give it a value in the call")
        try:
            bound = inspect.signature(cls).bind(*arguments, **named)
        except TypeError as wrong:
            raise self.error(f"{cls.__name__}: {wrong}") from None
        bound.apply_defaults()
        return Record(cls, {each.name: self.tamed(bound.arguments[each.name]) for each in fields})

    def _replaced(self, old: Any, changes: dict[str, Any]) -> Record:
        record = recorded(old)
        if not isinstance(record, Record):
            raise self.error(f"dataclasses.replace needs a frozen dataclass, and this is {type_name(old)}")
        return self._made(record.cls, [], {**record.fields, **changes})


def _is_dataclass(function: Any) -> bool:
    return isinstance(function, type) and dataclasses.is_dataclass(function) and not issubclass(function, Message)
