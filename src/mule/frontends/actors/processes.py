"""Processes: classes with typed fields, handlers and steps."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform, overload

from mule.errors import MuleError, briefly
from mule.frontends.actors.messages import Message, is_message_class
from mule.frontends.counted import count

Method = TypeVar("Method", bound=Callable[..., Any])
Predicate = Callable[..., Any]

TRIGGER = "__mule_trigger__"


def majority(senders: int) -> int:
    """More than half. As `quorum=majority`: more than half of the processes in whose code the message appears."""
    return senders // 2 + 1


@dataclass(frozen=True)
class Trigger:
    """What a method reacts to: a message, a quorum of messages, or (`message` is None) nothing at all."""

    message: type[Message] | None
    quorum: int | Callable[..., int] | None
    when: Predicate | None


def on(
    message: type[Message], *, quorum: int | Callable[..., int] | None = None, when: Predicate | None = None
) -> Callable[[Method], Method]:
    """Run the method when such a message arrives and `when(self, message)` holds.

    With `quorum` it takes that many messages at once, each from another sender, as a list. The quorum is a number,
    `majority`, or a function of the process."""
    if not is_message_class(message):
        raise MuleError(f"`on` is given {briefly(message)}, expected a class of messages: `@on(Vote)`")

    def mark(method: Method) -> Method:
        setattr(method, TRIGGER, Trigger(message, quorum, when))
        return method

    return mark


@overload
def step(method: Method) -> Method: ...
@overload
def step(*, when: Predicate | None = None) -> Callable[[Method], Method]: ...
def step(method: Method | None = None, *, when: Predicate | None = None) -> Method | Callable[[Method], Method]:
    """Run the method at any time, as long as `when(self)` holds: `@step`, or `@step(when=...)`."""

    def mark(method: Method) -> Method:
        setattr(method, TRIGGER, Trigger(None, None, when))
        return method

    return mark if method is None else mark(method)


@dataclass_transform(kw_only_default=True)
class Process:
    """Base of all processes. Annotated fields are its state; what no handler assigns is a constant."""

    ignores: ClassVar[tuple[type[Message], ...]] = ()
    """Messages that it may be sent and never looks at."""
    name: str = ""
    """What trails call it; by default its class, and a number where there are several."""

    def __new__(cls, *_: Any, **__: Any) -> Self:
        made = super().__new__(cls)
        count(made)
        return made

    def __init__(self, **fields: Any) -> None:
        known = field_names(type(self))
        for name in known:
            if name in fields:
                setattr(self, name, fields.pop(name))
            elif hasattr(type(self), name):
                setattr(self, name, copy.copy(getattr(type(self), name)))
            else:
                raise TypeError(f"{type(self).__name__} needs a value for its field {name}: {name}=…")
        if fields:
            raise TypeError(f"{type(self).__name__} has no field {next(iter(fields))}: it has {', '.join(known)}")

    def __setattr__(self, name: str, value: Any) -> None:
        from mule.frontends.actors.types import check_field

        check_field(type(self), name, value)
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return self.name or f"<{type(self).__name__}>"


def field_names(cls: type) -> list[str]:
    """The annotated fields of a class and its bases, in the order of their declaration."""
    names: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        for name, annotation in inspect.get_annotations(base).items():
            if "ClassVar" not in str(annotation):
                names[name] = None
    return list(names)


def triggers(cls: type[Process]) -> list[tuple[str, Callable[..., Any], Trigger]]:
    """The handlers and steps of a class, bases first; a method that overrides another takes its place."""
    found: dict[str, tuple[Callable[..., Any], Trigger] | None] = {}
    for base in reversed(cls.__mro__):
        for name, member in base.__dict__.items():
            trigger = getattr(member, TRIGGER, None)
            if isinstance(trigger, Trigger):
                found[name] = (member, trigger)
            elif name in found:
                found[name] = None
    return [(name, *each) for name, each in found.items() if each is not None]
