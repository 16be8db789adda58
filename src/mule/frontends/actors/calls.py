"""Calls: functions of the model are put in place of their calls, functions of Python are known by name."""

from __future__ import annotations

import ast
import dataclasses
from types import FunctionType
from typing import Any

from mule.frontends.actors.frames import Frame, Shared
from mule.frontends.actors.functions import Functions
from mule.frontends.actors.messages import Message
from mule.frontends.actors.operators import elements_of
from mule.frontends.actors.processes import Process
from mule.frontends.actors.running import broadcast, choose, send
from mule.frontends.actors.sources import Definition
from mule.frontends.actors.types import INT, OptionalKind, ProcessKind, SetKind
from mule.frontends.actors.values import (
    Closure,
    Failing,
    FieldList,
    FieldSet,
    Items,
    Members,
    Method,
    Operation,
    Record,
    Symbol,
    is_known,
    is_plain,
    type_name,
)
from mule.model.expressions import TRUE
from mule.model.simplify import unary

DEEPEST = 50


class Calls(Functions):
    depth = 0

    def run(self, body: list[ast.stmt], frame: Frame) -> Any:
        """Execute the body of a function; what it returns."""
        raise NotImplementedError

    def call(self, node: ast.Call, frame: Frame) -> Any:
        function = self.evaluate(node.func, frame)
        if (function is any or function is all) and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            return self._quantified(function is any, node.args[0], frame)
        arguments = self._elements(node.args, frame)
        named = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.error("** in a call cannot be compiled: name the arguments")
            named[keyword.arg] = self.evaluate(keyword.value, frame)
        return self.apply(function, arguments, named)

    def apply(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        match function:
            case Method(method, owner):
                return self._inlined(method, [owner, *arguments], named)
            case Closure(definition, frame):
                return self._body(definition, Frame(frame.file, {}, frame), frame, arguments, named)
            case Operation(owner, name):
                return self._operation(owner, name, arguments, named)
        known = _BUILTINS.get(function) if _hashable(function) else None
        if known is not None:
            return getattr(self, known)(*arguments, **named)
        if isinstance(function, type) and issubclass(function, Message):
            return self._message(function, arguments, named)
        if isinstance(function, type) and issubclass(function, Process):
            raise self.error("processes are made in system(), not at run time")
        if isinstance(function, FunctionType) and function.__code__.co_filename in self.world.files:
            return self._inlined(function, arguments, named)
        if callable(function) and all(is_plain(each) for each in (*arguments, *named.values())):
            return self.natively(lambda: function(*arguments, **named))
        bound = getattr(function, "__self__", None)
        if callable(function) and bound is not None and all(is_known(each) for each in arguments):
            return self.natively(lambda: function(*arguments, **named))
        name = getattr(function, "__name__", type_name(function))
        raise self.error(f"{name} cannot be called with values that only the run knows: write it out")

    # functions of the model -------------------------------------------------------------------------------------------

    def _inlined(self, function: FunctionType, arguments: list[Any], named: dict[str, Any]) -> Any:
        definition = self.world.sources.definition(function)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        free = {**function.__globals__, **{name: cell.cell_contents for name, cell in cells}}
        outer = Frame(function.__code__.co_filename, {}, free=free)
        return self._body(definition, Frame(outer.file, {}, outer), outer, arguments, named)

    def _body(
        self,
        definition: Definition,
        frame: Frame,
        outer: Frame,
        arguments: list[Any],
        named: dict[str, Any],
    ) -> Any:
        if self.depth >= DEEPEST:
            raise self.error("calls are nested too deeply: recursion must end by values that are known before the run")
        if isinstance(definition, ast.AsyncFunctionDef):
            raise self.error(self.not_awaited(definition.name))
        self._parameters(definition.args, frame, outer, arguments, dict(named))
        self.depth += 1
        try:
            if isinstance(definition, ast.Lambda):
                return self.evaluate(definition.body, frame)
            return self.run(definition.body, frame)
        finally:
            self.depth -= 1

    def not_awaited(self, name: str) -> str:
        return f"{name} is async: a handler runs in one step, write def without async"

    def _parameters(
        self, spec: ast.arguments, frame: Frame, outer: Frame, arguments: list[Any], named: dict[str, Any]
    ) -> None:
        if spec.vararg or spec.kwarg:
            raise self.error("* and ** among parameters cannot be compiled: name each parameter")
        parameters = [*spec.posonlyargs, *spec.args]
        if len(arguments) > len(parameters):
            raise self.error(f"{len(arguments)} arguments for {len(parameters)} parameters")
        defaults = dict(zip([each.arg for each in parameters][::-1], spec.defaults[::-1], strict=False))
        only = zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
        defaults |= {each.arg: default for each, default in only if default is not None}
        for position, parameter in enumerate((*parameters, *spec.kwonlyargs)):
            name = parameter.arg
            if position < len(arguments):
                frame.names[name] = self.tamed(arguments[position])
            elif name in named:
                frame.names[name] = self.tamed(named.pop(name))
            elif name in defaults:
                frame.names[name] = self.evaluate(defaults[name], outer)
            else:
                raise self.error(f"the argument {name} is missing")
        if named:
            raise self.error(f"there is no parameter {next(iter(named))}")

    def _message(self, cls: type[Message], arguments: list[Any], named: dict[str, Any]) -> Record:
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        kinds = self.world.message_kinds(cls)
        given = dict(zip([field.name for field in fields], arguments, strict=False)) | named
        unknown = [name for name in given if name not in kinds]
        if unknown or len(arguments) > len(fields):
            wrong = unknown[0] if unknown else f"argument {len(fields) + 1}"
            raise self.error(f"{cls.__name__} has no {wrong}: its fields are {', '.join(kinds) or 'none'}")
        values = {}
        for field in fields:
            value = given.get(field.name, field.default)
            if value is dataclasses.MISSING:
                raise self.error(f"{cls.__name__} needs a value for {field.name}")
            values[field.name] = self.coerced(value, kinds[field.name], f"{cls.__name__}.{field.name}")
        return Record(cls, values)

    # what a handler does ----------------------------------------------------------------------------------------------

    def _send(self, to: Any, message: Any) -> None:
        self.path.effect()
        if not isinstance(message, Record):
            raise self.error(
                f"only messages can be sent, and this is {type_name(message)}: derive its class from Message"
            )
        if isinstance(to, Symbol) and isinstance(to.kind, OptionalKind):
            to = self.unwrapped(to, "AttributeError: a message is sent to None")
        if isinstance(to, Symbol) and isinstance(to.kind, ProcessKind):
            to = self.settled_value(to)
        if not isinstance(to, Process):
            hint = ": use broadcast for several" if isinstance(to, list | tuple) else ""
            raise self.error(f"a message goes to a process, and this is {type_name(to)}{hint}")
        self.world.send(to, Record(message.cls, message.fields))

    def _broadcast(self, to: Any, message: Any) -> None:
        for process in self.settled(to):
            self._send(process, message)

    def _choose(self, *options: Any) -> Any:
        one = options[0] if len(options) == 1 else None
        if isinstance(one, list | tuple | range | set | frozenset | Items | Members | FieldSet | FieldList) or (
            isinstance(one, Symbol) and isinstance(one.kind, SetKind)
        ):
            members = self.iterate(one)
        else:
            members = [(TRUE, each) for each in options]
        if not members or not self.path.decide(self.any_of([there for there, _ in members])):
            raise Failing("IndexError: choose has nothing to choose from")
        there, value = members[self.path.choose(len(members))]
        self.path.assume(there)
        return value

    # functions of Python ----------------------------------------------------------------------------------------------

    # methods of lists and sets ----------------------------------------------------------------------------------------

    def _operation(self, owner: Any, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        if isinstance(owner, FieldSet | Members | set) or (
            isinstance(owner, Symbol) and isinstance(owner.kind, SetKind)
        ):
            return self._set_method(owner, name, arguments)
        if isinstance(owner, FieldList):
            return self._field_list_method(owner, name, arguments)
        if isinstance(owner, list) and name in ("count", "index", "copy"):
            return self._field_list_method(FieldList("", INT, owner), name, arguments)
        if isinstance(owner, Shared):
            raise self.error(f"this list is a constant, {name} would change it: make it a field that a handler assigns")
        if isinstance(owner, list) and name in ("append", "extend", "insert", "pop", "reverse", "clear"):
            self.path.effect()
            values = [self.settled(each) if name == "extend" else each for each in arguments]
            return self.natively(getattr(owner, name), *values)
        if isinstance(owner, dict) and all(is_known(each) for each in arguments):
            self.path.effect()
            return self.natively(getattr(owner, name), *arguments, **named)
        raise self.error(f"{type_name(owner)}.{name} cannot be compiled: see {self.reference} for what can")

    def _field_list_method(self, owner: FieldList, name: str, arguments: list[Any]) -> Any:
        match name, arguments:
            case "copy", []:
                return elements_of(owner)
            case "count", [value]:
                return self._sum(Items(tuple((self.equal(each, value), 1) for each in owner.elements)))
            case "index", [value]:
                for position, each in enumerate(owner.elements):
                    if self.path.decide(self.equal(each, value)):
                        return position
                raise Failing("ValueError: the value is not in the list")
        raise self.error(f"the list in a field has a fixed length: {name} cannot be compiled; assign to its elements")

    def _set_method(self, owner: Any, name: str, arguments: list[Any]) -> Any:
        combining = {"union": "|", "intersection": "&", "difference": "-", "symmetric_difference": "^"}
        if name in combining and len(arguments) == 1:
            return self.combined(combining[name], owner, arguments[0])
        match name, arguments:
            case "issubset", [other]:
                return self.boolean(self.subset(owner, other))
            case "issuperset", [other]:
                return self.boolean(self.subset(other, owner))
            case "isdisjoint", [other]:
                return self.boolean(unary("not", self.truth(self.combined("&", owner, other))))
            case "copy", []:
                return self._set_of(owner)
        if isinstance(owner, Symbol):
            raise self.error(f"this set is a value and {name} would change it: use |, & or -")
        self.path.effect()
        match name, arguments:
            case "add", [value]:
                self._change(owner, "|", {value} if is_known(value) else Members([(TRUE, self._some(value))]))
            case "discard", [value]:
                self._change(owner, "-", {value} if is_known(value) else Members([(TRUE, self._some(value))]))
            case "remove", [value]:
                if not self.path.decide(self.contains(owner, value)):
                    raise Failing("KeyError: the value is not in the set")
                self._change(owner, "-", Members([(TRUE, self._some(value))]))
            case "clear", []:
                self._change(owner, "&", set())
            case "update", [values]:
                self._change(owner, "|", self._set_of(values))
            case _:
                raise self.error(f"set.{name} cannot be compiled: see {self.reference} for what can")
        return None

    def _some(self, value: Any) -> Any:
        if isinstance(value, Symbol) and isinstance(value.kind, OptionalKind):
            return self.unwrapped(value, "TypeError: None in a set of values")
        return value

    def _change(self, owner: Any, symbol: str, other: Any) -> None:
        """In place, as methods do."""
        if isinstance(owner, FieldSet):
            changed = self.mask(self.combined(symbol, owner, other), owner.kind)
            if changed is None:
                raise self.error(f"a member that is not in {owner.kind}")
            owner.mask = changed
        elif isinstance(owner, Members):
            combined = self.combined(symbol, owner, other)
            owner.items = self.members(combined)
        elif is_known(other):
            self.natively(
                {"|": owner.update, "-": owner.difference_update, "&": owner.intersection_update}[symbol], other
            )
        else:
            raise self.error("values that only the run knows cannot be added to this set: begin with a set of them")


def _hashable(function: Any) -> bool:
    return isinstance(function, type) or callable(function)


_BUILTINS = {
    send: "_send",
    broadcast: "_broadcast",
    choose: "_choose",
    any: "_any",
    all: "_all",
    len: "_len",
    sum: "_sum",
    max: "_max",
    min: "_min",
    list: "_list",
    tuple: "_tuple",
    set: "_set_of",
    frozenset: "_set_of",
    bool: "_bool",
    int: "_int",
    abs: "_abs",
    range: "_range",
    enumerate: "_enumerate",
    zip: "_zip",
    reversed: "_reversed",
    sorted: "_sorted",
    isinstance: "_isinstance",
    print: "_print",
}
