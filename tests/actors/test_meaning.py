"""A model in Python means what Python means, or is refused with the way out."""

from __future__ import annotations

import pytest

from mule.errors import MuleError
from mule.frontends.actors import load
from mule.frontends.actors.loading import load_system
from mule.frontends.actors.translation import translate
from tests.actors.agreement import compare

pytestmark = pytest.mark.slow

HEADER = """from __future__ import annotations
import datetime, functools, itertools, math, os, random, time, uuid
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, NamedTuple
from mule.actors import *
Small = Annotated[int, Range(0, 3)]
NUMBERS = [3, 1, 2]
NAMES = {0: 1}
FEW = {1, 2}
LEFT = iter([1, 2, 3])
COUNTED = defaultdict(int)
NESTED = ([1],)
K = 1
class Color(Enum):
    RED = 0
    BLUE = 1
class Counter:
    def __init__(self):
        self.n = 0
        self.items = []
    def inc(self):
        self.n += 1
        return self.n
    def twice(self, x):
        return 2 * x + self.n
class Loud:
    def __repr__(self):
        return str(next(LEFT))
LOUD = Loud()
class Strange:
    def __getattr__(self, name):
        return 1
    def __eq__(self, other):
        return True
STRANGE = Strange()
def remember(x, seen=[]):
    seen.append(x)
    return len(seen)
def numbers():
    yield 1
@functools.cache
def cached(n):
    return n
class M(Message):
    n: int = 0
    few: frozenset[Small] = frozenset()
class P(Process):
    c: Counter
    n: Annotated[int, Range(-99, 99)] = 0
    flag: bool = False
    maybe: Small | None = None
    s: set[Small]
    t: set[Small]
    cells: list[int]
    more: list[int]
    ran: bool = False
    FIELDS
    @step(when=lambda self: not self.ran)
    def setup(self):
        self.s = {choose(0, 1)}
        self.t = {2}
        self.maybe = choose(None, 1)
        self.cells, self.more = [1, 2, choose(0, 3)], [0, 0, 0]
        self.n, self.flag = choose(0, 2), False
        self.ran = True
    @step(when=lambda self: self.ran)
    def act(self):
        self.ran = False
BODY
    @on(M)
    def take(self, m):
        self.n = m.n % 5
def system():
    p = P(c=Counter(), s=set(), t=set(), cells=[0, 0, 0], more=[0, 0, 0])
    return System([p], invariants={"fine": lambda: not p.flag})
"""


def written(body: str, fields: str = "pass") -> str:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return HEADER.replace("BODY", lines).replace("FIELDS", fields)


IMPURE = {
    "self.n = random.choice([1, 2, 3, 4, 5, 6])\nassert self.n != 6": "choose(a, b, …)",
    "self.n = random.randint(1, 6)": "choose(a, b, …)",
    "self.n = int(time.time())": "there is no clock",
    "self.n = datetime.datetime.now().second": "there is no clock",
    "self.n = uuid.uuid4().int": "nothing is random",
    "os.system('true')": "cannot reach outside",
    "os.getpid()": "cannot reach outside",
    "self.n = next(itertools.count())": "count in a field",
    "self.n = next(LEFT)": "iterator",
    "self.n = sum(LEFT)": "cannot be iterated",
    "self.flag = 1 in LEFT": "needs a set",
    "self.n = self.c.inc()": "only fields of the process itself",
    "self.c.n = 3": "only fields of the process itself",
    "self.c.items.append(1)": "constant",
    "setattr(self, 'n', 3)": "write self.field",
    "vars(self)['n'] = 3": "name what is meant",
    "self.__dict__['n'] = 3": "",
    "x = self.__dict__": "not a part of the model",
    "globals()['K'] = 3": "name what is meant",
    "exec('K = 3')": "cannot reach outside",
    "self.n = eval('K')": "cannot reach outside",
    "open('x')": "cannot reach outside",
    "self.n = int(input())": "cannot reach outside",
    "print(1, file=LEFT)": "a model has no files",
    "print(self.n, LOUD)": "Loud has a __repr__ of its own",
    "self.n = id(self)": "differ from run to run",
    "self.n = hash('x')": "differ from run to run",
    "global K\nK = 3": "make it a field",
    "def f():\n    nonlocal x\n    x = 1\nx = 0\nf()": "make it a field",
    "NUMBERS.append(1)": "constant",
    "NESTED[0].append(1)": "constant",
    "NAMES[1] = 1": "constant",
    "FEW.add(3)": "constant",
    "xs = FEW\nxs |= {3}": "constant",
    "xs = NUMBERS\nxs += [3]": "constant",
    "self.n = COUNTED[3]": "does more than the model shows",
    "self.n = remember(1)": "constant",
    "self.n = cached(1)": "write the function itself",
    "self.n = list(numbers())[0]": "cannot yield",
    "P.K = 1": "K: TYPE in the class",
    "type(self).K = 1": "only fields of the process itself",
    "self.n = STRANGE.anything": "computes its attributes",
    "self.flag = STRANGE == 3": "comparisons of its own",
    "random.shuffle(NUMBERS)": "choose(a, b, …)",
    "self.n = super().n": "write Base.method(self, …)",
}


