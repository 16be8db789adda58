"""From `async def` to instructions: loops with an await in them are unrolled or become jumps, awaited calls are put in
place of the call, and what an expression has read before it awaits is kept."""

from __future__ import annotations

import ast
import asyncio
import copy
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

from mule.errors import MuleError
from mule.frontends.actors.frames import MISSING, frozen
from mule.frontends.actors.sources import place_of
from mule.frontends.actors.values import Method
from mule.frontends.python.code import Code, Give, Instruction, Jump, Label, Run, Scope, Start, Test, Wait
from mule.frontends.python.evaluator import HINTS
from mule.frontends.python.names import awaits, bound_names, ends, fixed_names, leaves, own_names, parameters
from mule.frontends.python.statics import Calling, Statics, is_constant
from mule.frontends.python.system import Task
from mule.frontends.python.waiting import gather, pause, sleep, until

DEEPEST = 20
MOST_ROUNDS = 256
LIBRARY = inspect.getfile(until).removesuffix("waiting.py")


class TooManyProcesses(Exception):  # noqa: N818 - becomes a message with a place
    pass


Exit = tuple[ast.AsyncWith, ast.expr]


@dataclass
class Around:
    """Where a statement stands."""

    scope: Scope
    statics: dict[str, Any]
    finish: Label
    result: tuple[Scope, str] | None
    """Who wants to know what the function returns."""
    exits: tuple[Exit, ...] = ()
    """The `async with` blocks around it, outermost first."""
    leave: Label | None = None
    again: Label | None = None
    loop_exits: int = 0
    """How many of them are around the innermost loop."""
    rounds: tuple[str, ...] = ()
    """The rounds of the loops around it, in words."""

    def inner(self, **changes: Any) -> Around:
        """The same for a block inside: what it fixes is not known outside."""
        return replace(self, statics=dict(self.statics), **changes)


