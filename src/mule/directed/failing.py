"""Where a step fails whose guards hold: the condition under which its effects have no meaning."""

from __future__ import annotations

from collections.abc import Iterator

from mule.directed.parts import written
from mule.model.definedness import undefined_where
from mule.model.expressions import FALSE, TRUE, Constant, Expression, Read, variables_read
from mule.model.model import Assign, Outcome, Receive, Send, Statement, Transition
from mule.model.simplify import binary
from mule.model.variables import IntegerType, Variable


def failing_where(transition: Transition) -> Expression:
    """A condition on the state before the step; it holds wherever an outcome fails, and may hold elsewhere. An error
    has no outcome: it always fails."""
    if not transition.outcomes:
        return TRUE
    result: Expression = FALSE
    for outcome in transition.outcomes:
        result = binary("or", result, _fails(outcome))
    return result


def _fails(outcome: Outcome) -> Expression:
    before: set[Variable] = set()
    result: Expression = FALSE
    for statement in outcome.statements:
        for condition in _conditions(statement):
            if variables_read(condition) & before:
                return TRUE  # it is about a state that is between two others
            result = binary("or", result, condition)
        before |= written(statement)
    if outcome.condition is None:
        return result
    if result not in (TRUE, FALSE):
        result = binary("and", outcome.condition, result)
    return binary("or", undefined_where(outcome.condition), result)


def _conditions(statement: Statement) -> Iterator[Expression]:
    match statement:
        case Assign(target, value):
            yield undefined_where(value)
            yield undefined_where(target)
            yield _outside(value, target.variable.type)
        case Send(channel, values):
            yield from map(undefined_where, values)
            yield binary(">=", Read(channel.length), Constant(channel.capacity))
        case Receive(channel, targets):
            yield binary("<=", Read(channel.length), Constant(0))
            for each, field in zip(targets, channel.fields, strict=True):
                if each is not None:
                    yield undefined_where(each)
                    yield _outside(Read(field, Constant(0)), each.variable.type)


def _outside(value: Expression, kind: IntegerType) -> Expression:
    if not kind.checked:
        return FALSE
    return binary("or", binary("<", value, Constant(kind.low)), binary(">", value, Constant(kind.high)))
