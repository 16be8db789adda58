"""Expressions of Python: evaluated where they are known, written as expressions of the model where they are not."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from inspect import getattr_static
from typing import Any, NamedTuple

from mule.errors import MuleError
from mule.frontends.actors.constants import CONSTANT, frozen, is_strange
from mule.frontends.actors.effort import MOST_STEPS, excess_of_call
from mule.frontends.actors.frames import MISSING, Frame, NotHere, Unbound, World
from mule.frontends.actors.iteration import Iteration, sequence
from mule.frontends.actors.operators import ORDER
from mule.frontends.actors.paths import NeedsDecision, OrderMatters, Path
from mule.frontends.actors.processes import Process
from mule.frontends.actors.purity import is_of_python, is_value, overrides_attributes
from mule.frontends.actors.sources import LIBRARY, Definition, default_values
from mule.frontends.actors.types import BoolKind, EnumKind, IntKind, OptionalKind, ProcessKind, SetKind
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
    Stream,
    Symbol,
    View,
    is_known,
    type_name,
)
from mule.model.expressions import TRUE, Expression
from mule.model.simplify import binary, joined, unary

HINTS: dict[type[ast.AST], str] = {
    ast.Await: "there is nothing to wait for in a handler: it runs in one step. Split it into one handler a message",
    ast.Yield: "a handler runs in one step and cannot yield",
    ast.YieldFrom: "a handler runs in one step and cannot yield",
    ast.NamedExpr: "`:=` cannot be compiled here: assign in a statement of its own",
    ast.JoinedStr: "there are no strings at run time: an f-string can only be printed, or be the message of an assert",
    ast.DictComp: "a dict built at run time cannot be compiled: use a list indexed by number",
}


class Operand(NamedTuple):
    """One of `and` or `or`."""

    value: Any
    test: Expression
    rest: list[ast.expr]
    """What comes after it, if it is the first."""


class Expressions(Iteration):
    def __init__(self, path: Path, processes: Sequence[Process], world: World) -> None:
        super().__init__(path, processes)
        self.world = world

    def apply(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        raise NotImplementedError

    def call(self, node: ast.Call, frame: Frame) -> Any:
        raise NotImplementedError

    # dispatch ---------------------------------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr, frame: Frame) -> Any:
        with self.at(node, frame):
            value = self._evaluate(node, frame)
            if isinstance(value, Items | Members) and value.became is not None:
                return value.became
            if isinstance(value, dict) and id(value) in self.made_into:
                return self.made_into[id(value)][1]
            if isinstance(value, list | set | dict):
                self._require_constant(value)
            return value

    def _require_constant(self, value: Any) -> None:
        """What was there before the run must stay as it is."""
        if is_strange(value):
            raise self.error(f"a {type(value).__name__} does more than the model shows: use a list, a set or a dict")
        field = self.world.begun.get(value.origin) if isinstance(value, CONSTANT) else None
        if field is not None:
            raise self.error(f"this is also what the field {field} begins with, and the field changes: use a copy")

    @contextmanager
    def at(self, node: ast.AST, frame: Frame) -> Iterator[None]:
        """What goes wrong meanwhile goes wrong at this part of the source; within a lock or a queue it goes wrong where
        the model uses these."""
        before = self.here
        if before is None or not frame.file.startswith(LIBRARY):
            self.here = node, frame.file
        self.path.effort.steps += 1
        if self.path.effort.steps > MOST_STEPS:
            raise self.error(f"more than {MOST_STEPS:,} steps of Python for one of the model: {self.bounded}")
        try:
            yield
        except Failing as failure:
            failure.place = failure.place or self.place
            raise
        except NotHere as why:
            raise self.error(str(why)) from None
        except RecursionError:
            raise self.error("this is nested too deeply") from None
        except OrderMatters:
            raise self.error("this changes something for each member of a set, in an order that nobody knows") from None
        except Unbound as name:
            unbound = Failing(f"UnboundLocalError: {name} has no value yet")
            unbound.place = self.place
            raise unbound from None
        finally:
            self.here = before

    def _evaluate(self, node: ast.expr, frame: Frame) -> Any:
        match node:
            case ast.Constant(value):
                if isinstance(value, float | complex):
                    raise self.error("there are no floats here: count in smaller units")
                return value
            case ast.Name(name):
                return self._name(name, frame)
            case ast.Attribute(owner, name):
                return self.attribute(self.evaluate(owner, frame), name)
            case ast.BinOp(left, operator, right):
                return self.arithmetic(operator, self.evaluate(left, frame), self.evaluate(right, frame))
            case ast.UnaryOp(operator, operand):
                return self._unary(operator, self.evaluate(operand, frame))
            case ast.BoolOp(operator, values):
                return self._connected(isinstance(operator, ast.Or), values, frame)
            case ast.Compare(left, operators, rights):
                return self._comparison(left, operators, rights, frame)
            case ast.IfExp(test, then, otherwise):
                return self._conditional(test, then, otherwise, frame)
            case ast.Call():
                return self.call(node, frame)
            case ast.Subscript(owner, index):
                return self.element(self.evaluate(owner, frame), self._index(index, frame))
            case ast.Tuple(elements):
                return tuple(self._elements(elements, frame))
            case ast.List(elements):
                return self._elements(elements, frame)
            case ast.Set(elements):
                return self.gathered([(TRUE, each) for each in self._elements(elements, frame)])
            case ast.ListComp(element, generators):
                return sequence(self.comprehended(element, generators, frame))
            case ast.GeneratorExp(element, generators):
                first = self.evaluate(generators[0].iter, frame)
                self.stream(first)  # Python asks at once whether it can be gone through
                return self.streamed(self.comprehended(element, generators, frame, first), "generator")
            case ast.SetComp(element, generators):
                return self.gathered(self.comprehended(element, generators, frame, ordered=False))
            case ast.Lambda():
                return self.closure(node, frame)
            case ast.JoinedStr(values):
                return self._text(node, values, frame)
            case ast.Dict(keys, values) if all(key is not None for key in keys):
                found = {}
                for key, each in zip(keys, values, strict=True):
                    assert key is not None
                    name = self.key(self.evaluate(key, frame))
                    found[name] = self.evaluate(each, frame)
                return found
        raise self.unsupported(node)

    def closure(self, node: Definition, frame: Frame) -> Closure:
        """A function as it is defined: what its parameters are where they are not given is computed now."""
        defaults = {name: self.evaluate(value, frame) for name, value in default_values(node.args).items()}
        return Closure(node, frame, defaults)

    def unsupported(self, node: ast.AST) -> MuleError:
        what = HINTS.get(type(node))
        return self.error(what or f"{type(node).__name__} cannot be compiled: see {self.reference} for what can")

    def _name(self, name: str, frame: Frame) -> Any:
        value = frame.look_up(name)
        if value is MISSING:
            raise self.error(f"{name} is not defined here, or not on every way to this place")
        return value

    def _text(self, node: ast.JoinedStr, values: list[ast.expr], frame: Frame) -> str:
        parts = []
        for value in values:
            if not isinstance(value, ast.FormattedValue):
                parts.append(self.evaluate(value, frame))
                continue
            found = self.evaluate(value.value, frame)
            if not is_known(found) or not is_value(found):
                raise self.unsupported(node)
            convert = {-1: None, ord("s"): str, ord("r"): repr, ord("a"): ascii}[value.conversion]
            shown = found if convert is None else self.natively(convert, found)
            parts.append(self.natively(format, shown, self._format(value, frame)))
        return "".join(parts)

    def _format(self, value: ast.FormattedValue, frame: Frame) -> str:
        written: str = "" if value.format_spec is None else self.evaluate(value.format_spec, frame)
        if (too_wide := excess_of_call(format, [written])) is not None:
            raise self.error(too_wide)
        return written

    def shown(self, nodes: list[ast.expr], frame: Frame) -> list[Any]:
        """What `print` is given; the values in an f-string, which may not be known before the run, stand for it."""
        found: list[Any] = []
        for node in nodes:
            if not isinstance(node, ast.JoinedStr):
                found += self._elements([node], frame)
                continue
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    found.append(self.evaluate(part.value, frame))
                    self._require_format(found[-1], self._format(part, frame))
        return found

    def _require_format(self, value: Any, written: str) -> None:
        is_number = isinstance(value, Symbol) and isinstance(value.kind, IntKind | BoolKind)
        if is_number and not written.endswith("c"):
            self.natively(format, 0, written)
        elif is_known(value) and is_value(value):
            self.natively(format, value, written)
        elif written:
            raise self.error(f"only numbers can be formatted in what is printed: leave out `:{written}`")

    def _elements(self, nodes: list[ast.expr], frame: Frame) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found += self.settled(self.evaluate(node.value, frame))
            else:
                found.append(self.evaluate(node, frame))
        return found

    # attributes -------------------------------------------------------------------------------------------------------

    def attribute(self, owner: Any, name: str) -> Any:
        match owner:
            case Process():
                return self._of_process(owner, name)
            case Record(cls, fields, sender):
                if name in fields:
                    return fields[name]
                if name == "sender":
                    if sender is None:
                        raise self.error("only a message that was received has a sender")
                    return sender
                raise self.error(f"{cls.__name__} has no field {name}: it has {', '.join(fields) or 'none'}")
            case Symbol(_, OptionalKind()):
                return self.attribute(self.unwrapped(owner, f"AttributeError: None has no attribute {name}"), name)
            case Symbol(_, ProcessKind() | EnumKind()):
                return self.attribute(self.settled_value(owner), name)
            case Symbol() | Items() | Members() | FieldSet() | FieldList() | FieldDict() | View() | Stream():
                return self._operation_of(owner, name)
            case list() | set() | dict():
                return self._operation_of(owner, name)
            case Enum() if name in ("name", "value"):
                return frozen(owner.name if name == "name" else owner.value)
        return self._of_object(owner, name)

    def _operation_of(self, owner: Any, name: str) -> Operation:
        cls = self.type_of(owner)
        if cls is not None and not hasattr(cls, name):
            raise self.error(f"{type_name(owner)} has no attribute {name}")
        if isinstance(owner, Symbol) and not isinstance(owner.kind, SetKind):
            raise self.error(f"{type_name(owner)}.{name} cannot be compiled: a number has operators only")
        return Operation(owner, name)

    def type_of(self, value: Any) -> type | None:
        """The class of a value, where it is the same in every run."""
        raise NotImplementedError

    def _of_object(self, owner: Any, name: str) -> Any:
        """An attribute of a constant, found without running any code of it."""
        cls = owner if isinstance(owner, type) else type(owner)
        if overrides_attributes(cls):
            raise self.error(f"{cls.__name__} computes its attributes: write {name} as a method, or keep it in a field")
        member = getattr_static(owner, name, MISSING)
        if member is MISSING:
            raise self.error(f"{type_name(owner)} has no attribute {name}")
        own = not isinstance(owner, type) and getattr_static(cls, name, MISSING) is not member
        if own or isinstance(owner, types.ModuleType):
            return frozen(member)
        return self._bound(owner, cls, name, member)

    def _bound(self, owner: Any, cls: type, name: str, member: Any) -> Any:
        """A member of a class as one of its instances (or the class itself) has it."""
        match member:
            case staticmethod():
                return member.__func__
            case classmethod() if isinstance(member.__func__, types.FunctionType):
                return types.MethodType(member.__func__, cls)
            case types.FunctionType():
                return member if isinstance(owner, type) else types.MethodType(member, owner)
            case property() if isinstance(member.fget, types.FunctionType) and not isinstance(owner, type):
                return self.apply(types.MethodType(member.fget, owner), [], {})
        simple = is_value(owner) or isinstance(owner, type) or isinstance(member, types.MemberDescriptorType)
        if hasattr(type(member), "__get__") and not (simple and is_of_python(member)):
            raise self.error(f"{name} of {cls.__name__} is computed by {type(member).__name__}: write a method")
        try:
            return frozen(getattr(owner, name))
        except AttributeError:
            raise self.error(f"{type_name(owner)} has no attribute {name}") from None

    def _of_process(self, process: Process, name: str) -> Any:
        if self.world.is_field(process, name):
            value = self.world.read(process, name)
            if isinstance(value, FieldList):
                self._measure(value)
            return value
        member = getattr_static(type(process), name, None)
        if isinstance(member, types.FunctionType) and name not in process.__dict__:
            return Method(member, process)
        if name.startswith("__") and name != "__class__":
            raise self.error(f"{name} is not a part of the model: name the field that is meant")
        if isinstance(member, property) and isinstance(member.fget, types.FunctionType):
            return self.apply(Method(member.fget, process), [], {})
        if name in process.__dict__:
            return frozen(process.__dict__[name])
        if not hasattr(process, name):
            raise self.error(f"{type(process).__name__} has no field {name}: declare it in the class, with a type")
        return self._bound(process, type(process), name, member)

    def _measure(self, value: FieldList) -> None:
        """How long a list that grows is on this path, by deciding."""
        if value.length is None:
            return
        del value.elements[self.path.settled(value.length, range(len(value.elements) + 1)) :]
        value.length = None

    def settled_value(self, symbol: Symbol) -> Any:
        """One of the values that it can have, by deciding."""
        values = symbol.kind.values()
        for value in values[:-1]:
            if self.path.decide(self.identical(symbol, value)):
                return value
        return values[-1]

    # operators --------------------------------------------------------------------------------------------------------

    def _unary(self, operator: ast.unaryop, operand: Any) -> Any:
        match operator:
            case ast.Not():
                return self.boolean(unary("not", self.truth(operand)))
            case ast.USub() if not is_known(operand):
                return self.arithmetic(ast.Sub(), 0, operand)
            case ast.UAdd() if not is_known(operand):
                return self.arithmetic(ast.Add(), 0, operand)
            case ast.USub() if is_value(operand):
                return self.natively(lambda value: -value, operand)
            case ast.UAdd() if is_value(operand):
                return self.natively(lambda value: +value, operand)
            case ast.Invert() if is_value(operand):
                return self.natively(lambda value: ~value, operand)
        raise self.error("~ cannot be compiled: use not, or ^ with a mask")

    def _connected(self, disjunction: bool, nodes: list[ast.expr], frame: Frame) -> Any:
        """`and` and `or` give one of their operands; each is evaluated only where none before it decides."""
        while True:
            operands, rest = self._undecided(disjunction, nodes, frame)
            try:
                value = self._one_of(disjunction, operands)
            except (NeedsDecision, Failing):
                value, _, rest = operands[0]
            if not rest or self.path.decide(self.truth(value)) == disjunction:
                return value
            nodes = rest

    def _undecided(
        self, disjunction: bool, nodes: list[ast.expr], frame: Frame
    ) -> tuple[list[Operand], list[ast.expr]]:
        """The operands up to one that cannot be written without taking a decision, or up to one that decides; and those
        that are left."""
        found: list[Operand] = []
        with self.path.supposing_in_turn() as suppose:
            for number, node in enumerate(nodes):
                try:
                    value = self.evaluate(node, frame)
                except (NeedsDecision, Failing):
                    if not found:
                        raise
                    return found, nodes[number:]
                test = self.truth(value)
                known = self.path.truth(test)
                is_last = number == len(nodes) - 1
                if known is None or known == disjunction or is_last:
                    found.append(Operand(value, test, nodes[number + 1 :] if not found else []))
                if known == disjunction:
                    break
                if known is None and not is_last:
                    suppose(unary("not", test) if disjunction else test)
        return found, []

    def _one_of(self, disjunction: bool, operands: list[Operand]) -> Any:
        """The first that decides, or the last."""
        symbols = [self.scalar(each.value) for each in operands]
        if len(operands) > 1 and all(each is not None and str(each.kind) == "bool" for each in symbols):
            return self.boolean(joined("or" if disjunction else "and", [each.test for each in operands]))
        result = operands[-1].value
        for value, test, _ in reversed(operands[:-1]):
            result = self.select(test, value, result) if disjunction else self.select(test, result, value)
        return result

    def _comparison(self, left: ast.expr, operators: list[ast.cmpop], rights: list[ast.expr], frame: Frame) -> Any:
        result: Expression = TRUE
        value = self.evaluate(left, frame)
        for operator, right in zip(operators, rights, strict=True):
            found = self.under(result, lambda right=right: self.evaluate(right, frame))  # type: ignore[misc]
            if found is None:
                return False
            held, other = found
            asked = self.under(held, lambda o=operator, v=value, w=other: self.compared(o, v, w))  # type: ignore[misc]
            if asked is None:
                return False
            result = binary("and", *asked)
            value = other
        return self.boolean(result)

    def compared(self, operator: ast.cmpop, left: Any, right: Any) -> Expression:
        match operator:
            case ast.Eq():
                return self.equal(left, right)
            case ast.NotEq():
                return unary("not", self.equal(left, right))
            case ast.Is() | ast.IsNot():
                both_classes = isinstance(left, type) and isinstance(right, type)
                if not (both_classes or _is_one_object(left) or _is_one_object(right)):
                    raise self.error("`is` is for None, enums, processes and truth values: use ==")
                same = self.identical(left, right)
                return same if isinstance(operator, ast.Is) else unary("not", same)
            case ast.In():
                return self.contains(right, left)
            case ast.NotIn():
                return unary("not", self.contains(right, left))
        assert type(operator) in ORDER
        return self.ordered(operator, left, right)

    def _conditional(self, test: ast.expr, then: ast.expr, otherwise: ast.expr, frame: Frame) -> Any:
        condition = self.truth(self.evaluate(test, frame))
        known = self.path.truth(condition)
        if known is None:
            try:
                with self.path.supposing(condition):
                    yes = self.evaluate(then, frame)
                with self.path.supposing(unary("not", condition)):
                    no = self.evaluate(otherwise, frame)
                return self.select(condition, yes, no)
            except (NeedsDecision, Failing):
                known = self.path.decide(condition)
        return self.evaluate(then if known else otherwise, frame)

    # elements ---------------------------------------------------------------------------------------------------------

    def _index(self, node: ast.expr, frame: Frame) -> Any:
        if isinstance(node, ast.Slice):
            parts = [
                None if part is None else self.evaluate(part, frame) for part in (node.lower, node.upper, node.step)
            ]
            if not all(is_known(part) for part in parts):
                raise self.error("the bounds of a slice must be known before the run")
            return slice(*parts)
        return self.evaluate(node, frame)


def _is_one_object(value: Any) -> bool:
    """Whether whatever is equal to this value is the same object."""
    if not isinstance(value, Symbol):
        return value is None or isinstance(value, Enum | Process | bool)
    kind = value.kind.inner if isinstance(value.kind, OptionalKind) else value.kind
    return isinstance(kind, EnumKind | ProcessKind)
