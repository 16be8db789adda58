"""What stands around a random body of a handler: everything that it may name, and the system."""

from __future__ import annotations

HEADER = """from __future__ import annotations

import functools, itertools, math, operator, os, random, time
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, NamedTuple

from mule.actors import Message, Process, Range, System, broadcast, choose, on, send, step

Small = Annotated[int, Range(0, 3)]
K = 2
NUMBERS = [3, 1, 2]
PAIRS = ([1, 2], (0, 3))
NAMES = {0: 1, 1: 3, 2: 0}
FEW = {1, 2}
NUMBERS_LEFT = iter([1, 2, 3])
COUNTER = itertools.count()


class Color(Enum):
    RED = 0
    GREEN = 1
    BLUE = 2

    def turned(self):
        return Color.GREEN if self is Color.RED else Color.RED


class Point(NamedTuple):
    x: int
    y: int


@dataclass(frozen=True)
class Fixed:
    a: int
    b: tuple


FIXED = Fixed(2, (1, 2))


class Keeper:
    def __init__(self):
        self.kept = 1
        self.items = [0]

    def inc(self):
        self.kept += 1
        return self.kept

    def twice(self, x):
        return x * 2 + self.kept


KEEPER = Keeper()


def clamp(value, low=0, high=3):
    if value > high:
        return high
    return max(value, low)


def grown(value, into=[]):
    into.append(value)
    return len(into)


def joined(xs, more=(1, 2)):
    return [*xs, *more]


def counting(n):
    while n > 0:
        yield n
        n -= 1


@functools.cache
def cached(n):
    return n + 1


class Go(Message):
    n: Small
    flag: bool
    color: Color
    maybe: Small | None
    few: frozenset[Color]


class Told(Message):
    n: Annotated[int, Range(-9, 9)]
    flag: bool = False
    color: Color = Color.RED


class Keen(Process):
    other: Process
    n: Small = 0
    flag: bool = False
    color: Color = Color.RED
    maybe: Small | None = None
    few: frozenset[Color] = frozenset()

    @step
    def kick(self):
        send(self.other, Go(self.n, self.flag, self.color, self.maybe, self.few))

    @step
    def setup(self):
        self.n, self.flag, self.color, self.maybe, self.few = 0, False, Color.RED, None, frozenset()

    @on(Told)
    def told(self, m):
        pass


class Subject(Process):
    peer: Process
    keeper: Keeper
    n: Small = 0
    big: Annotated[int, Range(-99, 99)] = 0
    flag: bool = False
    color: Color = Color.RED
    maybe: Small | None = None
    cells: list[Small]
    more: list[Annotated[int, Range(-99, 99)]]
    seen: set[Small]
    met: set[Small]
    few: frozenset[Color] = frozenset()

    def bump(self, by=1):
        self.n = (self.n + by) % 4
        return self.n

    def same(self, value):
        return value

    @property
    def half(self):
        return self.big // 2

    @step
    def setup(self):
        self.n, self.big, self.flag, self.color, self.maybe = 0, 0, False, Color.RED, None
        self.cells, self.more, self.seen, self.met = [0, 0, 0], [0, 0, 0], set(), set()
        self.few = frozenset()

    @on(Go)
    def act(self, m):
BODY

def system():
    keen = Keen(other=None)
    subject = Subject(peer=keen, keeper=Keeper(), cells=[0, 0, 0], more=[0, 0, 0], seen=set(), met=set())
    keen.other = subject
    return System([keen, subject])
"""
