"""The types of fields: how values of Python become integers of the model."""

from __future__ import annotations

import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass, is_dataclass
from enum import Enum, Flag
from typing import Any

from mule.frontends.actors.adoption import Owned, is_changeable
from mule.frontends.actors.processes import Process
from mule.frontends.programs import refusing
from mule.model import IntegerType
from mule.model.expressions import HIGHEST, LEAST, LOWEST

LOW, HIGH = LEAST, HIGHEST
"""Of an `int`; the number of 32 bits below them stands for None, where that may be."""
MOST_MEMBERS = 31
"""A set is a bit mask in an integer of 32 bits."""
MOST_NAMED = 255
"""A set with more possible values is shown as a number."""


LONGEST_LIST = 4_096
"""That grows: a step has a path for each length."""


@dataclass(frozen=True)
class Range:
    """In an annotation, the integers from `low` to `high`: `Annotated[int, Range(0, 7)]`."""

    low: int
    high: int

    def __post_init__(self) -> None:
        _require_whole("Range", self.low, self.high)
        if self.low > self.high:
            raise ValueError(f"the range {self.low}..{self.high} is empty")


@dataclass(frozen=True)
class AtMost:
    """In an annotation, how long a list can get: `Annotated[list[int], AtMost(4)]`."""

    length: int

    def __post_init__(self) -> None:
        _require_whole("AtMost", self.length)
        if self.length < 1:
            raise ValueError(f"a list that can get {self.length} long holds nothing")
        if self.length > LONGEST_LIST:
            raise ValueError(f"a list of a model cannot get longer than {LONGEST_LIST:,}")


def _require_whole(what: str, *values: object) -> None:
    for value in values:
        if not isinstance(value, int):
            raise TypeError(f"{what} takes whole numbers, not {value!r}")


class Kind:
    """What the integers in a slot mean."""

    low: int
    high: int

    @property
    def integers(self) -> IntegerType:
        return IntegerType(str(self), self.low, self.high, names=self.names())

    @property
    def unused(self) -> int:
        """What a slot holds that is not in use."""
        return min(max(self.low, 0), self.high)

    def names(self) -> tuple[tuple[int, str], ...]:
        return ()

    def encode(self, value: Any) -> int | None:
        """None: no value of this kind."""
        raise NotImplementedError

    def values(self) -> list[Any]:
        """All values, in the order of their codes."""
        raise NotImplementedError

    def classes(self) -> set[type]:
        """Of the objects that the codes stand for."""
        return set()


@dataclass(frozen=True)
class IntKind(Kind):
    low: int = LOW
    high: int = HIGH

    @property
    def bounded(self) -> bool:
        return self.low > LOW or self.high < HIGH

    @property
    def integers(self) -> IntegerType:
        # of all 32 bits, as nothing has to be done to keep a value in them
        return super().integers if self.bounded else IntegerType(str(self), LOWEST, HIGHEST)

    def encode(self, value: Any) -> int | None:
        return int(value) if isinstance(value, int) and not isinstance(value, Enum) else None

    def values(self) -> list[Any]:
        return list(range(self.low, self.high + 1))

    def __str__(self) -> str:
        return f"{self.low}..{self.high}" if self.bounded else "int"


@dataclass(frozen=True)
class BoolKind(Kind):
    low: int = 0
    high: int = 1

    def encode(self, value: Any) -> int | None:
        return int(value) if isinstance(value, bool) else None

    def values(self) -> list[Any]:
        return [False, True]

    def names(self) -> tuple[tuple[int, str], ...]:
        return ((0, "False"), (1, "True"))

    def __str__(self) -> str:
        return "bool"


class _Listed(Kind):
    """Values in a fixed order; the code is the position."""

    members: tuple[Any, ...]

    @property
    def low(self) -> int:  # type: ignore[override]
        return 0

    @property
    def high(self) -> int:  # type: ignore[override]
        return max(len(self.members) - 1, 0)

    def encode(self, value: Any) -> int | None:
        return next((number for number, member in enumerate(self.members) if member is value), None)

    def values(self) -> list[Any]:
        return list(self.members)

    def classes(self) -> set[type]:
        return {type(each) for each in self.values()}


