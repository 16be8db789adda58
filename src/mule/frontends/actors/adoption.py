"""Instances of dataclasses that are made before the run and whose fields change: objects of the model, like those that
are derived from its own classes. Each stays the object that it is: whoever has it by another name sees what changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from mule.errors import MuleError
from mule.frontends.actors.messages import Message
from mule.frontends.actors.processes import Process

Base = TypeVar("Base", bound=Process)


class Owned(Process):
    """Base of objects that belong to one process: its handlers alone see them."""


def is_changeable(cls: Any) -> bool:
    """Whether it is a dataclass whose instances can change."""
    return (
        isinstance(cls, type)
        and dataclasses.is_dataclass(cls)
        and not cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
        and not issubclass(cls, Message)
    )


def adopted(value: Any, base: type[Base]) -> Base | None:
    """The very same instance as one of a class that is also derived from `base`; None: it is nothing of the kind."""
    if isinstance(value, base):
        return value
    if not is_changeable(type(value)):
        return None
    if isinstance(value, Process) or not hasattr(value, "__dict__"):
        what = "slots=True" if not hasattr(value, "__dict__") else "the decorator: its base makes fields of annotations"
        raise MuleError(f"{type(value).__name__} is a dataclass that changes: leave out {what}")
    if not isinstance(getattr(value, "name", ""), str):
        raise MuleError(f"the name of a {type(value).__name__} is what reports call it: give the field another name")
    value.__class__ = _adopting(type(value), base)
    assert isinstance(value, base)
    return value


_classes: dict[tuple[type, type], type] = {}


def _adopting(cls: type, base: type[Process]) -> type:
    """Its instances are equal only to themselves: who compiles a model must not take two objects for one because their
    fields begin with the same values. Code of the model that compares them is refused."""
    if (cls, base) not in _classes:
        known: dict[str, Any] = {"__eq__": object.__eq__, "__hash__": object.__hash__}
        known |= {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
        _classes[cls, base] = type(cls.__name__, (cls, base), known)
    return _classes[cls, base]


def has_own_equality(cls: type) -> bool:
    """Whether == on its instances compares fields, as the decorator writes it unless told `eq=False`."""
    parameters = getattr(cls, "__dataclass_params__", None)
    return issubclass(cls, Process) and parameters is not None and bool(parameters.eq)


def owned_by(process: Process) -> Iterator[tuple[str, Owned]]:
    """The objects that the fields of a process hold, also in one another and in lists, with what they are called."""
    pending = [(name, value) for name, value in vars(process).items()][::-1]
    seen: dict[int, Any] = {}
    while pending:
        name, value = pending.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, list | tuple):
            pending += [(f"{name}[{number}]", each) for number, each in enumerate(value)][::-1]
        elif isinstance(value, Mapping):
            pending += [(f"{name}[{key}]", each) for key, each in value.items()][::-1]
        elif (found := adopted(value, Owned) if is_changeable(type(value)) else None) is not None:
            yield name, found
            pending += [(f"{name}.{inner}", each) for inner, each in vars(found).items()][::-1]
