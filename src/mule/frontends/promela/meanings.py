"""What `timeout` and `enabled(…)` mean, once all steps of the program are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from mule.errors import MuleError
from mule.frontends.promela.chains import Way
from mule.frontends.promela.processes import Instance
from mule.frontends.promela.system import System
from mule.model import Action, Assign, Printed, Receive, Send, Statement, Variable
from mule.model.expressions import FALSE, Binary, Constant, Expression, Read, variables_read
from mule.model.forward import Forward
from mule.model.simplify import joined, unary
from mule.records import replace


class Meanings:
    def __init__(self, system: System, ways: Iterable[Way]) -> None:
        self.system = system
        self._starts = [(next(iter(way.moves.items())), way) for way in ways if not way.failure]
        self._asked: list[Instance] = []

    @cached_property
    def _enabled(self) -> dict[Instance, Expression]:
        return self._any_step(lambda way: way.conditions)

    @cached_property
    def _can_move(self) -> dict[Instance, Expression]:
        return self._any_step(lambda way: [way.provided, *way.conditions])

    def _any_step(self, conditions_of: Callable[[Way], list[Expression]]) -> dict[Instance, Expression]:
        steps: dict[Instance, list[Expression]] = {}
        for (instance, (source, _)), way in self._starts:
            here = Binary("==", Read(self.system.location(instance)), Constant(source))
            steps.setdefault(instance, []).append(joined("and", [here, *conditions_of(way)]))
        return {instance: joined("or", each) for instance, each in steps.items()}

    def enabled(self, instance: Instance, timed: bool) -> Expression:
        """What `enabled` asks: whether some statement of it can be executed, its `provided` aside."""
        return self._asking(instance, self._enabled, timed)

    def can_move(self, instance: Instance, timed: bool = True) -> Expression:
        return self._asking(instance, self._can_move, timed)

    def _asking(self, instance: Instance, meanings: dict[Instance, Expression], timed: bool) -> Expression:
        """The steps of one process may ask about another in turn."""
        if instance in self._asked:
            raise MuleError(f"whether process {instance.pid} is enabled depends on whether it is enabled")
        self._asked.append(instance)
        meaning = self.expression(meanings.get(instance, FALSE), timed)
        self._asked.remove(instance)
        return meaning

    @cached_property
    def timeout(self) -> Expression:
        asked, self._asked = self._asked, []
        nothing = joined("and", [unary("not", self.can_move(each, timed=False)) for each in self._can_move])
        self._asked = asked
        return nothing

    def expression(self, expression: Expression, timed: bool = True) -> Expression:
        """With everything in the place of what stood for it until now; `timed`: `timeout` can hold."""
        if not self.system.mentions_timeout and not self.system.enabled:
            return expression
        return self.resolved(expression, timed)

    def resolved(self, expression: Expression, timed: bool = True) -> Expression:
        """The same for an expression that is no part of the program, and so may speak of what the program does not."""
        read = variables_read(expression)
        for instance, variable in self.system.enabled.items():
            if variable in read:
                expression = _with(expression, variable, self.enabled(instance, timed))
        if self.system.timeout in read:
            expression = _with(expression, self.system.timeout, self.timeout if timed else FALSE)
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

    def action(self, action: Action) -> Action:
        """What a trail shows of a statement has values in it, too."""
        message = action.message and replace(action.message, values=tuple(map(self._printed, action.message.values)))
        return replace(action, output=self._text(action.output), told=self._text(action.told), message=message)

    def _text(self, parts: Iterable[str | Printed]) -> tuple[str | Printed, ...]:
        return tuple(part if isinstance(part, str) else self._printed(part) for part in parts)

    def _printed(self, part: Printed) -> Printed:
        return replace(part, value=self.expression(part.value))

    def _target(self, target: Read) -> Read:
        return target if target.index is None else Read(target.variable, self.expression(target.index))


def _with(expression: Expression, variable: Variable, meaning: Expression) -> Expression:
    if expression in (Read(variable), Binary("!=", Read(variable), Constant(0))):
        return meaning
    return replaced(expression, variable, meaning)


def replaced(expression: Expression, variable: Variable, value: Expression) -> Expression:
    return Forward(None, "write", variable, None, value).expression(expression)
