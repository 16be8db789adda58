"""Tuples and dataclasses in queues, variables, arguments and results: what the compiled model reaches is what Python
reaches."""

from __future__ import annotations

import re

import pytest

from mule.errors import MuleError
from mule.frontends.python.translation import translate
from tests.processes.agreement import compare, maker
from tests.processes.both import both, values
from tests.processes.collections_header import IMPORTS

pytestmark = pytest.mark.slow

JOBS = """
from dataclasses import dataclass, replace
@dataclass(frozen=True)
class Job:
    id: int
    color: Color = Color.RED
    done: bool = False
    def twice(self):
        return self.id * 2
FIRST = Job(1)
"""
ITEMS = {
    "dataclasses in a queue": """
async def make(q, s):
    await q.put(FIRST)
    s.b = Job(4).twice()
    await q.put(Job(s.a + 2, done=s.a > 0))
async def work(q, s):
    for _ in range(2):
        job = await q.get()
        s.on = job == FIRST
        s.a = job.id * 10 + (job == Job(2)) + 2 * (job != Job(2, done=True))
        other = replace(job, done=not job.done, id=job.id + 1)
        s.b = other.id + 10 * other.done + 100 * (job.color is Color.RED)
def system():
    s, q = S(), Queue(1, of=Job)
    return System([make(q, s), work(q, s)])
""",
    "dataclasses that are kept, given and returned": """
async def make(q, s, n: int):
    job = Job(s.a + n)
    await pause()
    await q.put(replace(job, done=s.on))
    s.a += 1
async def kept(job: Job, s):
    await pause()
    return replace(job, id=job.id + s.a), job.color
async def work(q, s):
    job: Job = await q.get()
    s.on = True
    await pause()
    other, color = await kept(job, s)
    s.b = other.id + 100 * other.done + 1000 * (color == job.color)
def system():
    s, q = S(), Queue(1, of=Job)
    return System([make(q, s, 1), work(q, s)])
""",
    "tuples in tuples": """
async def make(q, s, n):
    await q.put(((n, s.a), s.a > 0))
    s.a += 1
async def work(q, s):
    for _ in range(2):
        pair, flag = await q.get()
        s.b = s.b * 10 + pair[0] + pair[1] + 5 * flag
        s.on = pair == (1, 0)
def system():
    s, q = S(), Queue(1, of=tuple[tuple[int, int], bool])
    return System([make(q, s, 1), make(q, s, 2), work(q, s)])
""",
    "a dataclass in a tuple": """
async def make(q, s):
    await pause()
    q.put_nowait((Job(s.a, Color.GREEN), 4))
async def work(q, s):
    item = await q.get()
    match item:
        case (Job(color=Color.GREEN, id=n), 4):
            s.b = n + 7
async def change(s):
    s.a = 3
def system():
    s, q = S(), Queue(2, of=tuple[Job, int])
    return System([make(q, s), work(q, s), change(s)])
""",
}


@pytest.mark.parametrize("name", ITEMS)
def test_items_of_several_parts_do_what_python_does(name: str) -> None:
    assert compare(IMPORTS + JOBS + ITEMS[name], f"{name}.py", 0).states > 0


RETURNED = """
from dataclasses import dataclass, replace
@dataclass(frozen=True)
class Job:
    id: int
    done: bool = False
async def kept(job: Job, s):
    await pause()
    return replace(job, id=job.id + s.a), s.on
async def work(q, s):
    job = await q.get()
    task = asyncio.create_task(kept(job, s))
    await pause()
    s.a += 1
    other, on = await task
    s.b = other.id + 10 * (other == job) + 100 * on
async def make(q, s):
    await q.put(Job(s.a + 1, s.on))
    s.on = True
def system():
    global STORE
    s, q = Store(), Queue(1, of=Job)
    STORE = s
    return System([work(q, s), make(q, s)])
"""


def test_a_task_is_given_a_dataclass_and_returns_one_as_under_asyncio() -> None:
    real, found = both(RETURNED, "returned.py")
    assert len(values(real, "b")) > 1
    assert real <= found


REFUSED_ITEMS = {
    "could be changed afterwards": """
@dataclass
class Open:
    id: int
async def work(q):
    await q.put(Open(1))
def system():
    return System([work(Queue(1, of=Open))])
""",
    "write @dataclass(frozen=True)": """
@dataclass
class Open:
    id: int
async def work(s):
    s.a = Open(1).id
def system():
    return System([work(S())])
""",
    "does more than hold fields": """
@dataclass(frozen=True, eq=False)
class Odd:
    id: int
async def work(s):
    s.b = Odd(s.a) == Odd(s.a)
    s.a += 1
def system():
    return System([work(S())])
""",
    "enums, processes and truth values: use ==": """
async def work(q):
    item = await q.get()
    assert item is FIRST
def system():
    return System([work(Queue(1, of=Job))])
""",
    "an item of queue is a Job, and this is tuple": """
async def work(q):
    await q.put((1, 2))
def system():
    return System([work(Queue(1, of=Job))])
""",
    "Job is a frozen dataclass: give the object a field for each": """
class T(Shared):
    job: Job = FIRST
async def work(t):
    t.job = Job(2)
def system():
    return System([work(T())])
""",
    "a tuple of any length": """
async def work(q):
    await q.put((1, 2))
def system():
    return System([work(Queue(1, of=tuple[int, ...]))])
""",
    "job is Job here, and something else elsewhere": """
async def work(q, s):
    job = (1, 2)
    if s.a == 0:
        await pause()
        job = await q.get()
    await pause()
    s.a = job[0]
def system():
    return System([work(Queue(1, of=Job), S())])
""",
}


@pytest.mark.parametrize("message", REFUSED_ITEMS)
def test_items_that_are_refused_say_what_to_do(message: str) -> None:
    with pytest.raises(MuleError, match=re.escape(message)):
        translate(maker(IMPORTS + JOBS + REFUSED_ITEMS[message], "refused.py")())
