"""The reference semantics of a model: slow, obvious, and sharing no code with the fast path."""

from __future__ import annotations

from collections.abc import Iterator

from mule.model.expressions import (
    CONNECTIVES,
    Binary,
    Conditional,
    Constant,
    Expression,
    Lookup,
    Read,
    Reason,
    Unary,
    Undefined,
)
from mule.model.model import Assign, Kind, Model, Outcome, Printed, Receive, Send, Transition
from mule.model.variables import Variable
from mule.records import Record

State = tuple[int, ...]


class Failure(Exception):  # noqa: N818 (it is the model that fails, not Mule)
    """The model did something that has no meaning: an index out of range, a division by zero, a number that does not
    fit, a full channel."""


class Step(Record, frozen=True):
    """One way on from a state. Where `failure` is set the run ends there and `target` is the state before."""

    transition: int
    outcome: int
    target: State
    failure: str | None = None


def wrap32(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


class Interpreter:
    def __init__(self, model: Model) -> None:
        self.model = model
        self._slot_of = model.slot_of

    @property
    def initial(self) -> State:
        return self.model.initial_state

    def evaluate(self, expression: Expression, state: State | list[int]) -> int:
        """The value of an expression, or Failure where it is undefined."""
        # Trails can have millions of steps: what comes most often is asked for first, and without a pattern.
        if isinstance(expression, Constant):
            if isinstance(expression, Reason):
                raise Failure(expression.text)
            return expression.value
        if isinstance(expression, Read):
            return state[self.slot(expression, state)]
        if isinstance(expression, Binary) and expression.operator not in CONNECTIVES:
            return apply(
                expression.operator, self.evaluate(expression.left, state), self.evaluate(expression.right, state)
            )
        match expression:
            case Unary(operator, operand):
                value = self.evaluate(operand, state)
                if operator == "not":
                    return int(value == 0)
                return wrap32(-value if operator == "-" else ~value)
            case Binary("and", left, right):
                return int(self.evaluate(left, state) != 0 and self.evaluate(right, state) != 0)
            case Binary("or", left, right):
                return int(self.evaluate(left, state) != 0 or self.evaluate(right, state) != 0)
            case Conditional(test, then, otherwise):
                return self.evaluate(then if self.evaluate(test, state) else otherwise, state)
            case Lookup(place, numbers):
                return numbers[self.evaluate(place, state)]
            case Undefined(operand):
                try:
                    self.evaluate(operand, state)
                except Failure:
                    return 1
                return 0
        raise TypeError(f"not an expression: {expression!r}")

    def slot(self, target: Read, state: State | list[int]) -> int:
        """The slot that a variable or an array element occupies."""
        base = self._slot_of[target.variable]
        if target.index is None:
            return base
        index = self.evaluate(target.index, state)
        if not 0 <= index < target.variable.size:
            raise Failure(f"index {index} is out of range for {target.variable.name}[{target.variable.size}]")
        return base + index

    def holds(self, guard: int, state: State) -> bool:
        """A guard by itself: false where it is undefined."""
        try:
            return self.evaluate(self.model.guards[guard].expression, state) != 0
        except Failure:
            return False

    def enabled(self, transition: Transition, state: State) -> bool:
        return all(self.holds(guard, state) for guard in transition.guards)

    def steps(self, state: State) -> Iterator[Step]:
        """All steps from a state, in the order of the transitions; failures included."""
        for number, transition in enumerate(self.model.transitions):
            if self.enabled(transition, state):
                yield from self.fire(number, state)

    def fire(self, number: int, state: State) -> Iterator[Step]:
        """The outcomes of an enabled transition."""
        transition = self.model.transitions[number]
        if transition.kind is Kind.ERROR:
            yield Step(number, 0, state, self.explain_error(transition, state))
            return
        for position, outcome in enumerate(transition.outcomes):
            try:
                if outcome.condition is None or self.evaluate(outcome.condition, state):
                    yield Step(number, position, self.run(outcome, state))
            except Failure as failure:
                yield Step(number, position, state, str(failure))

    def explain_error(self, transition: Transition, state: State) -> str:
        """What goes wrong where an error transition is enabled."""
        if transition.failure:
            return transition.failure + "".join(self.printed(part, state) for part in transition.message)
        expression = self.model.guards[transition.guards[-1]].expression
        assert isinstance(expression, Undefined)
        try:
            self.evaluate(expression.operand, state)
        except Failure as failure:
            return str(failure)
        raise AssertionError("an error transition is enabled where nothing goes wrong")

    def printed(self, part: str | Printed, state: State) -> str:
        """A part of what a model prints or says, as its language would write it; `?` for what has no value."""
        if isinstance(part, str):
            return part
        try:
            return part.text(self.evaluate(part.value, state))
        except Failure:
            return "?"

    def run(self, outcome: Outcome, state: State) -> State:
        values = list(state)
        for statement in outcome.statements:
            match statement:
                case Assign(target, value):
                    result = self.evaluate(value, values)
                    values[self.slot(target, values)] = stored(target.variable, result)
                case Send(channel, messages):
                    results = [self.evaluate(message, values) for message in messages]
                    length = self._slot_of[channel.length]
                    count = values[length]
                    if count >= channel.capacity:
                        raise Failure(f"channel {channel.name} is full")
                    for field, result in zip(channel.fields, results, strict=True):
                        values[self._slot_of[field] + count] = stored(field, result)
                    values[length] = count + 1
                case Receive(channel, targets):
                    length = self._slot_of[channel.length]
                    count = values[length]
                    if count == 0:
                        raise Failure(f"channel {channel.name} is empty")
                    heads = []
                    for field in channel.fields:
                        base = self._slot_of[field]
                        heads.append(values[base])
                        values[base : base + count] = [*values[base + 1 : base + count], 0]
                    values[length] = count - 1
                    for destination, head in zip(targets, heads, strict=True):
                        if destination is not None:
                            slot = self.slot(destination, values)
                            values[slot] = stored(destination.variable, head)
        return tuple(values)


def stored(variable: Variable, value: int) -> int:
    """What a variable holds after a value is assigned to it."""
    kind = variable.type
    if kind.checked and not kind.low <= value <= kind.high:
        raise Failure(f"{value} is out of range for {variable.name} ({kind.name}, {kind.low}..{kind.high})")
    return kind.wrap(value)


def truncated(left: int, right: int) -> int:
    """The quotient, rounded towards zero."""
    if right == 0:
        raise Failure("division by zero")
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def fitting(value: int, computed: str) -> int:
    if not -(2**31) < value < 2**31:
        raise Failure(f"integer overflow: {computed} = {value} does not fit 32 bits")
    return value


def apply(operator: str, left: int, right: int) -> int:
    """A strict binary operator on 32-bit values, as C computes it (shifts use the low five bits of the count), or
    exact, where it is marked."""
    match operator:
        case "==":
            return int(left == right)
        case "!=":
            return int(left != right)
        case "<":
            return int(left < right)
        case "<=":
            return int(left <= right)
        case ">":
            return int(left > right)
        case ">=":
            return int(left >= right)
        case "+":
            return wrap32(left + right)
        case "-":
            return wrap32(left - right)
        case "*":
            return wrap32(left * right)
        case "&":
            return left & right
        case "|":
            return left | right
        case "^":
            return left ^ right
        case "<<":
            return wrap32(left << (right & 31))
        case ">>":
            return left >> (right & 31)
        case "/" | "%":
            quotient = truncated(left, right)
            return wrap32(quotient) if operator == "/" else left - quotient * right
        case "+!":
            return fitting(left + right, f"{left} + {right}")
        case "-!":
            return fitting(left - right, f"{left} - {right}")
        case "*!":
            return fitting(left * right, f"{left} * {right}")
        case "/!":
            return fitting(truncated(left, right), f"{left} / {right}")
        case "min":
            return min(left, right)
        case "max":
            return max(left, right)
        case "<<!":
            if not 0 <= right <= 31:
                raise Failure(f"{left} is shifted by {right}, which is not one of 0..31")
            return fitting(left * 2**right, f"{left} << {right}")
    raise ValueError(f"unknown operator {operator!r}")
