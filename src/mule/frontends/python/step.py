"""One step of one process: what it has changed so far, on one path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mule.frontends.actors.execution import in_order, require_apart, written
from mule.frontends.actors.frames import NotHere
from mule.frontends.actors.messages import Message
from mule.frontends.actors.processes import Process
from mule.frontends.actors.shapes import Shape
from mule.frontends.actors.sources import Sources
from mule.frontends.actors.values import Record
from mule.frontends.python.contents import Contents
from mule.frontends.python.memory import Memory
from mule.frontends.python.objects import Queue
from mule.model import Statement
from mule.model.expressions import Expression, Read, subexpressions


@dataclass(slots=True)
class Step:
    """What the code of a process sees and changes: the fields of all objects."""

    memory: Memory
    sources: Sources
    files: frozenset[str]
    fields: dict[tuple[int, str], Any] = field(default_factory=dict)
    queues: dict[int, Contents] = field(default_factory=dict)

    @property
    def begun(self) -> dict[int, str]:
        return self.memory.begun

    def message_shapes(self, cls: type[Message]) -> dict[str, Shape]:
        raise NotHere("messages are for actors: put items into a Queue")

    def send(self, to: Process, message: Record) -> None:
        raise NotHere("messages are for actors: put items into a Queue")

    def _number(self, owner: Process) -> int:
        number = self.memory.index(owner)
        if number is None:
            raise NotHere(f"{owner!r} is not among the objects that processes share")
        return number

    def is_field(self, process: Process, name: str) -> bool:
        return (self._number(process), name) in self.memory.fields

    def read(self, process: Process, name: str) -> Any:
        key = self._number(process), name
        if key not in self.fields:
            self.fields[key] = self.memory.initially(*key)
        return self.fields[key]

    def kind(self, process: Process, name: str) -> Any:
        place = self.memory.fields.get((self._number(process), name))
        if place is None:
            raise NotHere(f"{type(process).__name__} has no field {name}: declare it in the class, with a type")
        return place.kind

    def write(self, process: Process, name: str, value: Any) -> None:
        self.fields[self._number(process), name] = value

    def contents(self, queue: Queue[Any]) -> Contents:
        number = self._number(queue)
        if number not in self.queues:
            self.queues[number] = Contents(self.memory.queues[number])
        return self.queues[number]

    def statements(self, local: dict[Read, Expression], scratch: Callable[[int], Read]) -> list[Statement]:
        """Sends see the state before; then come assignments, each before what it reads is overwritten; items leave
        their queues when all that hangs on them is done."""
        changes = dict(local)
        require_apart(self.fields.values())
        for key, value in self.fields.items():
            changes |= written(self.memory.fields[key], value)
        used = [contents for contents in self.queues.values() if contents.added or contents.taken]
        payloads = [code for contents in used for payload in contents.added for code in payload]
        read = {
            part.variable
            for expression in (*changes.values(), *payloads)
            for part in subexpressions(expression)
            if isinstance(part, Read)
        }
        sends: list[Statement] = []
        receives: list[Statement] = []
        for contents in used:
            channel = contents.place.channel
            if not contents.added:
                receives += contents.receives()
            elif not contents.taken and not read & {channel.length, *channel.fields}:
                sends += contents.sends()
            else:
                changes |= contents.assignments()
        changes = {target: value for target, value in changes.items() if target != value}
        return [*sends, *in_order(changes, scratch), *receives]
