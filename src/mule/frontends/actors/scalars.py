"""Single values that the run will know: what they are in a slot, and how one of two is chosen."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from enum import Enum
from types import FunctionType, MethodType
from typing import Any

from mule.errors import MuleError, Place
from mule.frontends.actors.paths import NeedsDecision, Path
from mule.frontends.actors.processes import Process
from mule.frontends.actors.purity import is_comparable
from mule.frontends.actors.sources import place_of
from mule.frontends.actors.types import (
    BOOL,
    HIGH,
    INT,
    LOW,
    BoolKind,
    EnumKind,
    IntKind,
    Kind,
    OptionalKind,
    ProcessKind,
    SetKind,
)
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
from mule.model.expressions import FALSE, TRUE, Conditional, Constant, Expression, children
from mule.model.simplify import binary, boolean

LONG, HARDLY_READABLE = 30, 5000
"""Expressions of so many parts are not repeated where it can be avoided; of so many, not written at all."""
MOST_TOLD_APART = 16


class Scalars:
    """Works on one path."""

    reference = "docs/actors.md"
    bounded = "bound it with for … in range(…)"
    """What to do about a loop that does not come to an end."""

    def __init__(self, path: Path, processes: Sequence[Process]) -> None:
        self.path = path
        self.processes = tuple(processes)
        self.here: tuple[ast.AST, str] | None = None
        """The expression or statement at hand, and its file."""
        self.attached: dict[int, FieldList] = {}
        """Lists that are in a field now, by identity."""
        self.made_into: dict[int, tuple[dict[Any, Any], FieldDict]] = {}
        """Dicts that were put into a field, by identity, and what they are there."""

    @property
    def place(self) -> Place | None:
        return None if self.here is None else place_of(*self.here)

    def error(self, message: str) -> MuleError:
        return MuleError(message, self.place)

    def scalar(self, value: Any) -> Symbol | None:
        """A value that fits one slot; None where it does not."""
        match value:
            case Symbol():
                return value
            case bool():
                return Symbol(Constant(int(value)), BOOL)
            case Enum():
                kind = EnumKind(type(value))
                return Symbol(Constant(kind.encode(value) or 0), kind)
            case int():
                if not LOW <= value <= HIGH:
                    raise self.error(f"{value} does not fit the integers of a model, {LOW}..{HIGH}")
                return Symbol(Constant(value), INT)
            case Process():
                if all(value is not each for each in self.processes):
                    raise self.error(f"{value!r} is not among the processes of the system")
                references = ProcessKind(self.processes)
                return Symbol(Constant(references.encode(value) or 0), references)
            case FieldSet(mask, kind):
                return Symbol(mask, SetKind(kind.member, frozen=True))
        return None

    def number(self, value: Any, what: str) -> Expression:
        """An int or a bool; None, where it may be, is an error of the model."""
        symbol = self.scalar(value)
        if symbol is not None and isinstance(symbol.kind, OptionalKind):
            symbol = self.unwrapped(symbol, f"TypeError: None {what}")
        if symbol is None or not isinstance(symbol.kind, IntKind | BoolKind):
            raise self.error(f"{what} needs numbers, and this is {with_article(type_name(value))}")
        return symbol.expression

    def unwrapped(self, symbol: Symbol, failure: str) -> Symbol:
        """An optional value where it is not None."""
        assert isinstance(symbol.kind, OptionalKind)
        if self.path.decide(binary("==", symbol.expression, Constant(symbol.kind.none))):
            raise Failing(failure)
        return Symbol(symbol.expression, symbol.kind.inner)

    def truth(self, value: Any) -> Expression:
        """What `if` makes of a value."""
        match value:
            case Symbol(expression, OptionalKind(inner) as kind):
                there = binary("!=", expression, Constant(kind.none))
                return binary("and", there, self.truth(Symbol(expression, inner)))
            case Symbol(_, EnumKind() | ProcessKind()) | Record() | Process():
                return TRUE
            case Symbol(expression, _):
                return boolean(expression)
            case FieldSet(mask):
                return boolean(mask)
            case FieldList(_, _, elements):
                return Constant(int(bool(elements)))
            case Items(items) | Members(items):
                return self.any_of([condition for condition, _ in items])
            case FieldDict(_, _, there) | View(FieldDict(_, _, there)):
                return self.any_of(there)
            case View(owner):
                return Constant(int(bool(owner)))
            case Stream():
                return TRUE
            case Closure() | Method() | Operation() | FunctionType() | MethodType():
                raise self.error("a function is true whatever it would answer: call it, with parentheses")
        if not isinstance(value, list | tuple | dict) and not is_comparable(value):
            raise self.error(f"{with_article(type_name(value))} decides by itself whether it is true: ask its fields")
        return Constant(int(bool(value)))

    def any_of(self, parts: Sequence[Expression]) -> Expression:
        result: Expression = FALSE
        for part in parts:
            result = binary("or", result, boolean(part))
        return result

    def boolean(self, expression: Expression) -> Any:
        """A truth value: Python's own where it is known."""
        known = self.path.truth(boolean(expression))
        return Symbol(boolean(expression), BOOL) if known is None else known

    def tamed(self, value: Any) -> Any:
        """A value that will be used again: where writing it down is long and it has few values, they are told apart."""
        if not isinstance(value, Symbol) or isinstance(value.expression, Constant):
            return value
        if self.path.speculating and _is_long(value.expression, HARDLY_READABLE):
            raise NeedsDecision
        low, high = self.path.bounds(value.expression)
        if low == high:
            return Symbol(Constant(low), value.kind)
        if self.path.speculating or not _is_long(value.expression):
            return value
        if high - low >= MOST_TOLD_APART:
            if _is_long(value.expression, HARDLY_READABLE):
                raise self.error(
                    "this value is computed in too many steps: give its parts a Range, or keep it in a field"
                )
            return value
        return Symbol(Constant(self.path.settled(value.expression, range(low, high + 1))), value.kind)

    def select(self, condition: Expression, then: Any, otherwise: Any) -> Any:
        """`then if condition else otherwise`, without a decision where the two fit one slot."""
        known = self.path.truth(boolean(condition))
        if known is not None:
            return then if known else otherwise
        if then is otherwise or (is_known(then) and is_known(otherwise) and _same(then, otherwise)):
            return then
        merged = self._merged(condition, then, otherwise)
        if merged is not None:
            return merged
        return then if self.path.decide(condition) else otherwise

    def _merged(self, condition: Expression, then: Any, otherwise: Any) -> Any:
        if isinstance(then, Record) and isinstance(otherwise, Record) and then.cls is otherwise.cls:
            fields = {name: self.select(condition, then.fields[name], otherwise.fields[name]) for name in then.fields}
            sender = None if then.sender is None else self.select(condition, then.sender, otherwise.sender)
            return Record(then.cls, fields, sender)
        if isinstance(then, tuple) and isinstance(otherwise, tuple) and len(then) == len(otherwise):
            return tuple(self.select(condition, a, b) for a, b in zip(then, otherwise, strict=True))
        if isinstance(then, FieldSet) or isinstance(otherwise, FieldSet):
            return None
        return self._merged_scalars(condition, then, otherwise)

    def _merged_scalars(self, condition: Expression, then: Any, otherwise: Any) -> Symbol | None:
        if then is None or otherwise is None:
            other = self.scalar(otherwise if then is None else then)
            if other is None or isinstance(other.kind, SetKind):
                return None
            kind = other.kind if isinstance(other.kind, OptionalKind) else OptionalKind(other.kind)
            if not isinstance(other.kind, OptionalKind) and isinstance(other.kind, IntKind):
                low, high = self.path.bounds(other.expression)
                kind = OptionalKind(IntKind(low, high))
            parts = (Constant(kind.none), other.expression)
            yes, no = parts if then is None else parts[::-1]
            return Symbol(Conditional(condition, yes, no), kind)
        one, two = self.scalar(then), self.scalar(otherwise)
        if one is None or two is None:
            return None
        joined = self._joined(one, two)
        if joined is None:
            return None
        yes, no = self.converted(one, joined), self.converted(two, joined)
        return Symbol(yes if yes == no else Conditional(condition, yes, no), joined)

    def _joined(self, one: Symbol, two: Symbol) -> Kind | None:
        a, b = one.kind, two.kind
        if a == b:
            return a
        if isinstance(a, OptionalKind) or isinstance(b, OptionalKind):
            inner_a = a.inner if isinstance(a, OptionalKind) else a
            inner_b = b.inner if isinstance(b, OptionalKind) else b
            inner = self._joined(Symbol(one.expression, inner_a), Symbol(two.expression, inner_b))
            if isinstance(inner, IntKind):
                bounds = [self.path.bounds(each.expression) for each in (one, two)]
                inner = IntKind(min(low for low, _ in bounds), max(high for _, high in bounds))
            return None if inner is None else OptionalKind(inner)
        if isinstance(a, IntKind | BoolKind) and isinstance(b, IntKind | BoolKind):
            return INT
        if isinstance(a, ProcessKind) and isinstance(b, ProcessKind):
            return ProcessKind(self.processes)
        return None

    def converted(self, symbol: Symbol, kind: Kind) -> Expression:
        """The code of a value in a kind that holds all that its own one holds."""
        if isinstance(symbol.kind, OptionalKind) and isinstance(kind, OptionalKind) and symbol.kind.none != kind.none:
            test = binary("==", symbol.expression, Constant(symbol.kind.none))
            return Conditional(test, Constant(kind.none), symbol.expression)
        return symbol.expression

    def natively(self, function: Callable[..., Any], *values: Any) -> Any:
        """What Python itself gives; an exception is one of the model."""
        try:
            return function(*values)
        except (NeedsDecision, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            raise Failing(f"{type(error).__name__}: {error}") from None


def _is_long(expression: Expression, most: int = LONG) -> bool:
    """Whether it has more parts than that."""
    stack, parts = [expression], 0
    while stack:
        parts += 1
        if parts > most:
            return True
        stack.extend(children(stack.pop()))
    return False


def with_article(name: str) -> str:
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"


def _same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)
