"""Elements of lists and sets, some of which may be missing: indexing, loops, comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Any

from mule.frontends.actors.constants import Shared, SharedDict, frozen
from mule.frontends.actors.dicts import Dicts
from mule.frontends.actors.effort import MOST_ITERATIONS
from mule.frontends.actors.frames import Frame
from mule.frontends.actors.operators import elements_of, is_set
from mule.frontends.actors.paths import NeedsDecision
from mule.frontends.actors.processes import Process
from mule.frontends.actors.types import BoolKind, IntKind, OptionalKind, SetKind
from mule.frontends.actors.values import (
    Failing,
    FieldDict,
    FieldList,
    FieldSet,
    Items,
    Members,
    Stream,
    Symbol,
    View,
    is_known,
    type_name,
)
from mule.model.expressions import FALSE, TRUE, Constant, Expression
from mule.model.simplify import binary

Guarded = tuple[Expression, Any]

MOST_ROUNDS = 1000
MOST_KEYS = 64


class Iteration(Dicts):
    def evaluate(self, node: ast.expr, frame: Frame) -> Any:
        raise NotImplementedError

    def iterate(self, value: Any, ordered: bool = True) -> list[Guarded]:
        """The elements, each with the condition that it is there. `ordered`: whether it matters in which order those
        of a set come."""
        return list(self.stream(value, ordered))

    def stream(self, value: Any, ordered: bool = True) -> Iterator[Guarded]:
        """The elements one after the other, as they are when they are asked for."""
        match value:
            case Stream():
                return self._consumed(value)
            case Items(items):
                return iter(items)
            case Members() | FieldSet() | Symbol(_, SetKind()) | set() | frozenset():
                return self._of_set(value) if ordered else iter(self._listed(value))
            case Shared():
                return ((TRUE, frozen(each)) for each in value)
            case FieldList(_, _, elements):
                return self._of_list(elements)
            case list():
                return self._of_list(value)
            case dict():
                return self._of_dict(value, "keys")
            case FieldDict():
                return self.of_field_dict(value, "keys", ordered)
            case View(FieldDict() as owner, what):
                return self.of_field_dict(owner, what, ordered)
            case View(dict() as owner, what):
                if id(owner) in self.made_into:
                    return self.of_field_dict(self.made_into[id(owner)][1], what, ordered)
                return self._of_dict(owner, what)
            case tuple() | range():
                return self._of_many(value)
        if isinstance(value, type) and issubclass(value, Enum):
            return ((TRUE, each) for each in value)
        raise self.error(f"{type_name(value)} cannot be iterated: use a list, a tuple, a range or a set")

    def streamed(self, items: Iterator[Guarded], what: str) -> Stream:
        return Stream(items, self.path.circumstances, what)

    def _consumed(self, stream: Stream) -> Iterator[Guarded]:
        while True:
            self.path.consume(stream.made)
            try:
                found = next(stream.items)
            except StopIteration:
                return
            yield found

    def _of_many(self, values: Sequence[Any]) -> Iterator[Guarded]:
        for position, each in enumerate(values):
            if position == MOST_ITERATIONS:
                raise self.error(f"more than {MOST_ITERATIONS:,} elements of this {type_name(values)} are gone through")
            yield TRUE, each

    def _of_list(self, elements: list[Any]) -> Iterator[Guarded]:
        """By position, as Python does: elements that are added on the way are met as well."""
        position = 0
        while position < len(elements):
            yield TRUE, elements[position]
            position += 1
            if position > MOST_ROUNDS:
                raise self.error(f"more than {MOST_ROUNDS} elements: {self.bounded}")

    def _of_dict(self, owner: dict[Any, Any], what: str) -> Iterator[Guarded]:
        keys = list(owner)
        for key in keys:
            value = frozen(owner[key]) if isinstance(owner, SharedDict) else owner[key]
            yield TRUE, key if what == "keys" else value if what == "values" else (key, value)
            if list(owner) != keys:
                raise self.error("this dict changes while its keys are gone through: go through list(…) of them")

    def _of_set(self, value: Any) -> Iterator[Guarded]:
        """In any order: Python does not say in which one, so every one is tried where it could matter."""
        before = self._contents(value)
        members = [each for there, each in self._listed(value) if self.path.decide(there)]
        while members:
            chosen = 0
            if len(members) > 1:
                chosen = self.path.choose(len(members))
                self.path.permuted = True
            yield TRUE, members.pop(chosen)
            if self._contents(value) != before:
                raise self.error("this set changes while its members are gone through: go through sorted(…) of them")

    def _contents(self, value: Any) -> Any:
        match value:
            case FieldSet(mask):
                return mask
            case Members(items):
                return list(items) if value.became is None else value.became.mask
        return None

    def _listed(self, value: Any) -> list[Guarded]:
        if isinstance(value, set | frozenset):
            return [(TRUE, each) for each in self.in_order(value)]
        return self.distinct(value)

    def contains(self, container: Any, value: Any) -> Expression:
        if isinstance(container, Stream):
            for there, each in self.stream(container):
                if self.path.decide(there) and self.path.decide(self.equal(each, value)):
                    return TRUE
            return FALSE
        if isinstance(container, View) and isinstance(container.owner, FieldDict):
            return super().contains(Items(tuple(self.stream(container, ordered=False))), value)
        if isinstance(container, View):
            return super().contains([each for _, each in self.stream(container)], value)
        return super().contains(container, value)

    def key(self, value: Any) -> Any:
        """The key of a dict: a known one, by deciding."""
        self.hashable(value)
        if isinstance(value, Symbol):
            if isinstance(value.kind, SetKind):
                raise self.error("a set that only the run knows is no key: use a number")
            if isinstance(value.kind, OptionalKind):
                if self.path.decide(self.equal(value, None)):
                    return None
                value = Symbol(value.expression, value.kind.inner)
            low, high = self.path.bounds(value.expression)
            if isinstance(value.kind, IntKind | BoolKind) and high - low >= MOST_KEYS:
                raise self.error("a key that only the run knows, without bounds: give it a Range type")
            values = value.kind.values() if not isinstance(value.kind, IntKind) else list(range(low, high + 1))
            for each in values[:-1]:
                if self.path.decide(self.equal(value, each)):
                    return each
            return values[-1]
        if isinstance(value, tuple) and not is_known(value):
            return tuple(self.key(each) for each in value)
        if not is_known(value):
            raise self.error(f"{type_name(value)} is no key: use a number, an enum or a tuple of them")
        self._comparable(value)
        return value

    def in_order(self, values: set[Any] | frozenset[Any]) -> list[Any]:
        """The members of a known set, in the order of numbers, of processes, or of an enum."""

        def rank(value: Any) -> Any:
            if isinstance(value, Process):
                return next(number for number, each in enumerate(self.processes) if each is value)
            return list(type(value)).index(value) if isinstance(value, Enum) else value

        try:
            return sorted(values, key=rank)
        except (TypeError, StopIteration):
            raise self.error("a set of values of different types") from None

    def settled(self, value: Any) -> list[Any]:
        """The elements that are there, by deciding."""
        return [each for there, each in self.iterate(value) if self.path.decide(there)]

    def under(self, condition: Expression, evaluate: Callable[[], Any]) -> Guarded | None:
        """A value where a condition holds, and the condition; None where it cannot hold."""
        known = self.path.truth(condition)
        if known is None:
            try:
                with self.path.supposing(condition):
                    return condition, evaluate()
            except (NeedsDecision, Failing):
                known = self.path.decide(condition)
        return (TRUE, evaluate()) if known else None

    def bindings(
        self,
        generators: Sequence[ast.comprehension],
        frame: Frame,
        condition: Expression = TRUE,
        first: Any = None,
        ordered: bool = True,
    ) -> Iterator[tuple[Expression, Frame]]:
        """For each round of a comprehension the condition that it takes place, and the names in it. `first` is what it
        goes through, if that is already known; see `iterate` for `ordered`."""
        if not generators:
            yield condition, frame
            return
        generator, rest = generators[0], generators[1:]
        if generator.is_async:
            raise self.error("`async for` cannot be compiled here")
        source = self.under(condition, lambda: self.evaluate(generator.iter, frame) if first is None else first)
        if source is None:
            return
        inner = Frame(frame.file, {}, frame, own=frozenset(_named(generator.target)))
        inner.comprehends = True
        uncertain = frame.comprehends
        inner.in_any_order = frame.in_any_order or (not ordered and _has_no_order(source[1]))
        try:
            for there, value in self.stream(source[1], ordered):
                uncertain = uncertain or there != TRUE
                self.bind(generator.target, value, inner)
                holds: Expression = binary("and", source[0], there)
                for test in generator.ifs:
                    with self.path.in_any_order(inner.in_any_order):
                        asked = self.under(holds, lambda test=test: self.truth(self.evaluate(test, inner)))  # type: ignore[misc]
                    holds = FALSE if asked is None else binary("and", asked[0], asked[1])
                if self.path.truth(holds) is not False:
                    yield from self.bindings(rest, inner, holds, ordered=ordered)
        finally:
            inner.over = uncertain

    def comprehended(
        self,
        element: ast.expr,
        generators: Sequence[ast.comprehension],
        frame: Frame,
        first: Any = None,
        ordered: bool = True,
    ) -> Iterator[Guarded]:
        for condition, inner in self.bindings(generators, frame, first=first, ordered=ordered):
            with self.path.in_any_order(inner.in_any_order):
                found = self.under(condition, lambda inner=inner: self.evaluate(element, inner))  # type: ignore[misc]
            if found is not None:
                yield found

    def gathered(self, items: Iterable[Guarded]) -> Members:
        """A set of values."""
        return Members([(there, self.hashable(each)) for there, each in items])

    def bind(self, target: ast.expr, value: Any, frame: Frame) -> None:
        """Give names their values, in a comprehension, a loop or an assignment."""
        match target:
            case ast.Name(name):
                frame.names[name] = self.tamed(value)
            case ast.Tuple(targets) | ast.List(targets):
                for each, part in self.spread(targets, value):
                    self.bind(each, part, frame)
            case _:
                raise self.error("only names can be bound here")

    def spread(self, targets: list[ast.expr], value: Any) -> list[tuple[ast.expr, Any]]:
        """The targets of an assignment, each with its part of the value; one of them may take all that is left."""
        starred = next((n for n, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
        if starred is None:
            return list(zip(targets, self.unpacked(value, len(targets)), strict=True))
        parts = self.settled(value)
        after = len(targets) - starred - 1
        if len(parts) < starred + after:
            raise Failing(f"ValueError: {len(parts)} values for at least {starred + after} names")
        star = targets[starred]
        assert isinstance(star, ast.Starred)
        end = len(parts) - after
        before = list(zip(targets[:starred], parts[:starred], strict=True))
        return [
            *before,
            (star.value, parts[starred:end]),
            *zip(targets[starred + 1 :], parts[end:], strict=True),
        ]

    def unpacked(self, value: Any, count: int) -> list[Any]:
        if isinstance(value, Symbol) and not isinstance(value.kind, SetKind):
            raise self.error(f"{type_name(value)} cannot be unpacked")
        parts = self.settled(value)
        if len(parts) != count:
            raise Failing(f"ValueError: {len(parts)} values for {count} names")
        return parts

    def element(self, owner: Any, index: Any) -> Any:
        if isinstance(owner, Items):
            owner = self.settled(owner)
        if isinstance(owner, FieldDict):
            return self.value_of(owner, index)
        if isinstance(owner, dict):
            return self._looked_up(owner, index)
        if not isinstance(owner, list | tuple | FieldList | range | str):
            raise self.error(f"{type_name(owner)} has no elements to index")
        if is_known(index):
            elements = owner.elements if isinstance(owner, FieldList) else owner
            found = self.natively(lambda: elements[self._comparable(index)])
            if isinstance(owner, Shared) and isinstance(index, slice):
                return [frozen(each) for each in found]
            return frozen(found) if isinstance(owner, Shared) else found
        elements = elements_of(owner)
        number = self.position(index, len(elements))
        result = elements[-1]
        for position in range(len(elements) - 2, -1, -1):
            result = self.select(binary("==", number, Constant(position)), elements[position], result)
        return result

    def position(self, index: Any, length: int) -> Expression:
        """An index of Python as a number from 0; an error of the model where it is out of range."""
        number = self.number(index, "as an index")
        inside = binary("and", binary(">=", number, Constant(-length)), binary("<", number, Constant(length)))
        if length == 0 or not self.path.decide(inside):
            raise Failing("IndexError: list index out of range")
        if self.path.bounds(number)[0] >= 0:
            return number
        negative = binary("<", number, Constant(0))
        return binary("+", number, binary("*", negative, Constant(length)))

    def _looked_up(self, owner: dict[Any, Any], key: Any) -> Any:
        self.hashable(key)
        if is_known(key):
            if self._comparable(key) not in owner:
                raise Failing(f"KeyError: {key!r}")
            return frozen(owner[key]) if isinstance(owner, SharedDict) else owner[key]
        if not self.path.decide(self.contains(list(owner), key)):
            raise Failing("KeyError")
        return self.chosen(owner, key)

    def chosen(self, owner: dict[Any, Any], key: Any) -> Any:
        """What a dict has for a key that is in it."""
        pairs = [(each, frozen(value) if isinstance(owner, SharedDict) else value) for each, value in owner.items()]
        result = pairs[-1][1]
        for each, value in pairs[-2::-1]:
            result = self.select(self.equal(key, each), value, result)
        return result


def _has_no_order(value: Any) -> bool:
    return is_set(value) or isinstance(value.owner if isinstance(value, View) else value, FieldDict)


def _named(target: ast.expr) -> Iterator[str]:
    return (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def sequence(items: Iterator[Guarded]) -> Any:
    """A list where all elements are there for sure."""
    found = list(items)
    if all(there == TRUE for there, _ in found):
        return [each for _, each in found]
    return Items(tuple(found))
