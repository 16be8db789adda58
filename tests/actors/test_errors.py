"""What cannot be compiled is refused, with the place and what to write instead."""

from __future__ import annotations

import pytest

from mule.errors import MuleError
from mule.frontends.actors import load

HEADER = """from __future__ import annotations
from enum import Enum
from typing import Annotated
from mule.actors import *
GLOBAL = [1, 2]
class Color(Enum):
    RED = 0
    BLUE = 1
class M(Message):
    n: int = 0
class Other(Message):
    pass
class P(Process):
    peer: P | None = None
    n: Annotated[int, Range(0, 3)] = 0
    flag: bool = False
    maybe: int | None = None
    color: Color = Color.RED
    cells: list[int]
    more: list[int]
    seen: set[Color]
    seen2: set[Color]
    @step(when=lambda self: True)
    def act(self):
        self.cells[0] = 1
        self.more[0] = 1
        self.flag, self.color, self.n, self.maybe = True, Color.RED, 1, 2
        self.seen.add(Color.RED)
        self.seen2.add(Color.RED)
    @step(when=lambda self: True)
    def body(self):
        BODY
    @on(M)
    def take(self, m):
        pass
def system():
    ps = [P(cells=[0, 0], more=[0, 0], seen=set(), seen2=set()) for _ in range(2)]
    ps[0].peer, ps[1].peer = ps[1], ps[0]
    return System(ps)
"""
LINE = HEADER[: HEADER.index("BODY")].count("\n") + 1
COLUMN = 9


def refused(text: str) -> MuleError:
    with pytest.raises(MuleError) as caught:
        load(text, "protocol.py")
    assert caught.value.place is not None
    assert caught.value.place.file == "protocol.py"
    return caught.value


STATEMENTS = {
    "try:\n            pass\n        except ValueError:\n            pass": "Use if",
    "with open('x') as f:\n            pass": "a handler is atomic",
    "import os": "at the top of the module",
    "from os import path": "at the top of the module",
    "global GLOBAL": "make it a field",
    "del self.n": "assign None",
    "class X:\n            pass": "at the top of the module",
    "async def f():\n            pass": "without async",
    "while True:\n            pass": "bound it with for",
    "self.n = 1.5": "no floats",
    "self.n = self.n / 2": "use //",
    "self.n = 2 ** self.n": "multiply instead",
    "self.n = 1 << self.n": "constant count",
    "self.n = ~self.n": "cannot be compiled",
    "print(self.n, file=self)": "a model has no files",
    "print(f'{self.seen:3}')": "only numbers can be formatted",
    "self.flag = 1": "is bool, and this is int",
    "self.flag = self.n": "write bool(…)",
    "self.color = 0": "is Color, and this is int",
    "self.color = None": "is Color, and this is NoneType",
    "self.n = Color.RED": "and this is Color",
    "self.cells = [1]": "a list of 2 elements",
    "self.cells = self.more": "write list(…)",
    "self.seen = self.seen2": "write set(…)",
    "self.cells.append(1)": "fixed length",
    "self.cells.sort()": "fixed length",
    "self.seen.pop()": "set.pop cannot be compiled",
    "GLOBAL.append(3)": "constant",
    "GLOBAL[0] = 3": "constant",
    "self.peer.n = 2": "Send a message",
    "x = self.peer.n": "Send it in a message",
    "self.undeclared = 2": "write undeclared: TYPE in the class",
    "x = self.missing": "has no field missing",
    "x = y": "y is not defined",
    "send(self.peer, 5)": "only messages can be sent",
    "send([self.peer], M(1))": "use broadcast",
    "send(3, M(1))": "goes to a process",
    "send(self.peer, M(1, 2))": "its fields are n",
    "send(self.peer, M(k=2))": "its fields are n",
    "send(self.peer, M(True and Color.RED))": "M.n is int",
    "send(self.peer, Other())": "ignores = (Other,)",
    "send(P(cells=[], more=[], seen=set(), seen2=set()), M(1))": "not at run time",
    "x = f'{self.n}'": "no strings at run time",
    "x = (y := 2)": "statement of its own",
    "x = sorted([self.n, 1])": "known before the run",
    "x = {k: 1 for k in GLOBAL}": "list indexed by number",
    "x = self.n is 2": "use ==",
    "x = self.n in 5": "needs a set",
    "for x in self.n:\n            pass": "cannot be iterated",
    "for x in range(self.maybe):\n            pass": "no bounds",
    "x = self.cells[self.n:]": "slice",
    "x = self.flag + Color.RED": "needs numbers",
    "x = Color.RED < self.color": "needs numbers",
    "x = max(*GLOBAL, **{})": "name the arguments",
    "x = yield": "cannot yield",
    "x = await self.act()": "outside async function",
    "match self.n:\n            case [1, *_]:\n                pass": "this pattern",
    "self.body()": "nested too deeply",
    "GLOBAL.n = 1": "only fields of the process itself",
}