@dataclass(frozen=True)
class EnumKind(_Listed):
    cls: type[Enum]

    @property
    def members(self) -> tuple[Any, ...]:  # type: ignore[override]
        return tuple(self.cls)

    def names(self) -> tuple[tuple[int, str], ...]:
        return tuple((number, member.name) for number, member in enumerate(self.cls))

    def __str__(self) -> str:
        return self.cls.__name__


@dataclass(frozen=True)
class ProcessKind(_Listed):
    """References to processes; the code is the position among all processes of the system."""

    members: tuple[Process, ...]
    cls: type[Process] = Process

    def encode(self, value: Any) -> int | None:
        return super().encode(value) if isinstance(value, self.cls) else None

    def names(self) -> tuple[tuple[int, str], ...]:
        return tuple((number, member.name) for number, member in enumerate(self.members))

    def values(self) -> list[Any]:
        return [member for member in self.members if isinstance(member, self.cls)]

    def __str__(self) -> str:
        return self.cls.__name__


@dataclass(frozen=True)
class OptionalKind(Kind):
    """A value of the inner kind, or None, whose code is one less than the least of the others."""

    inner: Kind

    @property
    def none(self) -> int:
        return self.inner.low - 1

    @property
    def low(self) -> int:  # type: ignore[override]
        return self.none

    @property
    def high(self) -> int:  # type: ignore[override]
        return self.inner.high

    def encode(self, value: Any) -> int | None:
        return self.none if value is None else self.inner.encode(value)

    def values(self) -> list[Any]:
        return [None, *self.inner.values()]

    def classes(self) -> set[type]:
        return self.inner.classes()

    def names(self) -> tuple[tuple[int, str], ...]:
        return ((self.none, "None"), *self.inner.names())

    def __str__(self) -> str:
        return f"{self.inner} | None"


@dataclass(frozen=True)
class SetKind(Kind):
    """Sets of values of a small kind: the code is a bit mask."""

    member: Kind
    frozen: bool = False
    """Whether it is a value (frozenset) or an object that methods change (set)."""

    @property
    def universe(self) -> list[Any]:
        return self.member.values()

    @property
    def low(self) -> int:  # type: ignore[override]
        return 0

    @property
    def high(self) -> int:  # type: ignore[override]
        return (1 << len(self.universe)) - 1

    def classes(self) -> set[type]:
        return self.member.classes()

    def bit(self, value: Any) -> int | None:
        """The position of a member in the mask."""
        code = self.member.encode(value)
        codes = [self.member.encode(each) for each in self.universe]
        return codes.index(code) if code is not None and code in codes else None

    def encode(self, value: Any) -> int | None:
        if not isinstance(value, set | frozenset):
            return None
        bits = [self.bit(each) for each in value]
        return None if None in bits else sum(1 << bit for bit in bits if bit is not None)

    def names(self) -> tuple[tuple[int, str], ...]:
        if self.high > MOST_NAMED:
            return ()
        written = {self.member.encode(each): str(each) for each in self.universe} | dict(self.member.names())
        texts = [written[self.member.encode(each) or 0] for each in self.universe]
        return tuple(
            (mask, "{" + ", ".join(text for n, text in enumerate(texts) if mask >> n & 1) + "}")
            for mask in range(self.high + 1)
        )

    def values(self) -> list[Any]:
        members = self.universe
        return [frozenset(m for n, m in enumerate(members) if mask >> n & 1) for mask in range(self.high + 1)]

    def __str__(self) -> str:
        return f"set[{self.member}]"


class Compound:
    """A value that takes several slots, and that code can change."""


@dataclass(frozen=True)
class ListKind(Compound):
    """A list of fixed length: it takes a slot for each element. One that grows takes as many as it can have, and one
    for its length."""

    element: Kind
    length: int
    grows: bool = False


