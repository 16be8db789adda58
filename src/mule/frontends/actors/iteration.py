"""Elements of lists and sets, some of which may be missing: indexing, loops, comprehensions."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Any

from mule.frontends.actors.coercion import Coercion
from mule.frontends.actors.frames import Frame, Shared, frozen
from mule.frontends.actors.operators import elements_of
from mule.frontends.actors.paths import NeedsDecision
from mule.frontends.actors.processes import Process
from mule.frontends.actors.types import SetKind
from mule.frontends.actors.values import (
    Failing,
    FieldList,
    FieldSet,
    Items,
    Members,
    Symbol,
    is_known,
    type_name,
)
from mule.model.expressions import FALSE, TRUE, Constant, Expression
from mule.model.simplify import binary

Guarded = tuple[Expression, Any]


class Iteration(Coercion):
    def evaluate(self, node: ast.expr, frame: Frame) -> Any:
        raise NotImplementedError

    def iterate(self, value: Any) -> list[Guarded]:
        """The elements, each with the condition that it is there."""
        match value:
            case Items(items):
                return list(items)
            case Members() | FieldSet() | Symbol(_, SetKind()):
                return self.distinct(value)
            case set() | frozenset():
                return [(TRUE, each) for each in self.in_order(value)]
            case Shared():
                return [(TRUE, frozen(each)) for each in value]
            case list() | tuple() | range() | FieldList() | dict() | types.MappingProxyType():
                return [(TRUE, each) for each in elements_of(value)]
        if isinstance(value, type) and issubclass(value, Enum):
            return [(TRUE, each) for each in value]
        raise self.error(f"{type_name(value)} cannot be iterated: use a list, a tuple, a range or a set")

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
        self, generators: Sequence[ast.comprehension], frame: Frame, condition: Expression = TRUE
    ) -> Iterator[tuple[Expression, Frame]]:
        """For each round of a comprehension the condition that it takes place, and the names in it."""
        if not generators:
            yield condition, frame
            return
        first, rest = generators[0], generators[1:]
        source = self.under(condition, lambda: self.evaluate(first.iter, frame))
        if source is None:
            return
        for there, value in self.iterate(source[1]):
            inner = Frame(frame.file, {}, frame)
            self.bind(first.target, value, inner)
            holds: Expression = binary("and", source[0], there)
            for test in first.ifs:
                asked = self.under(holds, lambda test=test, inner=inner: self.truth(self.evaluate(test, inner)))  # type: ignore[misc]
                holds = FALSE if asked is None else binary("and", asked[0], asked[1])
            if self.path.truth(holds) is not False:
                yield from self.bindings(rest, inner, holds)

    def comprehended(
        self, element: ast.expr, generators: Sequence[ast.comprehension], frame: Frame
    ) -> Iterator[Guarded]:
        for condition, inner in self.bindings(generators, frame):
            found = self.under(condition, lambda inner=inner: self.evaluate(element, inner))  # type: ignore[misc]
            if found is not None:
                yield found

    def gathered(self, items: Iterator[Guarded] | list[Guarded]) -> Any:
        """A set of values."""
        found = list(items)
        if all(there == TRUE and is_known(each) for there, each in found):
            return {each for _, each in found}
        return Members(found)

    def bind(self, target: ast.expr, value: Any, frame: Frame) -> None:
        """Give names their values, in a comprehension, a loop or an assignment."""
        match target:
            case ast.Name(name):
                frame.names[name] = self.tamed(value)
            case ast.Tuple(targets) | ast.List(targets):
                parts = self.unpacked(value, len(targets))
                for each, part in zip(targets, parts, strict=True):
                    self.bind(each, part, frame)
            case _:
                raise self.error("only names can be bound here")

    def unpacked(self, value: Any, count: int) -> list[Any]:
        parts = self.settled(value)
        if len(parts) != count:
            raise Failing(f"ValueError: {len(parts)} values for {count} names")
        return parts

    def element(self, owner: Any, index: Any) -> Any:
        if isinstance(owner, Items):
            owner = self.settled(owner)
        if isinstance(owner, dict | types.MappingProxyType) and not is_known(index):
            return self._looked_up(owner, index)
        if not isinstance(owner, list | tuple | FieldList | range | dict | types.MappingProxyType | str):
            raise self.error(f"{type_name(owner)} has no elements to index")
        if is_known(index):
            elements = owner.elements if isinstance(owner, FieldList) else owner
            found = self.natively(lambda: elements[index])
            return frozen(found) if isinstance(owner, Shared | types.MappingProxyType) else found
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
        if not self.path.decide(inside):
            raise Failing("IndexError: list index out of range")
        if self.path.bounds(number)[0] >= 0:
            return number
        negative = binary("<", number, Constant(0))
        return binary("+", number, binary("*", negative, Constant(length)))

    def _looked_up(self, owner: Any, key: Any) -> Any:
        if not self.path.decide(self.contains(list(owner), key)):
            raise Failing("KeyError")
        pairs = list(owner.items())
        result = frozen(pairs[-1][1])
        for each, value in pairs[-2::-1]:
            result = self.select(self.equal(key, each), frozen(value), result)
        return result


def sequence(items: Iterator[Guarded]) -> Any:
    """A list where all elements are there for sure."""
    found = list(items)
    if all(there == TRUE for there, _ in found):
        return [each for _, each in found]
    return Items(tuple(found))
