"""LLVM text of functions with structured control flow: what the kernels are written with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Variable:
    """A value that changes; LLVM makes a register of it."""

    def __init__(self, body: Body, kind: str) -> None:
        self._body = body
        self.kind = kind
        self._place = body.room(kind)

    def get(self) -> str:
        return self._body.let(f"load {self.kind}, ptr {self._place}")

    def set(self, value: str) -> None:
        self._body.do(f"store {self.kind} {value}, ptr {self._place}")

    def add(self, value: str) -> None:
        self.set(self._body.let(f"add {self.kind} {self.get()}, {value}"))


class Loop:
    """Goes on until it is left."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self.again, self.end = body.label("again"), body.label("end")

    def leave_if(self, condition: str) -> None:
        self._body.branch(condition, self.end, None)

    def leave_unless(self, condition: str) -> None:
        self._body.branch(condition, None, self.end)


class Body:
    """The instructions of one function."""

    def __init__(self) -> None:
        self._rooms: list[str] = []
        self._lines: list[str] = []
        self._names = 0

    def text(self) -> str:
        return "\n".join(["entry:", *self._rooms, "  br label %begin", "begin:", *self._lines])

    def do(self, instruction: str) -> None:
        self._lines.append(f"  {instruction}")

    def let(self, instruction: str) -> str:
        name = self._name("v")
        self.do(f"{name} = {instruction}")
        return name

    def label(self, hint: str) -> str:
        return self._name(hint)[1:]

    def room(self, kind: str, align: int = 8) -> str:
        """Memory of this thread alone."""
        name = self._name("room")
        self._rooms.append(f"  {name} = alloca {kind}, align {align}")
        return name

    def variable(self, kind: str, value: str) -> Variable:
        made = Variable(self, kind)
        made.set(value)
        return made

    def branch(self, condition: str, then: str | None, otherwise: str | None) -> None:
        """None: go on here."""
        here = self.label("here")
        self.do(f"br i1 {condition}, label %{then or here}, label %{otherwise or here}")
        self._lines.append(f"{here}:")

    def unreached(self) -> None:
        """After a return."""
        self._lines.append(f"{self.label('unreached')}:")

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        after = self.label("after")
        self.branch(condition, None, after)
        yield
        self.do(f"br label %{after}")
        self._lines.append(f"{after}:")

    @contextmanager
    def loop(self) -> Iterator[Loop]:
        loop = Loop(self)
        self.do(f"br label %{loop.again}")
        self._lines.append(f"{loop.again}:")
        yield loop
        self.do(f"br label %{loop.again}")
        self._lines.append(f"{loop.end}:")

    @contextmanager
    def each(self, count: str) -> Iterator[str]:
        """Of the numbers below `count`, 32 bits, one after the other."""
        number = self.variable("i32", "0")
        with self.loop() as loop:
            current = number.get()
            loop.leave_unless(self.let(f"icmp ult i32 {current}, {count}"))
            yield current
            number.add("1")

    def _name(self, hint: str) -> str:
        self._names += 1
        return f"%{hint}{self._names}"
