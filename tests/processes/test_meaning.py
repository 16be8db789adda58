"""What an async function would do otherwise than in Python is refused."""

from __future__ import annotations

import pytest

from mule.errors import MuleError
from mule.frontends.python import load

HEADER = """from mule.processes import *
import itertools, random, time
K = 1
COUNT = itertools.count()
class Shelf(Shared):
    x: int = 0
    s: set[bool]
    t: set[bool]
    cells: list[int]
class Helper:
    def __init__(self):
        self.n = 0
    def inc(self):
        self.n += 1
        return self.n
async def worker(c, xs, h):
    c.t.add(True)
    c.cells[0] = 1
BODY
def system():
    c = Shelf(s=set(), t=set(), cells=[0, 0])
    return System([worker(c, [1], Helper()), worker(c, [2], Helper())])
"""
REFUSED = {
    "c.x = random.choice([1, 2])": "choose(a, b, …)",
    "await pause()\nc.x = int(time.time())": "there is no clock",
    "c.x = next(COUNT)": "iterator",
    "c.x = h.inc()": "only fields",
    "setattr(c, 'x', 5)": "write self.field",
    "xs.append(1)": "constant",
    "await pause()\nxs.append(1)": "constant",
    "c.s = c.t": "write set(…) for a copy",
    "if c.x:\n    K = 2\nc.x = K": "not on every way",
    "if c.x:\n    K = 2\nawait pause()\nc.x = K": "not on every way",
    "if c.x:\n    global K\nK = 2": "make it a field",
    "g = (i for i in range(3))\nawait pause()\nc.x = sum(g)": "cannot be kept",
}


@pytest.mark.parametrize("body", REFUSED)
def test_refused(body: str) -> None:
    with pytest.raises(MuleError) as caught:
        load(HEADER.replace("BODY", "\n".join(f"    {line}" for line in body.splitlines())), "program.py")
    assert REFUSED[body] in caught.value.message
    assert caught.value.place is not None
    assert caught.value.place.line is not None
