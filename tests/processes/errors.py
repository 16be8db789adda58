"""Programs that cannot be compiled: the body of a process, the line and the message that it gets."""

from __future__ import annotations

HEADER = """import asyncio
from typing import Annotated
from mule.processes import Event, Lock, Queue, Range, Semaphore, Shared, System, choose, gather, pause, sleep, until
class Store(Shared):
    a: int = 0
    xs: list[int]
    def add(self): self.a += 1
async def helper(s, n):
    await pause()
    return n
def plain(n): return n
def caught(s):
    try:
        s.a = 1
    except ValueError:
        s.a = 2
def system():
    return System([process(Store(xs=[1, 2]), Lock(), Queue(2), [Lock(), Lock()])])
async def process(s, lock, q, locks):
"""
FIRST_LINE = HEADER.count("\n") + 1

BODIES: list[tuple[str, int, str]] = [
    ("while True: s.a = 1", 1, "never ends and never awaits"),
    ("while s.a == 0:\n        pass", 1, r"await until\(lambda: …\) instead"),
    ("while True:\n        if s.a == 1: await pause()", 2, "without an await"),
    ("await pause", 1, "await a call"),
    ("await plain(1)", 1, "plain is not async"),
    ("await s.add()", 1, "s.add is not async"),
    ("helper(s, 1)", 1, r"helper is async: write await helper\(…\)"),
    ("x = s.a + helper(s, 1)", 1, "helper is async"),
    ("pause()", 1, "pause does nothing unless it is awaited"),
    ("until(lambda: True)", 1, "until does nothing unless it is awaited"),
    ("await until(s.a == 1)", 1, r"write until\(lambda: s.a == 1\)"),
    ("await until()", 1, "until takes one function"),
    ("async for x in q: pass", 1, "async for"),
    ("with lock: pass", 1, "write async with"),
    ("caught(s)", -6, "exceptions can be caught in async functions only"),
    ("try:\n        await pause()\n    except* ValueError:\n        pass", 1, "write except ExceptionGroup"),
    ("try:\n        await pause()\n    except s.a:\n        pass", 3, "no class of exceptions"),
    ("raise", 1, "no exception to raise again"),
    ("raise s.a", 1, "raise an exception class"),
    ("for x in range(s.a):\n        await pause()", 1, "not known before the run: write this loop"),
    ("for x in range(1000):\n        await pause()", 1, "more than 256 rounds"),
    ("for x in range(10**9):\n        await pause()", 1, "more than 256 rounds"),
    (
        "for x in range(200):\n        for y in range(200):\n            await pause()",
        3,
        "more than 10,000 instructions",
    ),
    ("x = s.a and await helper(s, 1)", 1, "statement of its own"),
    ("x = [await helper(s, 1) for i in range(2)]", 1, "statement of its own"),
    ("x = s.xs[await helper(s, 1)]", 1, "statement of its own"),
    ("s.xs[await helper(s, 1)] = 2", 1, "await in what is assigned to"),
    ("s.xs[s.a] += await helper(s, 1)", 1, "give this index a name"),
    ("x = [1]\n    await pause()\n    x.append(2)", 2, "x is list, which cannot be kept across an await"),
    ("x = 1.5", 1, "there are no floats"),
    ("await asyncio.wait([])", 1, "is not a part of the model"),
    ("await asyncio.shield(helper(s, 1))", 1, "asyncio.shield is not async"),
    ("await asyncio.wait_for(helper(s, 1))", 1, "write asyncio.wait_for"),
    ("asyncio.create_task(plain(1))", 1, "a task is made of a call of an async function"),
    ("asyncio.create_task(helper(s, 1), context=s)", 1, "and a name"),
    ("if s.a: t = asyncio.create_task(helper(s, 1))\n    await t", 2, "a task that is known before the run"),
    (
        "ts = []\n    while s.a < 2:\n        s.a += 1\n        ts.append(asyncio.create_task(helper(s, 1)))\n"
        "    await ts[0]",
        4,
        "append in for loops",
    ),
    ("l = asyncio.Lock()\n    await l.acquire()", 1, "made in system.*: use mule.processes.Lock there"),
    ("queue = asyncio.Queue()\n    await queue.put(1)", 1, "use mule.processes.Queue there"),
    ("s.xs.append(1)", 1, "the list in a field has a fixed length"),
    ("async with asyncio.timeout(1) as t: await pause()", 1, "a timeout cannot be moved"),
    ("x = await gather(helper(s, 1), return_exceptions=True)", 1, "is not kept"),
    ("await gather(helper(s, 1), loop=s)", 1, "gather has no loop"),
    ("await helper(s)", 1, "helper needs a value for n"),
    ("await helper(s, 1, 2)", 1, "3 arguments for 2 parameters"),
    ("await helper(s, m=1)", 1, "helper has no parameter m"),
    ("await helper(*[s, 1])", 1, r"\* and \*\* in a call"),
    ("global x", 1, "make it a field of a Shared object"),
    ("s.b = 1", 1, "Store has no field b"),
    ("x = s.b", 1, "Store has no field b"),
    ("s.a = True and None", 1, "Store.a is int"),
    ("s.a = 'text'", 1, "Store.a is int, and this is str"),
    ("t = Store(xs=[1])", 1, "shared objects are made in system"),
    ("x = y", 1, "y is not defined"),
    ("if s.a: x = 1\n    await pause()\n    s.a = x", 3, "x is not defined here, or not on every way"),
    ("print(s.a, file=None)", 1, "a model has no files"),
    ("del s.a", 1, "nothing can be deleted"),
    ("import os", 1, "import at the top"),
    ("async def inner(): pass", 1, "define async functions at the top"),
    (
        "x = s.a\n    await pause()\n    s.a = x\n    x = lock\n    await pause()\n    s.a = x is lock",
        5,
        "across an await: annotate it",
    ),
    ("q.put_nowait('a')", 1, "an item of queue is int"),
    ("await q.put((1, 2))", 1, "an item of queue"),
    ("x: float = s.a\n    await pause()\n    s.a = x", 1, "float is no type"),
    ("x: Nothing = s.a\n    await pause()\n    s.a = x", 1, "the type of x cannot be read"),
    ("x = s.a / 2", 1, "use //"),
    ("await lock.nothing()", 1, "nothing"),
    ("await nothing()", 1, "nothing is not"),
    ("await locks[s.a].nothing()", 1, "no shared object has an async method nothing"),
    ("await gather(*[helper(s, s.a)])", 1, "known before the run"),
    ("await gather()", 1, "gather takes calls"),
    ("await gather(helper(s))", 1, "helper needs a value for n"),
    ("x = helper(s, 1)", 1, "helper is async"),
    ("await gather(process(s, lock, q, locks))", 1, "more than 64 processes"),
    ("x = lambda: 1\n    await pause()\n    s.a = x()", 2, "cannot be kept"),
]
"""A body, the line of the message in it, and a part of the message."""


def text_of(body: str) -> str:
    return f"{HEADER}    {body}\n"
