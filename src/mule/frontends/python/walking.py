"""From one await to the next: a process goes through its instructions on one path."""

from __future__ import annotations

import ast
import asyncio
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from mule.errors import MuleError, Place
from mule.frontends.actors.frames import Frame
from mule.frontends.actors.paths import Path
from mule.frontends.actors.values import Failing, Symbol
from mule.frontends.python.code import (
    Catch,
    Code,
    Finish,
    Give,
    Handler,
    Instruction,
    Jump,
    Local,
    Raise,
    Run,
    Scope,
    Start,
    Test,
    Wait,
)
from mule.frontends.python.evaluator import ProcessEvaluator
from mule.frontends.python.exceptions import Exceptions, class_of, failing
from mule.frontends.python.objects import CANCELLED, FAILED, RETURNED, RUNNING, Shared, Task
from mule.frontends.python.step import Step
from mule.model.expressions import Expression
from mule.model.simplify import unary

MOST_ROUNDS = 100
LIBRARY = inspect.getfile(Shared)
"""Where locks and queues are written."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A statement that was executed, as a trail shows it."""

    text: str
    place: Place


class RunningEvaluator(ProcessEvaluator):
    """Knows how other tasks have ended."""

    def __init__(
        self,
        path: Path,
        objects: Sequence[Shared],
        step: Step,
        exceptions: Exceptions,
        result: Callable[[Task], Any],
    ) -> None:
        super().__init__(path, objects, step)
        self.exceptions = exceptions
        self._result = result

    def returned(self, task: Task) -> Any:
        return self._result(task)

    def exception(self, code: int) -> type[BaseException]:
        return asyncio.CancelledError if code == CANCELLED else self.exceptions.classes[code - FAILED]


