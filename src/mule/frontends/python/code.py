"""A process as a list of instructions: what is left of its control flow when every await is a place to stop."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mule.errors import Place
from mule.frontends.actors.sources import local_names, place_of
from mule.frontends.python.objects import Task


@dataclass(eq=False)
class Scope:
    """The names of one call of an async function, which is put in place of the call."""

    definition: ast.AsyncFunctionDef
    file: str
    free: Mapping[str, Any]
    """The names of its module and of the functions around it."""
    prefix: str
    """What its variables are called, besides their own names."""
    depth: int
    own: frozenset[str]
    """Its parameters and all that it assigns."""
    fixed: frozenset[str]
    """Those that are assigned in one place only, and used only after it and in the same block."""
    extra: set[str] = field(default_factory=set)
    """Intermediate results that have no name in the source."""

    @cached_property
    def bound(self) -> frozenset[str]:
        """What it assigns, not what functions inside it assign."""
        return local_names(self.definition)


Local = tuple[Scope, str]


@dataclass(eq=False)
class Label:
    position: int = -1


@dataclass(eq=False)
class Handler(Label):
    """Where control goes when an exception is raised; a variable holds the number of its class."""

    scope: Scope | None = None
    name: str = ""
    classes: tuple[type[BaseException], ...] = ()
    """What is caught here for good; `finally` and `async with` only look at it."""
    outer: Handler | None = None

    def catches(self, cls: type[BaseException]) -> bool:
        return issubclass(cls, self.classes) or (self.outer is not None and self.outer.catches(cls))


@dataclass(eq=False)
class Instruction:
    scope: Scope
    statics: Mapping[str, Any]
    """The names whose values are known before the run, at this place."""
    shown: ast.stmt
    """The statement of the model that it belongs to: a trail shows this one, not the inside of a lock."""
    file: str
    quiet: bool
    """Whether a trail says nothing about it: leaving a block."""
    handler: Handler | None

    @property
    def place(self) -> Place:
        return place_of(self.shown, self.file)

    @cached_property
    def wording(self) -> str:
        """The first line of the statement of the model."""
        return ast.unparse(self.shown).splitlines()[0].removesuffix(":")


@dataclass(eq=False)
class Run(Instruction):
    """A statement without an await in it."""

    statement: ast.stmt


@dataclass(eq=False)
class Give(Instruction):
    """Evaluate in one scope, and bind a name in another: an argument, a result."""

    value: ast.expr
    to: Scope
    name: str


@dataclass(eq=False)
class Test(Instruction):
    """Go on where the test holds, elsewhere at the label. With a pattern it is the subject of a match."""

    test: ast.expr
    otherwise: Label
    pattern: ast.pattern | None = None


@dataclass(eq=False)
class Jump(Instruction):
    to: Label


@dataclass(eq=False)
class Start(Instruction):
    """Other processes begin."""

    children: list[Task]


@dataclass(eq=False)
class Catch(Instruction):
    """Go on where the exception that a variable holds is of one of these classes, elsewhere at the label."""

    name: str
    classes: tuple[type[BaseException], ...]
    otherwise: Label
    timeouts: tuple[Local, ...] = ()
    """Those around it, outermost first: only where the last one has gone off, and no other."""


@dataclass(eq=False)
class Raise(Instruction):
    """Raise the exception that a variable holds."""

    name: str


@dataclass(eq=False)
class Finish(Instruction):
    """The task has ended: it has returned (None), or with the exception that a variable holds."""

    task: Task
    name: str | None
    grouped: bool = False
    """Whether a group will hear of it."""


@dataclass(eq=False)
class Wait(Instruction):
    """A place to stop: go on when the test, a function, holds (None: at any time)."""

    test: ast.expr | None
    line: int
    """Of the function that the process runs."""
    copy: str
    """Tells the copies of one line apart: the round of a loop."""
    join: Sequence[Task] = ()
    """Tasks that must have ended: all, or one of them with an exception."""
    results: Sequence[str] = ()
    """The variables that get what they return."""
    keeps: bool = False
    """Whether exceptions are results: then all must have ended."""
    asked: str = ""
    """The variable that says whether this was cancelled, and the tasks that it waits for with it."""
    timeouts: Sequence[Local] = ()
    """For each `timeout` around it, the variable that says whether it has gone off."""
    shielded: bool = False
    """Whether it cannot be cancelled."""


@dataclass(eq=False)
class Code:
    instructions: list[Instruction]
    scope: Scope
    """Of the function that the process runs."""
    waits: list[int]
    """The positions of the places to stop, in order."""
    root: Handler | None = None
    """Where exceptions go that leave the function of a task that another one has started."""

    @property
    def end(self) -> int:
        return len(self.instructions)

    def after(self, position: int) -> list[int]:
        """Where a process may be one instruction later."""
        match self.instructions[position]:
            case Jump(to=label):
                return [label.position]
            case Raise():
                return []
            case Test(otherwise=label) | Catch(otherwise=label):
                return [position + 1, label.position]
        return [position + 1]

    def caught(self, position: int) -> list[int]:
        """Where it goes on if the instruction raises an exception."""
        handler = self.instructions[position].handler
        return [] if handler is None else [handler.position]


def live_at(code: Code, result: frozenset[Local] = frozenset()) -> dict[int, frozenset[Local]]:
    """For each position the variables that may be read before they are assigned again (backwards data flow); `result`
    are those that others read when it has ended."""
    live: list[frozenset[Local]] = [frozenset()] * code.end + [result]
    before: list[list[int]] = [[] for _ in range(code.end + 1)]
    for position in range(code.end):
        for target in (*code.after(position), *code.caught(position)):
            before[target].append(position)
    effects = [(frozenset(_used(each)), frozenset(_assigned(each))) for each in code.instructions]
    pending = list(range(code.end))
    while pending:
        position = pending.pop()
        used, assigned = effects[position]
        after = frozenset().union(*(live[target] for target in code.after(position)))
        failing = frozenset().union(*(live[target] for target in code.caught(position)))
        own = code.instructions[position].handler
        if own is not None and own.scope is not None:
            failing -= {(own.scope, own.name)}
        now = used | (after - assigned) | failing
        if now != live[position]:
            live[position] = now
            pending += before[position]
    return {position: live[position] for position in range(code.end + 1)}


def _used(instruction: Instruction) -> Iterator[Local]:
    scope, statics = instruction.scope, instruction.statics
    match instruction:
        case Catch(name=name) | Raise(name=name) | Finish(name=str(name)):
            yield scope, name
            if isinstance(instruction, Catch):
                yield from instruction.timeouts
        case Wait(asked=asked, timeouts=timeouts):
            yield from timeouts
            if asked:
                yield scope, asked
    for tree in _trees(instruction):
        for node in ast.walk(tree):
            reads = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            changes = isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
            name = node.id if isinstance(node, ast.Name) else node.target.id if changes else ""  # type: ignore[attr-defined]
            if (reads or changes) and name not in statics and (name in scope.own or name in scope.extra):
                yield scope, name


def _trees(instruction: Instruction) -> list[ast.AST]:
    match instruction:
        case Run(statement=statement):
            return [statement]
        case Give(value=value):
            return [value]
        case Test(test=test, pattern=pattern):
            return [test] if pattern is None else [test, pattern]
        case Wait(test=test) if test is not None:
            return [test]
    return []


def _assigned(instruction: Instruction) -> Iterator[Local]:
    """Only what is assigned for sure."""
    match instruction:
        case Give(to=scope, name=name):
            yield scope, name
        case Wait(results=names, scope=scope):
            yield from ((scope, name) for name in names)
        case Run(statement=ast.Assign(targets=targets), scope=scope):
            for target in targets:
                for each in target.elts if isinstance(target, ast.Tuple) else [target]:
                    if isinstance(each, ast.Name):
                        yield scope, each.id
        case Run(statement=ast.AnnAssign(target=ast.Name(name), value=value), scope=scope) if value is not None:
            yield scope, name