@dataclass(frozen=True)
class DictKind(Compound):
    """A dict: for each key that there can be a slot for its value, and one that tells whether it is there."""

    key: Kind
    value: Kind

    @property
    def keys(self) -> list[Any]:
        return self.key.values()

    @property
    def nothing(self) -> Any:
        """What stands in the slot of a key that is not there."""
        return next(each for each in self._some_values() if self.value.encode(each) == self.value.unused)

    def _some_values(self) -> list[Any]:
        return [self.value.unused] if isinstance(self.value, IntKind) else self.value.values()


INT, BOOL = IntKind(), BoolKind()


_hints: dict[type, dict[str, Any]] = {}


def hints(cls: type) -> dict[str, Any]:
    """The annotations of a class, evaluated."""
    known = _hints.get(cls)
    if known is None:
        known = _hints[cls] = _evaluated(cls)
    return known


def _evaluated(cls: type) -> dict[str, Any]:
    with refusing(f"the annotations of {cls.__name__} cannot be read: "):
        return typing.get_type_hints(cls, include_extras=True)


class Unreadable(Exception):  # noqa: N818 - becomes a message with the place of the annotation
    """An annotation that stands for no type of the language: why."""


_PARTS = {list: 1, set: 1, frozenset: 1, dict: 2}
"""How many types stand in the brackets."""