@pytest.mark.parametrize("body", IMPURE)
def test_what_hangs_on_more_than_the_state_is_refused(body: str) -> None:
    with pytest.raises(MuleError) as caught:
        load(written(body), "protocol.py")
    assert IMPURE[body] in caught.value.message
    assert caught.value.place is not None
    assert caught.value.place.line is not None
    assert caught.value.place.column is not None


REFUSED = {
    "self.s = self.t\nself.s.add(1)": "write set(…) for a copy",
    "self.cells = self.more": "write list(…) for a copy",
    "for x in self.s:\n    self.s.discard(x)": "changes while",
    "d = {0: 1}\nfor k in d:\n    d[k + 1] = 1": "changes while",
    "send(self, M(1, self.s))": "write frozenset(…)",
    "self.s = frozenset({1})": "write set(…)",
    "fs = [lambda: x for x in [y for y in self.cells if y > 1]]\nself.n = fs[0]()": "x=x",
    "self.flag = self.n is True": "use ==",
    "match self.cells:\n    case [1, *_]:\n        pass": "this pattern",
    "self.flag = any(6 // x > 2 for x in self.s)": "order of the set",
    "self.n = sum(self.bump(x) for x in self.s)": "order",
    "g = (x for x in self.n)": "cannot be iterated",
}
HELPER = "def bump(self, by):\n        self.n = by\n        return by"


@pytest.mark.parametrize("body", REFUSED)
def test_what_would_mean_something_else_is_refused(body: str) -> None:
    with pytest.raises(MuleError) as caught:
        load(written(body, HELPER), "protocol.py")
    assert REFUSED[body] in caught.value.message


COMPILED = [
    "x = self.s\nx.add(3)\nself.n = len(self.s)",
    "x = {1}\nself.s = x\nx.add(3)",
    "x = set(self.s)\nself.t = x\nx.add(3)\nself.t.discard(0)\nself.n = len(x)",
    "self.s, self.t = self.t, self.s\nself.s.add(3)",
    "x = self.s\nself.s = set()\nx.add(3)\nself.n = len(x)",
    "x = [1, 2, self.n]\nself.cells = x\nx[0] = 7\nself.n = self.cells[0]",
    "x = self.cells\nx[1] = 9\nself.n = self.cells[1]",
    "x = {1}\ny = x\ny |= {2}\nself.s = x\nself.n = len(y)",
    "xs = [1]\nfor x in xs:\n    if len(xs) < 4:\n        xs.append(x + 1)\nself.n = sum(xs)",
    "xs = [1, 2, 3]\nfor x in xs:\n    xs.remove(x)\nself.n = sum(xs)",
    "fs = [lambda: x for x in (1, 2, 3)]\nself.n = fs[0]()",
    "fs = []\nfor x in (1, 2, 3):\n    fs.append(lambda: x)\nself.n = fs[0]()",
    "x = 1\ndef f(a=x):\n    return a\nx = 5\nself.n = f()",
    "f = lambda a=self.n: a\nself.n = 7\nself.n = f() + self.n",
    "def f(x, into=[]):\n    into.append(x)\n    return len(into)\nf(1)\nself.n = f(2)",
    "g = (x + self.n for x in self.cells)\nself.n = 3\nself.n = sum(g) + sum(g)",
    "z = zip(self.cells, (1, 2, 3))\nself.n = len(list(z)) * 10 + len(list(z))",
    "e = enumerate(self.cells)\nnext(e)\nself.n = sum(i for i, _ in e)",
    "r = reversed(self.cells)\nself.cells[2] = 9\nself.n = next(r)",
    "m = map(lambda x: x + self.n, self.cells)\nself.n = 4\nself.n = sum(m)",
    "self.n = int(bool(zip())) + int(bool([]))",
    "self.flag = [self.n] == (self.n,)",
    "a, *b = self.cells\nself.n = a + len(b) * 10 + b[-1]",
    "*a, b = [1]\nself.n = len(a) + b",
    "self.flag = (0, None) < (1, self.maybe) and (self.n, self.maybe) < (1, 0)",
    "self.flag = (self.n, self.maybe) < (1, 2)",
    "if self.n:\n    K = 5\nself.n = K",
    "x = [K for K in (1, 2)]\nself.n = K",
    "x = 9\nmatch (self.n, 1):\n    case (5, x):\n        pass\n    case _:\n        self.n = x",
    "match (self.n, 2):\n    case (0, y) | (y, 2):\n        self.n = y",
    "match self.maybe:\n    case int():\n        self.n = 5\n    case None:\n        self.n = 6",
    "self.n = next((x for x in self.cells if x > 1), 7)",
    "self.n = self.c.twice(self.n)",
    "self.n = math.gcd(12, 18) + len('ab'.upper()) + functools.reduce(lambda a, b: a * b, self.cells)",
    "self.n = sum(a * b for a, b in itertools.combinations(self.cells, 2))",
    "self.flag = isinstance(NAMES, dict) and isinstance(FEW, set) and not isinstance(self.maybe, int)",
    "self.n = -7 // (self.n + 1) * 10 + -7 % (self.n + 1)",
    "k = self.n % 3\nd = {k: 1, 2: 5}\nd[k] += 1\nself.n = len(d) * 10 + d[2]",
    "self.n = self.cells[self.n + 1]",
    "self.flag = self.maybe in range(3)",
    "xs = [[0]] * 2\nxs[0].append(1)\nself.n = len(xs[1])",
    "if f'{K!r:>3}' == '  1':\n    self.n = 5",
    "print('n is', self.n, self.s, self.cells, end='')\nself.n += 1",
    "print(self.cells[self.n + 1])\nself.n = 5",
    "print(f'{self.n:03d} of {self.cells[self.n + 1]!r}', self.maybe)\nself.n = 5",
    "print(*self.cells, sep=', ')\nprint(self.s.add(3))\nself.n = len(self.s)",
    "self.flag = print() is None",
    "self.n = min(self.t | self.s, default=9) + sum(x for x in self.s)",
    "for x in self.s:\n    self.n += x\n    if x > 1:\n        break\nelse:\n    self.n += 20",
]


