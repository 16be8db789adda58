"""The functions of Python that handlers can call with values that only the run knows."""

from __future__ import annotations

import ast
import types
import typing
from collections.abc import Iterator
from enum import Enum
from itertools import islice
from typing import Any

from mule.frontends.actors.constants import Shared, SharedDict, SharedSet
from mule.frontends.actors.effort import MOST_ITERATIONS
from mule.frontends.actors.expressions import Expressions
from mule.frontends.actors.frames import Frame
from mule.frontends.actors.intervals import interval
from mule.frontends.actors.iteration import Guarded, sequence
from mule.frontends.actors.operators import elements_of
from mule.frontends.actors.purity import shown_by
from mule.frontends.actors.types import (
    BOOL,
    HIGH,
    INT,
    BoolKind,
    EnumKind,
    IntKind,
    OptionalKind,
    ProcessKind,
    SetKind,
)
from mule.frontends.actors.values import (
    SYMBOLIC,
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
    classes_within,
    is_known,
    type_name,
)
from mule.model.expressions import FALSE, TRUE, Conditional, Constant, Expression
from mule.model.simplify import binary, boolean, unary

_ABSENT = object()


class Functions(Expressions):
    def _quantified(self, disjunction: bool, node: ast.GeneratorExp, frame: Frame) -> Any:
        """any and all: an element is evaluated only where those before it do not decide."""
        open_so_far: Expression = TRUE
        for condition, inner in self.bindings(node.generators, frame, ordered=False):
            here = binary("and", open_so_far, condition)
            try:
                with self.path.in_any_order(inner.in_any_order):
                    found = self.under(here, lambda inner=inner: self.truth(self.evaluate(node.elt, inner)))  # type: ignore[misc]
            except Failing as failure:
                if inner.in_any_order:
                    message = "it hangs on the order of the set, which nobody knows, whether this is evaluated at all"
                    raise self.error(f"{failure.text}: {message}. Write a list") from None
                raise
            if found is None:
                continue
            settles = found[1] if disjunction else unary("not", found[1])
            if found[0] == TRUE and here != TRUE:
                open_so_far = TRUE  # it was decided that all before leave it open
            reached = binary("and", condition, settles) if found[0] != TRUE else settles
            open_so_far = binary("and", open_so_far, unary("not", reached))
            if self.path.truth(open_so_far) is False:
                return disjunction
        return self.boolean(unary("not", open_so_far) if disjunction else open_so_far)

    def _any(self, values: Any, /) -> Any:
        if isinstance(values, Stream):
            return any(self.path.decide(binary("and", c, self.truth(each))) for c, each in self.stream(values))
        parts = [binary("and", c, self.truth(each)) for c, each in self.iterate(values, ordered=False)]
        return self.boolean(self.any_of(parts))

    def _all(self, values: Any, /) -> Any:
        if isinstance(values, Stream):
            return not any(
                self.path.decide(binary("and", c, unary("not", self.truth(each)))) for c, each in self.stream(values)
            )
        items = self.iterate(values, ordered=False)
        false = [binary("and", there, unary("not", self.truth(each))) for there, each in items]
        return self.boolean(unary("not", self.any_of(false)))

    def _len(self, value: Any, /) -> Any:
        if isinstance(value, list | tuple | dict | set | frozenset | range | str | bytes):
            return self.natively(len, value)
        if isinstance(value, type) and issubclass(value, Enum):
            return len(value)
        if isinstance(value, Stream) or not isinstance(value, SYMBOLIC):
            raise self.error(f"{type_name(value)} has no length: write list(…)")
        return self._sum(Items(tuple((there, 1) for there, _ in self.iterate(value, ordered=False))))

    def _sum(self, values: Any, /, start: Any = 0) -> Any:
        total = start
        for there, each in self.iterate(values, ordered=False):
            if isinstance(each, list | tuple | str) or isinstance(start, list | tuple | str):
                raise self.error("sum is for numbers: join lists with +")
            if there == TRUE:
                total = self.arithmetic(ast.Add(), total, each)
            elif is_known(each) and each == 1:
                total = self.arithmetic(ast.Add(), total, Symbol(boolean(there), BOOL))
            else:
                found = self.under(there, lambda each=each: self.number(each, "in sum"))  # type: ignore[misc]
                if found is not None:
                    counted = found[1] if found[0] == TRUE else Conditional(found[0], found[1], Constant(0))
                    total = self.arithmetic(ast.Add(), total, Symbol(counted, INT))
        return total

    def _max(self, *values: Any, key: Any = None, default: Any = _ABSENT) -> Any:
        return self._extreme(ast.Gt(), "max", values, key, default)

    def _min(self, *values: Any, key: Any = None, default: Any = _ABSENT) -> Any:
        return self._extreme(ast.Lt(), "min", values, key, default)

    def _extreme(self, order: ast.cmpop, name: str, values: tuple[Any, ...], key: Any, default: Any) -> Any:
        """The first of those that no other beats, as in Python."""
        if len(values) > 1 and default is not _ABSENT:
            raise self.error(f"{name} of several values has no default")
        ordered = key is not None
        items = self.iterate(values[0], ordered) if len(values) == 1 else [(TRUE, each) for each in values]
        found: Expression = FALSE
        best: Any = None
        best_rank: Any = None
        for condition, value in items:
            ranked = self.under(
                condition,
                lambda value=value: value if key is None else self.apply(key, [value], {}),  # type: ignore[misc]
            )
            if ranked is None:
                continue
            there, rank = ranked
            if found == FALSE:
                found, best, best_rank = there, value, rank
                continue
            both = binary("and", there, found)
            compared = self.under(both, lambda r=rank, b=best_rank: self.ordered(order, r, b))  # type: ignore[misc]
            if compared is not None and compared[0] == TRUE:
                takes = compared[1]
            else:
                beats = FALSE if compared is None else compared[1]
                takes = binary("and", there, binary("or", unary("not", found), beats))
            best, best_rank = self.select(takes, value, best), self.select(takes, rank, best_rank)
            found = binary("or", found, there)
        if default is not _ABSENT:
            return default if found == FALSE else self.select(found, best, default)
        if not self.path.decide(found):
            raise Failing(f"ValueError: {name}() of nothing")
        return best

    def _list(self, values: Any = (), /) -> Any:
        return sequence(self.stream(values))

    def _tuple(self, values: Any = (), /) -> Any:
        return tuple(self.settled(values))

    def _set(self, values: Any = (), /) -> Any:
        if isinstance(values, FieldSet) or (isinstance(values, Symbol) and isinstance(values.kind, SetKind)):
            mask = values.mask if isinstance(values, FieldSet) else values.expression
            assert isinstance(values.kind, SetKind)
            return FieldSet(mask, SetKind(values.kind.member))
        return self.gathered(self.iterate(values, ordered=False))

    def _frozenset(self, values: Any = (), /) -> Any:
        if is_known(values) and isinstance(values, list | tuple | set | frozenset):
            return frozenset(self._comparable(self.hashable(each)) for each in values)
        if isinstance(values, FieldSet):
            return Symbol(values.mask, SetKind(values.kind.member, frozen=True))
        if isinstance(values, Symbol) and isinstance(values.kind, SetKind):
            return values
        return Members(self.gathered(self.iterate(values, ordered=False)).items, frozen=True)

    def _dict(self, values: Any = (), /, **named: Any) -> Any:
        if isinstance(values, dict):
            return {**values, **named}
        pairs = [self.unpacked(each, 2) for each in self.settled(values)]
        found = {}
        for key, value in pairs:
            found[self.key(key)] = value
        return found | named

    def _bool(self, value: Any = False, /) -> Any:
        return self.boolean(self.truth(value))

    def _int(self, value: Any = 0, /) -> Any:
        if is_known(value):
            return self.natively(int, self._plain(value, "int"))
        return Symbol(self.number(value, "in int()"), INT)

    def _abs(self, value: Any, /) -> Any:
        if is_known(value):
            return self.natively(abs, self._plain(value, "abs"))
        number = self.number(value, "in abs()")
        negative = binary("<", number, Constant(0))
        result = self.select(negative, self.arithmetic(ast.Sub(), 0, value), Symbol(number, INT))
        low, high = interval(number)
        if isinstance(result, Symbol):
            self.path.note(result.expression, 0, min(max(abs(low), abs(high)), HIGH))
        return result

    def _range(self, *bounds: Any) -> Any:
        """Where the end hangs on the run, all numbers that it can come to, each with its condition."""
        if all(is_known(each) for each in bounds):
            return self.natively(range, *(self._plain(each, "range") for each in bounds))
        if len(bounds) > 2:
            raise self.error("the step of a range must be known before the run")
        low = bounds[0] if len(bounds) == 2 else 0
        start, stop = self.number(low, "in range"), self.number(bounds[-1], "in range")
        first, last = self.path.bounds(start)[0], self.path.bounds(stop)[1]
        if last - first > 64:
            raise self.error("this range has no bounds that are known before the run: give its end a Range type")
        return Items(
            tuple(
                (binary("and", binary("<=", start, Constant(n)), binary("<", Constant(n), stop)), n)
                for n in range(first, last)
            ),
            "range",
        )

    # what is computed when it is asked for ----------------------------------------------------------------------------

    def settling(self, values: Any) -> Iterator[Any]:
        """The elements that are there, one after the other, by deciding."""
        return (each for there, each in self.stream(values) if self.path.decide(there))

    def _enumerate(self, values: Any, start: int = 0) -> Any:
        source = self.settling(values)
        numbered = ((TRUE, (self.arithmetic(ast.Add(), start, n), each)) for n, each in enumerate(source))
        return self.streamed(numbered, "enumerate")

    def _zip(self, *values: Any, strict: bool = False) -> Any:
        sources = [self.settling(each) for each in values]
        return self.streamed(self._zipped(sources, bool(strict)), "zip")

    def _zipped(self, sources: list[Iterator[Any]], strict: bool) -> Iterator[Guarded]:
        iterator = zip(*sources, strict=strict)
        while True:
            try:
                found = next(iterator)
            except StopIteration:
                return
            except ValueError as error:
                raise Failing(f"ValueError: {error}") from None
            yield TRUE, found

    def _map(self, function: Any, values: Any, /, *more: Any) -> Any:
        sources = [self.settling(each) for each in (values, *more)]
        given = zip(*sources, strict=False)
        return self.streamed(((TRUE, self.apply(function, list(each), {})) for each in given), "map")

    def _filter(self, function: Any, values: Any, /) -> Any:
        def holds(each: Any) -> Expression:
            return self.truth(each if function is None else self.apply(function, [each], {}))

        kept = ((TRUE, each) for each in self.settling(values) if self.path.decide(holds(each)))
        return self.streamed(kept, "filter")

    def _reversed(self, values: Any, /) -> Any:
        if isinstance(values, Items):
            values = self.settled(values)
        if isinstance(values, Shared | tuple | range | dict):
            return self.streamed(((TRUE, each) for each in elements_of(values)[::-1]), "reversed")
        if not isinstance(values, list | FieldList):
            raise self.error(f"reversed needs a list, a tuple or a range, not {type_name(values)}")
        elements = values.elements if isinstance(values, FieldList) else values
        return self.streamed(_backwards(elements), "reversed")

    def _iter(self, values: Any, /) -> Any:
        return values if isinstance(values, Stream) else self.streamed(self.stream(values), "iterator")

    def _next(self, stream: Any, default: Any = _ABSENT, /) -> Any:
        if not isinstance(stream, Stream):
            raise self.error(f"next needs an iterator of this handler, not {type_name(stream)}: use a list")
        for there, each in self.stream(stream):
            if self.path.decide(there):
                return each
        if default is _ABSENT:
            raise Failing("StopIteration")
        return default

    def _chain(self, *values: Any) -> Any:
        return self.streamed((item for each in values for item in self.stream(each)), "chain")

    def _arranged(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        """itertools.product and its like, which go through all that they are given at once."""
        lists = [self.settled(each) if not isinstance(each, int) else each for each in arguments]
        if not all(is_known(each) for each in (*named.values(), *(n for n in lists if not isinstance(n, list)))):
            raise self.error(f"{function.__name__} needs numbers that are known before the run")
        sizes = [each for each in (*lists, *named.values()) if isinstance(each, int)]
        if any(each > MOST_ITERATIONS for each in sizes):
            raise self.error(f"{function.__name__} of {max(sizes):,} elements at a time cannot be gone through")
        found = self.natively(lambda: list(islice(function(*lists, **named), MOST_ITERATIONS + 1)))
        if len(found) > MOST_ITERATIONS:
            raise self.error(f"more than {MOST_ITERATIONS:,} elements of this {function.__name__} are gone through")
        return self.streamed(((TRUE, each) for each in found), function.__name__)

    def _reduce(self, function: Any, values: Any, initial: Any = _ABSENT, /) -> Any:
        result = initial
        for each in self.settling(values):
            result = each if result is _ABSENT else self.apply(function, [result, each], {})
        if result is _ABSENT:
            raise Failing("TypeError: reduce() of an empty sequence with no initial value")
        return result

    def _sorted(self, values: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
        elements = [each for there, each in self.iterate(values, key is not None) if self.path.decide(there)]
        ranks = [each if key is None else self.apply(key, [each], {}) for each in elements]
        if not all(is_known(rank) for rank in (*ranks, reverse)):
            raise self.error("sorted needs values that are known before the run: use min, max, any, all or sum")
        for rank in ranks:
            self._plain(rank, "sorted")
        order = self.natively(lambda: sorted(range(len(elements)), key=lambda n: ranks[n], reverse=reverse))
        return [elements[n] for n in order]

    def _divmod(self, left: Any, right: Any, /) -> Any:
        return self.arithmetic(ast.FloorDiv(), left, right), self.arithmetic(ast.Mod(), left, right)

    # types ------------------------------------------------------------------------------------------------------------

    def _type(self, value: Any, /) -> Any:
        found = self.type_of(value)
        if found is None:
            raise self.error("the type of this value is not known before the run")
        return found

    def type_of(self, value: Any) -> type | None:
        """The class of a value, where it is the same in every run."""
        match value:
            case Record(cls):
                return cls
            case Symbol(_, BoolKind()):
                return bool
            case Symbol(_, EnumKind(cls)):
                return cls
            case Symbol(_, SetKind()):
                return frozenset
            case Symbol(expression, OptionalKind(inner)):
                none = self.path.decide(self.equal(value, None))
                return types.NoneType if none else self.type_of(Symbol(expression, inner))
            case Symbol(_, ProcessKind()):
                return type(self.settled_value(value))
            case Symbol() | Stream() | View() | Closure() | Operation() | Method():
                return None
            case FieldList() | Shared() | Items(what="list"):
                return list
            case Items():
                return range
            case SharedDict() | FieldDict():
                return dict
            case FieldSet() | SharedSet():
                return set
            case Members(frozen=fixed):
                return frozenset if fixed else set
        return type(value)

    def _isinstance(self, value: Any, classes: Any, /) -> bool:
        if isinstance(value, Symbol) and isinstance(value.kind, OptionalKind):
            none = self.path.decide(self.equal(value, None))
            value = None if none else Symbol(value.expression, value.kind.inner)
        wanted = _classes(classes)
        if any(not isinstance(each, type) or type(each).__module__ not in _METACLASSES for each in wanted):
            raise self.error("isinstance needs classes whose instances are known before the run")
        if isinstance(value, Symbol) and isinstance(value.kind, IntKind):
            if bool in wanted and int not in wanted:
                raise self.error("a number may come from a truth value: declare the field as bool, and compare with ==")
            return any(issubclass(int, each) for each in wanted)
        found = self.type_of(value)
        if found is None:
            raise self.error("isinstance needs a value whose type is known before the run")
        return issubclass(found, tuple(wanted))

    def _print(self, *values: Any, sep: Any = None, end: Any = None, flush: Any = False, **more: Any) -> None:
        """Nothing is printed, but what would be is evaluated: that may fail."""
        if more:
            raise self.error(f"print cannot be given {', '.join(more)} here: a model has no files")
        if any(separator is not None and not isinstance(separator, str) for separator in (sep, end)):
            raise self.error("sep and end of print are texts")
        for cls in classes_within((*values, flush)):
            if (written := shown_by(cls)) is not None:
                raise self.error(
                    f"{cls.__name__} has a {written} of its own, which a model does not run: print its fields"
                )


def _backwards(elements: list[Any]) -> Iterator[Guarded]:
    """By position, as Python does, while the list may change."""
    position = len(elements) - 1
    while 0 <= position < len(elements):
        yield TRUE, elements[position]
        position -= 1


def _classes(given: Any) -> list[Any]:
    if isinstance(given, tuple):
        return [each for part in given for each in _classes(part)]
    return list(typing.get_args(given)) if isinstance(given, types.UnionType) else [given]


_METACLASSES = frozenset({"builtins", "enum", "abc", "typing"})