def kind_of(annotation: Any, processes: Sequence[Process], value: Any = None) -> Kind | Compound:
    """What an annotation means; `value` tells how long a list is."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in _PARTS and len(arguments) != _PARTS[origin]:
        raise Unreadable(f"{annotation}: it has to say of what, as list[int], set[int] and dict[int, bool] do")
    if origin is list:
        element = _element(arguments[0], processes)
        if not isinstance(value, list | tuple):
            raise Unreadable("a list whose length is not known: a field gets its length from its first value")
        return ListKind(element, len(value))
    if origin is typing.Annotated:
        bounds = [each.length for each in arguments[1:] if isinstance(each, AtMost)]
        return _growing(arguments[0], bounds[0], processes, value) if bounds else _annotated(arguments, processes)
    if origin is dict:
        return _dict(arguments[0], arguments[1], processes)
    if origin in (set, frozenset):
        return _set(arguments[0], processes, origin is frozenset)
    if origin in (typing.Union, types.UnionType):
        rest = [each for each in arguments if each is not type(None)]
        inner = kind_of(rest[0], processes) if len(rest) == 1 else None
        if len(rest) == len(arguments) or not isinstance(inner, IntKind | BoolKind | _Listed):
            raise Unreadable("a union: write T | None, or use an Enum")
        return OptionalKind(inner)
    return _plain(annotation, processes)


def _plain(annotation: Any, processes: Sequence[Process]) -> Kind:
    if annotation is int:
        return INT
    if annotation is bool:
        return BOOL
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        if issubclass(annotation, int):
            raise Unreadable(f"{annotation.__name__} is a number as well as an enum: derive it from Enum alone")
        if issubclass(annotation, Flag) or getattr(annotation, "_member_type_", object) is not object:
            raise Unreadable(f"{annotation.__name__} is more than an enum: derive it from Enum alone")
        return EnumKind(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Process):
        return ProcessKind(tuple(each for each in processes if not isinstance(each, Owned)), annotation)
    name = getattr(annotation, "__name__", None) or str(annotation)
    if is_changeable(annotation):
        return ProcessKind(tuple(processes), annotation)
    if isinstance(annotation, type) and is_dataclass(annotation):
        hint = "give the object a field for each of its fields, or leave out frozen=True"
        raise Unreadable(f"{name} is a frozen dataclass: {hint}")
    raise Unreadable(
        f"{name} is no type of a model: use int, Annotated[int, Range(…)], bool, an Enum, a Process class, "
        "T | None, set[T], list[T] or dict[K, T]"
    )


def _element(annotation: Any, processes: Sequence[Process]) -> Kind:
    element = kind_of(annotation, processes, ())
    if isinstance(element, ListKind):
        raise Unreadable("a list of lists: use one list, indexed by row * width + column")
    if not isinstance(element, Kind):
        raise Unreadable("a list of dicts: use a dict, or a list, for each of their values")
    return element


def _growing(annotation: Any, most: int, processes: Sequence[Process], value: Any) -> ListKind:
    if typing.get_origin(annotation) is not list:
        raise Unreadable(f"AtMost bounds a list: write Annotated[list[T], AtMost({most})]")
    if not isinstance(value, list) and value != ():
        raise Unreadable("a list that grows begins as a list, and is in a field: it can begin as []")
    if len(value) > most:
        raise Unreadable(f"it begins with {len(value)} elements, and can have {most}: raise AtMost({most})")
    return ListKind(_element(typing.get_args(annotation)[0], processes), most, grows=True)


def _annotated(arguments: tuple[Any, ...], processes: Sequence[Process]) -> Kind:
    ranges = [each for each in arguments[1:] if isinstance(each, Range)]
    if arguments[0] is int and len(ranges) == 1:
        if ranges[0].low < LOW or ranges[0].high > HIGH:
            raise Unreadable(f"a range beyond the integers of a model, which are {LOW}..{HIGH}")
        return IntKind(ranges[0].low, ranges[0].high)
    inner = kind_of(arguments[0], processes)
    if not isinstance(inner, Kind):
        raise Unreadable("Annotated[…] around a dict: annotate its keys or its values")
    return inner


def _dict(key: Any, value: Any, processes: Sequence[Process]) -> DictKind:
    keys, values = kind_of(key, processes), kind_of(value, processes, ())
    if isinstance(keys, IntKind) and keys.high - keys.low >= MOST_MEMBERS:
        raise Unreadable("a dict whose keys have no bounds: write dict[Annotated[int, Range(0, 7)], T]")
    _require_hash(keys)
    if not isinstance(keys, IntKind | BoolKind | _Listed):
        raise Unreadable("a dict whose keys are not finitely many: they are bounded ints, bools, enums or processes")
    if not isinstance(values, IntKind | BoolKind | _Listed | OptionalKind):
        raise Unreadable("a dict of lists, sets or dicts: its values are ints, bools, enums, processes or T | None")
    return DictKind(keys, values)


def _set(annotation: Any, processes: Sequence[Process], frozen: bool) -> SetKind:
    member = kind_of(annotation, processes)
    _require_hash(member)
    if isinstance(member, Compound | SetKind | OptionalKind):
        raise Unreadable("a set of lists, sets or optional values: its members are bounded ints, enums or processes")
    if isinstance(member, IntKind) and member.high - member.low >= MOST_MEMBERS:
        raise Unreadable("a set of int has no bounds: write set[Annotated[int, Range(0, 7)]]")
    if len(member.values()) > MOST_MEMBERS:
        raise Unreadable(f"a set with more than {MOST_MEMBERS} possible members")
    return SetKind(member, frozen)


def _require_hash(kind: Kind | Compound) -> None:
    if isinstance(kind, ProcessKind) and kind.cls.__hash__ is None:
        raise Unreadable(f"{kind.cls.__name__} has no hash, because it is compared by its fields: write eq=False")


def check_field(cls: type, name: str, value: Any) -> None:
    """What plain Python does not check when it runs a class: that a number is in the range of its field."""
    if not isinstance(value, int) or isinstance(value, bool):
        return
    annotation = hints(cls).get(name)
    while typing.get_origin(annotation) in (typing.Union, types.UnionType):
        annotation = next(each for each in typing.get_args(annotation) if each is not type(None))
    if typing.get_origin(annotation) is typing.Annotated:
        for each in typing.get_args(annotation)[1:]:
            if isinstance(each, Range) and not each.low <= value <= each.high:
                raise ValueError(out_of_range(value, f"{cls.__name__}.{name}", each.low, each.high))


def out_of_range(value: object, what: str, low: int, high: int) -> str:
    return f"{value} is out of range for {what} ({low}..{high})"
