"""A builder for processes that are lists of statements, one a line: what the tests of steps, ends and trails need."""

from __future__ import annotations

from collections.abc import Sequence

from mule.errors import Place
from mule.model import BYTE, Action, Assign, Kind, Model, Move, Printed, Statement, Variable
from mule.model.builder import ModelBuilder
from mule.model.expressions import Binary, Constant, Expression, Read, negation


class Lines:
    """Each process starts at location 0; line n of the source is the statement from location n - 1 to n."""

    def __init__(self, language: str = "test") -> None:
        self.builder = ModelBuilder("lines", language)

    def variable(self, name: str, initial: int = 0) -> Variable:
        return self.builder.variable(name, BYTE, (initial,))

    def process(self, name: str, length: int, ends: Sequence[int] = (), declaration: str = "") -> int:
        names = [f"l{number}" for number in range(length + 1)]
        return self.builder.process(name, names, ends=ends, declaration=declaration)

    def step(
        self, process: int, source: int, text: str, guard: Expression | None = None, *statements: Statement
    ) -> None:
        """One statement, to the next location."""
        self.builder.transition(
            f"{self.builder.processes[process].name}.{source}",
            self._guards(process, source, guard),
            [*statements, self.builder.go(process, source + 1)],
            [Move(process, source, source + 1)],
            text,
            Place("m", source + 1),
        )

    def block(
        self, process: int, source: int, parts: Sequence[tuple[str, Statement | None, Sequence[str | Printed]]]
    ) -> None:
        """Several statements as one step: (text, effect, output)."""
        statements: list[Statement] = []
        actions = []
        for offset, (text, statement, output) in enumerate(parts):
            statements += [] if statement is None else [statement]
            actions.append(Action(process, text, Place("m", source + offset + 1), len(statements), tuple(output)))
        target = source + len(parts)
        self.builder.transition(
            "block",
            self._guards(process, source, None),
            [*statements, self.builder.go(process, target)],
            [Move(process, source, target)],
            "block",
            Place("m", source + 1),
            actions=actions,
        )

    def claim(self, process: int, source: int, text: str, condition: Expression) -> None:
        """`assert(condition)`: a step that asks nothing, and an error where the condition is false."""
        self.step(process, source, f"assert({text})")
        self.error(process, source, negation(condition), f"assertion violated: {text}", f"assert({text})", asserts=True)

    def error(
        self, process: int, source: int, guard: Expression, failure: str, text: str, asserts: bool = False
    ) -> None:
        self.builder.transition(
            "error",
            self._guards(process, source, guard),
            [],
            [Move(process, source, source + 1)],
            text,
            Place("m", source + 1),
            kind=Kind.ERROR,
            failure=failure,
            asserts=asserts,
        )

    def at(self, process: int, location: int) -> Expression:
        return self.builder.at(process, location)

    def build(self, transient: Expression | None = None) -> Model:
        return self.builder.build(transient=transient)

    def _guards(self, process: int, source: int, guard: Expression | None) -> list[int]:
        return [
            self.builder.guard(self.at(process, source)),
            *([] if guard is None else self.builder.guards(guard)),
        ]


def is_(variable: Variable, value: int) -> Expression:
    return Binary("==", Read(variable), Constant(value))


def put(variable: Variable, value: int | Expression) -> Assign:
    return Assign(Read(variable), Constant(value) if isinstance(value, int) else value)


def increment(variable: Variable) -> Assign:
    return put(variable, Binary("+", Read(variable), Constant(1)))
