"""Where names are looked up, and what a handler can reach beyond them."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any, Protocol

from mule.frontends.actors.constants import frozen
from mule.frontends.actors.messages import Message
from mule.frontends.actors.processes import Process
from mule.frontends.actors.shapes import Shape
from mule.frontends.actors.sources import Sources
from mule.frontends.actors.values import Record

MISSING = object()


class Unbound(Exception):  # noqa: N818 - becomes an error of the model
    """A name of a function has no value yet."""


class Frame:
    """The names of one call; `outer` is where a lambda or a comprehension stands."""

    def __init__(
        self,
        file: str,
        names: Mapping[str, Any],
        outer: Frame | None = None,
        free: Mapping[str, Any] | None = None,
        own: frozenset[str] = frozenset(),
    ) -> None:
        self.file = file
        self.names = dict(names)
        self.outer = outer
        self.free = free or {}
        """The names that are neither local nor built in."""
        self.own = own
        """The names that the function assigns: they mean nothing else, not even before they have a value."""
        self.perhaps: frozenset[str] = frozenset()
        """The same, where it is not known whether they have one."""
        self.over = False
        """Whether it belongs to a comprehension that has come to its end, and what its names are now is not known."""
        self.comprehends = False
        """Whether it belongs to a comprehension."""
        self.in_any_order = False
        """Whether it belongs to a comprehension over a set, whose order means nothing to who asks for it."""

    def look_up(self, name: str) -> Any:
        frame: Frame | None = self
        while frame is not None:
            if name in frame.names:
                if frame.over:
                    raise NotHere(
                        f"{name} belongs to a comprehension that is over: give the function a parameter {name}={name}"
                    )
                return frame.names[name]
            if name in frame.own:
                raise Unbound(name)
            if name in frame.perhaps:
                raise NotHere(f"{name} is not defined here, or not on every way to this place")
            if name in frame.free:
                return frozen(frame.free[name])
            frame = frame.outer
        return getattr(builtins, name, MISSING)


class World(Protocol):
    """The state that the code at hand can see and change."""

    files: frozenset[str]
    """Where the model is written: functions from there are compiled, others are called."""

    @property
    def sources(self) -> Sources: ...

    @property
    def begun(self) -> Mapping[int, str]:
        """The lists and sets that fields begin with, by identity: which field it is."""

    def message_shapes(self, cls: type[Message]) -> dict[str, Shape]:
        """What the fields of a message are made of."""

    def is_field(self, process: Process, name: str) -> bool:
        """Whether it is a part of the state of the process, and not a constant."""

    def read(self, process: Process, name: str) -> Any:
        """What a field holds; it says why, where that cannot be seen."""

    def kind(self, process: Process, name: str) -> Any:
        """The kind of a field."""

    def write(self, process: Process, name: str, value: Any) -> None:
        """Change a field to a value of its kind."""

    def send(self, to: Process, message: Record) -> None:
        """Put a message into the network."""


class NotHere(Exception):  # noqa: N818 - becomes a message with a place
    """What the world does not allow, and why."""
