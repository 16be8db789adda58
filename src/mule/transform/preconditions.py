"""What a predicate over the state after some statements says of the state before them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from mule.model.domains import Domains
from mule.model.expressions import Binary, Conditional, Constant, Expression, Read, Unary, Undefined, subexpressions
from mule.model.model import Assign, Receive, Send, Statement
from mule.model.simplify import binary, unary
from mule.model.value_sets import Overlay, outside
from mule.model.variables import INT, Channel, IntegerType, Variable

LARGEST = 60
"""Conditions of more parts than this are not worth their evaluation."""
LARGEST_VALUE = 4 * LARGEST
"""Nor are values of more parts worth to be known: little that reads them gets small again."""


class Unknown(Exception):  # noqa: N818 - an answer, not an error
    """The condition cannot be said, or not in few words."""


class Effect:
    """The values of slots after statements, as expressions over the state before; for statements that cannot fail."""

    def __init__(self, domains: Domains, before: Overlay, statements: Iterable[Statement]) -> None:
        """`before`: what slots can hold when the first statement runs."""
        self._domains = domains
        self._before = before
        self._slot_of = domains.evaluation.slot_of
        self._values: dict[int, Expression | None] = {}
        """None: the value is not known."""
        for statement in statements:
            self._run(statement)

    def precondition(self, predicate: Expression) -> Expression:
        """Where the predicate will hold; the predicate must be defined after the statements."""
        found = self._expression(predicate)
        if _is_larger(found, LARGEST):
            raise Unknown
        return found

    def _run(self, statement: Statement) -> None:
        match statement:
            case Assign(target, value):
                try:
                    result = self._wrapped(self._expression(value), target.variable.type)
                except Unknown:
                    result = None
                self._assign(target, result)
            case Send(channel, _):
                self._forget_channel(channel)
            case Receive(channel, targets):
                heads = [self._head(field) for field in channel.fields]
                self._forget_channel(channel)
                for place, head in zip(targets, heads, strict=True):
                    if place is not None:
                        self._assign(place, None if head is None else self._fitting(head, place.variable.type))

    def _head(self, field: Variable) -> Expression | None:
        return None if self._slot_of[field] in self._values else Read(field, Constant(0))

    def _fitting(self, value: Expression, kind: IntegerType) -> Expression | None:
        try:
            return self._wrapped(value, kind)
        except Unknown:
            return None

    def _wrapped(self, value: Expression, kind: IntegerType) -> Expression:
        """What a variable of this type holds when the value is assigned."""
        if isinstance(value, Constant):
            return Constant(kind.wrap(value.value))
        if _is_larger(value, LARGEST_VALUE):
            raise Unknown
        evaluation = self._domains.evaluation
        if not outside(evaluation.image(value, self._domains.values, self._before), kind):
            return value
        if (kind.low, kind.high) == (INT.low, INT.high):
            return value
        if kind.low == 0 and kind.high & (kind.high + 1) == 0:
            return Binary("&", value, Constant(kind.high))
        raise Unknown

    def _assign(self, target: Read, value: Expression | None) -> None:
        base = self._slot_of[target.variable]
        try:
            index = None if target.index is None else self._expression(target.index)
        except Unknown:
            index = target.index
        if index is None:
            self._values[base] = value
        elif isinstance(index, Constant) and 0 <= index.value < target.variable.size:
            self._values[base + index.value] = value
        else:
            self._forget(target.variable)

    def _forget(self, variable: Variable) -> None:
        base = self._slot_of[variable]
        self._values.update(dict.fromkeys(range(base, base + variable.size)))

    def _forget_channel(self, channel: Channel) -> None:
        for variable in (channel.length, *channel.fields):
            self._forget(variable)

    def _expression(self, expression: Expression) -> Expression:
        match expression:
            case Read(variable, index):
                return self._read(variable, None if index is None else self._expression(index))
            case Unary(operator, operand):
                return unary(operator, self._expression(operand))
            case Binary(operator, left, right):
                return binary(operator, self._expression(left), self._expression(right))
            case Conditional(test, then, otherwise):
                decided = self._expression(test)
                if isinstance(decided, Constant):
                    return self._expression(then if decided.value else otherwise)
                return Conditional(decided, self._expression(then), self._expression(otherwise))
            case Undefined():
                raise Unknown
        return expression

    def _read(self, variable: Variable, index: Expression | None) -> Expression:
        base = self._slot_of[variable]
        if index is None or isinstance(index, Constant):
            position = 0 if index is None else index.value
            if not 0 <= position < variable.size:
                raise Unknown
            slot = base + position
            if slot not in self._values:
                return Read(variable, index)
            value = self._values[slot]
            if value is None:
                raise Unknown
            return value
        if any(slot in self._values for slot in range(base, base + variable.size)):
            raise Unknown
        return Read(variable, index)


def _is_larger(expression: Expression, size: int) -> bool:
    """Whether an expression has more parts than this."""
    return any(True for _ in islice(subexpressions(expression), size, None))
