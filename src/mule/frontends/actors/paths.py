"""The paths through a handler: one run of the evaluator for each, and what is known on it.

The evaluator is a plain interpreter that asks `decide` where a condition is not known before the model runs. Each
question has two answers, and the handler is run again from its beginning for each combination of answers that can
be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from mule.frontends.actors.effort import VALUES_OF_A_STEP, Effort
from mule.frontends.actors.intervals import interval
from mule.frontends.actors.types import HIGH, LOW
from mule.model.expressions import COMPARISONS, MIRRORED, Binary, Constant, Expression, Unary, conjuncts, negation
from mule.model.simplify import binary, boolean, unary

Result = TypeVar("Result")

MOST_PATHS = 4096
MOST_EXCLUDED = 1_000
"""So many numbers are remembered that an expression is known not to be."""


class TooManyPaths(Exception):  # noqa: N818 - becomes a message with a place
    pass


class NeedsDecision(Exception):  # noqa: N818 - an answer, not an error
    """An expression cannot be written without taking a decision first."""


class OrderMatters(Exception):  # noqa: N818 - becomes a message with a place
    """Something changes on the way through a set, whose order means nothing."""


class Infeasible(Exception):  # noqa: N818 - an answer, not an error
    """What is assumed contradicts what is known: there is no such path."""


class Path:
    """The decisions of one run, those that are given first, then new ones."""

    def __init__(self, given: list[int], effort: Effort | None = None) -> None:
        """`effort`: what was done on other paths of the same step."""
        self._given = given
        self.effort = effort or Effort()
        self.taken: list[tuple[int, int]] = []
        """For each decision what was taken, and out of how many."""
        self.conditions: list[Expression] = []
        self._known: dict[Expression, bool] = {}
        self._bounds: dict[Expression, tuple[int, int, frozenset[int]]] = {}
        self._always: dict[Expression, tuple[int, int]] = {}
        self._suppositions: list[object] = []
        self._orderless = 0
        self.permuted = False
        """Whether an order of a set was chosen on it."""

    @property
    def speculating(self) -> bool:
        return bool(self._suppositions)

    @property
    def circumstances(self) -> tuple[object, int]:
        """What is supposed at the moment, and in how many comprehensions over sets."""
        return (self._suppositions[-1] if self._suppositions else None), self._orderless

    def effect(self) -> None:
        """Called before anything is changed."""
        self.consume((None, 0))

    def consume(self, made: tuple[object, int]) -> None:
        """Called before something is changed that was made under these circumstances: who was not there when it was
        made must not notice."""
        supposition, orderless = self.circumstances
        if supposition is not made[0]:
            raise NeedsDecision
        if orderless > made[1]:
            raise OrderMatters

    @contextmanager
    def in_any_order(self, orderless: bool) -> Iterator[None]:
        """Meanwhile nothing may change, if it is done for the members of a set in an order that nobody knows."""
        self._orderless += orderless
        try:
            yield
        finally:
            self._orderless -= orderless

    def decide(self, condition: Expression) -> bool:
        """Whether the condition holds on this path."""
        condition = boolean(condition)
        known = self.truth(condition)
        if known is not None:
            return known
        answer = self.choose(2) == 0
        self._learn(condition if answer else unary("not", condition))
        self.conditions.append(condition if answer else unary("not", condition))
        return answer

    def choose(self, options: int) -> int:
        """One of so many ways to go on."""
        if self.speculating:
            raise NeedsDecision
        position = len(self.taken)
        answer = self._given[position] if position < len(self._given) else 0
        self.taken.append((answer, options))
        return answer

    def settled(self, number: Expression, values: Sequence[int]) -> int:
        """Which of these values the number has on this path."""
        low, high, excluded = self._bounds_of(number)
        possible = [value for value in values if low <= value <= high and value not in excluded]
        if not possible:
            raise Infeasible
        self.effort.steps += (len(possible) - 1) // VALUES_OF_A_STEP  # again on each path, for the whole of a list
        value = possible[0] if low == high else possible[self.choose(len(possible))]
        self.assume(binary("==", number, Constant(value)))
        return value

    def assume(self, condition: Expression) -> None:
        """Go on only where the condition holds."""
        for part in conjuncts(boolean(condition)):
            known = self.truth(part)
            if known is None:
                self._learn(part)
                self.conditions.append(part)
            elif not known:
                raise Infeasible

    @contextmanager
    def supposing(self, condition: Expression) -> Iterator[None]:
        """Evaluate something under a condition, taking no decisions and changing nothing."""
        known, bounds = dict(self._known), dict(self._bounds)
        self._suppositions.append(object())
        try:
            self._learn(boolean(condition))
            yield
        finally:
            self._suppositions.pop()
            self._known, self._bounds = known, bounds

    @contextmanager
    def supposing_in_turn(self) -> Iterator[Callable[[Expression], None]]:
        """Evaluate one thing after the other, each under one condition more, as `supposing` does; the first of them
        under none. There may be very many."""
        known, bounds = self._known, self._bounds
        before = len(self._suppositions)

        def suppose(condition: Expression) -> None:
            if self._known is known:
                self._known, self._bounds = dict(known), dict(bounds)
            self._suppositions[before:] = [object()]
            self._learn(boolean(condition))

        try:
            yield suppose
        finally:
            del self._suppositions[before:]
            self._known, self._bounds = known, bounds

    # what is known ----------------------------------------------------------------------------------------------------

    def truth(self, condition: Expression) -> bool | None:
        if isinstance(condition, Constant):
            return condition.value != 0
        if condition in self._known:
            return self._known[condition]
        match condition:
            case Binary("and", left, right):
                first, second = self.truth(left), self.truth(right)
                if first is False or second is False:
                    return False
                return True if first and second else None
            case Binary("or", left, right):
                first, second = self.truth(left), self.truth(right)
                if first or second:
                    return True
                return False if first is False and second is False else None
            case Unary("not", operand):
                known = self.truth(operand)
                return None if known is None else not known
            case Binary(operator, left, Constant(value)) if operator in COMPARISONS:
                return self._compared(operator, left, value)
            case Binary(operator, Constant(value), right) if operator in COMPARISONS:
                return self._compared(MIRRORED[operator], right, value)
            case Binary(operator, left, right) if operator in COMPARISONS:
                return self._ordered(operator, left, right)
        return None

    def bounds(self, expression: Expression) -> tuple[int, int]:
        low, high, _ = self._bounds_of(expression)
        return low, high

    def _bounds_of(self, expression: Expression) -> tuple[int, int, frozenset[int]]:
        known = self._bounds.get(expression)
        if known is None:
            low, high = interval(expression)
            least, most = self._always.get(expression, (low, high))
            known = max(low, least), min(high, most), frozenset()
        term, offset = self._without_offset(expression, 0)
        if term is not expression:
            low, high, _ = self._bounds_of(term)
            known = max(known[0], low - offset), min(known[1], high - offset), known[2]
        return known

    def _without_offset(self, expression: Expression, value: int) -> tuple[Expression, int]:
        """`x + 2 < 5` is `x < 3`, unless the sum can leave the integers of the model."""
        match expression:
            case Binary("+" | "+!", term, Constant(offset)):
                pass
            case Binary("-" | "-!", term, Constant(subtracted)):
                offset = -subtracted
            case _:
                return expression, value
        low, high, _ = self._bounds_of(term)
        fits = low + offset >= LOW and high + offset <= HIGH and LOW <= value - offset <= HIGH
        return (term, value - offset) if fits else (expression, value)

    def note(self, expression: Expression, low: int, high: int) -> None:
        """Bounds that an expression has in every state, though its shape does not tell."""
        if not isinstance(expression, Constant):
            self._always[expression] = low, high

    def _compared(self, operator: str, expression: Expression, value: int) -> bool | None:
        known = self._compared_as_it_is(operator, expression, value)
        term, shifted = self._without_offset(expression, value)
        return known if known is not None or term is expression else self._compared_as_it_is(operator, term, shifted)

    def _compared_as_it_is(self, operator: str, expression: Expression, value: int) -> bool | None:
        low, high, excluded = self._bounds_of(expression)
        match operator:
            case "==" | "!=":
                if not low <= value <= high or value in excluded:
                    return operator == "!="
                return operator == "==" if low == high else None
            case "<" | ">=":
                return operator == "<" if high < value else operator == ">=" if low >= value else None
            case _:
                return operator == "<=" if high <= value else operator == ">" if low > value else None

    def _ordered(self, operator: str, left: Expression, right: Expression) -> bool | None:
        (a, b), (c, d) = self.bounds(left), self.bounds(right)
        if b < c:
            return operator in ("<", "<=", "!=")
        if a > d:
            return operator in (">", ">=", "!=")
        if b == c and operator in ("<=", ">"):
            return operator == "<="
        if a == d and operator in (">=", "<"):
            return operator == ">="
        return None

    def _learn(self, condition: Expression) -> None:
        if isinstance(condition, Constant):
            return
        self._known[condition] = True
        opposite = negation(condition)
        self._known[opposite] = False
        match condition:
            case Binary("and", left, right):
                self._learn(left)
                self._learn(right)
            case Unary("not", Binary("or", left, right)):
                self._learn(unary("not", left))
                self._learn(unary("not", right))
            case Binary(operator, left, Constant(value)) if operator in COMPARISONS:
                self._bound(operator, left, value)
            case Binary(operator, Constant(value), right) if operator in COMPARISONS:
                self._bound(MIRRORED[operator], right, value)

    def _bound(self, operator: str, expression: Expression, value: int) -> None:
        term, shifted = self._without_offset(expression, value)
        if term is not expression:
            self._bound(operator, term, shifted)
        low, high, excluded = self._bounds_of(expression)
        match operator:
            case "==":
                low = high = value
            case "!=":
                excluded |= {value} if len(excluded) < MOST_EXCLUDED else set()
            case "<":
                high = min(high, value - 1)
            case "<=":
                high = min(high, value)
            case ">":
                low = max(low, value + 1)
            case ">=":
                low = max(low, value)
        while low in excluded and low <= high:
            low += 1
        while high in excluded and low <= high:
            high -= 1
        self._bounds[expression] = low, high, excluded


def explore(run: Callable[[Path], Result]) -> Iterator[tuple[Path, Result]]:
    """All paths, each with what the run on it gave."""
    pending: list[list[int]] = [[]]
    paths, effort = 0, Effort()
    while pending:
        given = pending.pop()
        path = Path(given, effort)
        paths += 1
        if paths > MOST_PATHS:
            raise TooManyPaths
        result: Result | None
        try:
            result = run(path)
        except Infeasible:
            result = None
        answers = [answer for answer, _ in path.taken]
        for position in range(len(path.taken) - 1, len(given) - 1, -1):
            pending += [[*answers[:position], other] for other in range(path.taken[position][1] - 1, 0, -1)]
        if result is not None:
            yield path, result