class Control:
    """Writes the instructions of one process."""

    def __init__(self, task: Task, statics: Statics, begin: Callable[[Task], int]) -> None:
        self.task = task
        self.statics = statics
        self._begin = begin
        """Makes a process of a task; its number."""
        self.instructions: list[Instruction] = []
        self._shown: list[tuple[ast.stmt, Scope]] = []
        """The statements of the model around what is written now, each inside the one before."""
        self._temporaries = 0
        self._quiet = False
        definition = statics.sources.of_code(task.code)
        assert isinstance(definition, ast.AsyncFunctionDef)
        free = {**task.free, **{name: task.variables[name] for name in task.code.co_freevars if name in task.variables}}
        self.scope = self._scope(definition, task.code.co_filename, free, "", 0)
        self._first = {each.arg: frozen(task.variables[each.arg]) for each in parameters(definition)}

    def code(self) -> Code:
        scope, finish = self.scope, Label()
        fixed = {name: value for name, value in self._first.items() if name in scope.fixed}
        around = Around(scope, fixed, finish, None)
        self._shown.append((scope.definition.body[0], scope))
        for name in self._first.keys() - fixed.keys():
            parameter = f"{name} at first"
            around.statics[parameter] = self._first[name]
            self._emit(Give, around, value=self._name(parameter, scope.definition), to=scope, name=name)
        self._shown.pop()
        self.block(scope.definition.body, around)
        finish.position = len(self.instructions)
        waits = [position for position, each in enumerate(self.instructions) if isinstance(each, Wait)]
        return Code(self.instructions, scope, waits)

    def _scope(self, definition: ast.AsyncFunctionDef, file: str, free: Any, prefix: str, depth: int) -> Scope:
        if definition.args.vararg or definition.args.kwarg:
            message = "* and ** among parameters cannot be compiled: name each parameter"
            raise MuleError(message, place_of(definition, file))
        return Scope(definition, file, free, prefix, depth, own_names(definition), fixed_names(definition))

    def _emit(self, kind: type[Instruction], around: Around, **parts: Any) -> None:
        shown, scope = self._shown[-1]
        self.instructions.append(kind(around.scope, dict(around.statics), shown, scope.file, self._quiet, **parts))

    def _here(self, label: Label) -> None:
        label.position = len(self.instructions)

    def error(self, message: str, node: ast.AST, around: Around) -> MuleError:
        return MuleError(message, place_of(node, around.scope.file))

    # statements -------------------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt], around: Around) -> None:
        for statement in body:
            inside = around.scope.file.startswith(LIBRARY) and len(self._shown) > 0
            self._shown.append(self._shown[-1] if inside else (statement, around.scope))
            self._statement(statement, around)
            self._shown.pop()

    def _statement(self, node: ast.stmt, around: Around) -> None:
        if isinstance(node, ast.While) and not awaits(node) and not ends(node):
            test = self.statics.value(node.test, around.scope, around.statics)
            if test is not MISSING and test:
                raise self.error(
                    "this loop never ends and never awaits, so nothing else would ever run: put await pause() into it",
                    node,
                    around,
                )
        if not awaits(node) and not leaves(node) and not isinstance(node, ast.If):
            self._run(node, around)
            return
        match node:
            case ast.Expr(ast.Await() as value):
                self._await(value, around, wanted=False)
            case ast.Expr(value):
                self._run(ast.copy_location(ast.Expr(self.settle(value, around)), node), around)
            case ast.Assign(targets, value):
                settled = self.settle(value, around)
                for target in targets:
                    self._require_plain(target, around)
                self._run(ast.copy_location(ast.Assign(targets, settled), node), around)
            case ast.AnnAssign(target, annotation, value, simple) if value is not None:
                self._require_plain(target, around)
                settled = self.settle(value, around)
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
                self._with(node, node.items, around)
            case ast.Match(subject, cases):
                self._match(subject, cases, around)
            case ast.Return(value):
                self._return(node, value, around)
            case ast.Break() | ast.Continue():
                label = around.leave if isinstance(node, ast.Break) else around.again
                assert label is not None
                self._exit(around, around.loop_exits)
                self._emit(Jump, around, to=label)
            case ast.Assert(test, message):
                settled = self.settle(test, around)
                self._run(ast.copy_location(ast.Assert(settled, message), node), around)
            case _:
                hint = HINTS.get(type(node), f"await inside of {type(node).__name__} cannot be compiled")
                raise self.error(hint, node, around)

    def _run(self, node: ast.stmt, around: Around) -> None:
        """A statement without an await; an assignment of what is known before the run is done here and now."""
        match node:
            case ast.Assign([target], value) | ast.AnnAssign(target, _, value) if value is not None:
                if self._fix(target, self.statics.value(value, around.scope, around.statics), around):
                    return
        self._emit(Run, around, statement=node)

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
            raise self.error("an await in what is assigned to: await first, in a statement of its own", target, around)

    def _augment(
        self, node: ast.stmt, target: ast.expr, operator: ast.operator, value: ast.expr, around: Around
    ) -> None:
        """Python reads the target, then evaluates the value, then assigns: others may run in between."""
        self._require_plain(target, around)
        if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Name | ast.Constant):
            raise self.error("give this index a name before the await: index = …", target, around)
        reading: ast.expr = copy.deepcopy(target)
        reading.ctx = ast.Load()  # type: ignore[attr-defined]
        old = self._kept(reading, around)
        new = ast.copy_location(ast.BinOp(old, operator, self.settle(value, around)), node)
        self._run(ast.copy_location(ast.Assign([target], new), node), around)

    def _if(self, test: ast.expr, body: list[ast.stmt], otherwise: list[ast.stmt], around: Around) -> None:
        known = self.statics.value(test, around.scope, around.statics)
        if known is not MISSING:
            self.block(body if known else otherwise, around.inner())
            return
        no, finish = Label(), Label()
        self._emit(Test, around, test=self.settle(test, around), otherwise=no)
        self.block(body, around.inner())
        if otherwise:
            self._emit(Jump, around, to=finish)
        self._here(no)
        self.block(otherwise, around.inner())
        self._here(finish)

    def _while(self, test: ast.expr, body: list[ast.stmt], otherwise: list[ast.stmt], around: Around) -> None:
        again, no, leave = Label(), Label(), Label()
        self._here(again)
        known = self.statics.value(test, around.scope, around.statics)
        if known is MISSING or not known:
            self._emit(Test, around, test=self.settle(test, around), otherwise=no)
        self.block(body, around.inner(leave=leave, again=again, loop_exits=len(around.exits)))
        self._emit(Jump, around, to=again)
        self._here(no)
        self.block(otherwise, around.inner())
        self._here(leave)

    def _for(self, node: ast.For, around: Around) -> None:
        """A copy of the body for each round."""
        values = self.statics.value(node.iter, around.scope, around.statics)
        rounds = _rounds(values)
        if rounds is None or len(rounds) > MOST_ROUNDS:
            why = (
                "what is iterated is not known before the run" if rounds is None else f"more than {MOST_ROUNDS} rounds"
            )
            raise self.error(
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
                taken = ast.copy_location(ast.Assign([node.target], self._name(item, node)), node)
                self._emit(Run, inner, statement=taken)
            self.block(node.body, inner)
            self._here(again)
        self.block(node.orelse, around.inner())
        self._here(leave)

    def _with(self, node: ast.AsyncWith, items: list[ast.withitem], around: Around) -> None:
        if not items:
            self.block(node.body, around.inner())
            return
        first, rest = items[0], items[1:]
        manager = first.context_expr
        if self.statics.value(manager, around.scope, around.statics) is MISSING:
            manager = self._kept(self.settle(manager, around), around)
        entered = self._await_call(self._method(manager, "__aenter__", []), around, first.optional_vars is not None)
        if first.optional_vars is not None:
            self._run(ast.copy_location(ast.Assign([first.optional_vars], entered), node), around)
        inner = around.inner(exits=(*around.exits, (node, manager)))
        self._with(node, rest, inner)
        self._leave_with(manager, around)

    def _leave_with(self, manager: ast.expr, around: Around) -> None:
        nothing = [ast.copy_location(ast.Constant(None), manager) for _ in range(3)]
        before, self._quiet = self._quiet, True
        self._await_call(self._method(manager, "__aexit__", nothing), around, wanted=False)
        self._quiet = before

    def _method(self, owner: ast.expr, name: str, arguments: list[ast.Constant]) -> ast.Call:
        method = ast.copy_location(ast.Attribute(owner, name, ast.Load()), owner)
        return ast.copy_location(ast.Call(method, list(arguments), []), owner)

    def _exit(self, around: Around, down_to: int) -> None:
        """Leave the `async with` blocks between here and where control goes."""
        for number in range(len(around.exits) - 1, down_to - 1, -1):
            self._leave_with(around.exits[number][1], replace(around, exits=around.exits[:number]))

    def _match(self, subject: ast.expr, cases: list[ast.match_case], around: Around) -> None:
        value = self._kept(self.settle(subject, around), around)
        finish = Label()
        for case in cases:
            no = Label()
            self._emit(Test, around, test=value, otherwise=no, pattern=case.pattern)
            if case.guard is not None:
                self._emit(Test, around, test=self.settle(case.guard, around), otherwise=no)
            self.block(case.body, around.inner())
            self._emit(Jump, around, to=finish)
            self._here(no)
        self._here(finish)

    def _return(self, node: ast.Return, value: ast.expr | None, around: Around) -> None:
        given = ast.copy_location(ast.Constant(None), node) if value is None else self.settle(value, around)
        if around.result is not None:
            scope, name = around.result
            self._emit(Give, around, value=given, to=scope, name=name)
        elif value is not None and not isinstance(value, ast.Constant):
            self._emit(Run, around, statement=ast.copy_location(ast.Expr(given), node))
        self._exit(around, 0)
        self._emit(Jump, around, to=around.finish)

    # expressions ------------------------------------------------------------------------------------------------------

    def settle(self, node: ast.expr, around: Around) -> ast.expr:
        """The expression after its awaits: with names for their results, and for what was evaluated before them."""
        if not awaits(node):
            return node
        match node:
            case ast.Await():
                return self._await(node, around, wanted=True)
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
        raise self.error(HINTS[ast.Await], node, around)

    def _in_order(self, nodes: list[ast.expr], around: Around) -> list[ast.expr]:
        last = max(position for position, node in enumerate(nodes) if awaits(node))
        return [
            self._kept(self.settle(node, around), around) if position < last else self.settle(node, around)
            for position, node in enumerate(nodes)
        ]

    def _kept(self, node: ast.expr, around: Around) -> ast.expr:
        """The value of an expression now, for later."""
        if isinstance(node, ast.Constant):
            return node
        name = self._temporary(around.scope)
        self._emit(Give, around, value=node, to=around.scope, name=name)
        return self._name(name, node)

    def _temporary(self, scope: Scope) -> str:
        self._temporaries += 1
        name = f"value {self._temporaries}"
        scope.extra.add(name)
        return name

    def _name(self, name: str, at: ast.AST) -> ast.Name:
        return ast.copy_location(ast.Name(name, ast.Load()), at)

    # awaits -----------------------------------------------------------------------------------------------------------

    def _await(self, node: ast.Await, around: Around, wanted: bool) -> ast.expr:
        if not isinstance(node.value, ast.Call):
            raise self.error("await a call: await lock.acquire(), await until(…), await function(…)", node, around)
        return self._await_call(node.value, around, wanted)

    def _await_call(self, call: ast.Call, around: Around, wanted: bool) -> ast.expr:
        nothing = ast.copy_location(ast.Constant(None), call)
        function = self.statics.value(call.func, around.scope, around.statics)
        if function is MISSING and isinstance(call.func, ast.Attribute):
            return self._dispatch(call, call.func, around, wanted)
        if function is until:
            if len(call.args) != 1 or call.keywords or awaits(call.args[0]):
                raise self.error("until takes one function without parameters: until(lambda: …)", call, around)
            if not isinstance(call.args[0], ast.Lambda | ast.Name | ast.Attribute):
                hint = f"write until(lambda: {ast.unparse(call.args[0])})"
                raise self.error(f"until takes a function, which it asks again and again: {hint}", call, around)
            self._wait(call.args[0], around)
            return nothing
        if function in (pause, sleep, asyncio.sleep):
            self._wait(None, around)
            return nothing
        if function in (gather, asyncio.gather):
            if wanted:
                raise self.error("what gathered tasks return is not kept: let them write it somewhere", call, around)
            self._gather(call, around)
            return nothing
        method = function.function if isinstance(function, Method) else function
        owner = [function.owner] if isinstance(function, Method) else []
        if not isinstance(method, FunctionType) or not inspect.iscoroutinefunction(method):
            name = ast.unparse(call.func)
            what = "is not async" if callable(method) or method is not MISSING else "is not known before the run"
            raise self.error(
                f"{name} {what}: await async functions of the model, until, pause and what waits in "
                "locks, semaphores, events and queues",
                call,
                around,
            )
        if method.__code__.co_filename not in self.statics.files:
            raise self.error(
                f"{ast.unparse(call.func)} is not a part of the model: only its own async functions, and those of "
                "mule.processes, can be awaited",
                call,
                around,
            )
        return self._inline(method, owner, call, around, wanted)

    def _gather(self, call: ast.Call, around: Around) -> None:
        """One process for each of the calls; they begin together, and this one waits for all."""
        calls: list[Any] = []
        for each in call.args:
            inner = each.value if isinstance(each, ast.Starred) else each
            value = self.statics.value(inner, around.scope, around.statics)
            calls += value if isinstance(each, ast.Starred) and isinstance(value, list | tuple) else [value]
        if not calls or not all(isinstance(each, Calling) for each in calls):
            message = "gather takes calls of async functions, with arguments that are known before the run"
            raise self.error(message, call, around)
        try:
            children = [self._begin(self._task_of(each, call, around)) for each in calls]
        except TooManyProcesses as many:
            raise self.error(str(many), call, around) from None
        self._emit(Start, around, children=children)
        self._wait(None, around, children)

    def _task_of(self, calling: Calling, call: ast.Call, around: Around) -> Task:
        function = calling.function
        try:
            given = inspect.signature(function).bind(*calling.arguments, **calling.named)
        except TypeError as error:
            raise self.error(f"{function.__name__}: {error}", call, around) from None
        given.apply_defaults()
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        variables = {**given.arguments, **{name: cell.cell_contents for name, cell in cells}}
        return Task(function.__code__, variables, function.__globals__, self.task.background, None)

    def _wait(self, test: ast.expr | None, around: Around, join: Sequence[int] = ()) -> None:
        line = next(node.lineno for node, scope in reversed(self._shown) if scope is self.scope)
        copy = f" ({', '.join(around.rounds)})" if around.rounds else ""
        self._emit(Wait, around, test=test, line=line, copy=copy, join=join)

    def _dispatch(self, call: ast.Call, function: ast.Attribute, around: Around, wanted: bool) -> ast.expr:
        """A method of an object that only the run knows: one copy for each object that it can be."""
        owner = self._kept(self.settle(function.value, around), around)
        methods = [
            (number, each)
            for number, each in enumerate(self.statics.objects)
            if inspect.iscoroutinefunction(getattr(type(each), function.attr, None))
        ]
        if not methods:
            raise self.error(f"no shared object has an async method {function.attr}", call, around)
        finish, result = Label(), self._temporary(around.scope)
        for number, each in methods:
            no = Label()
            known = f"object {number}"
            inner = around.inner()
            inner.statics[known] = each
            test = ast.Compare(owner, [ast.Is()], [self._name(known, call)])
            self._emit(Test, inner, test=ast.copy_location(test, call), otherwise=no)
            method = ast.copy_location(ast.Attribute(self._name(known, call), function.attr, ast.Load()), function)
            copied = ast.copy_location(ast.Call(method, call.args, call.keywords), call)
            value = self._await_call(copied, inner, wanted)
            if wanted:
                self._emit(Give, inner, value=value, to=around.scope, name=result)
            self._emit(Jump, inner, to=finish)
            self._here(no)
        wrong = ast.Assert(
            ast.Constant(False), ast.Constant(f"{ast.unparse(function)} is no async method of this object")
        )
        self._emit(Run, around, statement=ast.fix_missing_locations(ast.copy_location(wrong, call)))
        self._here(finish)
        return self._name(result, call) if wanted else ast.copy_location(ast.Constant(None), call)

    def _inline(
        self, function: FunctionType, owner: list[Any], call: ast.Call, around: Around, wanted: bool
    ) -> ast.expr:
        if around.scope.depth >= DEEPEST:
            raise self.error(
                "async calls are nested too deeply: recursion cannot be compiled, use a loop", call, around
            )
        definition = self.statics.sources.definition(function)
        assert isinstance(definition, ast.AsyncFunctionDef)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        free = {**function.__globals__, **{name: cell.cell_contents for name, cell in cells}}
        prefix = f"{around.scope.prefix}{definition.name} in line {call.lineno}."
        file = function.__code__.co_filename
        scope = self._scope(definition, file, free, prefix, around.scope.depth + 1)
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
                self._emit(Give, outer, value=self.settle(value, outer), to=scope, name=name)
        finish = Label()
        result = (around.scope, self._temporary(around.scope)) if wanted else None
        if result is not None:
            self._emit(Give, around, value=ast.copy_location(ast.Constant(None), call), to=result[0], name=result[1])
        self.block(definition.body, Around(scope, statics, finish, result, rounds=around.rounds))
        self._here(finish)
        return ast.copy_location(ast.Constant(None), call) if result is None else self._name(result[1], call)

    def _arguments(
        self, definition: ast.AsyncFunctionDef, names: list[str], given: int, call: ast.Call, around: Around
    ) -> list[tuple[str, ast.expr]]:
        """What each parameter gets."""
        if any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords):
            raise self.error("* and ** in a call cannot be compiled: name the arguments", call, around)
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
            raise self.error(message, call, around)
        found = dict(zip(positional[given:], call.args, strict=False))
        for keyword in call.keywords:
            assert keyword.arg is not None
            if keyword.arg not in names or keyword.arg in found:
                raise self.error(f"{definition.name} has no parameter {keyword.arg} left", call, around)
            found[keyword.arg] = keyword.value
        for name in names[given:]:
            if name not in found and name not in defaults:
                raise self.error(f"{definition.name} needs a value for {name}", call, around)
        return [(name, found.get(name) or defaults[name]) for name in names[given:]]


def _rounds(values: Any) -> list[Any] | None:
    if isinstance(values, set | frozenset) or values is MISSING:
        return None
    try:
        return [frozen(each) for each in values]
    except TypeError:
        return None
