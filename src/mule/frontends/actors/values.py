"""What an expression of a handler can be while it is compiled: a value of Python, or one that the run will know."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from types import FunctionType
from typing import TYPE_CHECKING, Any

from mule.errors import Place
from mule.frontends.actors.messages import Message
from mule.frontends.actors.processes import Process
from mule.frontends.actors.types import Kind, SetKind
from mule.model.expressions import Expression

if TYPE_CHECKING:
    from mule.frontends.actors.frames import Frame
    from mule.frontends.actors.sources import Definition


@dataclass(frozen=True, slots=True)
class Symbol:
    """A value that hangs on the state before the step."""

    expression: Expression
    kind: Kind


@dataclass(frozen=True, slots=True)
class Record:
    """A message: its fields have values each."""

    cls: type[Message]
    fields: dict[str, Any]
    sender: Any = None
    """Of a message that was received: a process, or a symbol where it is one of several messages."""


@dataclass(frozen=True, slots=True)
class Items:
    """A sequence some of whose elements may be missing: each comes with the condition that it is there."""

    items: tuple[tuple[Expression, Any], ...]


@dataclass(slots=True)
class Members:
    """A set of values that need not be different, each with the condition that it is in."""

    items: list[tuple[Expression, Any]]


@dataclass(slots=True, eq=False)
class FieldSet:
    """The set in a field: methods change it."""

    mask: Expression
    kind: SetKind


@dataclass(slots=True, eq=False)
class FieldList:
    """The list in a field: its elements can be assigned."""

    name: str
    kind: Kind
    elements: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Closure:
    """A lambda or a function inside a function, and where its free names are looked up."""

    definition: Definition
    frame: Frame


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a process."""

    function: FunctionType
    owner: Process


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of a list, a set or another object, not called yet."""

    owner: Any
    name: str


class Failing(Exception):  # noqa: N818 - it is the model that fails, not Mule
    """On this path the handler raises an exception."""

    def __init__(self, text: str, asserts: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.asserts = asserts
        self.place: Place | None = None


SYMBOLIC = (Symbol, Record, Items, Members, FieldSet, FieldList, Closure)


def is_plain(value: Any) -> bool:
    """Whether it is a value of Python through and through, without any process in it."""
    if isinstance(value, (*SYMBOLIC, Process, Method, Operation)):
        return False
    if isinstance(value, dict):
        return all(is_plain(key) and is_plain(each) for key, each in value.items())
    return not isinstance(value, list | tuple | set | frozenset) or all(is_plain(each) for each in value)


def is_known(value: Any) -> bool:
    """Whether nothing about it has to wait for the run; processes are known."""
    if isinstance(value, SYMBOLIC):
        return False
    return not isinstance(value, list | tuple | set | frozenset) or all(is_known(each) for each in value)


def type_name(value: Any) -> str:
    """What a message calls the type of a value."""
    match value:
        case Symbol(_, kind):
            return str(kind)
        case Record(cls):
            return cls.__name__
        case Items() | FieldList():
            return "list"
        case Members() | FieldSet():
            return "set"
        case Enum():
            return type(value).__name__
    return type(value).__name__
