"""Calls: functions of the model are put in place of their calls, functions of Python are known by name."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import itertools
from contextlib import suppress
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType
from typing import Any, Final

from mule.frontends.actors.constants import CONSTANT, frozen
from mule.frontends.actors.effort import excess_of_call
from mule.frontends.actors.frames import Frame
from mule.frontends.actors.messages import Message, is_message_class
from mule.frontends.actors.operators import elements_of, is_frozen, is_set
from mule.frontends.actors.processes import Process
from mule.frontends.actors.purity import is_named_tuple, is_value, may_run, overloaded, why_not
from mule.frontends.actors.records import Records
from mule.frontends.actors.running import broadcast, choose, send
from mule.frontends.actors.scalars import with_article
from mule.frontends.actors.sources import Definition, local_names, of_its_own
from mule.frontends.actors.types import INT, OptionalKind, ProcessKind, SetKind
from mule.frontends.actors.values import (
    Closure,
    Failing,
    FieldDict,
    FieldList,
    FieldSet,
    Items,
    Members,
    Method,
    Operation,
    Record,
    Symbol,
    View,
    is_known,
    type_name,
)
from mule.model.expressions import TRUE, Expression
from mule.model.simplify import unary

DEEPEST = 50
FIXED = "the list in a field has a fixed length, unless it is Annotated[list[T], AtMost(n)]: assign to its elements"


class Calls(Records):
    depth = 0

    def settled_position(self, number: Expression, length: int) -> int:
        """A position in a list, by deciding."""
        raise NotImplementedError

    def _getattr(self, owner: Any, name: Any, /) -> Any:
        if not isinstance(name, str):
            raise self.error("getattr needs a name that is known before the run")
        return self.attribute(owner, name)

    def run(self, body: list[ast.stmt], frame: Frame) -> Any:
        """Execute the body of a function; what it returns."""
        raise NotImplementedError

    def call(self, node: ast.Call, frame: Frame) -> Any:
        function = self.evaluate(node.func, frame)
        if (function is any or function is all) and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            return self._quantified(function is any, node.args[0], frame)
        arguments = self._arguments(function, node, frame)
        named = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.error("** in a call cannot be compiled: name the arguments")
            named[keyword.arg] = self.evaluate(keyword.value, frame)
        return self.apply(function, arguments, named)

    def _arguments(self, function: Any, node: ast.Call, frame: Frame) -> list[Any]:
        """A comprehension over a set is gone through in any order where that makes no difference."""
        if function is print:
            return self.shown(node.args, frame)
        orderless = [n for n, each in enumerate(node.args) if isinstance(each, ast.GeneratorExp | ast.ListComp)]
        if not any(function is each for each in _ORDERLESS) or node.keywords or len(orderless) != 1:
            return self._elements(node.args, frame)
        before, each = node.args[: orderless[0]], node.args[orderless[0]]
        assert isinstance(each, ast.GeneratorExp | ast.ListComp)
        first = self._elements(before, frame)
        with self.at(each, frame):
            items = Items(tuple(self.comprehended(each.elt, each.generators, frame, ordered=False)))
        return [*first, items, *self._elements(node.args[orderless[0] + 1 :], frame)]

    def apply(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        match function:
            case Method(method, owner):
                return self._inlined(method, [owner, *arguments], named)
            case MethodType() if self._is_ours(function.__func__):
                assert isinstance(function.__func__, FunctionType)
                return self._inlined(function.__func__, [function.__self__, *arguments], named)
            case Closure(definition, frame, defaults):
                return self._body(definition, frame, defaults, arguments, named)
            case Operation(owner, name):
                return self._operation(owner, name, arguments, named)
            case FunctionType() if self._is_ours(function) and function not in _BUILTINS:
                return self._inlined(function, arguments, named)
        if isinstance(function, type | FunctionType | BuiltinFunctionType):
            known = _BUILTINS.get(function)
            if known is not None:
                return self._compiled(function, getattr(self, known), arguments, named)
            if function in _ARRANGING:
                return self._arranged(function, arguments, named)
        if isinstance(function, type) and issubclass(function, Message):
            return self._message(function, arguments, named)
        if isinstance(function, type) and issubclass(function, Process):
            raise self.error("processes are made in system(), not at run time")
        if function is dataclasses.replace and len(arguments) == 1:
            return self.replaced(arguments[0], named)
        if self.is_made_here(function, arguments, named):
            return self.made(function, arguments, named)
        return self._outside(function, arguments, named)

    def _is_ours(self, function: Any) -> bool:
        """Whether it is a part of the model, which is compiled."""
        return isinstance(function, FunctionType) and function.__code__.co_filename in self.world.files

    def _compiled(self, function: Any, compiled: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        try:
            inspect.signature(compiled).bind(*arguments, **named)
        except TypeError as wrong:
            raise self.error(f"{function.__name__} cannot be compiled with these arguments: {wrong}") from None
        return compiled(*arguments, **named)

    def _outside(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        """What is no part of the model: it is called now, if all that it does is compute."""
        given = [*arguments, *named.values()]
        if isinstance(function, type) and is_named_tuple(function):
            return self.natively(lambda: function(*arguments, **named))
        if may_run(function) and all(is_known(each) and is_value(each) for each in given):
            too_much = excess_of_call(function, given)
            if too_much is not None:
                raise self.error(too_much)
            return self.natively(lambda: function(*arguments, **named))
        own = isinstance(function, MethodType | FunctionType) and str(function.__module__).startswith("mule.")
        if own and all(is_known(each) for each in given):
            return self.natively(lambda: function(*arguments, **named))
        name = getattr(function, "__name__", type_name(function))
        if may_run(function):
            raise self.error(f"{name} cannot be called with values that only the run knows: write it out")
        if not callable(function):
            raise self.error(f"{with_article(type_name(function))} cannot be called")
        hint = why_not(function) or "write it out as a function of the model, or keep what it knows in a field"
        raise self.error(f"{name} is no part of the model, and may do more than compute: {hint}")

    # functions of the model -------------------------------------------------------------------------------------------

    def _inlined(self, function: FunctionType, arguments: list[Any], named: dict[str, Any]) -> Any:
        definition = self.world.sources.definition(function)
        free = dict(function.__globals__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            with suppress(ValueError):  # it has no value yet
                free[name] = cell.cell_contents
        positional = [each.arg for each in (*definition.args.posonlyargs, *definition.args.args)]
        given = function.__defaults__ or ()
        defaults = dict(zip(positional[len(positional) - len(given) :], given, strict=True))
        defaults |= function.__kwdefaults__ or {}
        outer = Frame(function.__code__.co_filename, {}, free=free)
        constants = {name: frozen(value) for name, value in defaults.items()}
        return self._body(definition, outer, constants, arguments, named)

    def _body(
        self,
        definition: Definition,
        outer: Frame,
        defaults: dict[str, Any],
        arguments: list[Any],
        named: dict[str, Any],
    ) -> Any:
        if self.depth >= DEEPEST:
            raise self.error("calls are nested too deeply: recursion must end by values that are known before the run")
        if isinstance(definition, ast.AsyncFunctionDef):
            raise self.error(self.not_awaited(definition.name))
        strange = of_its_own(definition, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal))
        if strange is not None:
            with self.at(strange, outer):
                raise self.unsupported(strange)
        frame = Frame(outer.file, {}, outer, own=local_names(definition))
        self._parameters(definition.args, frame, defaults, arguments, dict(named))
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
        self,
        spec: ast.arguments,
        frame: Frame,
        defaults: dict[str, Any],
        arguments: list[Any],
        named: dict[str, Any],
    ) -> None:
        if spec.vararg or spec.kwarg:
            raise self.error("* and ** among parameters cannot be compiled: name each parameter")
        parameters = [*spec.posonlyargs, *spec.args]
        if len(arguments) > len(parameters):
            raise self.error(f"{len(arguments)} arguments for {len(parameters)} parameters")
        for position, parameter in enumerate((*parameters, *spec.kwonlyargs)):
            name = parameter.arg
            if position < len(arguments):
                frame.names[name] = self.tamed(arguments[position])
            elif name in named and parameter not in spec.posonlyargs:
                frame.names[name] = self.tamed(named.pop(name))
            elif name in defaults:
                frame.names[name] = defaults[name]
            else:
                raise self.error(f"the argument {name} is missing")
        if named:
            raise self.error(f"there is no parameter {next(iter(named))}")

    def _message(self, cls: type[Message], arguments: list[Any], named: dict[str, Any]) -> Record:
        if not is_message_class(cls):
            raise self.error("every message is of a class of its own, derived from Message")
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        shapes = self.world.message_shapes(cls)
        strange = overloaded(cls) or next((field.name for field in fields if field.kw_only or not field.init), None)
        if strange is not None:
            raise self.error(f"{cls.__name__} is more than its fields, it has {strange} of its own: leave that out")
        given = dict(zip([field.name for field in fields], arguments, strict=False)) | named
        unknown = [name for name in given if name not in shapes]
        if unknown or len(arguments) > len(fields):
            wrong = unknown[0] if unknown else f"argument {len(fields) + 1}"
            raise self.error(f"{cls.__name__} has no {wrong}: its fields are {', '.join(shapes) or 'none'}")
        if len(given) < len(arguments) + len(named):
            raise self.error(f"{cls.__name__} is given a field twice")
        values = {}
        for field in fields:
            value = given.get(field.name, field.default)
            if value is dataclasses.MISSING:
                raise self.error(f"{cls.__name__} needs a value for {field.name}")
            values[field.name] = self.shaped(value, shapes[field.name], f"{cls.__name__}.{field.name}")
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
        for there, process in self.iterate(to, ordered=False):
            if self.path.decide(there):
                self._send(process, message)

    def _choose(self, *options: Any) -> Any:
        one = options[0] if len(options) == 1 else None
        if isinstance(one, list | tuple | range | set | frozenset | Items | Members | FieldSet | FieldList) or (
            isinstance(one, Symbol) and isinstance(one.kind, SetKind)
        ):
            members = self.iterate(one, ordered=False)
        else:
            members = [(TRUE, each) for each in options]
        if not members or not self.path.decide(self.any_of([there for there, _ in members])):
            raise Failing("IndexError: choose has nothing to choose from")
        there, value = members[self.path.choose(len(members))]
        self.path.assume(there)
        return value

    # methods of lists and sets ----------------------------------------------------------------------------------------

    def _operation(self, owner: Any, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        if isinstance(owner, CONSTANT) and name in CHANGING:
            what = f"this {type_name(owner)} is a constant, {name} would change it"
            raise self.error(f"{what}: make it a field that a handler assigns")
        if named and not isinstance(owner, dict):
            raise self.error(f"{type_name(owner)}.{name} cannot be compiled with named arguments")
        if is_set(owner):
            return self._set_method(owner, name, arguments)
        if isinstance(owner, list) and id(owner) in self.attached:
            owner = self.attached[id(owner)]
        if isinstance(owner, FieldList):
            return self._field_list_method(owner, name, arguments)
        if isinstance(owner, list) and name in ("count", "index", "copy"):
            return self._field_list_method(FieldList("", INT, elements_of(owner)), name, arguments)
        if isinstance(owner, list):
            return self._list_method(owner, name, arguments)
        if isinstance(owner, FieldDict) and name in ("keys", "values", "items") and not arguments:
            return View(owner, name)
        if isinstance(owner, FieldDict):
            return self.field_dict_method(owner, name, arguments)
        if isinstance(owner, dict):
            return self._dict_method(owner, name, arguments, named)
        raise self.error(f"{type_name(owner)}.{name} cannot be compiled: see {self.reference} for what can")

    def _list_method(self, owner: list[Any], name: str, arguments: list[Any]) -> Any:
        """Of a list that the handler has made itself."""
        self.path.effect()
        match name, arguments:
            case "append", [value]:
                return owner.append(value)
            case "extend", [values]:
                return owner.extend(self.settled(values))
            case "insert", [position, value] if is_known(position) and isinstance(position, int):
                return owner.insert(position, value)
            case "pop", []:
                return self.natively(owner.pop)
            case "pop", [position]:
                if not owner:
                    raise Failing("IndexError: pop from empty list")
                if not is_known(position):
                    position = self.settled_position(self.position(position, len(owner)), len(owner))
                return self.natively(owner.pop, self._plain(position, "pop"))
            case (("reverse" | "clear"), []):
                return self.natively(getattr(owner, name))
            case "remove", [value]:
                for position, each in enumerate(owner):
                    if self.path.decide(self.equal(each, value)):
                        del owner[position]
                        return None
                raise Failing("ValueError: list.remove(x): x not in list")
        raise self.error(f"list.{name} cannot be compiled with these arguments: see {self.reference} for what can")

    def _dict_method(self, owner: dict[Any, Any], name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        if name in ("keys", "values", "items") and not arguments and not named:
            return View(owner, name)
        if name == "copy" and not arguments:
            return dict(zip(owner, (each for _, each in self.stream(View(owner, "values"))), strict=True))
        if name == "get" and len(arguments) in (1, 2) and not named:
            default = arguments[1] if len(arguments) == 2 else None
            there = self.contains(list(owner), self.hashable(arguments[0]))
            if self.path.truth(there) is False:
                return default
            return self.select(there, self.chosen(owner, arguments[0]), default)
        self.path.effect()
        match name, arguments:
            case (("pop" | "setdefault"), [key, *rest]) if len(rest) < 2 and not named:
                return self.natively(getattr(owner, name), self.key(key), *rest)
            case "clear", []:
                return owner.clear()
            case "update", [other] if not named:
                return owner.update(self._dict(other))
        raise self.error(f"dict.{name} cannot be compiled with these arguments: see {self.reference} for what can")

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
        if owner.most is None:
            raise self.error(f"{FIXED}: {name} cannot be compiled")
        return self._growing_method(owner, name, arguments)

    def _growing_method(self, owner: FieldList, name: str, arguments: list[Any]) -> Any:
        """Of the list in a field that grows: as any other list, but with elements of one kind, and a bound."""
        what = f"{owner.name}[…]"
        match name, arguments:
            case "append", [value]:
                arguments = [self.coerced(value, owner.kind, what)]
            case "insert", [position, value]:
                arguments = [position, self.coerced(value, owner.kind, what)]
            case "extend", [values]:
                arguments = [[self.coerced(each, owner.kind, what) for each in self.settled(values)]]
        result = self._list_method(owner.elements, name, arguments)
        self.require_room(owner)
        return result

    def require_room(self, owner: FieldList) -> None:
        if owner.most is not None and len(owner.elements) > owner.most:
            raise Failing(f"{owner.name} grows beyond its bound: raise AtMost({owner.most}), or bound what is put in")

    def _set_method(self, owner: Any, name: str, arguments: list[Any]) -> Any:
        combining = {"union": "|", "intersection": "&", "difference": "-", "symmetric_difference": "^"}
        if name in combining and len(arguments) == 1:
            return self.combined(combining[name], owner, self._as_set(arguments[0]))
        match name, arguments:
            case "issubset", [other]:
                return self.boolean(self.subset(owner, self._as_set(other)))
            case "issuperset", [other]:
                return self.boolean(self.subset(self._as_set(other), owner))
            case "isdisjoint", [other]:
                return self.boolean(unary("not", self.truth(self.combined("&", owner, self._as_set(other)))))
            case "copy", []:
                return self._frozenset(owner) if is_frozen(owner) else self._set(owner)
        if is_frozen(owner):
            raise self.error(f"this set is a frozenset and {name} would change it: use |, & or -")
        self.path.effect()
        match name, arguments:
            case "add", [value]:
                self._change(owner, "|", Members([(TRUE, self._some(value))]))
            case "discard", [value]:
                self._change(owner, "-", Members([(TRUE, self.hashable(value))]))
            case "remove", [value]:
                if not self.path.decide(self.contains(owner, value)):
                    raise Failing("KeyError: the value is not in the set")
                self._change(owner, "-", Members([(TRUE, value)]))
            case "clear", []:
                self._change(owner, "&", Members([]))
            case "update", [values]:
                self._change(owner, "|", self._as_set(values))
            case (("intersection_update" | "difference_update" | "symmetric_difference_update"), [values]):
                self._change(owner, combining[name.removesuffix("_update")], self._as_set(values))
            case _:
                raise self.error(f"set.{name} cannot be compiled: see {self.reference} for what can")
        return None

    def _as_set(self, values: Any) -> Any:
        """What methods of sets take: anything that can be gone through."""
        return values if is_set(values) else self._set(values)

    def _some(self, value: Any) -> Any:
        self.hashable(value)
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
            owner.items = self.members(self.combined(symbol, owner, other))
        else:
            raise self.error("this set is a constant: begin with set(…) of it")


_ORDERLESS = (sum, min, max, len, set, frozenset, sorted, broadcast, choose)
"""Functions that give the same in whatever order they get the members of a set (without a key)."""
_ARRANGING = frozenset(
    {itertools.product, itertools.permutations, itertools.combinations, itertools.combinations_with_replacement}
)
CHANGING = frozenset(
    name
    for cls, still in ((list, tuple), (set, frozenset), (dict, MappingProxyType))
    for name in set(dir(cls)) - set(dir(still))
    if not name.startswith("_")
) - {"count", "index", "copy"}
"""The methods that change a list, a set or a dict."""


_BUILTINS: Final[dict[Any, str]] = {
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
    set: "_set",
    frozenset: "_frozenset",
    dict: "_dict",
    bool: "_bool",
    int: "_int",
    abs: "_abs",
    range: "_range",
    enumerate: "_enumerate",
    zip: "_zip",
    reversed: "_reversed",
    map: "_map",
    filter: "_filter",
    iter: "_iter",
    next: "_next",
    itertools.chain: "_chain",
    functools.reduce: "_reduce",
    divmod: "_divmod",
    sorted: "_sorted",
    isinstance: "_isinstance",
    type: "_type",
    getattr: "_getattr",
    print: "_print",
}
