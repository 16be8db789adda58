"""Which variables of the model hold the fields of the processes."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from inspect import getattr_static
from types import FunctionType
from typing import Any, get_origin

from mule.errors import MuleError, Place, briefly
from mule.frontends.actors.adoption import Owned, is_changeable, owned_by
from mule.frontends.actors.faults import Byzantine
from mule.frontends.actors.messages import Message
from mule.frontends.actors.processes import Process, field_names, triggers
from mule.frontends.actors.purity import is_written, overloaded
from mule.frontends.actors.shapes import Shape, kinds_in, named_kinds, shape_of
from mule.frontends.actors.sources import LIBRARY, Sources, parse, place_of
from mule.frontends.actors.system import System
from mule.frontends.actors.types import (
    BOOL,
    Compound,
    DictKind,
    IntKind,
    Kind,
    ListKind,
    SetKind,
    Unreadable,
    hints,
    kind_of,
)
from mule.frontends.actors.values import FieldDict, FieldList, FieldSet, Symbol
from mule.model import Variable
from mule.model.builder import ModelBuilder
from mule.model.expressions import Constant, Expression, Read

_CHANGING = frozenset(
    {
        "add",
        "discard",
        "remove",
        "clear",
        "update",
        "append",
        "extend",
        "pop",
        "insert",
        "reverse",
        "sort",
        "setdefault",
    }
    | {"intersection_update", "difference_update", "symmetric_difference_update"}
)


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A field: what it holds, and where."""

    kind: Kind | Compound
    variable: Variable
    length: Variable | None = None
    """How long a list that grows is; which keys of a dict are there."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,) if self.length is None else (self.variable, self.length)


class Fields:
    """The fields of some objects, as variables of the model."""

    def __init__(self, objects: Sequence[Process]) -> None:
        self.objects = objects
        self.fields: dict[tuple[int, str], FieldPlace] = {}
        self.begun: dict[int, str] = {}
        """The lists and sets that fields begin with, by identity: which field it is."""

    def index(self, process: Process) -> int | None:
        return next((number for number, each in enumerate(self.objects) if each is process), None)

    def initially(self, number: int, name: str) -> Any:
        """The value of a field before a step, as a symbol."""
        place = self.fields[number, name]
        if isinstance(place.kind, DictKind):
            return _dict_before(name, place, place.kind)
        if isinstance(place.kind, ListKind):
            elements = [Symbol(Read(place.variable, Constant(n)), place.kind.element) for n in range(place.kind.length)]
            if place.length is None:
                return FieldList(name, place.kind.element, elements)
            return FieldList(name, place.kind.element, elements, most=place.kind.length, length=Read(place.length))
        assert isinstance(place.kind, Kind)
        if isinstance(place.kind, SetKind) and not place.kind.frozen:
            return FieldSet(Read(place.variable), place.kind)
        return Symbol(Read(place.variable), place.kind)

    def kind_of(self, annotation: Any, value: Any) -> Kind | Compound:
        """What the annotation of a field means; its first value tells how long a list is."""
        return kind_of(annotation, self.objects, value)

    def declare(self, builder: ModelBuilder, number: int, name: str, owner: int | None) -> None:
        """A variable for a field; `owner` is the process that it belongs to."""
        process = self.objects[number]
        cls = type(process)
        value: Any = getattr(process, name, None)
        try:
            kind = self.kind_of(hints(cls)[name], value)
        except Unreadable as why:
            raise MuleError(f"{cls.__name__}.{name}: {why}", class_place(cls, name)) from None
        self._require_alone(process, name, value, kind)
        if isinstance(kind, DictKind):
            self.fields[number, name] = self._declared_dict(builder, process, name, owner, kind)
            return
        assert isinstance(kind, Kind | ListKind)
        element = kind.element if isinstance(kind, ListKind) else kind
        values = list(value) if isinstance(kind, ListKind) else [value]
        codes = [element.encode(each) for each in values]
        for code, each in zip(codes, values, strict=True):
            if code is None or not element.low <= code <= element.high:
                message = f"{cls.__name__}.{name} of {process.name} begins as {briefly(each)}, which is no {element}"
                raise MuleError(message, class_place(cls, name))
        initial = [code for code in codes if code is not None]
        length = kind.length if isinstance(kind, ListKind) else None
        initial += [element.unused] * ((length or 0) - len(initial))
        variable = builder.variable(f"{process.name}.{name}", element.integers, initial, length, process=owner)
        long: Variable | None = None
        if isinstance(kind, ListKind) and kind.grows:
            lengths = IntKind(0, kind.length).integers
            long = builder.variable(f"{process.name}.{name}.length", lengths, [len(values)], process=owner)
        self.fields[number, name] = FieldPlace(kind, variable, long)

    def _declared_dict(
        self, builder: ModelBuilder, process: Process, name: str, owner: int | None, kind: DictKind
    ) -> FieldPlace:
        what, value = f"{type(process).__name__}.{name} of {process.name}", getattr(process, name, None)
        where = class_place(type(process), name)
        if type(value) is not dict:
            raise MuleError(f"{what} is a dict, and begins as {briefly(value)}", where)
        codes = {kind.key.encode(key): kind.value.encode(each) for key, each in value.items()}
        keys = [kind.key.encode(each) for each in kind.keys]
        for code, (key, each) in zip(codes.items(), value.items(), strict=True):
            if code[0] not in keys or code[1] is None or not kind.value.low <= code[1] <= kind.value.high:
                wanted = f"{kind.value} for {kind.key}"
                raise MuleError(f"{what} begins with {briefly(each)} for {briefly(key)}, and has {wanted}", where)
        initial = [codes.get(key) for key in keys]
        filled = [kind.value.unused if code is None else code for code in initial]
        full = f"{process.name}.{name}"
        variable = builder.variable(full, kind.value.integers, filled, len(keys), process=owner)
        there = [int(key in codes) for key in keys]
        return FieldPlace(
            kind, variable, builder.variable(f"{full}.keys", BOOL.integers, there, len(keys), process=owner)
        )

    def _require_alone(self, process: Process, name: str, value: Any, kind: Kind | Compound) -> None:
        """A list or a set that changes is in one field only: else the fields would change together."""
        cls, what = type(process), f"{type(process).__name__}.{name}"
        strange = overloaded(cls)
        if strange is not None or hasattr(getattr_static(cls, name, None), "__set__"):
            why = f"{cls.__name__} has {strange or 'a descriptor'} of its own, which the model would not call"
            raise MuleError(f"{why}: leave that out", class_place(cls, name))
        changes = isinstance(kind, Compound) or (isinstance(kind, SetKind) and not kind.frozen)
        if changes and isinstance(kind, SetKind) and isinstance(value, frozenset):
            raise MuleError(f"{what} of {process.name} is a set and begins as a frozenset", class_place(cls, name))
        if changes and id(value) in self.begun:
            message = f"{what} of {process.name} begins with the same object as {self.begun[id(value)]}"
            raise MuleError(f"{message}: give each its own", class_place(cls, name))
        if changes:
            self.begun[id(value)] = what


class Layout(Fields):
    """The fields of all processes, and the types of messages."""

    def __init__(self, system: System, builder: ModelBuilder, sources: Sources) -> None:
        super().__init__(system.processes)
        self.system = system
        self.sources = sources
        self.owners = list(range(len(system.processes)))
        """For each object the process that it belongs to."""
        self.objects = [*system.processes, *self._owned()]
        self._messages: dict[type[Message], dict[str, Shape]] = {}
        self._changed: dict[type, dict[str, Place]] = {}
        for number, process in enumerate(system.processes):
            for name in self._state_of(type(process)):
                self.declare(builder, number, name, number)
        owned = self.objects[len(system.processes) :]
        changed = assigned_attributes(self._trees()) if owned else frozenset()
        for number, each in enumerate(owned, len(system.processes)):
            for name in field_names(type(each)):
                if name in changed and name != "name":
                    self.declare(builder, number, name, self.owners[number])

    def _owned(self) -> Iterator[Owned]:
        """Objects of dataclasses that the processes hold."""
        holders: dict[int, Process] = {}
        met: set[int] = set()
        for number, process in enumerate(self.system.processes):
            for name, each in owned_by(process):
                holder = holders.setdefault(id(each), process)
                if holder is not process:
                    message = f"{holder.name} and {process.name} hold the same {type(each).__name__}: processes share"
                    raise MuleError(f"{message} nothing, so give each its own", class_place(type(process), name))
                if id(each) not in met:
                    met.add(id(each))
                    each.name = f"{process.name}.{name}"
                    self.owners.append(number)
                    yield each

    def _trees(self) -> Iterator[ast.AST]:
        """Where the classes of all objects are written, whole files: functions of the model change objects, too."""
        members = (member for each in self.objects for cls in type(each).__mro__ for member in vars(cls).values())
        written = (member for member in members if isinstance(member, FunctionType) and is_written(member))
        for file in sorted({member.__code__.co_filename for member in written} - {inspect.getfile(Process)}):
            yield parse("".join(linecache.getlines(file)), file)

    def owner(self, process: Process) -> int | None:
        number = self.index(process)
        return None if number is None else self.owners[number]

    def message_kinds(self, cls: type[Message]) -> dict[str, Kind]:
        """Of all values of one slot that a message is made of, with what they are called."""
        shapes = self.message_shapes(cls).items()
        return dict(each for name, shape in shapes for each in named_kinds(name, shape))

    def message_shapes(self, cls: type[Message]) -> dict[str, Shape]:
        known = self._messages.get(cls)
        if known is None:
            annotations = hints(cls)
            known = self._messages[cls] = {}
            for field in fields(cls):  # type: ignore[arg-type]
                known[field.name] = self._message_shape(cls, field.name, annotations[field.name])
        return known

    def _message_shape(self, cls: type[Message], name: str, annotation: Any) -> Shape:
        try:
            if isinstance(annotation, type) and is_changeable(annotation):
                raise Unreadable(f"{annotation.__name__} could be changed after sending: write frozen=True")
            if get_origin(annotation) in (list, dict):
                raise Unreadable("it could be changed after sending: use a tuple, with a type for each element")
            has_parts = get_origin(annotation) is tuple or is_dataclass(annotation)
            shape = shape_of(annotation, self.objects) if has_parts else kind_of(annotation, self.objects)
        except Unreadable as why:
            raise MuleError(f"{cls.__name__}.{name}: {why}", class_place(cls, name)) from None
        kinds = [shape] if isinstance(shape, Compound) else kinds_in(shape)
        if any(isinstance(kind, Compound) or (isinstance(kind, SetKind) and not kind.frozen) for kind in kinds):
            hint = "use a tuple" if isinstance(shape, Compound) else "use frozenset[T]"
            raise MuleError(f"{cls.__name__}.{name} could be changed after sending: {hint}", class_place(cls, name))
        assert not isinstance(shape, Compound)
        return shape

    # which fields are state -------------------------------------------------------------------------------------------

    def _state_of(self, cls: type[Process]) -> list[str]:
        """The fields that some method assigns, in the order of their declaration."""
        changed = self.changed(cls)
        declared = [name for name in field_names(cls) if name not in ("name", "ignores")]
        foreign = {name for each in self.objects if isinstance(each, Owned) for name in field_names(type(each))}
        for name, place in changed.items():
            if name not in declared and name not in foreign:
                raise MuleError(
                    f"{cls.__name__}.{name} is assigned but not declared: write {name}: TYPE in the class", place
                )
        return [name for name in declared if name in changed]

    def changed(self, cls: type[Process]) -> dict[str, Place]:
        known = self._changed.get(cls)
        if known is None:
            known = self._changed[cls] = {}
            for base in cls.__mro__:
                if base in (Process, Byzantine, object):
                    continue
                for name, member in base.__dict__.items():
                    if isinstance(member, FunctionType) and name not in ("__init__", "__post_init__"):
                        definition = self.sources.definition(member)
                        for each, node in _assigned(definition):
                            known.setdefault(each, place_of(node, member.__code__.co_filename))
        return known


def _assigned(definition: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The attributes that a function may change: `self.x = …`, `self.x[…] = …`, `self.x.add(…)`."""
    for node in ast.walk(definition):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
            targets = [node.func.value]
        for target in targets:
            for each in _single(target):
                inner = each.value if isinstance(each, ast.Subscript) else each
                if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name):
                    yield inner.attr, inner


