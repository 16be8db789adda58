"""Blocks that something is done around: `try`, `async with`, and the function of a task as a whole."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Callable, Sequence
from types import FunctionType

from mule.frontends.actors.frames import MISSING
from mule.frontends.python.awaited import Awaited
from mule.frontends.python.code import Catch, Finish, Give, Handler, Jump, Label, Raise, Run
from mule.frontends.python.evaluator import HINTS
from mule.frontends.python.names import parameters
from mule.frontends.python.objects import Shared, TaskGroup
from mule.frontends.python.statics import Statics
from mule.frontends.python.system import Task
from mule.frontends.python.writing import Around, Exit, Writer, named
from mule.records import replace

Block = Callable[[Sequence[ast.stmt], Around], None]


class Blocks:
    def __init__(self, writer: Writer, statics: Statics, awaited: Awaited, block: Block, task: Task) -> None:
        self.writer = writer
        self.statics = statics
        self.awaited = awaited
        self.block = block
        self.task = task

    def handler(self, around: Around, classes: tuple[type[BaseException], ...] = ()) -> Handler:
        name = self.writer.temporary(around.scope)
        return Handler(-1, around.scope, name, classes, around.handler)

    def end(self, around: Around, root: Handler | None) -> None:
        """How a task ends, for those who look at it."""
        handle = self.task.handle
        if handle is None:
            return
        finish = Label()
        self.writer.emit(Finish, around, task=handle, name=None)
        if root is not None:
            self.writer.emit(Jump, around, to=finish)
            self.writer.here(root)
            group = self.statics.group_of.get(handle.number)
            self.writer.emit(Finish, around, task=handle, name=root.name, grouped=group is not None)
            if group is not None:
                failed = Label()
                self.writer.emit(Catch, around, name=root.name, classes=(asyncio.CancelledError,), otherwise=failed)
                self.writer.emit(Jump, around, to=finish)
                self.writer.here(failed)
                self.awaited.pause(around, shielded=True)
                self.awaited.quietly(group, "report", [handle], around)
        self.writer.here(finish)

    # try --------------------------------------------------------------------------------------------------------------

    def attempt(self, node: ast.Try | ast.TryStar, around: Around) -> None:
        if isinstance(node, ast.TryStar):
            raise self.writer.error(HINTS[ast.TryStar], node, around)
        if not node.finalbody:
            self._catching(node, around)
            return
        handler = self.handler(around)

        def leave(outside: Around) -> None:
            self.block(node.finalbody, outside.inner())

        inner = around.inner(handler=handler, exits=(*around.exits, Exit(leave, around)))
        if node.handlers:
            self._catching(node, inner)
        else:
            self.block(node.body, inner)
            self.block(node.orelse, inner)
        self._finally(handler, leave, around)

    def _finally(self, handler: Handler, leave: Callable[[Around], None], around: Around) -> None:
        finish = Label()
        leave(around.inner())
        self.writer.emit(Jump, around, to=finish)
        self.writer.here(handler)
        leave(around.inner(caught=handler.name))
        self.writer.emit(Raise, around, name=handler.name)
        self.writer.here(finish)

    def _catching(self, node: ast.Try, around: Around) -> None:
        caught = [self._classes(each, around) for each in node.handlers]
        handler = self.handler(around, tuple(cls for classes in caught for cls in classes))
        finish = Label()
        self.block(node.body, around.inner(handler=handler, exits=(*around.exits, Exit(lambda _: None, around))))
        self.block(node.orelse, around.inner())
        self.writer.emit(Jump, around, to=finish)
        self.writer.here(handler)
        for each, classes in zip(node.handlers, caught, strict=True):
            no = Label()
            self.writer.emit(Catch, around, name=handler.name, classes=classes, otherwise=no)
            inner = around.inner(caught=handler.name, branch=each)
            if each.name is not None:
                inner.statics[each.name] = Caught(handler.name)
            self.block(each.body, inner)
            self.writer.emit(Jump, around, to=finish)
            self.writer.here(no)
        self.writer.emit(Raise, around, name=handler.name)
        self.writer.here(finish)

    def _classes(self, node: ast.ExceptHandler, around: Around) -> tuple[type[BaseException], ...]:
        if node.type is None:
            return (BaseException,)
        value = self.statics.value(node.type, around.scope, around.statics)
        classes = value if isinstance(value, tuple) else (value,)
        if not all(isinstance(each, type) and issubclass(each, BaseException) for each in classes):
            raise self.writer.error("this is no class of exceptions that is known before the run", node.type, around)
        return classes

    def repeats(self, node: ast.Raise, around: Around) -> bool:
        """`raise error`, with what was caught."""
        caught = around.statics.get(node.exc.id) if isinstance(node.exc, ast.Name) else None
        if isinstance(caught, Caught):
            self.writer.emit(Raise, around, name=caught.name)
        return isinstance(caught, Caught)

    def again(self, node: ast.Raise, around: Around) -> None:
        """`raise`, or `raise error` with what was caught: the same exception once more."""
        if not around.caught:
            raise self.writer.error("there is no exception to raise again here", node, around)
        self.writer.emit(Raise, around, name=around.caught)

    def exit(self, around: Around, down_to: int) -> None:
        """Leave the blocks between here and where control goes."""
        for number in range(len(around.exits) - 1, down_to - 1, -1):
            leaving = around.exits[number]
            leaving.leave(replace(leaving.around, statics=dict(around.statics)))

    # async with -------------------------------------------------------------------------------------------------------

    def enter(self, node: ast.AsyncWith, items: list[ast.withitem], around: Around) -> None:
        if not items:
            self.block(node.body, around)
            return
        first, rest = items[0], items[1:]
        manager = first.context_expr
        function = MISSING
        if isinstance(manager, ast.Call):
            function = self.statics.value(manager.func, around.scope, around.statics)
        if function is asyncio.timeout:
            assert isinstance(manager, ast.Call)
            self._timed(node, manager, lambda inner: self.enter(node, rest, inner), around)
        elif function is asyncio.TaskGroup:
            self._grouped(node, first, rest, around)
        else:
            self._managed(node, first, rest, around)

    def _managed(self, node: ast.AsyncWith, first: ast.withitem, rest: list[ast.withitem], around: Around) -> None:
        manager = first.context_expr
        known = self.statics.value(manager, around.scope, around.statics)
        for cls in {type(each) for each in ([known] if isinstance(known, Shared) else self.statics.objects)}:
            self._require_plain_exit(cls, node, around)
        if known is MISSING:
            manager = self.writer.kept(self.awaited.settle(manager, around), around)
        entered = self.awaited.call(_method(manager, "__aenter__", []), around, first.optional_vars is not None)
        if first.optional_vars is not None:
            self.block([ast.copy_location(ast.Assign([first.optional_vars], entered), node)], around)

        def leave(outside: Around) -> None:
            nothing = [ast.copy_location(ast.Constant(None), manager) for _ in range(3)]
            before, self.writer.quiet = self.writer.quiet, True
            self.awaited.call(_method(manager, "__aexit__", nothing), outside, wanted=False)
            self.writer.quiet = before

        handler = self.handler(around)
        self.enter(node, rest, replace(around, handler=handler, exits=(*around.exits, Exit(leave, around))))
        self._finally(handler, leave, around)

    def _require_plain_exit(self, cls: type, node: ast.AsyncWith, around: Around) -> None:
        """The compiler tells `__aexit__` of no exception, and raises it again whatever that returns."""
        function = getattr(cls, "__aexit__", None)
        if not isinstance(function, FunctionType) or function.__module__ == Shared.__module__:
            return
        definition = self.statics.sources.definition(function)
        assert isinstance(definition, ast.AsyncFunctionDef)
        told = {each.arg for each in parameters(definition)[1:]}
        for each in ast.walk(definition):
            looks = isinstance(each, ast.Name) and each.id in told
            if looks or (isinstance(each, ast.Return) and each.value is not None):
                message = "may neither look at the exception nor return anything: use try and except for that"
                raise self.writer.error(f"{cls.__name__}.__aexit__ {message}", node, around)

    def timed(self, call: ast.AST, limit: ast.expr | None, body: Callable[[Around], None], around: Around) -> None:
        """A block that may be left with TimeoutError, wherever it waits."""
        if limit is None or self.statics.value(limit, around.scope, around.statics) is None:
            body(around)
            return
        flag = self.writer.temporary(around.scope)
        self.writer.emit(Give, around, value=ast.copy_location(ast.Constant(False), call), to=around.scope, name=flag)
        handler, no, finish = self.handler(around), Label(), Label()
        timeouts = (*around.timeouts, (around.scope, flag))
        exits = (*around.exits, Exit(lambda _: None, around))
        body(replace(around, handler=handler, timeouts=timeouts, exits=exits))
        self.writer.emit(Jump, around, to=finish)
        self.writer.here(handler)
        cancelled = (asyncio.CancelledError,)
        self.writer.emit(Catch, around, name=handler.name, classes=cancelled, otherwise=no, timeouts=timeouts)
        inner = around.inner()
        inner.statics["TimeoutError"] = TimeoutError
        raised = ast.Raise(named("TimeoutError", call), None)
        self.writer.emit(Run, inner, statement=ast.fix_missing_locations(ast.copy_location(raised, call)))
        self.writer.here(no)
        self.writer.emit(Raise, around, name=handler.name)
        self.writer.here(finish)

    def _timed(self, node: ast.AsyncWith, call: ast.Call, body: Callable[[Around], None], around: Around) -> None:
        limits = [*call.args, *(each.value for each in call.keywords)]
        if len(limits) != 1 or any(each.optional_vars is not None for each in node.items):
            message = "write async with asyncio.timeout(seconds), without `as`: a timeout cannot be moved"
            raise self.writer.error(message, node, around)
        self.timed(call, limits[0], body, around)

    def _grouped(self, node: ast.AsyncWith, first: ast.withitem, rest: list[ast.withitem], around: Around) -> None:
        group = TaskGroup(self.awaited.own_handle(self.task))
        group.name = f"group of line {node.lineno} in {self.task.name}"
        taken = {each.name for each in self.statics.objects}
        while group.name in taken:
            group.name += " again"
        self.statics.add(group)
        name = first.optional_vars
        if name is not None and not (isinstance(name, ast.Name) and name.id in around.scope.fixed):
            message = "give the group a name that is assigned once, and used in its block only"
            raise self.writer.error(message, node, around)
        self.awaited.quietly(group, "begin", [], around)
        if isinstance(name, ast.Name):
            around.statics[name.id] = group

        def leave(outside: Around) -> None:
            self._leave(group, False, False, node, outside)

        handler, cancelled, finish = self.handler(around), Label(), Label()
        inner = replace(around, handler=handler, exits=(*around.exits, Exit(leave, around)))
        self.enter(node, rest, inner)
        leave(around.inner())
        self.writer.emit(Jump, around, to=finish)
        self.writer.here(handler)
        self.writer.emit(Catch, around, name=handler.name, classes=(asyncio.CancelledError,), otherwise=cancelled)
        self._leave(group, True, False, node, around.inner())
        self.writer.emit(Jump, around, to=finish)
        self.writer.here(cancelled)
        self._leave(group, False, True, node, around.inner())
        self.writer.here(finish)

    def _leave(self, group: TaskGroup, cancelled: bool, raised: bool, node: ast.AST, around: Around) -> None:
        around.statics["group left"] = group
        given = [ast.copy_location(ast.Constant(each), node) for each in (cancelled, raised)]
        before, self.writer.quiet = self.writer.quiet, True
        self.awaited.call(_method(named("group left", node), "leave", given), around, wanted=False)
        self.writer.quiet = before


class Caught:
    """What `except … as error` binds: the exception, of which nothing but its class is known."""

    def __init__(self, name: str) -> None:
        self.name = name


def _method(owner: ast.expr, name: str, arguments: list[ast.Constant]) -> ast.Call:
    method = ast.copy_location(ast.Attribute(owner, name, ast.Load()), owner)
    return ast.copy_location(ast.Call(method, list(arguments), []), owner)
