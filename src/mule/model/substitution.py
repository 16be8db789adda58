"""Known values put into expressions and outcomes, and constants folded.

What is undefined stays undefined: a constant index out of range is kept as it is, and `simplify` folds nothing away
that could fail.
"""

from __future__ import annotations

from mule.model.expressions import Binary, Conditional, Constant, Expression, Read, Unary, Undefined
from mule.model.model import Assign, Outcome, Receive, Send, Statement
from mule.model.simplify import binary, unary
from mule.model.variables import Channel, Variable


class Substitution:
    """Values of some slots, as long as nothing assigns to them."""

    def __init__(self, slot_of: dict[Variable, int], known: dict[int, int]) -> None:
        self._slot_of = slot_of
        self.known = known

    def slot(self, read: Read) -> int | None:
        """The slot that a read means, where its index is no more than a constant in range."""
        if read.index is None:
            return self._slot_of[read.variable]
        if isinstance(read.index, Constant) and 0 <= read.index.value < read.variable.size:
            return self._slot_of[read.variable] + read.index.value
        return None

    def expression(self, expression: Expression) -> Expression:
        """The same object where nothing changes."""
        match expression:
            case Read():
                place = self.target(expression)
                slot = self.slot(place)
                value = None if slot is None else self.known.get(slot)
                return place if value is None else Constant(value)
            case Unary(operator, operand):
                inner = self.expression(operand)
                return expression if inner is operand else unary(operator, inner)
            case Binary(operator, left, right):
                first, second = self.expression(left), self.expression(right)
                return expression if first is left and second is right else binary(operator, first, second)
            case Conditional(test, then, otherwise):
                decided = self.expression(test)
                if isinstance(decided, Constant):
                    return self.expression(then if decided.value else otherwise)
                yes, no = self.expression(then), self.expression(otherwise)
                unchanged = decided is test and yes is then and no is otherwise
                return expression if unchanged else Conditional(decided, yes, no)
            case Undefined(operand):
                inner = self.expression(operand)
                if isinstance(inner, Constant):
                    return Constant(0)
                return expression if inner is operand else Undefined(inner)
        return expression

    def target(self, read: Read) -> Read:
        """A variable or element to be read or written: only its index is computed."""
        if read.index is None:
            return read
        index = self.expression(read.index)
        return read if index is read.index else Read(read.variable, index)

    def outcome(self, outcome: Outcome) -> Outcome:
        """The statements in order; what they assign is known from there on only where it is a constant."""
        condition = None if outcome.condition is None else self.expression(outcome.condition)
        running = Substitution(self._slot_of, dict(self.known))
        statements = tuple(running._statement(statement) for statement in outcome.statements)
        return Outcome(statements, condition)

    def _statement(self, statement: Statement) -> Statement:
        match statement:
            case Assign(target, value):
                result = self.expression(value)
                place = self.target(target)
                self._assign(place, result)
                return statement if place is target and result is value else Assign(place, result)
            case Send(channel, values):
                messages = tuple(self.expression(value) for value in values)
                self._forget_channel(channel)
                return Send(channel, messages)
            case Receive(channel, targets):
                self._forget_channel(channel)
                places: list[Read | None] = []
                for destination in targets:
                    if destination is None:
                        places.append(None)
                    else:
                        place = self.target(destination)
                        self._assign(place, None)
                        places.append(place)
                return Receive(channel, tuple(places))

    def _assign(self, place: Read, value: Expression | None) -> None:
        slot = self.slot(place)
        if slot is None:
            self._forget(place.variable)
        elif isinstance(value, Constant):
            self.known[slot] = place.variable.type.wrap(value.value)
        else:
            self.known.pop(slot, None)

    def _forget(self, variable: Variable) -> None:
        base = self._slot_of[variable]
        for slot in range(base, base + variable.size):
            self.known.pop(slot, None)

    def _forget_channel(self, channel: Channel) -> None:
        for variable in (channel.length, *channel.fields):
            self._forget(variable)
