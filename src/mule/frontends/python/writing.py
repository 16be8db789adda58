"""The instructions of one process, as they are written one after the other."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mule.errors import MuleError
from mule.frontends.actors.sources import place_of
from mule.frontends.python.code import Give, Handler, Instruction, Label, Local, Scope
from mule.frontends.python.statics import list_now
from mule.records import replace

MOST_INSTRUCTIONS = 10_000
"""Of one task."""


@dataclass
class Exit:
    """What is done on the way out of a block, and where that stands."""

    leave: Callable[[Around], None]
    around: Around


@dataclass
class Around:
    """Where a statement stands."""

    scope: Scope
    statics: dict[str, Any]
    finish: Label
    result: tuple[Scope, str] | None
    """Who wants to know what the function returns."""
    exits: tuple[Exit, ...] = ()
    """The `async with` and `try` blocks around it, outermost first."""
    leave: Label | None = None
    again: Label | None = None
    loop_exits: int = 0
    """How many of them are around the innermost loop."""
    rounds: tuple[str, ...] = ()
    """The rounds of the loops around it, in words."""
    handler: Handler | None = None
    """Where exceptions go."""
    caught: str = ""
    """The variable with the exception that an `except` around it has caught."""
    timeouts: tuple[Local, ...] = ()
    """The `timeout` blocks around it, outermost first."""
    branch: object = None
    """Which statement that is done only sometimes is the innermost around it."""

    def inner(self, **changes: Any) -> Around:
        """The same for a block inside: what it fixes is not known outside."""
        return replace(self, statics=dict(self.statics), **changes)


class Writer:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        """Of the process itself, not of what it calls."""
        self.instructions: list[Instruction] = []
        self.shown: list[tuple[ast.stmt, Scope]] = []
        """The statements of the model around what is written now, each inside the one before."""
        self.quiet = False
        self._temporaries = 0

    def emit(self, kind: type[Instruction], around: Around, **parts: Any) -> None:
        shown, scope = self.shown[-1]
        if len(self.instructions) >= MOST_INSTRUCTIONS:
            message = f"more than {MOST_INSTRUCTIONS:,} instructions: loops and calls inside each other have a copy"
            raise MuleError(f"{message} for each round, write the longest loop with while", place_of(shown, scope.file))
        statics = {name: list_now(each) for name, each in around.statics.items()}
        self.instructions.append(kind(around.scope, statics, shown, scope.file, self.quiet, around.handler, **parts))

    def here(self, label: Label) -> None:
        label.position = len(self.instructions)

    def error(self, message: str, node: ast.AST, around: Around) -> MuleError:
        return MuleError(message, place_of(node, around.scope.file))

    def kept(self, node: ast.expr, around: Around) -> ast.expr:
        """The value of an expression now, for later."""
        if isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id in around.statics):
            return node
        name = self.temporary(around.scope)
        self.emit(Give, around, value=node, to=around.scope, name=name)
        return named(name, node)

    def temporary(self, scope: Scope) -> str:
        self._temporaries += 1
        name = f"value {self._temporaries}"
        scope.extra.add(name)
        return name


def named(name: str, at: ast.AST) -> ast.Name:
    return ast.copy_location(ast.Name(name, ast.Load()), at)
