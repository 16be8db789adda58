"""What protocols in tests begin with."""

from __future__ import annotations

HEADER = """from enum import Enum
from typing import Annotated
from mule.actors import *

class Phase(Enum):
    IDLE = 0
    BUSY = 1
    OVER = 2

class Ping(Message):
    n: int

class Pong(Message):
    n: Annotated[int, Range(0, 9)]
    who: "Process | None" = None

"""
