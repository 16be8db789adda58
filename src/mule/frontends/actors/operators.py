"""The operators of Python on values that the run will know."""

from __future__ import annotations

import ast
import dataclasses
import operator as python
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final

from mule.frontends.actors.adoption import has_own_equality
from mule.frontends.actors.constants import CONSTANT, frozen
from mule.frontends.actors.effort import MOST_ITERATIONS, excess, is_long
from mule.frontends.actors.frames import NotHere
from mule.frontends.actors.intervals import interval
from mule.frontends.actors.paths import NeedsDecision
from mule.frontends.actors.processes import Process
from mule.frontends.actors.purity import is_comparable, is_value
from mule.frontends.actors.scalars import Scalars, with_article
from mule.frontends.actors.types import HIGH, INT, LOW, BoolKind, EnumKind, IntKind, OptionalKind, ProcessKind, SetKind
from mule.frontends.actors.values import (
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
    is_known,
    type_name,
)
from mule.model.exact import exact
from mule.model.expressions import FALSE, TRUE, Binary, Conditional, Constant, Expression
from mule.model.simplify import binary, unary

ARITHMETIC: Final[dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]]] = {
    ast.Add: ("+", python.add),
    ast.Sub: ("-", python.sub),
    ast.Mult: ("*", python.mul),
    ast.FloorDiv: ("//", python.floordiv),
    ast.Mod: ("%", python.mod),
    ast.BitAnd: ("&", python.and_),
    ast.BitOr: ("|", python.or_),
    ast.BitXor: ("^", python.xor),
    ast.LShift: ("<<", python.lshift),
    ast.RShift: (">>", python.rshift),
    ast.Pow: ("**", python.pow),
}
ORDER: Final[dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]]] = {
    ast.Lt: ("<", python.lt),
    ast.LtE: ("<=", python.le),
    ast.Gt: (">", python.gt),
    ast.GtE: (">=", python.ge),
}


