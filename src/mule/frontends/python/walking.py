"""From one await to the next: a process goes through its instructions on one path."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from mule.errors import MuleError, Place
from mule.frontends.actors.frames import Frame
from mule.frontends.actors.paths import Path
from mule.frontends.actors.values import Failing
from mule.frontends.python.code import Code, Give, Instruction, Jump, Local, Run, Scope, Start, Test, Wait
from mule.frontends.python.evaluator import ProcessEvaluator
from mule.model.expressions import Expression

MOST_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Shown:
    """A statement that was executed, as a trail shows it."""

    text: str
    place: Place


@dataclass(slots=True)
class Walk:
    """What a process does on one path, and where it stops."""

    code: Code
    path: Path
    evaluator: ProcessEvaluator
    ended: Callable[[int], Expression]
    """Whether another process has ended."""
    started: list[int] = field(default_factory=list)
    """The processes that begin in this step."""
    frames: dict[Scope, Frame] = field(default_factory=dict)
    shown: list[Shown] = field(default_factory=list)

    def restore(self, values: Iterable[tuple[Local, Any]]) -> None:
        for (scope, name), value in values:
            self._frame(scope).names[name] = value

    def from_start(self) -> int:
        return self._on(0)

    def from_wait(self, position: int) -> int:
        """Go on as soon as what it waits for is there; the answer is where it stops next."""
        wait = self.code.instructions[position]
        assert isinstance(wait, Wait)
        self._show(wait)
        for child in wait.join:
            self.path.assume(self.ended(child))
        if wait.test is not None:
            with self._outside(wait):
                test = self.evaluator.apply(self._value(wait.test, wait), [], {})
            self.path.assume(self.evaluator.truth(test))
        return self._on(position + 1)

    def value(self, local: Local, missing: Any) -> Any:
        scope, name = local
        return self._frame(scope).names.get(name, missing)

    def _on(self, position: int) -> int:
        visits: Counter[int] = Counter()
        while position < self.code.end:
            instruction = self.code.instructions[position]
            if isinstance(instruction, Wait):
                return position
            visits[position] += 1
            if visits[position] > MOST_ROUNDS:
                message = (
                    f"this can be done {MOST_ROUNDS} times without an await, and nothing else would ever run: await"
                )
                raise MuleError(
                    f"{message} pause() in each round, or until(…) for what it waits for", instruction.place
                )
            with self._outside(instruction):
                position = self._execute(instruction, position)
        return position

    @contextmanager
    def _outside(self, instruction: Instruction) -> Iterator[None]:
        """What goes wrong inside of a lock or a queue is wrong where the model uses it."""
        try:
            yield
        except (Failing, MuleError) as wrong:
            if instruction.file != instruction.scope.file or wrong.place is None:
                wrong.place = instruction.place
            raise

    def _execute(self, instruction: Instruction, position: int) -> int:
        match instruction:
            case Jump(to=label):
                return label.position
            case Run(statement=statement):
                self._show(instruction)
                self.evaluator.execute(statement, self._names(instruction))
            case Start(children=children):
                self.started += children
                self._show(instruction)
            case Give(value=value, to=scope, name=name):
                self._frame(scope).names[name] = self.evaluator.tamed(self._value(value, instruction))
                self._show(instruction)
            case Test(test=test, otherwise=label, pattern=None):
                holds = self.path.decide(self.evaluator.truth(self._value(test, instruction)))
                self._show(instruction, ": yes" if holds else ": no")
                return position + 1 if holds else label.position
            case Test(test=test, otherwise=label, pattern=pattern) if pattern is not None:
                subject = self._value(test, instruction)
                captured: dict[str, Any] = {}
                names = self._names(instruction)
                holds = self.path.decide(self.evaluator.matches(subject, pattern, names, captured))
                if holds:
                    names.names |= captured
                    self._show(instruction, f": case {ast.unparse(pattern)}")
                return position + 1 if holds else label.position
        return position + 1

    def _value(self, node: ast.expr, instruction: Instruction) -> Any:
        return self.evaluator.evaluate(node, self._names(instruction))

    def _names(self, instruction: Instruction) -> Frame:
        scope = instruction.scope
        frame = self._frame(scope)
        frame.outer = Frame(scope.file, instruction.statics, Frame(scope.file, {}, free=scope.free))
        return frame

    def _frame(self, scope: Scope) -> Frame:
        if scope not in self.frames:
            self.frames[scope] = Frame(scope.file, {})
        return self.frames[scope]

    def _show(self, instruction: Instruction, outcome: str = "") -> None:
        if instruction.quiet:
            return
        inside = instruction.file != instruction.scope.file
        shown = Shown(_line(instruction.shown) + ("" if inside else outcome), instruction.place)
        if not self.shown or self.shown[-1] != shown:
            self.shown.append(shown)


def _line(statement: ast.stmt) -> str:
    """The first line of a statement."""
    return ast.unparse(statement).splitlines()[0].removesuffix(":")
