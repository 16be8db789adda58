"""What processes share, as variables of the model: a variable for each field, a channel for each queue."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mule.errors import MuleError
from mule.frontends.actors.adoption import adopted
from mule.frontends.actors.layout import Fields
from mule.frontends.actors.processes import field_names
from mule.frontends.actors.shapes import Shape, kinds_in, shape_of
from mule.frontends.actors.system import word_of
from mule.frontends.actors.types import MOST_MEMBERS, Compound, IntKind, Kind, SetKind, Unreadable
from mule.frontends.python.objects import (
    CANCELLED,
    COUNTED,
    IDLE,
    RETURNED,
    RUNNING,
    Outcome,
    Queue,
    Shared,
    Tasks,
    Waiters,
)
from mule.model import Channel, IntegerType
from mule.model.builder import ModelBuilder


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """A queue: what its items are made of, and where they are."""

    shape: Shape
    channel: Channel


@dataclass(frozen=True)
class OutcomeKind(IntKind):
    """How a task stands."""

    low: int = 0
    high: int = 250

    def names(self) -> tuple[tuple[int, str], ...]:
        return ((IDLE, "not begun"), (RUNNING, "running"), (RETURNED, "returned"), (CANCELLED, "cancelled"))


class Memory(Fields):
    def __init__(
        self, builder: ModelBuilder, objects: Sequence[Shared], assigned: frozenset[str], tasks: int = 1
    ) -> None:
        """`assigned` are the names of fields that code changes, `tasks` how many processes there are."""
        super().__init__(objects)
        self.tasks = tasks
        self.queues: dict[int, QueuePlace] = {}
        for number, each in enumerate(objects):
            for name in field_names(type(each)):
                if name in assigned and name != "name":
                    self.declare(builder, number, name, None)
            if isinstance(each, Queue):
                self.queues[number] = self._queue(builder, each)

    def kind_of(self, annotation: Any, value: Any) -> Kind | Compound:
        if annotation == Outcome:
            return OutcomeKind()
        if annotation == Waiters:
            return IntKind(0, self.tasks)
        if annotation == Tasks:
            if self.tasks > MOST_MEMBERS:
                raise Unreadable(f"more than {MOST_MEMBERS} tasks: events, conditions and joined queues know so many")
            return SetKind(IntKind(0, self.tasks - 1))
        return super().kind_of(annotation, value)

    def _queue(self, builder: ModelBuilder, queue: Queue[Any]) -> QueuePlace:
        try:
            shape = shape_of(queue.of, self.objects)
        except Unreadable as why:
            raise MuleError(f"the items of {queue.name}: {why}") from None
        if queue.items:
            raise MuleError(f"{queue.name} has items before the system begins: put them in from a process")
        channel = builder.channel(queue.name, queue.maxsize, [_with_zero(kind) for kind in kinds_in(shape)])
        return QueuePlace(shape, channel)


def _with_zero(kind: Kind) -> IntegerType:
    """Cells without an item hold 0."""
    if kind.low <= 0 <= kind.high:
        return kind.integers
    return IntKind(min(kind.low, 0), max(kind.high, 0)).integers


def unused_fields(trees: Iterable[ast.AST]) -> frozenset[str]:
    """Fields of locks and queues that nothing in the model hangs on."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    named = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    named |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return frozenset(field for field, users in COUNTED.items() if field not in named and not users & named)


def looks_at_results(trees: Iterable[ast.AST]) -> bool:
    """Whether anyone may ask a task how it has ended, without awaiting it."""
    asked = ("result", "exception")
    return any(isinstance(node, ast.Attribute) and node.attr in asked for tree in trees for node in ast.walk(tree))


def cancels(trees: Iterable[ast.AST]) -> bool:
    """Whether anything in the model can cancel a task."""
    for tree in trees:
        for node in ast.walk(tree):
            match node:
                case ast.Attribute(_, "cancel" | "timeout" | "TaskGroup"):
                    return True
                case ast.Attribute(ast.Name("asyncio"), "wait_for"):
                    return True
                case ast.ImportFrom("asyncio", names):
                    if any(each.name in ("timeout", "wait_for", "TaskGroup") for each in names):
                        return True
    return False


def shared_objects(roots: Iterable[Any]) -> list[Shared]:
    """All that can be reached from some values, in the order in which they are met; each gets a name."""
    found: list[Shared] = []
    seen: set[int] = set()
    pending = list(roots)[::-1]
    while pending:
        value = pending.pop()
        _require_own(value)
        adopted(value, Shared)
        if not isinstance(value, Shared | list | tuple | Mapping) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Shared):
            found.append(value)
            pending += list(vars(value).values())[::-1]
        else:
            pending += list(value.values() if isinstance(value, Mapping) else value)[::-1]
    _give_names(found)
    return found


def _require_own(value: Any) -> None:
    """What asyncio makes can be run, but not be checked."""
    for cls in (asyncio.Lock, asyncio.Event, asyncio.Condition, asyncio.BoundedSemaphore, asyncio.Semaphore):
        if isinstance(value, cls):
            raise MuleError(f"asyncio.{cls.__name__}() is not a part of the model: use mule.processes.{cls.__name__}")
    if isinstance(value, asyncio.PriorityQueue | asyncio.LifoQueue):
        message = "is not a part of the model: keep its items in fields of a Shared object"
        raise MuleError(f"asyncio.{type(value).__name__} {message}, or use mule.processes.Queue if their order is open")
    if isinstance(value, asyncio.Queue):
        raise MuleError("asyncio.Queue() is not a part of the model: use mule.processes.Queue, which has a bound")
    if isinstance(value, asyncio.Barrier):
        raise MuleError("asyncio.Barrier() is not a part of the model: use a Condition and a count")


def _give_names(objects: Sequence[Shared]) -> None:
    """`counter`, or `lock 1` and `lock 2` where there are several."""
    for each in objects:
        if not each.name:
            alike = [other for other in objects if type(other) is type(each)]
            word = word_of(type(each).__name__)
            number = next(n for n, other in enumerate(alike, 1) if other is each)
            each.name = word if len(alike) == 1 else f"{word} {number}"
    names = [each.name for each in objects]
    for name in names:
        if names.count(name) > 1:
            raise MuleError(f"two shared objects are called {name}: give each a name of its own, name=…")
