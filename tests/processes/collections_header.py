"""What the programs of the tests of collections begin with."""

from __future__ import annotations

IMPORTS = """from enum import Enum
from typing import Annotated
import asyncio
from mule.processes import AtMost, Event, Lock, Queue, Range, Shared, System, choose, pause, until


class Color(Enum):
    RED = 1
    GREEN = 2


class S(Shared):
    items: Annotated[list[int], AtMost(3)] = []
    more: Annotated[list[Color], AtMost(2)] = [Color.GREEN]
    a: int = 0
    b: int = 0
    on: bool = False


Small = Annotated[int, Range(0, 2)]


class D(Shared):
    of: dict[Color, int] = {}
    by: dict[Small, bool] = {1: True}
    a: int = 0
    b: int = 0

"""
