"""Transitions and guards up to the names of their slots, so that symmetric processes share answers.

Two questions about equal shapes whose slots overlap in the same way have the same answer: slots are numbered in the
order they occur, and a shape holds everything else that an answer can hang on, domains and types included.
"""

from __future__ import annotations

from typing import Any

from mule.model.expressions import Binary, Conditional, Constant, Expression, Read, Unary, Undefined
from mule.model.model import Assign, Model, Outcome, Receive, Send, Statement
from mule.model.value_sets import Domain
from mule.model.variables import Channel, Variable
from mule.relations.accesses import Accesses


class Shape:
    """A canonical form: its number, and the real slots behind the numbered ones."""

    __slots__ = ("number", "positions", "slots")

    def __init__(self, number: int, positions: dict[int, int]) -> None:
        self.number = number
        self.positions = positions
        self.slots = tuple(positions)

    def alignment(self, other: Shape) -> tuple[int, ...]:
        """For each slot of the other shape which slot of this one it is, -1 for none."""
        position = self.positions.get
        return tuple([position(slot, -1) for slot in other.slots])


class Shapes:
    """The shapes of one model; `table` may be shared by all models over the same slots."""

    def __init__(self, model: Model, accesses: Accesses, table: dict[Any, int]) -> None:
        self._model = model
        self._accesses = accesses
        self._table = table
        self._transitions: dict[int, Shape] = {}
        self._guards: dict[int, Shape] = {}

    def transition(self, number: int) -> Shape:
        known = self._transitions.get(number)
        if known is None:
            transition = self._model.transitions[number]
            writer = _Writer(self._model.slot_of)
            form = (
                transition.kind,
                tuple([writer.expression(self._model.guards[guard].expression) for guard in transition.guards]),
                tuple([writer.outcome(outcome) for outcome in transition.outcomes]),
            )
            domains = [self._accesses.domain(number, slot) for slot in writer.positions]
            domains += [self._accesses.values[slot] for slot in writer.positions]
            known = self._transitions[number] = self._numbered(form, writer, domains)
        return known

    def guard(self, number: int) -> Shape:
        known = self._guards.get(number)
        if known is None:
            writer = _Writer(self._model.slot_of)
            form = writer.expression(self._model.guards[number].expression)
            domains = [self._accesses.values[slot] for slot in writer.positions]
            known = self._guards[number] = self._numbered(form, writer, domains)
        return known

    def form(self, expression: Expression) -> Any:
        """An expression up to the names of its slots."""
        return _Writer(self._model.slot_of).expression(expression)

    def _numbered(self, form: Any, writer: _Writer, domains: list[Domain]) -> Shape:
        variables = self._model.slot_variables
        types = tuple([(t.low, t.high, t.checked) for t in (variables[slot][0].type for slot in writer.positions)])
        key = (form, types, tuple(domains))
        return Shape(self._table.setdefault(key, len(self._table)), writer.positions)


class _Writer:
    """Writes expressions and statements as nested tuples, numbering slots as they occur."""

    def __init__(self, slot_of: dict[Variable, int]) -> None:
        self._slot_of = slot_of
        self.positions: dict[int, int] = {}

    def _slot(self, slot: int) -> int:
        return self.positions.setdefault(slot, len(self.positions))

    def _variable(self, variable: Variable) -> tuple[int, ...]:
        base = self._slot_of[variable]
        return tuple([self._slot(base + offset) for offset in range(variable.size)])

    def expression(self, expression: Expression) -> Any:
        match expression:
            case Constant(value):
                return value
            case Read(variable, index):
                if index is None:
                    return ("r", self._slot(self._slot_of[variable]))
                if isinstance(index, Constant) and 0 <= index.value < variable.size:
                    return ("r", self._slot(self._slot_of[variable] + index.value))
                return ("a", self._variable(variable), self.expression(index))
            case Unary(operator, operand):
                return (operator, self.expression(operand))
            case Binary(operator, left, right):
                return (operator, self.expression(left), self.expression(right))
            case Conditional(test, then, otherwise):
                return ("?", self.expression(test), self.expression(then), self.expression(otherwise))
            case Undefined(operand):
                return ("undefined", self.expression(operand))
        raise TypeError(f"not an expression: {expression!r}")

    def outcome(self, outcome: Outcome) -> Any:
        condition = None if outcome.condition is None else self.expression(outcome.condition)
        return (condition, tuple([self._statement(statement) for statement in outcome.statements]))

    def _statement(self, statement: Statement) -> Any:
        match statement:
            case Assign(target, value):
                return ("=", self.expression(target), self.expression(value))
            case Send(channel, values):
                return ("!", self._channel(channel), tuple([self.expression(value) for value in values]))
            case Receive(channel, targets):
                places = tuple([None if target is None else self.expression(target) for target in targets])
                return ("?", self._channel(channel), places)

    def _channel(self, channel: Channel) -> Any:
        return (self._variable(channel.length), *(self._variable(field) for field in channel.fields))