def _single(target: ast.expr) -> Iterator[ast.expr]:
    """What a target is made of, where it is a tuple or a list."""
    match target:
        case ast.Tuple(parts) | ast.List(parts):
            for part in parts:
                yield from _single(part)
        case ast.Starred(part):
            yield part
        case _:
            yield target


def assigned_attributes(trees: Iterable[ast.AST]) -> frozenset[str]:
    """The names of all attributes that code may change: `x.name = …`, `x.name[…] = …`, `x.name.add(…)`."""
    return frozenset(name for tree in trees for node in ast.walk(tree) for name in _changed_by(node))


def _changed_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Attribute(_, name, ast.Store()):
            yield name
        case ast.Subscript(ast.Attribute(_, name), _, ast.Store()):
            yield name
        case ast.Call(ast.Attribute(ast.Attribute(_, name), method)) if method in _CHANGING:
            yield name


def _dict_before(name: str, place: FieldPlace, kind: DictKind) -> FieldDict:
    assert place.length is not None
    slots = [Constant(number) for number in range(len(kind.keys))]
    there: list[Expression] = [Read(place.length, slot) for slot in slots]
    return FieldDict(name, kind, there, [Symbol(Read(place.variable, slot), kind.value) for slot in slots])


def class_place(cls: type, name: str) -> Place | None:
    """Where a field is declared; None for those of locks and queues, which no reader has written."""
    try:
        lines, first = inspect.getsourcelines(cls)
        file = inspect.getsourcefile(cls) or ""
    except (OSError, TypeError):
        return None
    if file.startswith(LIBRARY):
        return None
    for offset, line in enumerate(lines):
        if line.strip().startswith((f"{name}:", f"{name} :")):
            return Place(file, first + offset, len(line) - len(line.lstrip()) + 1)
    return Place(file, first)


def handled(cls: type[Process]) -> frozenset[type[Message]]:
    """The messages that a class has handlers for."""
    return frozenset(trigger.message for _, _, trigger in triggers(cls) if trigger.message is not None)