class Operators(Scalars):
    """Works on one path."""

    # comparisons ------------------------------------------------------------------------------------------------------

    def equal(self, left: Any, right: Any) -> Expression:
        if left is not None and right is not None:
            self._require_plain_equality(left)
            self._require_plain_equality(right)
        return self._equal(left, right)

    def _require_plain_equality(self, value: Any) -> None:
        kind = value.kind if isinstance(value, Symbol) else None
        kind = kind.inner if isinstance(kind, OptionalKind) else kind
        classes = {type(each) for each in kind.values()} if isinstance(kind, ProcessKind) else {type(value)}
        for cls in classes:
            if has_own_equality(cls):
                raise self.error(f"== compares the fields of {cls.__name__}: compare those that matter, or use `is`")

    def _equal(self, left: Any, right: Any) -> Expression:
        left, right = self._as_field(left), self._as_field(right)
        if is_known(left) and is_known(right):
            return Constant(int(bool(self._comparable(left) == self._comparable(right))))
        if left is None or right is None:
            return self._is_none(right if left is None else left)
        if isinstance(left, Record) or isinstance(right, Record):
            if not (isinstance(left, Record) and isinstance(right, Record) and left.cls is right.cls):
                return FALSE
            names = [field.name for field in dataclasses.fields(left.cls) if field.compare]
            return self._all_equal([left.fields[name] for name in names], [right.fields[name] for name in names])
        if isinstance(left, FieldDict) or isinstance(right, FieldDict):
            return self.equal_dicts(left, right)
        if is_set(left) and is_set(right):
            return binary("and", self.subset(left, right), self.subset(right, left))
        if isinstance(left, list | tuple | FieldList) and isinstance(right, list | tuple | FieldList):
            if isinstance(left, tuple) is not isinstance(right, tuple):
                return FALSE
            mine, theirs = elements_of(left), elements_of(right)
            return self._all_equal(mine, theirs) if len(mine) == len(theirs) else FALSE
        one, two = self.scalar(left), self.scalar(right)
        if one is None or two is None:
            raise self.error(
                f"{with_article(type_name(left))} and {with_article(type_name(right))} cannot be compared here"
            )
        return self._equal_scalars(one, two)

    def equal_dicts(self, left: Any, right: Any) -> Expression:
        """Two dicts, one of which is in a field."""
        raise NotImplementedError

    def _as_field(self, value: Any) -> Any:
        """The list or set in a field, where the value was made into one."""
        return value.became if isinstance(value, Items | Members) and value.became is not None else value

    def _comparable(self, value: Any) -> Any:
        if isinstance(value, Operation | Method) or (callable(value) and not isinstance(value, type | Process)):
            raise self.error("a function is compared with a value: call it, with parentheses")
        if not is_comparable(value):
            raise self.error(f"{with_article(type_name(value))} has comparisons of its own: compare its fields")
        return value

    def identical(self, left: Any, right: Any) -> Expression:
        """`is`: as ==, for what is one object wherever it is equal."""
        if is_known(left) and is_known(right):
            return Constant(int(left is right))
        for one, other in ((left, right), (right, left)):
            if isinstance(one, bool) and isinstance(other, Symbol):
                kind = other.kind.inner if isinstance(other.kind, OptionalKind) else other.kind
                if isinstance(kind, IntKind):
                    raise self.error("a number is equal to True or False, or not, but hardly ever the same: use ==")
                if not isinstance(kind, BoolKind):
                    return FALSE
            if not isinstance(one, Symbol | bool | Enum | Process | None):
                return FALSE
        return self._equal(left, right)

    def _is_none(self, value: Any) -> Expression:
        if isinstance(value, Symbol) and isinstance(value.kind, OptionalKind):
            return binary("==", value.expression, Constant(value.kind.none))
        return Constant(int(value is None))

    def _all_equal(self, left: Sequence[Any], right: Sequence[Any]) -> Expression:
        result: Expression = TRUE
        for mine, theirs in zip(left, right, strict=True):
            result = binary("and", result, self.equal(mine, theirs))
        return result

    def _equal_scalars(self, one: Symbol, two: Symbol) -> Expression:
        a, b = one.kind, two.kind
        inner_a = a.inner if isinstance(a, OptionalKind) else a
        inner_b = b.inner if isinstance(b, OptionalKind) else b
        alike = self._joined(Symbol(one.expression, inner_a), Symbol(two.expression, inner_b)) is not None
        none_a = self._is_none(one)
        none_b = self._is_none(two)
        if not alike:
            return binary("and", none_a, none_b)
        same = binary("==", one.expression, two.expression)
        if isinstance(a, OptionalKind) and isinstance(b, OptionalKind):
            if a.none == b.none:
                return same
            both = binary("and", unary("not", none_a), binary("and", unary("not", none_b), same))
            return binary("or", binary("and", none_a, none_b), both)
        for optional, other in ((a, two), (b, one)):
            if isinstance(optional, OptionalKind):
                low, high = self.path.bounds(other.expression)
                if low <= optional.none <= high:
                    return binary("and", unary("not", none_a if optional is a else none_b), same)
        return same

    def ordered(self, comparison: ast.cmpop, left: Any, right: Any) -> Expression:
        symbol, function = ORDER[type(comparison)]
        if is_known(left) and is_known(right):
            return Constant(int(self.natively(function, self._plain(left, symbol), self._plain(right, symbol))))
        if is_set(left) and is_set(right):
            if symbol in (">", ">="):
                left, right, symbol = right, left, "<" if symbol == ">" else "<="
            inside = self.subset(left, right)
            return inside if symbol == "<=" else binary("and", inside, unary("not", self.subset(right, left)))
        if _is_sequence(left) and _is_sequence(right):
            if isinstance(left, tuple) is not isinstance(right, tuple):
                raise Failing(f"TypeError: {symbol} between a list and a tuple")
            return self._lexicographic(comparison, elements_of(left), elements_of(right))
        what = f"compared by {symbol}"
        return binary(symbol, self.number(left, what), self.number(right, what))

    def _plain(self, value: Any, symbol: str) -> Any:
        """A value on which an operator of Python does nothing but compute."""
        if not is_value(value):
            raise self.error(f"{symbol} on {with_article(type_name(value))} is not a part of the model: write it out")
        return value

    def _lexicographic(self, comparison: ast.cmpop, left: list[Any], right: list[Any]) -> Expression:
        """Only the first two elements that differ are put in order, as in Python."""
        _, function = ORDER[type(comparison)]
        for position, (mine, theirs) in enumerate(zip(left, right, strict=False)):
            same = self.equal(mine, theirs)
            known = self.path.truth(same)
            if known is True:
                continue
            if known is False:
                return self.ordered(comparison, mine, theirs)
            try:
                with self.path.supposing(unary("not", same)):
                    first = self.ordered(comparison, mine, theirs)
                with self.path.supposing(same):
                    rest = self._lexicographic(comparison, left[position + 1 :], right[position + 1 :])
            except (NeedsDecision, Failing):
                if not self.path.decide(same):
                    return self.ordered(comparison, mine, theirs)
                continue
            return binary("or", binary("and", unary("not", same), first), binary("and", same, rest))
        return Constant(int(function(len(left), len(right))))

    # arithmetic -------------------------------------------------------------------------------------------------------

    def arithmetic(self, kind: ast.operator, left: Any, right: Any) -> Any:
        if isinstance(kind, ast.Div):
            raise self.error("/ gives a float, and there are none here: use //")
        if type(kind) not in ARITHMETIC:
            raise self.error("this operator cannot be compiled: numbers have + - * // % & | ^ << >>")
        symbol, function = ARITHMETIC[type(kind)]
        if symbol == "+" and _is_sequence(left) and _is_sequence(right):
            if isinstance(left, tuple) is not isinstance(right, tuple):
                raise Failing("TypeError: + between a list and a tuple")
            joined = [*elements_of(left), *elements_of(right)]
            return tuple(joined) if isinstance(left, tuple) else joined
        too_large = excess(symbol, _listed(left), _listed(right))
        if too_large is not None:
            raise self.error(too_large)
        if symbol == "*" and _is_sequence(left) and type(right) is int:
            return elements_of(left) * right if not isinstance(left, tuple) else left * right
        if is_known(left) and is_known(right):
            return self.natively(function, self._plain(left, symbol), self._plain(right, symbol))
        if is_set(left) and is_set(right):
            return self.combined(symbol, left, right)
        what = f"in {symbol}"
        return self._computed(symbol, self.number(left, what), self.number(right, what))

    def _computed(self, symbol: str, left: Expression, right: Expression) -> Symbol:
        match symbol:
            case "+" if left == Constant(0):
                return Symbol(right, INT)
            case "//" | "%":
                result = self._divided(symbol, left, right)
                if isinstance(right, Constant):
                    self.path.note(result, *self._bounds_of_division(symbol, left, right.value))
                return Symbol(result, INT)
            case "<<" | ">>":
                if not (isinstance(right, Constant) and 0 <= right.value < 31):
                    raise self.error("a shift needs a constant count between 0 and 30")
            case "**":
                raise self.error("** needs constants: multiply instead")
        return Symbol(self._with_one_offset(symbol, left, right), INT)

    def _bounds_of_division(self, symbol: str, left: Expression, divisor: int) -> tuple[int, int]:
        if symbol == "%":
            return (0, divisor - 1) if divisor > 0 else (divisor + 1, 0)
        low, high = sorted(end // divisor for end in interval(left))
        return low, high

    def _divided(self, symbol: str, left: Expression, right: Expression) -> Expression:
        """Python rounds down, the model towards zero."""
        if self.path.decide(binary("==", right, Constant(0))):
            raise Failing("ZeroDivisionError: integer division or modulo by zero")
        quotient, rest = exact("/", left, right, self.path.bounds), binary("%", left, right)
        if self.path.bounds(left)[0] >= 0 and self.path.bounds(right)[0] > 0:
            return quotient if symbol == "//" else rest
        signs = binary("!=", binary("<", rest, Constant(0)), binary("<", right, Constant(0)))
        rounded = binary("and", binary("!=", rest, Constant(0)), signs)
        # neither can overflow: quotients by 1 and -1 are not rounded, and a rest is smaller than its divisor
        if symbol == "//":
            return binary("-", quotient, rounded)
        return Conditional(rounded, binary("+", rest, right), rest)

    def _with_one_offset(self, symbol: str, left: Expression, right: Expression) -> Expression:
        """`x + 1 + 1` as `x + 2`: what is computed in rounds stays short."""
        match symbol, left, right:
            case (("+" | "-"), Binary("+" | "-" | "+!" | "-!" as inner, term, Constant(first)), Constant(second)):
                offset = (first if inner in ("+", "+!") else -first) + (second if symbol == "+" else -second)
                if LOW <= offset <= HIGH:
                    return term if offset == 0 else exact("+", term, Constant(offset), self.path.bounds)
        return exact(symbol, left, right, self.path.bounds)

    # sets -------------------------------------------------------------------------------------------------------------

    def members(self, value: Any) -> list[tuple[Expression, Any]]:
        """A set as its possible members, each with the condition that it is in."""
        match value:
            case Members(items):
                return items
            case FieldSet(mask, kind):
                return self._bits(mask, kind)
            case Symbol(mask, SetKind() as kind):
                return self._bits(mask, kind)
        return [(TRUE, each) for each in value]

    def _bits(self, mask: Expression, kind: SetKind) -> list[tuple[Expression, Any]]:
        return [
            (binary("!=", binary("&", mask, Constant(1 << position)), Constant(0)), member)
            for position, member in enumerate(kind.universe)
        ]

    def distinct(self, value: Any) -> list[tuple[Expression, Any]]:
        """The same, no two of them equal where both are in."""
        items = self.members(value)
        if not isinstance(value, Members):
            return items
        found: list[tuple[Expression, Any]] = []
        for condition, member in items:
            before = [binary("and", there, self.equal(other, member)) for there, other in found]
            fresh = binary("and", condition, unary("not", self.any_of(before)))
            if fresh != FALSE:
                found.append((fresh, member))
        return found

    def contains(self, container: Any, value: Any) -> Expression:
        """`value in container`."""
        if is_set(container):
            self.hashable(value)
        number = self.scalar(value) if isinstance(container, range) and not is_known(value) else None
        if number is not None and container.step == 1 and isinstance(number.kind, IntKind | BoolKind):
            return binary(
                "and",
                binary("<=", Constant(container.start), number.expression),
                binary("<", number.expression, Constant(container.stop)),
            )
        if not is_known(container) or not is_known(value):
            if is_set(container):
                items = self.members(container)
            elif isinstance(container, Items):
                items = list(container.items)
            elif isinstance(container, FieldDict):
                items = [(there, key) for there, (key, _) in container.items()]
                self.hashable(value)
            elif _is_sequence(container) or isinstance(container, range | dict):
                items = [(TRUE, each) for each in elements_of(container)]
            else:
                raise self.error(
                    f"`in` needs a set, a list, a tuple or a range, not {with_article(type_name(container))}"
                )
            return self.any_of([binary("and", there, self.equal(each, value)) for there, each in items])
        if type(container) not in (list, tuple, set, frozenset, dict, *CONSTANT, range, str, bytes):
            if not isinstance(container, tuple):
                what = with_article(type_name(container))
                raise self.error(f"`in` needs a set, a list, a tuple or a range, not {what}")
            container = tuple(container)
        self._comparable(value)
        self._comparable(container)
        return Constant(int(self.natively(python.contains, container, value)))

    def hashable(self, value: Any) -> Any:
        """A value that can be a member of a set, or a key."""
        changeable = isinstance(value, list | set | dict | Items | FieldList | FieldSet | FieldDict)
        if changeable or (isinstance(value, Members) and not value.frozen):
            raise self.error(f"{with_article(type_name(value))} can change and is no member of a set: use a tuple")
        if isinstance(value, tuple):
            for each in value:
                self.hashable(each)
        return value

    def subset(self, left: Any, right: Any) -> Expression:
        masks = self._masks(left, right)
        if masks is not None:
            return binary("==", binary("&", masks[0], unary("~", masks[1])), Constant(0))
        result: Expression = TRUE
        for there, member in self.members(left):
            result = binary("and", result, binary("or", unary("not", there), self.contains(right, member)))
        return result

    def combined(self, symbol: str, left: Any, right: Any) -> Any:
        """Union, intersection and the differences."""
        fixed = is_frozen(left)
        masks = self._masks(left, right)
        if masks is not None and symbol in ("|", "&", "-", "^"):
            kind = next(each.kind for each in (left, right) if isinstance(each, FieldSet | Symbol))
            assert isinstance(kind, SetKind)
            one, two = masks
            mask = binary("&", one, unary("~", two)) if symbol == "-" else binary(symbol, one, two)
            if fixed:
                return Symbol(mask, SetKind(kind.member, frozen=True))
            return FieldSet(mask, SetKind(kind.member))
        mine, theirs = self.members(left), self.members(right)
        match symbol:
            case "|":
                return Members([*mine, *theirs], fixed)
            case "&":
                both = [(binary("and", there, self.contains(right, each)), each) for there, each in mine]
                return Members(both, fixed)
            case "-":
                return Members(self._without(mine, right), fixed)
            case "^":
                return Members([*self._without(mine, right), *self._without(theirs, left)], fixed)
        raise self.error(f"sets have no {symbol}")

    def _without(self, items: list[tuple[Expression, Any]], other: Any) -> list[tuple[Expression, Any]]:
        return [(binary("and", there, unary("not", self.contains(other, each))), each) for there, each in items]

    def _masks(self, left: Any, right: Any) -> tuple[Expression, Expression] | None:
        """Both as masks over the same members, where they can be."""
        kinds = [each.kind for each in (left, right) if isinstance(each, FieldSet | Symbol)]
        kind = next((each for each in kinds if isinstance(each, SetKind)), None)
        if kind is None:
            return None
        one, two = self.mask(left, kind), self.mask(right, kind)
        return None if one is None or two is None else (one, two)

    def mask(self, value: Any, kind: SetKind) -> Expression | None:
        """A set as a mask over the members of a kind; None where it may have others."""
        match value:
            case FieldSet(mask, own) | Symbol(mask, SetKind() as own):
                return mask if own.member == kind.member else None
            case Members(items):
                result: Expression = Constant(0)
                for there, member in items:
                    bit = self._bit(member, kind)
                    if bit is None:
                        return None
                    if there != TRUE:
                        bit = Conditional(there, bit, Constant(0))
                    result = binary("|", result, bit)
                return result
            case set() | frozenset():
                return self.mask(Members([(TRUE, each) for each in value]), kind)
        return None

    def _bit(self, member: Any, kind: SetKind) -> Expression | None:
        if is_known(member):
            position = kind.bit(member)
            return None if position is None else Constant(1 << position)
        symbol = self.scalar(member)
        if symbol is None or isinstance(symbol.kind, OptionalKind | SetKind):
            return None
        result: Expression | None = None
        for position, each in enumerate(kind.universe):
            test = self.equal(symbol, each)
            bit = Constant(1 << position)
            result = bit if result is None else Conditional(test, bit, result)
        if isinstance(symbol.kind, EnumKind) and symbol.kind == kind.member:
            return result  # the place it lies in may be shared with messages of other types, and wider
        low, high = self.path.bounds(symbol.expression)
        codes = [kind.member.encode(each) for each in kind.universe]
        return result if all(code in codes for code in range(low, min(high, low + 64) + 1)) else None


def is_set(value: Any) -> bool:
    return isinstance(value, set | frozenset | Members | FieldSet) or (
        isinstance(value, Symbol) and isinstance(value.kind, SetKind)
    )


def is_frozen(value: Any) -> bool:
    """Whether a set is a frozenset."""
    return (
        isinstance(value, frozenset)
        or (isinstance(value, Members) and value.frozen)
        or (isinstance(value, Symbol) and isinstance(value.kind, SetKind))
    )


def _is_sequence(value: Any) -> bool:
    return isinstance(value, list | tuple | FieldList)


def _listed(value: Any) -> Any:
    return value.elements if isinstance(value, FieldList) else value


def elements_of(value: Any) -> list[Any]:
    if is_long(value):
        raise NotHere(f"more than {MOST_ITERATIONS:,} elements of this range are gone through")
    if isinstance(value, CONSTANT):
        return [frozen(each) for each in value]
    return list(value.elements) if isinstance(value, FieldList) else list(value)
