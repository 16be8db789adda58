"""The types of the variables of a process: declared, or found by what is assigned to them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, is_dataclass
from enum import Enum
from typing import Any, TypeVar

from mule.errors import MuleError, said
from mule.frontends.actors.paths import Path
from mule.frontends.actors.processes import Process
from mule.frontends.actors.sources import place_of
from mule.frontends.actors.types import (
    BOOL,
    INT,
    BoolKind,
    Compound,
    EnumKind,
    IntKind,
    Kind,
    OptionalKind,
    ProcessKind,
    SetKind,
    Unreadable,
    kind_of,
)
from mule.frontends.actors.values import FieldSet, Symbol
from mule.frontends.programs import OURS
from mule.frontends.python.code import Local, Scope
from mule.frontends.python.names import parameters


@dataclass(frozen=True)
class NoneKind(Kind):
    """Nothing but None so far."""

    low: int = 0
    high: int = 0

    def encode(self, value: Any) -> int | None:
        return 0 if value is None else None

    def values(self) -> list[Any]:
        return [None]

    def names(self) -> tuple[tuple[int, str], ...]:
        return ((0, "None"),)

    def __str__(self) -> str:
        return "None"


def kind_for(value: Any, objects: Sequence[Process], path: Path) -> Kind | None:
    """The smallest kind that holds a value; None where a variable cannot hold it."""
    match value:
        case Symbol(expression, IntKind()):
            return IntKind(*path.bounds(expression))
        case Symbol(_, SetKind(member)):
            return SetKind(member, frozen=True)
        case Symbol(_, kind):
            return kind
        case FieldSet():
            return None
        case None:
            return NoneKind()
        case bool():
            return BOOL
        case Enum():
            return EnumKind(type(value))
        case int():
            return IntKind(value, value)
        case Process():
            return ProcessKind(tuple(objects))
    return None


def joined(one: Kind, two: Kind) -> Kind | None:
    """The smallest kind that holds the values of both; None where there is none."""
    if one == two:
        return one
    if isinstance(one, NoneKind) or isinstance(two, NoneKind):
        other = two if isinstance(one, NoneKind) else one
        return other if isinstance(other, OptionalKind) else None if isinstance(other, SetKind) else OptionalKind(other)
    if isinstance(one, OptionalKind) or isinstance(two, OptionalKind):
        inner = joined(*(each.inner if isinstance(each, OptionalKind) else each for each in (one, two)))
        return None if inner is None else OptionalKind(inner)
    if isinstance(one, IntKind) and isinstance(two, IntKind):
        return IntKind(min(one.low, two.low), max(one.high, two.high))
    if isinstance(one, IntKind | BoolKind) and isinstance(two, IntKind | BoolKind):
        return INT
    if isinstance(one, ProcessKind) and isinstance(two, ProcessKind):
        return ProcessKind(one.members)
    return None


def _widened(kind: Kind | None) -> Kind | None:
    match kind:
        case IntKind():
            return INT
        case OptionalKind(IntKind()):
            return OptionalKind(INT)
    return kind


class Kinds:
    """Of all variables of all processes; they grow until nothing changes any more."""

    def __init__(self, objects: Sequence[Process]) -> None:
        self.objects = objects
        self.found: dict[Local, Kind] = {}
        self.parts: dict[Local, tuple[type, tuple[str, ...]]] = {}
        """Of variables that hold tuples or frozen dataclasses: the class, and the names of what they are made of."""
        self._declared: dict[Local, Kind | None] = {}
        self.widening = False
        """Whether a range of numbers that grows still becomes that of all numbers at once."""

    def declared(self, local: Local) -> Kind | None:
        if local not in self._declared:
            self._declared[local] = self._declaration(*local)
        return self._declared[local]

    def hold(self, local: Local, value: Any, path: Path) -> Kind | None:
        """The kind of a variable that holds this value too; None where there is none."""
        declared = self.declared(local)
        if declared is not None:
            self.found[local] = declared
            return declared
        kind = kind_for(value, self.objects, path)
        before = self.found.get(local)
        if before is not None and kind is not None:
            kind = joined(before, kind)
        if self.widening and kind != before:
            kind = _widened(kind)
        if kind is not None:
            self.found[local] = kind
        return kind

    def _declaration(self, scope: Scope, name: str) -> Kind | None:
        annotation = next((each.annotation for each in parameters(scope.definition) if each.arg == name), None)
        for node in ast.walk(scope.definition):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
                annotation = node.annotation
        if annotation is None:
            return None
        place = place_of(annotation, scope.file)
        try:
            meant = eval(compile(ast.Expression(annotation), scope.file, "eval"), dict(scope.free))
            if isinstance(meant, str):
                meant = eval(meant, dict(scope.free))
            if (
                getattr(meant, "__origin__", None) in (list, tuple, dict)
                or meant in (object, Any)
                or isinstance(meant, TypeVar)
                or (isinstance(meant, type) and is_dataclass(meant))
            ):
                return None
            kind = kind_of(meant, self.objects)
        except Unreadable as why:
            raise MuleError(f"{name}: {why}", place) from None
        except (MuleError, *OURS):
            raise
        except BaseException as error:
            raise MuleError(f"the type of {name} cannot be read: {said(error)}", place) from None
        if isinstance(kind, SetKind):
            return SetKind(kind.member, frozen=True)
        return None if isinstance(kind, Compound) else kind
