"""What `timeout` and `enabled(…)` mean, once all steps of the program are known."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from mule.errors import MuleError
from mule.frontends.promela.chains import Way
from mule.frontends.promela.processes import Instance
from mule.frontends.promela.system import System
from mule.model import Assign, Receive, Send, Statement, Variable
from mule.model.expressions import FALSE, TRUE, Binary, Constant, Expression, Read, subexpressions
from mule.model.forward import Forward
from mule.model.simplify import binary, unary


class Meanings:
    def __init__(self, system: System, ways: Iterable[Way]) -> None:
        self.system = system
        self._starts = [(next(iter(way.moves.items())), tuple(way.conditions)) for way in ways if not way.failure]
        self._asked: list[Instance] = []

    @cached_property
    def _enabled(self) -> dict[Instance, Expression]:
        enabled: dict[Instance, Expression] = {}
        for (instance, (source, _)), conditions in self._starts:
            here: Expression = Binary("==", Read(self.system.location(instance)), Constant(source))
            for condition in conditions:
                here = binary("and", here, replaced(condition, self.system.timeout, FALSE))
            enabled[instance] = binary("or", enabled.get(instance, FALSE), here)
        return enabled

    def enabled(self, instance: Instance) -> Expression:
        """Whether some step of it can be executed; the steps of one process may ask about another in turn."""
        if instance in self._asked:
            raise MuleError(f"whether process {instance.pid} is enabled depends on whether it is enabled")
        self._asked.append(instance)
        meaning = self.expression(self._enabled.get(instance, FALSE))
        self._asked.remove(instance)
        return meaning

    @cached_property
    def timeout(self) -> Expression:
        nothing: Expression = TRUE
        for each in self._enabled:
            nothing = binary("and", nothing, unary("not", self.enabled(each)))
        return nothing

    def expression(self, expression: Expression) -> Expression:
        """With everything in the place of what stood for it until now."""
        read = reads(expression)
        for instance, variable in self.system.enabled.items():
            if variable in read:
                expression = _with(expression, variable, self.enabled(instance))
        if self.system.timeout in read:
            expression = _with(expression, self.system.timeout, self.timeout)
        return expression

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Assign(target, value):
                return Assign(self._target(target), self.expression(value))
            case Send(channel, values):
                return Send(channel, tuple(map(self.expression, values)))
            case Receive(channel, targets):
                return Receive(channel, tuple(None if each is None else self._target(each) for each in targets))
        return statement

    def _target(self, target: Read) -> Read:
        return target if target.index is None else Read(target.variable, self.expression(target.index))


def _with(expression: Expression, variable: Variable, meaning: Expression) -> Expression:
    if expression in (Read(variable), Binary("!=", Read(variable), Constant(0))):
        return meaning
    return replaced(expression, variable, meaning)


def reads(expression: Expression) -> set[Variable]:
    return {part.variable for part in subexpressions(expression) if isinstance(part, Read)}


def replaced(expression: Expression, variable: Variable, value: Expression) -> Expression:
    return Forward(None, "write", variable, None, value).expression(expression)
