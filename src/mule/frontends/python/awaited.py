"""What a process awaits: an awaited function is put in place of its call, and what an expression has read before it
awaits is kept."""

from __future__ import annotations

import ast
import asyncio
import inspect
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

from mule.errors import MuleError
from mule.frontends.actors.constants import frozen
from mule.frontends.actors.frames import MISSING
from mule.frontends.actors.sources import of_its_own, place_of
from mule.frontends.actors.values import Method
from mule.frontends.python.code import Give, Jump, Label, Run, Scope, Start, Test, Wait
from mule.frontends.python.evaluator import HINTS
from mule.frontends.python.names import awaits, fixed_names, own_names, parameters, starts
from mule.frontends.python.objects import RUNNING, Condition, Shared, Task, TaskGroup
from mule.frontends.python.statics import Calling, Spawn, Statics, Tasks, is_constant
from mule.frontends.python.system import Task as BeginningTask
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
        begin: Callable[[BeginningTask], Task],
        task: BeginningTask,
    ) -> None:
        """`block` writes the body of a function that is called; `begin` makes a process of a task."""
        self.writer = writer
        self.statics = statics
        self._block = block
        self._begin = begin
        self._task = task
        self.timed: Callable[[ast.AST, ast.expr | None, Callable[[Around], None], Around], None]
        """Writes a block with a timeout."""

    def settle(self, node: ast.expr, around: Around) -> ast.expr:
        """The expression after its awaits: with names for their results, and for what was evaluated before them."""
        if not awaits(node):
            return node
        match node:
            case ast.Await():
                return self.value(node, around, wanted=True)
            case ast.Call() if starts(node):
                return self._known(self.spawn(node, around), node, around)
            case ast.ListComp() | ast.List():
                made = self.statics.value(node, around.scope, around.statics)
                if isinstance(made, list) and all(isinstance(each, Spawn | Task) for each in made):
                    handles = [self._begun(each, node, around) for each in made]
                    return self._known(frozen(handles), node, around)
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

    def _known(self, value: Any, node: ast.expr, around: Around) -> ast.expr:
        """A name for what is known from here on."""
        name = self.writer.temporary(around.scope)
        around.statics[name] = value
        return named(name, node)

    # tasks ------------------------------------------------------------------------------------------------------------

    def spawn(self, node: ast.Call, around: Around) -> Task:
        """`create_task(function(…))`: a process that begins here."""
        function = self.statics.value(node.func, around.scope, around.statics)
        group = function.owner if isinstance(function, Method) else None
        starting = function in (asyncio.create_task, asyncio.ensure_future) or isinstance(group, TaskGroup)
        if not starting or len(node.args) != 1:
            raise self.writer.error(f"{ast.unparse(node)}: a task is made by asyncio.create_task(f(…))", node, around)
        if any(each.arg != "name" for each in node.keywords):
            raise self.writer.error("create_task takes a call of an async function, and a name", node, around)
        assert group is None or isinstance(group, TaskGroup)
        return self._started(node.args[0], group, node, around)

    def _started(self, inner: ast.expr, group: TaskGroup | None, node: ast.expr, around: Around) -> Task:
        if not isinstance(inner, ast.Call):
            value = self.statics.value(inner, around.scope, around.statics)
            return self._begun(value, node, around)
        function = self.statics.value(inner.func, around.scope, around.statics)
        method = function.function if isinstance(function, Method) else function
        if not isinstance(method, FunctionType) or not inspect.iscoroutinefunction(method):
            return self._begun(self.statics.value(inner, around.scope, around.statics), node, around)
        self._require_own(method, inner, around)
        definition = self.statics.sources.definition(method)
        assert isinstance(definition, ast.AsyncFunctionDef)
        free = _free(method)
        scope = scope_of(definition, method.__code__.co_filename, free)
        names = [each.arg for each in parameters(definition)]
        variables: dict[str, Any] = {name: free[name] for name in method.__code__.co_freevars}
        owner = [function.owner] if isinstance(function, Method) else []
        variables |= dict(zip(names, owner, strict=False))
        for name, value, outer in self._given(definition, names, scope, len(owner), inner, around):
            known = self.statics.value(value, outer.scope, outer.statics)
            if is_constant(known) or isinstance(known, list | dict | set):
                variables[name] = known
            else:
                self.writer.emit(Give, outer, value=self.settle(value, outer), to=scope, name=name)
        task = BeginningTask(method.__code__, variables, method.__globals__, self._task.background, None, scope=scope)
        return self._begin_now(task, group, node, around)

    def _begun(self, made: Any, node: ast.expr, around: Around) -> Task:
        """The task of a value that is known before the run."""
        if isinstance(made, Task):
            return made
        spawned = Spawn(made, None) if isinstance(made, Calling) else made
        if not isinstance(spawned, Spawn):
            message = "a task is made of a call of an async function of the model, and is known before the run"
            raise self.writer.error(message, node, around)
        self._require_own(spawned.calling.function, node, around)
        return self._begin_now(self._task_of(spawned.calling, node, around), spawned.group, node, around)

    def _begin_now(self, task: BeginningTask, group: TaskGroup | None, node: ast.expr, around: Around) -> Task:
        try:
            handle = self._begin(task)
        except TooManyProcesses as many:
            raise self.writer.error(str(many), node, around) from None
        if group is not None:
            group.tasks.append(handle)
            self.statics.group_of[handle.number] = group
            handle.__dict__["awaited"] = True
            self.quietly(group, "admit", [], around)
        self.writer.emit(Start, around, children=[handle])
        return handle

    def quietly(self, owner: Shared, method: str, arguments: list[Any], around: Around) -> None:
        """A method of an object of the library that does not wait."""
        inner = around.inner()
        values = {f"argument {number}": each for number, each in enumerate((owner, *arguments))}
        inner.statics |= values
        at = self.writer.shown[-1][0]
        names = [named(each, at) for each in values]
        call = ast.Call(ast.Attribute(names[0], method, ast.Load()), list(names[1:]), [])
        before, self.writer.quiet = self.writer.quiet, True
        self.writer.emit(Run, inner, statement=ast.fix_missing_locations(ast.copy_location(ast.Expr(call), at)))
        self.writer.quiet = before

    def own_handle(self, task: BeginningTask) -> Task:
        """What others know of the task whose code this is."""
        if task.handle is None:
            task.handle = Task(self.statics.running, name=task.name, outcome=RUNNING)
            self.statics.add(task.handle)
        return task.handle

    def collects(self, name: str, scope: Scope) -> bool:
        """Whether a list gets tasks, one by one."""
        return any(_appended(node) == name for node in ast.walk(scope.definition))

    def grows(self, node: ast.expr, around: Around) -> bool:
        """`tasks.append(create_task(…))`, where the list is known before the run."""
        name = _appended(node)
        tasks = around.statics.get(name) if name else None
        if not isinstance(tasks, Tasks):
            return False
        if tasks.branch is not around.branch:
            message = (
                "which tasks are in this list must be known before the run: append in for loops, not in if and while"
            )
            raise self.writer.error(message, node, around)
        assert isinstance(node, ast.Call)
        made = self.settle(node.args[0], around)
        tasks.append(self.statics.value(made, around.scope, around.statics))
        return True

    def join(
        self, tasks: Sequence[Task], around: Around, wanted: bool, keeps: bool = False, gathers: bool = False
    ) -> list[ast.expr]:
        """Wait for tasks; the answer is what they return."""
        names = [self.writer.temporary(around.scope) for _ in tasks] if wanted else []
        for each in tasks:
            each.__dict__["awaited"] = True
            each.__dict__["wanted"] |= wanted
        asked = ""
        at = self.writer.shown[-1][0]
        if gathers and self.statics.cancels and (self._task.handle is not None or around.timeouts):
            asked = self.writer.temporary(around.scope)
            no = ast.copy_location(ast.Constant(False), at)
            self.writer.emit(Give, around, value=no, to=around.scope, name=asked)
        self._wait(None, around, join=tuple(tasks), results=names, keeps=keeps, asked=asked)
        return [named(each, at) for each in names]

    # awaits -----------------------------------------------------------------------------------------------------------

    def value(self, node: ast.Await, around: Around, wanted: bool) -> ast.expr:
        awaited = self.statics.value(node.value, around.scope, around.statics)
        if starts(node.value):
            assert isinstance(node.value, ast.Call)
            awaited = self.spawn(node.value, around)
        if isinstance(awaited, Task):
            return (self.join([awaited], around, wanted) or [ast.copy_location(ast.Constant(None), node)])[0]
        if not isinstance(node.value, ast.Call):
            raise self.writer.error(
                "await a call, or a task that is known before the run: a name that is assigned once, and used after "
                "that in the same block",
                node,
                around,
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
            return self._gather(call, around, wanted)
        if function is asyncio.wait_for:
            return self._limited(call, around, wanted)
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
        self._require_own(method, call, around)
        return self._inline(method, owner, call, around, wanted)

    def _require_own(self, function: FunctionType, node: ast.expr, around: Around) -> None:
        if function.__code__.co_filename not in self.statics.files:
            raise self.writer.error(
                f"{function.__qualname__} is not a part of the model: only its own async functions, and those of "
                "mule.processes, can be awaited",
                node,
                around,
            )

    def _limited(self, call: ast.Call, around: Around, wanted: bool) -> ast.expr:
        """`wait_for(awaitable, timeout)`: others may run before it begins and after it has ended."""
        named_limit = [each.value for each in call.keywords if each.arg == "timeout"]
        if len(call.args) + len(named_limit) != 2 or len(named_limit) != len(call.keywords):
            raise self.writer.error("write asyncio.wait_for(function(…), seconds)", call, around)
        limit = (named_limit or call.args[1:])[0]
        result = self.writer.temporary(around.scope) if wanted else ""

        def body(inner: Around) -> None:
            self._wait(None, inner)
            value = self.value(ast.copy_location(ast.Await(call.args[0]), call), inner, wanted)
            if wanted:
                self.writer.emit(Give, inner, value=value, to=around.scope, name=result)

        self.timed(call, limit, body, around)
        self._wait(None, around)
        return named(result, call) if wanted else ast.copy_location(ast.Constant(None), call)

    def _wait_for(self, call: ast.Call, around: Around) -> ast.expr:
        """`condition.wait_for(test)`: the test stays where it is written, with its variables."""
        assert isinstance(call.func, ast.Attribute)
        asked = ast.Call(call.args[0], [], [])
        wait = ast.Await(ast.Call(ast.Attribute(call.func.value, "wait", ast.Load()), [], []))
        loop = ast.While(ast.UnaryOp(ast.Not(), asked), [ast.Expr(wait)], [])
        self._block([ast.fix_missing_locations(ast.copy_location(loop, call))], around)
        return ast.fix_missing_locations(ast.copy_location(asked, call))

    def _gather(self, call: ast.Call, around: Around, wanted: bool) -> ast.expr:
        """One process for each of the calls; they begin together, and this one waits for all."""
        keeps = False
        for keyword in call.keywords:
            known = self.statics.value(keyword.value, around.scope, around.statics)
            if keyword.arg != "return_exceptions" or known is MISSING:
                raise self.writer.error(f"gather has no {keyword.arg} here", call, around)
            keeps = bool(known)
        if keeps and wanted:
            message = "with return_exceptions, what gather returns is not kept: let the tasks write it somewhere"
            raise self.writer.error(message, call, around)
        handles: list[Task] = []
        for each in call.args:
            if isinstance(each, ast.Starred):
                value = self.statics.value(_as_list(each.value), around.scope, around.statics)
                if not isinstance(value, list | tuple):
                    message = (
                        "what gather gets must be known before the run: write gather(*[f(i) for i in range(n)]), "
                        "or give it a list of tasks, [asyncio.create_task(f(i)) for i in range(n)]"
                    )
                    raise self.writer.error(message, call, around)
                handles += [self._begun(one, call, around) for one in value]
            else:
                handles.append(self._started(each, None, call, around))
        if not handles:
            raise self.writer.error("gather takes calls of async functions", call, around)
        found = self.join(handles, around, wanted, keeps, gathers=True)
        return ast.copy_location(ast.List(found, ast.Load()), call)

    def _task_of(self, calling: Calling, call: ast.expr, around: Around) -> BeginningTask:
        function = calling.function
        try:
            given = inspect.signature(function).bind(*calling.arguments, **calling.named)
        except TypeError as error:
            raise self.writer.error(f"{function.__name__}: {error}", call, around) from None
        given.apply_defaults()
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        variables = {**given.arguments, **{name: cell.cell_contents for name, cell in cells}}
        return BeginningTask(function.__code__, variables, function.__globals__, self._task.background, None)

    def pause(self, around: Around, shielded: bool = False) -> None:
        self._wait(None, around, shielded=shielded)

    def _wait(self, test: ast.expr | None, around: Around, **parts: Any) -> None:
        line = next(node.lineno for node, scope in reversed(self.writer.shown) if scope is self.writer.scope)
        copy = f" ({', '.join(around.rounds)})" if around.rounds else ""
        self.writer.emit(Wait, around, test=test, line=line, copy=copy, timeouts=around.timeouts, **parts)

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
        free = _free(function)
        prefix = f"{around.scope.prefix}{definition.name} in line {call.lineno}."
        file = function.__code__.co_filename
        scope = scope_of(definition, file, free, prefix, around.scope.depth + 1)
        statics: dict[str, Any] = {}
        names = [each.arg for each in parameters(definition)]
        statics |= dict(zip(names, owner, strict=False))
        for name, value, outer in self._given(definition, names, scope, len(owner), call, around):
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
        self._block(
            definition.body,
            replace(
                around, scope=scope, statics=statics, finish=finish, result=result, exits=(), caught="", loop_exits=0
            ),
        )
        self.writer.here(finish)
        return ast.copy_location(ast.Constant(None), call) if result is None else named(result[1], call)

    def _given(
        self,
        definition: ast.AsyncFunctionDef,
        names: list[str],
        scope: Scope,
        given: int,
        call: ast.Call,
        around: Around,
    ) -> Iterator[tuple[str, ast.expr, Around]]:
        """What each parameter gets, and where that is evaluated: defaults belong to the function."""
        for name, value in self._arguments(definition, names, given, call, around):
            origin = around if value in call.args or any(value is each.value for each in call.keywords) else None
            yield name, value, origin or Around(replace(scope, own=frozenset(), extra=set()), {}, Label(), None)

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


def _free(function: FunctionType) -> dict[str, Any]:
    """The names that a function finds outside."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {**function.__globals__, **{name: cell.cell_contents for name, cell in cells}}


def _as_list(node: ast.expr) -> ast.expr:
    """A generator that is used up where it stands, as a list."""
    if isinstance(node, ast.GeneratorExp):
        return ast.copy_location(ast.ListComp(node.elt, node.generators), node)
    return node


def _appended(node: ast.AST) -> str:
    """The list that a task is appended to."""
    match node:
        case ast.Call(ast.Attribute(ast.Name(name), "append"), [argument]) if starts(argument):
            return name
    return ""


def scope_of(definition: ast.AsyncFunctionDef, file: str, free: Any, prefix: str = "", depth: int = 0) -> Scope:
    if definition.args.vararg or definition.args.kwarg:
        message = "* and ** among parameters cannot be compiled: name each parameter"
        raise MuleError(message, place_of(definition, file))
    outside = of_its_own(definition, (ast.Global, ast.Nonlocal))
    if outside is not None:
        raise MuleError(HINTS[type(outside)], place_of(outside, file))
    return Scope(definition, file, free, prefix, depth, own_names(definition), fixed_names(definition))