@dataclass(slots=True)
class Walk:
    """What a process does on one path, and where it stops."""

    code: Code
    path: Path
    evaluator: ProcessEvaluator
    ended: Callable[[int], Expression]
    """Whether another process has ended."""
    exceptions: Exceptions
    result: Callable[[Task], Any]
    """What a task has returned."""
    handle: Task | None = None
    """What others know of the task."""
    cancellable: bool = False
    started: list[int] = field(default_factory=list)
    """The processes that begin in this step."""
    raised: dict[int, Failing] = field(default_factory=dict)
    """The exceptions of this step, by the number of their class."""
    frames: dict[Scope, Frame] = field(default_factory=dict)
    shown: list[Shown] = field(default_factory=list)

    def restore(self, values: Iterable[tuple[Local, Any]]) -> None:
        for (scope, name), value in values:
            self._frame(scope).names[name] = value

    def from_start(self) -> int:
        root = self.code.root if self.cancellable else None
        if root is not None and self.path.decide(self._requested()):
            return self._on(self._thrown(root, failing(asyncio.CancelledError)))
        return self._on(0)

    def from_wait(self, position: int) -> int:
        """Go on as soon as what it waits for is there; the answer is where it stops next."""
        wait = self.code.instructions[position]
        assert isinstance(wait, Wait)
        interrupts = [] if wait.shielded else list(wait.timeouts)
        cancellable = self.cancellable and self.handle is not None and not wait.shielded
        ways = 1 + cancellable + len(interrupts)
        way = self.path.choose(ways) if ways > 1 else 0
        if cancellable and way < 2:
            requested = self._requested()
            self.path.assume(requested if way == 1 else unary("not", requested))
        if way > cancellable:
            scope, name = interrupts[way - cancellable - 1]
            flag = self._frame(scope).names[name]
            self.path.assume(unary("not", self.evaluator.truth(flag)))
            self._frame(scope).names[name] = True
        if way > 0:
            self._show(wait, ": cancelled" if way <= cancellable else ": timeout")
            return self._interrupted(wait, position)
        self._show(wait)
        if wait.join:
            try:
                self._joined(wait)
            except Failing as wrong:
                return self._on(self._thrown(wait.handler, wrong))
        if wait.test is not None:
            with self._outside(wait):
                test = self.evaluator.apply(self._value(wait.test, wait), [], {})
            self.path.assume(self.evaluator.truth(test))
        return self._on(position + 1)

    def _requested(self) -> Expression:
        assert self.handle is not None
        return self.evaluator.truth(self.evaluator.step.read(self.handle, "requested"))

    def _interrupted(self, wait: Wait, position: int) -> int:
        """The task is cancelled where it waits; if it waits for others, they are cancelled in its place."""
        step = self.evaluator.step
        if self.cancellable and self.handle is not None:
            step.write(self.handle, "requested", False)
        passed = False
        for each in wait.join:
            if self.path.decide(self.evaluator.equal(step.read(each, "outcome"), RUNNING)):
                self.evaluator.apply(self.evaluator.attribute(each, "cancel"), [], {})
                passed = True
        if passed:
            if wait.asked:
                self._frame(wait.scope).names[wait.asked] = True
            return position
        return self._on(self._thrown(wait.handler, failing(asyncio.CancelledError)))

    def _joined(self, wait: Wait) -> None:
        """Tasks have ended: all of them, or one with an exception."""
        outcomes = {each: self.evaluator.step.read(each, "outcome") for each in wait.join}
        if wait.keeps:
            for each in wait.join:
                self.path.assume(self.evaluator.compared(ast.Gt(), outcomes[each], RUNNING))
            self._asked(wait)
            return
        ways = [(each, code) for each in dict.fromkeys(wait.join) for code in sorted(each.codes)]
        way = self.path.choose(len(ways) + 1) if ways else 0
        if way > 0:
            task, code = ways[way - 1]
            self.path.assume(self.evaluator.equal(outcomes[task], code))
            raise failing(self.evaluator.exception(code))
        for each in wait.join:
            self.path.assume(self.evaluator.equal(outcomes[each], RETURNED))
        self._asked(wait)
        for name, each in zip(wait.results, wait.join, strict=False):
            self._frame(wait.scope).names[name] = self.result(each)

    def _asked(self, wait: Wait) -> None:
        if wait.asked and self.path.decide(self.evaluator.truth(self._frame(wait.scope).names[wait.asked])):
            raise failing(asyncio.CancelledError)

    def _thrown(self, handler: Handler | None, wrong: Failing) -> int:
        """Where control goes with an exception; it is raised if nothing in the model can catch it."""
        cls = class_of(wrong)
        if handler is None or cls is None or (wrong.asserts and not handler.catches(cls)):
            raise wrong
        assert handler.scope is not None
        number = self.exceptions.number(cls)
        self.raised[number] = wrong
        self._frame(handler.scope).names[handler.name] = number
        return handler.position

    def _exception(self, instruction: Catch | Raise | Finish, name: str) -> int:
        """The number of the class of the exception that a variable holds, by deciding."""
        value = self._frame(instruction.scope).names[name]
        if not isinstance(value, Symbol):
            return int(value)
        low, high = value.kind.low, value.kind.high
        number = low + (self.path.choose(high - low + 1) if high > low else 0)
        self.path.assume(self.evaluator.equal(value, number))
        return number

    def _catches(self, catch: Catch) -> bool:
        number = self._exception(catch, catch.name)
        if not issubclass(self.exceptions.classes[number], catch.classes):
            return False
        for position, (scope, name) in enumerate(catch.timeouts):
            off = self.path.decide(self.evaluator.truth(self._frame(scope).names[name]))
            if off != (position == len(catch.timeouts) - 1):
                return False
        if catch.timeouts and self.cancellable and self.handle is not None:
            asked = self.evaluator.step.read(self.handle, "asked")
            if self.path.decide(self.evaluator.truth(asked)):
                return self.path.choose(2) == 0
        return True

    def _finish(self, finish: Finish) -> None:
        """The outcome of a task, for those who look at it."""
        code = RETURNED
        if finish.name is not None:
            number = self._exception(finish, finish.name)
            cls = self.exceptions.classes[number]
            code = CANCELLED if issubclass(cls, asyncio.CancelledError) else FAILED + number
            if code != CANCELLED and not finish.task.awaited:
                raise self.raised.get(number) or failing(cls)
            finish.task.codes.add(code)
            if code != CANCELLED and finish.grouped:
                self.evaluator.step.write(finish.task, "reporting", True)
        self.evaluator.step.write(finish.task, "outcome", code)
        if self.cancellable:
            self.evaluator.step.write(finish.task, "requested", False)

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
            try:
                with self._outside(instruction):
                    position = self._execute(instruction, position)
            except Failing as wrong:
                position = self._thrown(instruction.handler, wrong)
        return position

    @contextmanager
    def _outside(self, instruction: Instruction) -> Iterator[None]:
        """What goes wrong inside of a lock or a queue is wrong where the model uses it."""
        try:
            yield
        except (Failing, MuleError) as wrong:
            if instruction.file != instruction.scope.file or wrong.place is None or wrong.place.file == LIBRARY:
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
                for child in children:
                    self._start(child)
                self._show(instruction)
            case Catch(otherwise=label):
                return position + 1 if self._catches(instruction) else label.position
            case Raise(name=name):
                number = self._exception(instruction, name)
                raise self.raised.get(number) or failing(self.exceptions.classes[number])
            case Finish():
                self._finish(instruction)
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

    def _start(self, child: Task) -> None:
        if child.number in self.started or not self.path.decide(self.ended(child.number)):
            raise Failing(f"{child.name} has not ended, and begins again: make each task in a place of its own")
        self.started.append(child.number)
        step = self.evaluator.step
        step.write(child, "outcome", RUNNING)
        for name in ("requested", "asked", "reporting"):
            if step.is_field(child, name):
                step.write(child, name, False)

    def _value(self, node: ast.expr, instruction: Instruction) -> Any:
        return self.evaluator.evaluate(node, self._names(instruction))

    def _names(self, instruction: Instruction) -> Frame:
        scope = instruction.scope
        frame = self._frame(scope)
        frame.outer = Frame(scope.file, instruction.statics, Frame(scope.file, {}, free=scope.free))
        frame.perhaps = scope.bound - instruction.statics.keys()
        return frame

    def _frame(self, scope: Scope) -> Frame:
        if scope not in self.frames:
            self.frames[scope] = Frame(scope.file, {})
        return self.frames[scope]

    def _show(self, instruction: Instruction, outcome: str = "") -> None:
        if instruction.quiet:
            return
        inside = instruction.file != instruction.scope.file
        shown = Shown(instruction.wording + ("" if inside else outcome), instruction.place)
        if not self.shown or self.shown[-1] != shown:
            self.shown.append(shown)
