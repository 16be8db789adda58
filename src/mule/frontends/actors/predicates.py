"""Invariants, propositions and ends: functions that look at the whole system."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from types import FunctionType
from typing import Any

from mule.errors import MuleError, Place
from mule.frontends.actors.execution import Observer
from mule.frontends.actors.frames import Frame
from mule.frontends.actors.paths import Path, explore
from mule.frontends.actors.sources import parse
from mule.frontends.actors.statements import Evaluator
from mule.frontends.actors.system import System
from mule.frontends.actors.values import Failing, Method
from mule.model.expressions import FALSE, Binary, Conditional, Constant, Expression, Reason, conjunction
from mule.model.simplify import binary


def _without_value(failure: Failing) -> Expression:
    return Binary("!=", Binary("/", Constant(1), Reason(0, failure.text)), Constant(0))


class Predicates:
    """Compiles what is asked about states; where a predicate raises an exception it has no value."""

    def __init__(self, system: System, observer: Observer) -> None:
        self.system = system
        self.observer = observer
        self.sources = observer.sources
        self.propositions = system.propositions

    def of_function(self, function: Callable[..., Any]) -> Expression:
        """A function of nothing, or of the system."""
        return self._holds(self._calling(function))

    def number(self, asked: str | Callable[..., Any]) -> Expression:
        """The number that an expression or a function is; 0 where it raises an exception."""
        run = self._evaluating(asked) if isinstance(asked, str) else self._calling(asked)

        def value(path: Path) -> Expression:
            evaluator = self.evaluator(path)
            try:
                return evaluator.number(run(evaluator), "an estimate")
            except Failing:
                return Constant(0)

        result: Expression = Constant(0)
        for path, number in explore(value):
            result = Conditional(conjunction(path.conditions), number, result)
        return result

    def _calling(self, function: Callable[..., Any]) -> Callable[[Evaluator], Any]:
        if not isinstance(function, FunctionType):
            raise MuleError(f"{function!r} is no function: a predicate is a def or a lambda")
        definition = self.sources.definition(function)
        wanted = len(definition.args.args)
        if wanted > 1:
            place = Place(function.__code__.co_filename, definition.lineno, definition.col_offset + 1)
            raise MuleError("a predicate takes nothing, or the system", place)
        arguments: list[Any] = [self.system] if wanted else []
        return lambda evaluator: evaluator.apply(function, arguments, {})

    def of_method(self, method: Method) -> Expression:
        """A method that raises an exception does not hold."""
        return self._holds(lambda evaluator: evaluator.apply(method, [], {}), lambda _: FALSE)

    def of_text(self, text: str) -> Expression:
        """An expression of Python over the processes, by name, and the propositions and constants of the model."""
        return self._holds(self._evaluating(text))

    def _evaluating(self, text: str) -> Callable[[Evaluator], Any]:
        place = "expression"
        tree = parse(text.strip(), place)
        if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
            raise MuleError("expected one expression of Python", Place(place, 1, 1))
        names = self.names()
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        expression = _Propositions(set(self.propositions)).visit(tree.body[0].value)
        frame = Frame(
            place,
            {},
            free=names | {f"{name}()": self.propositions[name] for name in used & set(self.propositions)},
        )
        return lambda evaluator: evaluator.evaluate(expression, frame)

    def evaluator(self, path: Path) -> Evaluator:
        return Evaluator(path, self.observer.layout.objects, self.observer)

    def names(self) -> dict[str, Any]:
        """What an expression in a text may speak of."""
        found: dict[str, Any] = {"processes": self.system.processes, "system": self.system}
        for process in self.system.processes:
            module = vars(__import__("sys").modules.get(type(process).__module__, object()))
            found = {**{name: value for name, value in module.items() if not name.startswith("_")}, **found}
        for process in self.system.processes:
            found[re.sub(r"\W+", "_", process.name)] = process
        return found

    def _holds(
        self, run: Callable[[Evaluator], Any], failing: Callable[[Failing], Expression] = _without_value
    ) -> Expression:
        """All paths together: a case distinction without decisions left."""

        def truth(path: Path) -> Expression:
            evaluator = self.evaluator(path)
            try:
                return evaluator.truth(run(evaluator))
            except Failing as failure:
                return failing(failure)

        result: Expression = FALSE
        for path, holds in explore(truth):
            result = binary("or", result, binary("and", conjunction(path.conditions), holds))
        return result


class _Propositions(ast.NodeTransformer):
    """A proposition is written without parentheses, and called."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.names:
            return node
        function = ast.copy_location(ast.Name(f"{node.id}()", ast.Load()), node)
        return ast.copy_location(ast.Call(function, [], []), node)
