"""What a process awaits: an awaited function is put in place of its call, and what an expression has read before it
awaits is kept."""

from __future__ import annotations

import ast
import asyncio
import inspect
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from mule.errors import MuleError
from mule.frontends.actors.frames import MISSING
from mule.frontends.actors.sources import place_of
from mule.frontends.actors.values import Method
from mule.frontends.python.code import Give, Jump, Label, Run, Scope, Start, Test, Wait
from mule.frontends.python.evaluator import HINTS
from mule.frontends.python.names import awaits, fixed_names, own_names, parameters
from mule.frontends.python.objects import Condition
from mule.frontends.python.statics import Calling, Statics, is_constant
from mule.frontends.python.system import Task
from mule.frontends.python.waiting import gather, pause, sleep, until
from mule.frontends.python.writing import Around, Writer, named
from mule.records import replace

DEEPEST = 20


class TooManyProcesses(Exception):  # noqa: N818 - becomes a message with a place
    pass


class Awaited:
    def __init__(
        self,
        writer: Writer,
        statics: Statics,
        block: Callable[[Sequence[ast.stmt], Around], None],
        begin: Callable[[Task], int],
        background: bool,
    ) -> None:
        """`block` writes the body of a function that is called; `begin` makes a process of a task: its number."""
        self.writer = writer
        self.statics = statics
        self._block = block
        self._begin = begin
        self._background = background

    def settle(self, node: ast.expr, around: Around) -> ast.expr:
        """The expression after its awaits: with names for their results, and for what was evaluated before them."""
        if not awaits(node):
            return node
        match node:
            case ast.Await():
                return self.value(node, around, wanted=True)
            case ast.BinOp(left, operator, right):
                first, second = self._in_order([left, right], around)
                return ast.copy_location(ast.BinOp(first, operator, second), node)
            case ast.UnaryOp(operator, operand):
                return ast.copy_location(ast.UnaryOp(operator, self.settle(operand, around)), node)
            case ast.Compare(left, [operator], [right]):
                first, second = self._in_order([left, right], around)
                return ast.copy_location(ast.Compare(first, [operator], [second]), node)
            case ast.Tuple(elements):
                return ast.copy_location(ast.Tuple(self._in_order(elements, around), ast.Load()), node)
            case ast.BoolOp(operator, [first, *rest]) if not any(awaits(each) for each in rest):
                return ast.copy_location(ast.BoolOp(operator, [self.settle(first, around), *rest]), node)
            case ast.IfExp(test, then, otherwise) if not awaits(then) and not awaits(otherwise):
                return ast.copy_location(ast.IfExp(self.settle(test, around), then, otherwise), node)
            case ast.Call(function, arguments, []) if not awaits(function):
                if self.statics.value(function, around.scope, around.statics) is not MISSING:
                    return ast.copy_location(ast.Call(function, self._in_order(arguments, around), []), node)
        raise self.writer.error(HINTS[ast.Await], node, around)

    def _in_order(self, nodes: list[ast.expr], around: Around) -> list[ast.expr]:
        last = max(position for position, node in enumerate(nodes) if awaits(node))
        return [
            self.writer.kept(self.settle(node, around), around) if position < last else self.settle(node, around)
            for position, node in enumerate(nodes)
        ]

    def value(self, node: ast.Await, around: Around, wanted: bool) -> ast.expr:
        if not isinstance(node.value, ast.Call):
            raise self.writer.error(
                "await a call: await lock.acquire(), await until(…), await function(…)", node, around
            )
        return self.call(node.value, around, wanted)

    def call(self, call: ast.Call, around: Around, wanted: bool) -> ast.expr:
        nothing = ast.copy_location(ast.Constant(None), call)
        function = self.statics.value(call.func, around.scope, around.statics)
        if function is MISSING and isinstance(call.func, ast.Attribute):
            return self._dispatch(call, call.func, around, wanted)
        if function is until:
            if len(call.args) != 1 or call.keywords or awaits(call.args[0]):
                raise self.writer.error("until takes one function without parameters: until(lambda: …)", call, around)
            if not isinstance(call.args[0], ast.Lambda | ast.Name | ast.Attribute):
                hint = f"write until(lambda: {ast.unparse(call.args[0])})"
                raise self.writer.error(f"until takes a function, which it asks again and again: {hint}", call, around)
            self._wait(call.args[0], around)
            return nothing
        if function in (pause, sleep, asyncio.sleep):
            self._wait(None, around)
            return nothing
        if function in (gather, asyncio.gather):
            if wanted:
                raise self.writer.error(
                    "what gathered tasks return is not kept: let them write it somewhere", call, around
                )
            self._gather(call, around)
            return nothing
        if isinstance(function, Method) and function.function is Condition.wait_for and len(call.args) == 1:
            return self._wait_for(call, around)
        method = function.function if isinstance(function, Method) else function
        owner = [function.owner] if isinstance(function, Method) else []
        if not isinstance(method, FunctionType) or not inspect.iscoroutinefunction(method):
            name = ast.unparse(call.func)
            what = "is not async" if callable(method) or method is not MISSING else "is not known before the run"
            raise self.writer.error(
                f"{name} {what}: await async functions of the model, until, pause and what waits in "
                "locks, semaphores, events and queues",
                call,
                around,
            )
        if method.__code__.co_filename not in self.statics.files:
            raise self.writer.error(
                f"{ast.unparse(call.func)} is not a part of the model: only its own async functions, and those of "
                "mule.processes, can be awaited",
                call,
                around,
            )
        return self._inline(method, owner, call, around, wanted)

    def _wait_for(self, call: ast.Call, around: Around) -> ast.expr:
        """`condition.wait_for(test)`: the test stays where it is written, with its variables."""
        assert isinstance(call.func, ast.Attribute)
        asked = ast.Call(call.args[0], [], [])
        wait = ast.Await(ast.Call(ast.Attribute(call.func.value, "wait", ast.Load()), [], []))
        loop = ast.While(ast.UnaryOp(ast.Not(), asked), [ast.Expr(wait)], [])
        self._block([ast.fix_missing_locations(ast.copy_location(loop, call))], around)
        return ast.fix_missing_locations(ast.copy_location(asked, call))

    def _gather(self, call: ast.Call, around: Around) -> None:
        """One process for each of the calls; they begin together, and this one waits for all."""
        calls: list[Any] = []
        for each in call.args:
            inner = each.value if isinstance(each, ast.Starred) else each
            value = self.statics.value(inner, around.scope, around.statics)
            calls += value if isinstance(each, ast.Starred) and isinstance(value, list | tuple) else [value]
        if not calls or not all(isinstance(each, Calling) for each in calls):
            message = "gather takes calls of async functions, with arguments that are known before the run"
            raise self.writer.error(message, call, around)
        try:
            children = [self._begin(self._task_of(each, call, around)) for each in calls]
        except TooManyProcesses as many:
            raise self.writer.error(str(many), call, around) from None
        self.writer.emit(Start, around, children=children)
        self._wait(None, around, children)

    def _task_of(self, calling: Calling, call: ast.Call, around: Around) -> Task:
        function = calling.function
        try:
            given = inspect.signature(function).bind(*calling.arguments, **calling.named)
        except TypeError as error:
            raise self.writer.error(f"{function.__name__}: {error}", call, around) from None
        given.apply_defaults()
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        variables = {**given.arguments, **{name: cell.cell_contents for name, cell in cells}}
        return Task(function.__code__, variables, function.__globals__, self._background, None)

    def _wait(self, test: ast.expr | None, around: Around, join: Sequence[int] = ()) -> None:
        line = next(node.lineno for node, scope in reversed(self.writer.shown) if scope is self.writer.scope)
        copy = f" ({', '.join(around.rounds)})" if around.rounds else ""
        self.writer.emit(Wait, around, test=test, line=line, copy=copy, join=join)

    def _dispatch(self, call: ast.Call, function: ast.Attribute, around: Around, wanted: bool) -> ast.expr:
        """A method of an object that only the run knows: one copy for each object that it can be."""
        owner = self.writer.kept(self.settle(function.value, around), around)
        methods = [
            (number, each)
            for number, each in enumerate(self.statics.objects)
            if inspect.iscoroutinefunction(getattr(type(each), function.attr, None))
        ]
        if not methods:
            raise self.writer.error(f"no shared object has an async method {function.attr}", call, around)
        finish, result = Label(), self.writer.temporary(around.scope)
        for number, each in methods:
            no = Label()
            known = f"object {number}"
            inner = around.inner()
            inner.statics[known] = each
            test = ast.Compare(owner, [ast.Is()], [named(known, call)])
            self.writer.emit(Test, inner, test=ast.copy_location(test, call), otherwise=no)
            method = ast.copy_location(ast.Attribute(named(known, call), function.attr, ast.Load()), function)
            copied = ast.copy_location(ast.Call(method, call.args, call.keywords), call)
            value = self.call(copied, inner, wanted)
            if wanted:
                self.writer.emit(Give, inner, value=value, to=around.scope, name=result)
            self.writer.emit(Jump, inner, to=finish)
            self.writer.here(no)
        wrong = ast.Assert(
            ast.Constant(False), ast.Constant(f"{ast.unparse(function)} is no async method of this object")
        )
        self.writer.emit(Run, around, statement=ast.fix_missing_locations(ast.copy_location(wrong, call)))
        self.writer.here(finish)
        return named(result, call) if wanted else ast.copy_location(ast.Constant(None), call)

    def _inline(
        self, function: FunctionType, owner: list[Any], call: ast.Call, around: Around, wanted: bool
    ) -> ast.expr:
        if around.scope.depth >= DEEPEST:
            raise self.writer.error(
                "async calls are nested too deeply: recursion cannot be compiled, use a loop", call, around
            )
        definition = self.statics.sources.definition(function)
        assert isinstance(definition, ast.AsyncFunctionDef)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        free = {**function.__globals__, **{name: cell.cell_contents for name, cell in cells}}
        prefix = f"{around.scope.prefix}{definition.name} in line {call.lineno}."
        file = function.__code__.co_filename
        scope = scope_of(definition, file, free, prefix, around.scope.depth + 1)
        statics: dict[str, Any] = {}
        names = [each.arg for each in parameters(definition)]
        statics |= dict(zip(names, owner, strict=False))
        for name, value in self._arguments(definition, names, len(owner), call, around):
            origin = around if value in call.args or any(value is each.value for each in call.keywords) else None
            outer = origin or Around(replace(scope, own=frozenset(), extra=set()), {}, Label(), None)
            known = self.statics.value(value, outer.scope, outer.statics)
            if name in scope.fixed and is_constant(known):
                statics[name] = known
            else:
                self.writer.emit(Give, outer, value=self.settle(value, outer), to=scope, name=name)
        finish = Label()
        result = (around.scope, self.writer.temporary(around.scope)) if wanted else None
        if result is not None:
            self.writer.emit(
                Give, around, value=ast.copy_location(ast.Constant(None), call), to=result[0], name=result[1]
            )
        self._block(definition.body, Around(scope, statics, finish, result, rounds=around.rounds))
        self.writer.here(finish)
        return ast.copy_location(ast.Constant(None), call) if result is None else named(result[1], call)

    def _arguments(
        self, definition: ast.AsyncFunctionDef, names: list[str], given: int, call: ast.Call, around: Around
    ) -> list[tuple[str, ast.expr]]:
        """What each parameter gets."""
        if any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords):
            raise self.writer.error("* and ** in a call cannot be compiled: name the arguments", call, around)
        spec = definition.args
        positional = [each.arg for each in (*spec.posonlyargs, *spec.args)]
        defaults = dict(zip(positional[::-1], spec.defaults[::-1], strict=False))
        defaults |= {
            each.arg: default
            for each, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
            if default is not None
        }
        if len(call.args) > len(positional) - given:
            message = f"{len(call.args)} arguments for {len(positional) - given} parameters of {definition.name}"
            raise self.writer.error(message, call, around)
        found = dict(zip(positional[given:], call.args, strict=False))
        for keyword in call.keywords:
            assert keyword.arg is not None
            if keyword.arg not in names or keyword.arg in found:
                raise self.writer.error(f"{definition.name} has no parameter {keyword.arg} left", call, around)
            found[keyword.arg] = keyword.value
        for name in names[given:]:
            if name not in found and name not in defaults:
                raise self.writer.error(f"{definition.name} needs a value for {name}", call, around)
        return [(name, found.get(name) or defaults[name]) for name in names[given:]]


def scope_of(definition: ast.AsyncFunctionDef, file: str, free: Any, prefix: str = "", depth: int = 0) -> Scope:
    if definition.args.vararg or definition.args.kwarg:
        message = "* and ** among parameters cannot be compiled: name each parameter"
        raise MuleError(message, place_of(definition, file))
    return Scope(definition, file, free, prefix, depth, own_names(definition), fixed_names(definition))
