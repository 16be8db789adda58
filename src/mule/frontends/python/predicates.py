"""Invariants, propositions and expressions: what is asked about the objects and the processes of a system."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mule.frontends.actors.calls import CHANGING
from mule.frontends.actors.frames import NotHere
from mule.frontends.actors.paths import Path
from mule.frontends.actors.predicates import Predicates
from mule.frontends.actors.processes import Process as WithFields
from mule.frontends.actors.sources import Sources
from mule.frontends.actors.types import BOOL, INT
from mule.frontends.actors.values import FieldDict, FieldList, FieldSet, Symbol
from mule.frontends.python.code import Code, Wait
from mule.frontends.python.evaluator import ProcessEvaluator
from mule.frontends.python.objects import Queue, Shared
from mule.frontends.python.step import Step
from mule.frontends.python.system import System
from mule.model import Process
from mule.model.expressions import Binary, Conditional, Constant, Expression, Read


@dataclass(frozen=True)
class TaskView:
    """A process as expressions see it: `done`, the `line` it waits at (0 before and after), and its variables."""

    name: str
    process: Process
    code: Code
    variables: dict[str, Symbol]

    def attribute(self, name: str) -> Any:
        if name in self.variables:
            return self.variables[name]
        location = Read(self.process.location)
        if name == "done":
            return Symbol(Binary("==", location, Constant(len(self.process.locations) - 1)), BOOL)
        if name == "line":
            return Symbol(self._line(location), INT)
        known = ", ".join(["done", "line", *(each for each in self.variables if " " not in each and "." not in each)])
        raise NotHere(f"{self.name} keeps nothing called {name} across an await: it has {known}")

    def _line(self, location: Expression) -> Expression:
        result: Expression = Constant(0)
        for number, position in enumerate(self.code.waits, 1):
            wait = self.code.instructions[position]
            assert isinstance(wait, Wait)
            result = Conditional(Binary("==", location, Constant(number)), Constant(wait.line), result)
        return result


class _Observer(ProcessEvaluator):
    def attribute(self, owner: Any, name: str) -> Any:
        return owner.attribute(name) if isinstance(owner, TaskView) else super().attribute(owner, name)

    def _store(self, owner: Any, name: str, value: Any) -> None:
        raise self.error("a predicate cannot change anything")

    def _operation(self, owner: Any, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        if isinstance(owner, Queue) and name.endswith("_nowait"):
            raise self.error("a predicate cannot change a queue")
        if isinstance(owner, FieldList | FieldSet | FieldDict) and name in CHANGING:
            raise self.error("a predicate cannot change anything")
        return super()._operation(owner, name, arguments, named)


class ProcessPredicates(Predicates):
    def __init__(
        self,
        system: System,
        objects: Sequence[Shared],
        views: Sequence[TaskView],
        sources: Sources,
        step: Callable[[], Step],
    ) -> None:
        self.propositions = system.propositions
        self.objects = objects
        self.views = views
        self.sources = sources
        self.step = step
        self.tasks = system.tasks

    def evaluator(self, path: Path) -> ProcessEvaluator:
        return _Observer(path, self.objects, self.step())

    def names(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for task in self.tasks:
            found |= {name: value for name, value in task.free.items() if not name.startswith("_")}
        named: list[WithFields | TaskView] = [*self.objects, *self.views]
        return found | {re.sub(r"\W+", "_", each.name): each for each in named}
