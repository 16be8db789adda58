"""What an expression of a handler can be while it is compiled: a value of Python, or one that the run will know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import FunctionType
from typing import TYPE_CHECKING, Any

from mule.errors import Place
from mule.frontends.actors.constants import Shared, SharedDict, SharedSet
from mule.frontends.actors.processes import Process
from mule.frontends.actors.types import DictKind, Kind, SetKind
from mule.model import Printed
from mule.model.expressions import Constant, Expression

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
    """A message, or an instance of a frozen dataclass: its fields have values each."""

    cls: type[Any]
    fields: dict[str, Any]
    sender: Any = None
    """Of a message that was received: a process, or a symbol where it is one of several messages."""


@dataclass(slots=True, eq=False)
class Items:
    """A list some of whose elements may be missing: each comes with the condition that it is there."""

    items: tuple[tuple[Expression, Any], ...]
    what: str = "list"
    """Or "range"."""
    became: FieldList | None = None
    """The list in a field that it was made into: the two are one object."""


@dataclass(slots=True, eq=False)
class Members:
    """A set of values that need not be different, each with the condition that it is in."""

    items: list[tuple[Expression, Any]]
    frozen: bool = False
    became: FieldSet | None = None
    """The set in a field that it was made into: the two are one object."""


@dataclass(slots=True, eq=False)
class FieldSet:
    """The set in a field, or a copy of it: methods change it."""

    mask: Expression
    kind: SetKind
    stored: Place | None = None
    """Where it was put into a field."""


@dataclass(slots=True, eq=False)
class FieldList:
    """The list in a field: its elements can be assigned."""

    name: str
    kind: Kind
    elements: list[Any] = field(default_factory=list)
    stored: Place | None = None
    most: int | None = None
    """How many elements it can have, if it grows."""
    length: Expression | None = None
    """How many of them are there, as long as nobody has asked."""


@dataclass(slots=True, eq=False)
class FieldDict:
    """The dict in a field: for each key that there can be, whether it is there, and what it has."""

    name: str
    kind: DictKind
    there: list[Expression]
    values: list[Any]
    stored: Place | None = None

    def items(self) -> list[tuple[Expression, tuple[Any, Any]]]:
        return list(zip(self.there, zip(self.kind.keys, self.values, strict=True), strict=True))


@dataclass(slots=True, eq=False)
class Stream:
    """What Python computes when somebody asks for it, and gives away once: a generator, zip, enumerate, map, …"""

    items: Iterator[tuple[Expression, Any]]
    made: tuple[object, int]
    """Under which circumstances (see `Path`)."""
    what: str


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The keys, values or items of a dict, as they are when somebody looks."""

    owner: dict[Any, Any] | FieldDict
    what: str


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A lambda or a function inside a function, where its free names are looked up, and what its parameters are where
    they are not given: computed where the function is defined."""

    definition: Definition
    frame: Frame
    defaults: dict[str, Any]


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

    def __init__(self, text: str, asserts: bool = False, message: Sequence[str | Printed] = ()) -> None:
        super().__init__(text)
        self.text = text
        self.asserts = asserts
        self.message = tuple(message)
        """What the author says of it, with values that only a run knows."""
        self.place: Place | None = None
        self.exception: type[BaseException] | None = None
        """The class of the exception, where the model could catch it."""


SYMBOLIC = (Symbol, Record, Items, Members, FieldSet, FieldList, FieldDict, Closure, Stream, View)


def is_known(value: Any) -> bool:
    """Whether nothing about it has to wait for the run; processes are known."""
    if isinstance(value, SYMBOLIC):
        return False
    if isinstance(value, dict):
        return all(is_known(each) for each in (*value, *value.values()))
    return not isinstance(value, list | tuple | set | frozenset) or all(is_known(each) for each in value)


def classes_within(value: Any) -> Iterator[type]:
    """The classes of a value, and of the parts that it is shown with."""
    parts: Iterable[Any] = ()
    match value:
        case Symbol(_, kind) | FieldSet(_, kind):
            yield from kind.classes()
        case Record(cls, fields):
            yield cls
            parts = fields.values()
        case Items(items) | Members(items):
            parts = [each for _, each in items]
        case FieldList(kind=kind, elements=elements):
            yield from kind.classes()
            parts = elements
        case FieldDict(kind=kind, values=values):
            yield from kind.key.classes()
            parts = values
        case View(owner):
            parts = [owner]
        case dict():
            parts = (*value, *value.values())
        case list() | tuple() | set() | frozenset():
            yield type(value)
            parts = value
        case Closure() | Stream():
            pass
        case _:
            yield type(value)
    for each in parts:
        yield from classes_within(each)


def type_name(value: Any) -> str:
    """What a message calls the type of a value."""
    match value:
        case Symbol(_, kind):
            return str(kind)
        case Record(cls):
            return cls.__name__
        case Items(what=what) | Stream(what=what):
            return what
        case View(what=what):
            return f"dict.{what}()"
        case FieldList() | Shared():
            return "list"
        case SharedSet():
            return "set"
        case SharedDict() | FieldDict():
            return "dict"
        case Members() | FieldSet():
            return "set"
        case Enum():
            return type(value).__name__
    return type(value).__name__


def has_parts(value: Any) -> bool:
    """Whether it is more than one value that a run knows."""
    return isinstance(value, SYMBOLIC) and not isinstance(value, Symbol)


def printed(value: Any) -> str | Printed:
    """One value in words: known now, or in a run."""
    if isinstance(value, Symbol):
        if isinstance(value.expression, Constant):
            return dict(value.kind.names()).get(value.expression.value, str(value.expression.value))
        return Printed("e", value.expression, value.kind.names())
    return getattr(value, "name", None) or str(value)
