"""What the items of a queue are made of: tuples and frozen dataclasses, also in one another, of values of one slot."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mule.frontends.actors.processes import Process
from mule.frontends.actors.purity import is_frozen_record, is_named_tuple
from mule.frontends.actors.types import Kind, Unreadable, hints, kind_of
from mule.frontends.actors.values import SYMBOLIC, Method, Operation, Record
from mule.model.expressions import Expression


@dataclass(frozen=True)
class Parts:
    """Several values: a tuple, or an instance of a class with these fields."""

    cls: type
    names: tuple[str, ...]
    """Of the fields; of a tuple none."""
    shapes: tuple[Shape, ...]


Shape = Kind | Parts


def shape_of(annotation: Any, objects: Sequence[Process]) -> Shape:
    if typing.get_origin(annotation) is tuple:
        arguments = typing.get_args(annotation)
        if not arguments or Ellipsis in arguments:
            raise Unreadable("a tuple of any length: write a type for each element, tuple[int, int]")
        return Parts(tuple, (), tuple(shape_of(each, objects) for each in arguments))
    if isinstance(annotation, type) and is_named_tuple(annotation):
        raise Unreadable(f"{annotation.__name__} is a NamedTuple: use tuple[…], or a dataclass with frozen=True")
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return _record(annotation, objects)
    kind = kind_of(annotation, objects, ())
    if not isinstance(kind, Kind):
        raise Unreadable("lists or dicts, which could be changed afterwards: use a tuple, Queue(…, of=tuple[int, int])")
    return kind


def _record(cls: type, objects: Sequence[Process]) -> Parts:
    if not is_record(cls):
        raise Unreadable(f"{cls.__name__} could be changed afterwards, or does more than hold fields: use frozen=True")
    names = tuple(each.name for each in dataclasses.fields(cls))
    annotations = hints(cls)
    return Parts(cls, names, tuple(shape_of(annotations[name], objects) for name in names))


def kinds_in(shape: Shape) -> list[Kind]:
    """Of the slots that a value takes."""
    return [shape] if isinstance(shape, Kind) else [kind for each in shape.shapes for kind in kinds_in(each)]


def named_kinds(name: str, shape: Shape) -> Iterator[tuple[str, Kind]]:
    """The same with what each is called as a part of something with a name."""
    if isinstance(shape, Kind):
        yield name, shape
        return
    words = [f".{each}" for each in shape.names] or [f"[{number}]" for number in range(len(shape.shapes))]
    for word, each in zip(words, shape.shapes, strict=True):
        yield from named_kinds(name + word, each)


def codes_in(shape: Shape, value: Any, code: Callable[[Any, Kind], Expression]) -> Iterator[Expression]:
    """What the slots of a value of this shape hold."""
    if isinstance(shape, Kind):
        yield code(value, shape)
        return
    parts = taken_apart(value)
    assert parts is not None
    for part, each in zip(parts[1].values(), shape.shapes, strict=True):
        yield from codes_in(each, part, code)


def value_in(shape: Shape, leaf: Callable[[Kind], Any]) -> Any:
    """A value that is made of some slots, each of which gives one part."""
    if isinstance(shape, Kind):
        return leaf(shape)
    values = [value_in(each, leaf) for each in shape.shapes]
    return tuple(values) if shape.cls is tuple else Record(shape.cls, dict(zip(shape.names, values, strict=True)))


def taken_apart(value: Any) -> tuple[type, dict[str, Any]] | None:
    """The parts of a tuple or of an instance of a frozen dataclass by name, and its class; None: it has none."""
    value = recorded(value)
    if isinstance(value, Record):
        return value.cls, dict(value.fields)
    return (tuple, {str(n): each for n, each in enumerate(value)}) if type(value) is tuple else None


def put_together(cls: type, parts: dict[str, Any]) -> Any:
    return tuple(parts.values()) if cls is tuple else Record(cls, parts)


def is_record(cls: type) -> bool:
    """Whether its instances are what their fields are, for ever."""
    parameters = getattr(cls, "__dataclass_params__", None)
    return is_frozen_record(cls) and parameters is not None and bool(parameters.eq)


def recorded(value: Any) -> Any:
    """An instance of a frozen dataclass by its fields."""
    if isinstance(value, (type, Method, Operation, *SYMBOLIC)) or not is_record(type(value)):
        return value
    return Record(type(value), {each.name: getattr(value, each.name) for each in dataclasses.fields(value)})
