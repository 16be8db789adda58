"""From `async def` to instructions: loops with an await in them are unrolled or become jumps."""

from __future__ import annotations

import ast
import asyncio
import copy
import inspect
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from mule.frontends.actors.constants import frozen
from mule.frontends.actors.frames import MISSING
from mule.frontends.python.awaited import Awaited, scope_of
from mule.frontends.python.blocks import Blocks
from mule.frontends.python.code import Code, Give, Handler, Jump, Label, Run, Test, Wait
from mule.frontends.python.evaluator import HINTS
from mule.frontends.python.names import awaits, bound_names, ends, leaves, parameters
from mule.frontends.python.objects import Task as Handle
from mule.frontends.python.statics import Statics, Tasks, is_constant
from mule.frontends.python.system import Task
from mule.frontends.python.waiting import until
from mule.frontends.python.writing import Around, Writer, named
from mule.records import replace

MOST_ROUNDS = 256
OF_ASYNCIO = (
    asyncio.Lock,
    asyncio.Event,
    asyncio.Condition,
    asyncio.Semaphore,
    asyncio.BoundedSemaphore,
    asyncio.Queue,
)
LIBRARY = inspect.getfile(until).removesuffix("waiting.py")


class Control:
    """Writes the instructions of one process."""

    def __init__(self, task: Task, statics: Statics, begin: Callable[[Task], Handle]) -> None:
        """`begin` makes a process of a task."""
        self.statics = statics
        definition = statics.sources.of_code(task.code)
        assert isinstance(definition, ast.AsyncFunctionDef)
        free = {**task.free, **{name: task.variables[name] for name in task.code.co_freevars if name in task.variables}}
        self.task = task
        self.writer = Writer(task.scope or scope_of(definition, task.code.co_filename, free))
        self.awaited = Awaited(self.writer, statics, self.block, begin, task)
        self.blocks = Blocks(self.writer, statics, self.awaited, self.block, task)
        self.awaited.timed = self.blocks.timed
        self._first = {
            each.arg: frozen(task.variables[each.arg]) for each in parameters(definition) if each.arg in task.variables
        }

    def code(self) -> Code:
        scope, finish = self.writer.scope, Label()
        fixed = {name: value for name, value in self._first.items() if name in scope.fixed}
        handle = self.task.handle
        around = Around(scope, fixed, finish, None)
        root: Handler | None = None
        if handle is not None and self.task.coroutine is None:
            root = self.blocks.handler(around)
            around.handler = root
            scope.extra.add("result")
            around.result = handle.__dict__["result"] = scope, "result"
        self.writer.shown.append((scope.definition.body[0], scope))
        for name in self._first.keys() - fixed.keys():
            parameter = f"{name} at first"
            around.statics[parameter] = self._first[name]
            self.writer.emit(Give, around, value=named(parameter, scope.definition), to=scope, name=name)
        self.block(scope.definition.body, around)
        if root is not None:
            nothing = ast.copy_location(ast.Constant(None), scope.definition)
            self.writer.emit(Give, around, value=nothing, to=scope, name="result")
        self.writer.here(finish)
        self.blocks.end(replace(around, handler=None), root)
        self.writer.shown.pop()
        waits = [position for position, each in enumerate(self.writer.instructions) if isinstance(each, Wait)]
        return Code(self.writer.instructions, scope, waits, root)

    def block(self, body: Sequence[ast.stmt], around: Around) -> None:
        for statement in body:
            inside = around.scope.file.startswith(LIBRARY) and len(self.writer.shown) > 0
            self.writer.shown.append(self.writer.shown[-1] if inside else (statement, around.scope))
            self._statement(statement, around)
            self.writer.shown.pop()

    def _statement(self, node: ast.stmt, around: Around) -> None:
        if isinstance(node, ast.Expr) and self.awaited.grows(node.value, around):
            return
        if isinstance(node, ast.Raise) and self.blocks.repeats(node, around):
            return
        if isinstance(node, ast.While) and not awaits(node) and not ends(node):
            test = self.statics.value(node.test, around.scope, around.statics)
            if test is not MISSING and test:
                raise self.writer.error(
                    "this loop never ends and never awaits, so nothing else would ever run: put await pause() into it",
                    node,
                    around,
                )
        if not awaits(node) and not leaves(node) and not isinstance(node, ast.If):
            self._run(node, around)
            return
        match node:
            case ast.Expr(ast.Await() as value):
                self.awaited.value(value, around, wanted=False)
            case ast.Expr(value):
                self._run(ast.copy_location(ast.Expr(self.awaited.settle(value, around)), node), around)
            case ast.Try() | ast.TryStar():
                self.blocks.attempt(node, around)
            case ast.Raise():
                self.blocks.again(node, around)
            case ast.Assign(targets, value):
                settled = self.awaited.settle(value, around)
                for target in targets:
                    self._require_plain(target, around)
                self._run(ast.copy_location(ast.Assign(targets, settled), node), around)
            case ast.AnnAssign(target, annotation, value, simple) if value is not None:
                self._require_plain(target, around)
                settled = self.awaited.settle(value, around)
                self._run(ast.copy_location(ast.AnnAssign(target, annotation, settled, simple), node), around)
            case ast.AugAssign(target, operator, value):
                self._augment(node, target, operator, value, around)
            case ast.If(test, body, otherwise):
                self._if(test, body, otherwise, around)
            case ast.While(test, body, otherwise):
                self._while(test, body, otherwise, around)
            case ast.For():
                self._for(node, around)
            case ast.AsyncWith():
                self.blocks.enter(node, node.items, around)
            case ast.Match(subject, cases):
                self._match(subject, cases, around)
            case ast.Return(value):
                self._return(node, value, around)
            case ast.Break() | ast.Continue():
                label = around.leave if isinstance(node, ast.Break) else around.again
                assert label is not None
                self.blocks.exit(around, around.loop_exits)
                self.writer.emit(Jump, around, to=label)
            case ast.Assert(test, message):
                settled = self.awaited.settle(test, around)
                self._run(ast.copy_location(ast.Assert(settled, message), node), around)
            case _:
                hint = HINTS.get(type(node), f"await inside of {type(node).__name__} cannot be compiled")
                raise self.writer.error(hint, node, around)

    def _run(self, node: ast.stmt, around: Around) -> None:
        """A statement without an await; an assignment of what is known before the run is done here and now."""
        match node:
            case ast.Assign(_, ast.Call(function)) | ast.AnnAssign(_, _, ast.Call(function)):
                made = self.statics.value(function, around.scope, around.statics)
                if made in OF_ASYNCIO:
                    message = f"objects that tasks share are made in system(): use mule.processes.{made.__name__} there"
                    raise self.writer.error(f"{ast.unparse(function)}(): {message}", node, around)
        match node:
            case ast.Assign([ast.Name(name)], ast.List([])) if name in around.scope.fixed and self.awaited.collects(
                name, around.scope
            ):
                around.statics[name] = Tasks(around.branch)
                return
            case ast.Assign([target], value) | ast.AnnAssign(target, _, value) if value is not None:
                if self._fix(target, self.statics.value(value, around.scope, around.statics), around):
                    return
        self.writer.emit(Run, around, statement=node)

    def _fix(self, target: ast.expr, value: Any, around: Around) -> bool:
        """Bind names here and now, if their values are known before the run, and never change."""
        names = bound_names(target)
        if names is None or not is_constant(value) or not around.scope.fixed.issuperset(names):
            return False
        if isinstance(target, ast.Tuple):
            parts = _rounds(value)
            if parts is None or len(parts) != len(names):
                return False
            around.statics.update(zip(names, parts, strict=True))
        else:
            around.statics[names[0]] = value
        return True

    def _require_plain(self, target: ast.expr, around: Around) -> None:
        if awaits(target):
            raise self.writer.error(
                "an await in what is assigned to: await first, in a statement of its own", target, around
            )

    def _augment(
        self, node: ast.stmt, target: ast.expr, operator: ast.operator, value: ast.expr, around: Around
    ) -> None:
        """Python reads the target, then evaluates the value, then assigns: others may run in between."""
        self._require_plain(target, around)
        if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Name | ast.Constant):
            raise self.writer.error("give this index a name before the await: index = …", target, around)
        reading: ast.expr = copy.deepcopy(target)
        reading.ctx = ast.Load()  # type: ignore[attr-defined]
        old = self.writer.kept(reading, around)
        new = ast.copy_location(ast.BinOp(old, operator, self.awaited.settle(value, around)), node)
        self._run(ast.copy_location(ast.Assign([target], new), node), around)

    def _if(self, test: ast.expr, body: list[ast.stmt], otherwise: list[ast.stmt], around: Around) -> None:
        known = self.statics.value(test, around.scope, around.statics)
        if known is not MISSING:
            self.block(body if known else otherwise, around.inner())
            return
        no, finish = Label(), Label()
        self.writer.emit(Test, around, test=self.awaited.settle(test, around), otherwise=no)
        self.block(body, around.inner(branch=test))
        if otherwise:
            self.writer.emit(Jump, around, to=finish)
        self.writer.here(no)
        self.block(otherwise, around.inner(branch=test))
        self.writer.here(finish)

    def _while(self, test: ast.expr, body: list[ast.stmt], otherwise: list[ast.stmt], around: Around) -> None:
        again, no, leave = Label(), Label(), Label()
        self.writer.here(again)
        known = self.statics.value(test, around.scope, around.statics)
        if known is MISSING or not known:
            self.writer.emit(Test, around, test=self.awaited.settle(test, around), otherwise=no)
        self.block(body, around.inner(leave=leave, again=again, loop_exits=len(around.exits), branch=test))
        self.writer.emit(Jump, around, to=again)
        self.writer.here(no)
        self.block(otherwise, around.inner())
        self.writer.here(leave)

    def _for(self, node: ast.For, around: Around) -> None:
        """A copy of the body for each round."""
        values = self.statics.value(node.iter, around.scope, around.statics)
        rounds = _rounds(values)
        if rounds is None or len(rounds) > MOST_ROUNDS:
            why = (
                "what is iterated is not known before the run" if rounds is None else f"more than {MOST_ROUNDS} rounds"
            )
            raise self.writer.error(
                f"{why}: write this loop, in which there is an await or a return, with while", node, around
            )
        leave = Label()
        for number, value in enumerate(rounds, 1):
            again = Label()
            target = ast.unparse(node.target)
            told = f"{target} = {value}" if isinstance(value, int) and target != "_" else f"round {number}"
            inner = around.inner(leave=leave, again=again, loop_exits=len(around.exits), rounds=(*around.rounds, told))
            if not self._fix(node.target, value, inner):
                item = f"item of line {node.lineno}"
                inner.statics[item] = value
                taken = ast.copy_location(ast.Assign([node.target], named(item, node)), node)
                self.writer.emit(Run, inner, statement=taken)
            self.block(node.body, inner)
            self.writer.here(again)
        self.block(node.orelse, around.inner())
        self.writer.here(leave)

    def _match(self, subject: ast.expr, cases: list[ast.match_case], around: Around) -> None:
        value = self.writer.kept(self.awaited.settle(subject, around), around)
        finish = Label()
        for case in cases:
            no = Label()
            self.writer.emit(Test, around, test=value, otherwise=no, pattern=case.pattern)
            if case.guard is not None:
                self.writer.emit(Test, around, test=self.awaited.settle(case.guard, around), otherwise=no)
            self.block(case.body, around.inner(branch=case))
            self.writer.emit(Jump, around, to=finish)
            self.writer.here(no)
        self.writer.here(finish)

    def _return(self, node: ast.Return, value: ast.expr | None, around: Around) -> None:
        given = ast.copy_location(ast.Constant(None), node) if value is None else self.awaited.settle(value, around)
        if around.result is not None:
            scope, name = around.result
            self.writer.emit(Give, around, value=given, to=scope, name=name)
        elif value is not None and not isinstance(value, ast.Constant):
            self.writer.emit(Run, around, statement=ast.copy_location(ast.Expr(given), node))
        self.blocks.exit(around, 0)
        self.writer.emit(Jump, around, to=around.finish)


def _rounds(values: Any) -> list[Any] | None:
    """What a loop goes through, or the first of it where there is too much."""
    if isinstance(values, set | frozenset) or values is MISSING:
        return None
    try:
        return [frozen(each) for each in islice(values, MOST_ROUNDS + 1)]
    except TypeError:
        return None