@pytest.mark.parametrize("body", COMPILED)
def test_compiled_as_python_means_it(body: str) -> None:
    assert compare(written(body), "protocol.py", COMPILED.index(body)).states > 0


def test_a_loop_over_a_set_takes_every_order() -> None:
    text = written("for x in {1, 2, 3}:\n    self.n = x")
    model = translate(load_system(text, "protocol.py"))
    assert sum(transition.name.startswith("p: act") for transition in model.transitions) == 3


def test_a_loop_over_a_set_whose_order_makes_no_difference_is_one_transition() -> None:
    text = written("for x in {1, 2, 3}:\n    self.cells[x - 1] = x")
    model = translate(load_system(text, "protocol.py"))
    steps = [each for each in model.transitions if each.name.startswith("p: act") and not each.failure]
    assert len(steps) == 1


@pytest.mark.parametrize(
    ("fields", "make", "why"),
    [
        ("x: int = 0\n    def __eq__(self, other):\n        return True", "P()", "__eq__ of its own"),
        ("x: int = 0\n    def __getattr__(self, name):\n        return 1", "P()", "__getattr__ of its own"),
        ("x: list[int]", "P(x=SAME), P(x=SAME)", "the same object"),
        ("x: set[bool]", "P(x=frozenset())", "begins as a frozenset"),
    ],
)
def test_classes_and_values_that_would_not_behave(fields: str, make: str, why: str) -> None:
    change = "self.x = 1" if "int = 0" in fields else "self.x[0] = 1" if "list" in fields else "self.x.add(True)"
    text = (
        "from mule.actors import *\nSAME = [0]\n"
        f"class P(Process):\n    {fields}\n    @step\n    def act(self):\n        {change}\n"
        f"def system():\n    return System([{make}])\n"
    )
    with pytest.raises(MuleError, match=why):
        load(text, "protocol.py")


def test_a_constant_that_is_also_a_field_is_refused() -> None:
    text = (
        "from mule.actors import *\nSAME = [0]\n"
        "class P(Process):\n    x: list[int]\n    @step\n    def act(self):\n        self.x[0] = SAME[0] + 1\n"
        "def system():\n    return System([P(x=SAME)])\n"
    )
    with pytest.raises(MuleError, match="use a copy"):
        load(text, "protocol.py")


def test_a_condition_only_looks() -> None:
    text = (
        "from mule.actors import *\n"
        "class P(Process):\n    x: set[bool]\n    @step(when=lambda self: self.x.add(True) is None)\n"
        "    def act(self):\n        self.x.clear()\n"
        "def system():\n    return System([P(x=set())])\n"
    )
    with pytest.raises(MuleError, match="it may only look"):
        load(text, "protocol.py")


def test_a_quorum_is_known_before_the_run() -> None:
    text = (
        "from mule.actors import *\nclass M(Message):\n    pass\n"
        "class P(Process):\n    k: int = 1\n    @step\n    def act(self):\n        self.k = 2\n"
        "        send(self, M())\n"
        "    @on(M, quorum=lambda self: self.k)\n    def take(self, ms):\n        pass\n"
        "def system():\n    return System([P()])\n"
    )
    with pytest.raises(MuleError, match="which changes"):
        load(text, "protocol.py")


def test_a_message_is_its_fields() -> None:
    text = (
        "from mule.actors import *\nclass M(Message):\n    n: int = 0\n    def __post_init__(self):\n        print(1)\n"
        "class P(Process):\n    @step\n    def act(self):\n        send(self, M())\n"
        "    @on(M)\n    def take(self, m):\n        pass\n"
        "def system():\n    return System([P()])\n"
    )
    with pytest.raises(MuleError, match="more than its fields"):
        load(text, "protocol.py")