@pytest.mark.parametrize("body", STATEMENTS)
def test_what_cannot_be_compiled(body: str) -> None:
    error = refused(HEADER.replace("BODY", body))
    assert STATEMENTS[body] in error.message
    assert error.place is not None
    if "undeclared" not in body:
        assert error.place.line in (LINE, LINE + 1)
        assert error.place.column is not None


def module(fields: str = "", body: str = "pass", message: str = "n: int = 0", rest: str = "", make: str = "P()") -> str:
    return (
        "from mule.actors import *\nfrom typing import Annotated\n"
        f"class M(Message):\n    {message}\nclass P(Process):\n    {fields or 'pass'}\n"
        f"    @step(when=lambda self: True)\n    def act(self):\n        {body}\n    {rest}\n"
        f"def system(size: int = 1):\n    return System([{make}])\n"
    )


DECLARATIONS = {
    module("x: float = 0.0", "self.x = 1"): "float is no type of a model",
    module("x: str = ''", "self.x = ''"): "str is no type of a model",
    module("x: dict[int, int] = {}", "self.x[1] = 1"): "a dict whose keys have no bounds",
    module("x: set[int] = set()", "self.x.add(1)"): "set[Annotated[int, Range(0, 7)]]",
    module("x: list[list[int]] = [[1]]", "self.x[0] = []"): "row * width + column",
    module("x: int | bool = 1", "self.x = 1"): "write T | None",
    module("x: 'Nowhere' = 1", "self.x = 1"): "cannot be read",
    module("x: Annotated[int, Range(3, 1)] = 1", "self.x = 1"): "is empty",
    module("x: Annotated[int, Range(0, 3)] = 0", "self.x = 1", make="P(x=7)"): "out of range",
    "from enum import IntEnum\nclass N(IntEnum):\n    A = 0\n"
    + module("x: N = N.A", "self.x = N.A"): "derive it from Enum alone",
    module("x: bool = 3", "self.x = True"): "which is no bool",
    module(message="n: list[int] = ()", body="send(self, M())"): "it could be changed after sending: use a tuple",
    module(message="n: set[bool] = frozenset()", body="send(self, M())"): "use frozenset[T]",
    module(make="3"): "made of processes",
    module(make="P(y=3)"): "has no field y",
    module("x: int", make="P()"): "needs a value for its field x",
    module(make="P(name='a'), P(name='a')"): "two processes are called a",
    module(rest="@on(M, quorum=0)\n    def take(self, m): pass", body="send(self, M())"): "at least 1",
    module(rest="@on\n    def take(self, m): pass"): "`on` is given take, expected a class of messages",
    module(rest="@on(None)\n    def take(self, m): pass"): "`on` is given None, expected a class of messages",
    module(rest="@on([1])\n    def take(self, m): pass"): "`on` is given [1], expected a class of messages",
    module(body="send(self, Message())"): "every message is of a class of its own",
    module().replace("System([", "System(faults=[1], processes=["): "a fault is a Crash(…), not 1",
    module().replace("System([", "System([Byzantine([M == M], []), "): "sends classes of messages, and True is none",
    module("x: dict[int]", "self.x[0] = 1", make="P(x={})"): "it has to say of what, as list[int]",
    module().replace("System([", "System(network=Fifo, processes=["): "a network is Unordered(…) or Fifo(…), not Fifo",
    module().replace(
        "System([", "System(networks={2: Fifo()}, processes=["
    ): "networks are given for classes of messages",
    module(
        rest="@on(M, quorum=lambda self: self.nothing)\n    def take(self, m): pass", body="send(self, M())"
    ): "quorum",
    "from mule.actors import *\n": "no function system()",
    "from mule.actors import *\ndef system():\n    return 3\n": "must return a System",
    "from mule.actors import *\ndef system(size):\n    return System([])\n": "give -D size=VALUE",
    "from mule.actors import *\ndef system():\n    return 1 // 0\n": "ZeroDivisionError",
    "from mule.actors import *\nimport nothing_like_it\n": "ModuleNotFoundError",
    "from mule.actors import *\ndef f(:\n": "this is not Python",
}


@pytest.mark.parametrize("text", DECLARATIONS)
def test_what_cannot_be_declared(text: str) -> None:
    with pytest.raises(MuleError) as caught:
        load(text, "protocol.py")
    assert DECLARATIONS[text] in caught.value.message


@pytest.mark.parametrize(
    ("define", "expected"),
    [("size=x", "'x' is no int"), ("sise=2", "has no parameter sise"), ("size", None), ("size=3", None)],
)
def test_parameters(define: str, expected: str | None) -> None:
    if expected is None:
        load(module(), "protocol.py", [define])
        return
    with pytest.raises(MuleError, match=expected):
        load(module(), "protocol.py", [define])
