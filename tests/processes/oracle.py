"""Runs the coroutines of a program as they are, with `send`, and visits every state that some interleaving leads to.

A coroutine cannot be copied, so every state is reached again from the start, by the choices that lead to it. Two states
are the same if the shared objects hold the same values and the coroutines, seen by the garbage collector, refer to the
same things: their variables, and what lies on the stacks of their frames."""

from __future__ import annotations

import gc
import operator
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from types import CoroutineType, GeneratorType
from typing import Any

from mule.frontends.actors.processes import field_names
from mule.frontends.actors.types import DictKind, hints, kind_of
from mule.frontends.python.system import System
from mule.frontends.python.waiting import Gathered, Point, stepping
from mule.processes import Queue, Shared

Shared_state = tuple[tuple[str, tuple[int, ...]], ...]
Move = tuple[int, tuple[int, ...]]
"""Which coroutine goes on, and what it chooses on the way."""


@dataclass
class Found:
    """What there is to see in the whole state space."""

    states: int = 0
    shared: set[Shared_state] = field(default_factory=set)
    """What the shared objects can hold."""
    deadlocks: set[Shared_state] = field(default_factory=set)
    failures: set[tuple[Shared_state, bool]] = field(default_factory=set)
    """Before which steps an exception comes, and whether it is that of an assertion."""
    complete: bool = True


class Choices:
    """Answers `choose` from a list, and says how many answers there were."""

    def __init__(self, given: tuple[int, ...]) -> None:
        self.given = given
        self.widths: list[int] = []

    def __call__(self, options: list[Any]) -> Any:
        position = len(self.widths)
        self.widths.append(len(options))
        return options[self.given[position] if position < len(self.given) else 0]


class Run:
    """The program from its start, moved on step by step."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.coroutines = [task.coroutine for task in system.tasks if task.coroutine is not None]
        self.points: list[Point | None] = [None] * len(self.coroutines)
        self.ended = [False] * len(self.coroutines)
        self.background = [task.background for task in system.tasks]
        self.objects = objects_of(system)

    def __del__(self) -> None:
        for coroutine in self.coroutines:
            coroutine.close()

    def enabled(self, number: int) -> bool:
        point = self.points[number]
        return not self.ended[number] and (point is None or bool(point.test()))

    def step(self, number: int, choices: Choices) -> None:
        with stepping(choices, number):
            try:
                point = self.points[number] = self.coroutines[number].send(None)
            except StopIteration:
                self.ended[number] = True
                return
        if isinstance(point, Gathered):
            first = len(self.coroutines)
            self.coroutines += point.coroutines
            self.points += [None] * len(point.coroutines)
            self.ended += [False] * len(point.coroutines)
            self.background += [self.background[number]] * len(point.coroutines)
            children = range(first, len(self.coroutines))
            point.test = lambda: all(self.ended[each] for each in children)

    def key(self) -> Any:
        processes = tuple(
            "ended" if ended else described(coroutine)
            for coroutine, ended in zip(self.coroutines, self.ended, strict=True)
        )
        return processes, shared_state(self.objects)


def described(value: Any) -> Any:
    """A thing that a coroutine holds, so that two of them can be compared."""
    if isinstance(value, CoroutineType | GeneratorType):
        frame = value.cr_frame if isinstance(value, CoroutineType) else value.gi_frame
        place = None if frame is None else (frame.f_code.co_name, frame.f_lasti)
        skipped = (type(frame), type(frame.f_code), dict) if frame else ()
        return place, tuple(described(each) for each in gc.get_referents(value) if not isinstance(each, skipped))
    if isinstance(value, Shared):
        return value.name
    if isinstance(value, int | str | Enum | None):
        return value
    if type(value) in (type(iter(range(0))), type(iter([])), type(iter(()))):
        return repr(value.__reduce__()[1:])
    if isinstance(value, tuple | list):
        return tuple(described(each) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__, tuple(described(getattr(value, each.name)) for each in fields(value))
    return type(value).__name__


def objects_of(system: System) -> list[Shared]:
    """Those in the arguments of tasks, and those in the fields of others."""
    found: dict[int, Shared] = {}

    def visit(value: Any) -> None:
        if isinstance(value, Shared) and id(value) not in found:
            found[id(value)] = value
            for name in field_names(type(value)):
                visit(getattr(value, name))
        elif isinstance(value, list | tuple):
            for each in value:
                visit(each)

    for task in system.tasks:
        for value in task.variables.values():
            visit(value)
    return list(found.values())


def shared_state(objects: list[Shared]) -> Shared_state:
    return tuple((name, values) for each in objects for name, values in _values(each))


def _values(shared: Shared) -> Iterator[tuple[str, tuple[int, ...]]]:
    for name in field_names(type(shared)):
        value = getattr(shared, name)
        if name == "name":
            continue
        if isinstance(value, list):
            yield f"{shared.name}.{name}", tuple(map(_number, value))
        elif isinstance(value, dict):
            keys = _keys(type(shared), name)
            yield f"{shared.name}.{name}", tuple(_number(value.get(key, 0)) for key in keys)
            yield f"{shared.name}.{name}.keys", tuple(int(key in value) for key in keys)
        elif not isinstance(value, Shared):
            yield f"{shared.name}.{name}", (_number(value),)
    if isinstance(shared, Queue):
        yield shared.name, tuple(_number(part) for item in shared.items for part in _parts(item))


def _parts(item: Any) -> list[Any]:
    if is_dataclass(item):
        item = tuple(getattr(item, each.name) for each in fields(item))
    return [part for each in item for part in _parts(each)] if isinstance(item, tuple) else [item]


def _keys(cls: type, name: str) -> list[Any]:
    """The keys that a dict in a field can have."""
    kind = kind_of(hints(cls)[name], ())
    assert isinstance(kind, DictKind)
    return kind.keys


def _number(value: Any) -> int:
    if isinstance(value, set):
        return sum(1 << _number(each) for each in value)
    if value is None:
        return -1
    return list(type(value)).index(value) if isinstance(value, Enum) else int(value)


def explore(make: Callable[[], System], most: int = 1500) -> Found:
    """All states; `make` gives the system at its start, again and again."""
    found = Found()
    start = Run(make())
    seen = {start.key()}
    pending: deque[tuple[Move, ...]] = deque([()])
    found.shared.add(shared_state(start.objects))
    while pending:
        moves = pending.popleft()
        found.states += 1
        if found.states > most:
            found.complete = False
            return found
        run = replayed(make, moves)
        before = shared_state(run.objects)
        movable = [number for number in range(len(run.coroutines)) if run.enabled(number)]
        if not movable and not all(map(operator.or_, run.ended, run.background)):
            found.deadlocks.add(before)
        for number in movable:
            open_choices: list[tuple[int, ...]] = [()]
            while open_choices:
                given = open_choices.pop()
                choices = Choices(given)
                after = replayed(make, moves)
                try:
                    after.step(number, choices)
                except Exception as error:
                    found.failures.add((before, isinstance(error, AssertionError)))
                    after.ended[number] = True
                else:
                    key = after.key()
                    found.shared.add(shared_state(after.objects))
                    if key not in seen:
                        seen.add(key)
                        pending.append((*moves, (number, given)))
                for position in range(len(given), len(choices.widths)):
                    padding = (0,) * (position - len(given))
                    open_choices += [(*given, *padding, other) for other in range(1, choices.widths[position])]
    return found


def replayed(make: Callable[[], System], moves: tuple[Move, ...]) -> Run:
    run = Run(make())
    for number, given in moves:
        run.step(number, Choices(given))
    return run
