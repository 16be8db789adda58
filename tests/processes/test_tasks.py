"""Tasks, exceptions and cancellation: what asyncio can do, the model can do."""

from __future__ import annotations

import pytest

import mule.processes
from mule.results import Verdict
from tests.processes.asyncio_programs import loaded
from tests.processes.asyncio_writer import HEADER
from tests.processes.both import both, values

pytestmark = pytest.mark.slow

TASKS = {
    "a task runs by itself, and returns": """
async def child(s, n):
    s.a = s.a * 2 + n
    await pause()
    s.a = s.a * 2 + n
    return n + s.b
async def main(s):
    x = s.a + 1
    one = asyncio.create_task(child(s, x))
    two = asyncio.create_task(child(s, 0))
    s.b = 1
    y = await one
    await pause()
    if two.done():
        s.on = True
    s.b = y * 4 + await two
""",
    "what gathered tasks return": """
async def child(s, n):
    s.a = (s.a * 3 + n) % 11
    await pause()
    return (s.a + n) % 7
async def main(s):
    x, y = await asyncio.gather(child(s, 1), child(s, s.b + 2))
    s.b = x * 7 + y
    tasks = [asyncio.create_task(child(s, i)) for i in range(2)]
    s.on = True
    x, y = await asyncio.gather(*tasks)
    s.b = x * 7 + y
""",
    "calls that a comprehension gathers": """
async def child(s, n):
    s.a = (s.a * 3 + n) % 11
    await pause()
    return (s.a + n) % 7
async def main(s):
    for i in range(2):
        s.b += i
    x, y = await asyncio.gather(*(child(s, i) for i in range(2)))
    s.b = x * 7 + y
    i = s.b
    await asyncio.gather(*[child(s, i + j) for i in range(2) for j in range(i) if j < 3])
    s.b += i
""",
    "tasks in a list that grows": """
async def child(s, n):
    await pause()
    s.a = s.a * 3 + n
async def main(s):
    tasks = []
    for i in range(1, 4):
        tasks.append(asyncio.create_task(child(s, i)))
    for task in tasks:
        await task
        s.b += 1
""",
    "exceptions are caught, and blocks are left": """
async def risky(s, n):
    if n == 1:
        raise ValueError(n)
    await pause()
    if n == 2:
        raise KeyError("two")
    return n
async def main(s):
    for i in range(4):
        try:
            s.a = s.a * 10 + await risky(s, i)
        except ValueError as error:
            s.a = s.a * 10 + 5
        except (KeyError, IndexError):
            s.a = s.a * 10 + 6
        else:
            s.a = s.a * 10 + 7
        finally:
            s.b += 1
""",
    "an exception passes through finally, which waits": """
async def risky(s):
    try:
        try:
            s.a = 1 // s.b
        finally:
            await pause()
            s.a = 5
    except ArithmeticError:
        await pause()
        s.on = True
        raise
async def main(s):
    try:
        await risky(s)
    except ZeroDivisionError:
        s.b = s.a
""",
    "return and break go through finally": """
async def leaving(s, n):
    while True:
        try:
            if n == 0:
                return 1
            if n == 1:
                break
            n -= 1
            continue
        finally:
            s.a = s.a * 2 + 1
            await pause()
    return 2
async def main(s):
    s.b = await leaving(s, 0)
    s.b = s.b * 3 + await leaving(s, 3)
""",
    "an exception of a task comes to who awaits it": """
async def child(s):
    await pause()
    s.a += 1
    if s.a == 2:
        raise ValueError
    return 7
async def main(s):
    one = asyncio.create_task(child(s))
    two = asyncio.create_task(child(s))
    try:
        s.b = await one
    except ValueError:
        s.b = 1
    try:
        await two
    except Exception:
        s.on = True
""",
    "gather raises the first exception, and others go on": """
async def child(s, n):
    await pause()
    s.a = s.a * 3 + n
    if n == 1:
        raise ValueError
    await pause()
    s.a = s.a * 3 + n
async def main(s):
    try:
        await asyncio.gather(child(s, 1), child(s, 2))
    except ValueError:
        s.b = s.a
    await pause()
    s.on = True
    await asyncio.gather(child(s, 1), child(s, 0), return_exceptions=True)
""",
    "a task is cancelled where it waits": """
async def child(s):
    s.a = 1
    try:
        await pause()
        s.a = 2
        await pause()
        s.a = 3
    except asyncio.CancelledError:
        s.b += 1
        await pause()
        raise
    finally:
        s.b += 2
async def main(s):
    task = asyncio.create_task(child(s))
    await pause()
    s.on = task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        s.b += 10
    if task.cancelled():
        s.b += 100
""",
    "a cancelled task can go on": """
async def child(s):
    try:
        await pause()
    except asyncio.CancelledError:
        s.a = 1
    await pause()
    s.a += 1
    return 5
async def main(s):
    task = asyncio.create_task(child(s))
    await pause()
    task.cancel()
    await pause()
    if task.done() and not task.cancelled():
        s.b = task.result()
    else:
        s.on = True
        try:
            await task
        except asyncio.CancelledError:
            s.b = 9
""",
    "who waits for a task passes it on when it is cancelled": """
async def inner(s):
    try:
        await pause()
        await pause()
    except asyncio.CancelledError:
        s.a = 1
        raise
    s.a = 2
async def middle(s):
    task = asyncio.create_task(inner(s))
    try:
        await task
    except asyncio.CancelledError:
        s.b = 1 + s.a
        raise
async def main(s):
    task = asyncio.create_task(middle(s))
    await pause()
    await pause()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    s.on = task.cancelled()
""",
    "a cancelled gather cancels all": """
async def child(s, n):
    try:
        await pause()
        await pause()
        s.a += n
    finally:
        s.b += n
async def middle(s):
    await asyncio.gather(child(s, 1), child(s, 4))
async def main(s):
    task = asyncio.create_task(middle(s))
    await pause()
    await pause()
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        s.on = True
""",
    "a lock is given back by who is cancelled": """
async def child(s, lock):
    async with lock:
        s.a += 1
        await pause()
        s.a += 1
async def main(s):
    lock = LOCK
    one, two = asyncio.create_task(child(s, lock)), asyncio.create_task(child(s, lock))
    await pause()
    one.cancel()
    await asyncio.gather(one, two, return_exceptions=True)
    s.on = lock.locked()
    s.b = s.a
""",
    "a timeout may come wherever it waits": """
async def main(s):
    try:
        async with asyncio.timeout(1):
            s.a = 1
            await asyncio.sleep(2)
            s.a = 2
            await asyncio.sleep(2)
            s.a = 3
    except TimeoutError:
        s.b = 1
    finally:
        s.on = True
""",
    "a timeout of a timeout": """
async def main(s):
    try:
        async with asyncio.timeout(1):
            try:
                async with asyncio.timeout(2):
                    await asyncio.sleep(1)
                    s.a = 1
                    await asyncio.sleep(1)
            except TimeoutError:
                s.b = 1
                await asyncio.sleep(1)
                s.a += 5
    except TimeoutError:
        s.b += 2
""",
    "to wait for some time": """
async def child(s):
    try:
        await pause()
        s.a = 1
        await pause()
        s.a = 2
    except asyncio.CancelledError:
        s.a += 5
        raise
    return 3
async def other(s):
    await pause()
    EVENT.set()
async def main(s):
    task = asyncio.create_task(other(s))
    try:
        s.b = await asyncio.wait_for(child(s), 1)
        s.on = await asyncio.wait_for(EVENT.wait(), timeout=1)
    except asyncio.TimeoutError:
        s.b += 10
    await task
""",
    "a group waits for its tasks": """
async def child(s, n):
    s.a = s.a * 3 + n
    await pause()
    return s.a
async def main(s):
    async with asyncio.TaskGroup() as group:
        one = group.create_task(child(s, 1))
        group.create_task(child(s, 2))
        s.b = 1
    s.on = one.done()
    s.b = one.result()
""",
    "a group cancels the others when one fails": """
async def child(s, n):
    try:
        await pause()
        s.a = s.a * 3 + n
        if n == 1:
            raise ValueError
        await pause()
        s.a = s.a * 3 + n
    except asyncio.CancelledError:
        s.b += 1
        raise
async def main(s):
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(child(s, 1))
            group.create_task(child(s, 2))
            await pause()
            s.b += 10
            await pause()
            s.b += 10
    except ExceptionGroup:
        s.on = True
""",
    "a group that is left by an exception, or cancelled": """
async def child(s):
    try:
        await pause()
        await pause()
        s.a = 1
    finally:
        s.b += 1
async def failing(s):
    async with asyncio.TaskGroup() as group:
        group.create_task(child(s))
        await pause()
        s.a += s.b // s.a
async def waiting(s):
    async with asyncio.TaskGroup() as group:
        group.create_task(child(s))
async def main(s):
    try:
        await failing(s)
    except* ZeroDivisionError:
        s.b += 10
    task = asyncio.create_task(waiting(s))
    await pause()
    await pause()
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        s.on = True
""".replace("except* ZeroDivisionError", "except ExceptionGroup"),
}
SYSTEM = """
def system():
    global STORE, LOCK, EVENT
    STORE, LOCK, EVENT = Store(), Lock(), Event()
    return System([main(STORE), observer(STORE)])
async def observer(s):
    await pause()
    s.on = s.a == 1
"""
EXACT = {
    "what gathered tasks return",
    "exceptions are caught, and blocks are left",
    "an exception passes through finally, which waits",
    "return and break go through finally",
}


@pytest.mark.parametrize("name", TASKS)
def test_tasks_exceptions_and_cancellation_are_those_of_asyncio(name: str) -> None:
    text = TASKS[name] + SYSTEM
    real, found = both(text, f"{name}.py")
    assert len(real) > 1 or name in EXACT
    assert real <= found, sorted(real - found, key=str)


def test_a_task_that_waits_when_the_system_has_ended_is_no_deadlock() -> None:
    body = """
async def server(s, event):
    await event.wait()
async def main(s, event):
    asyncio.create_task(server(s, event))
    await pause()
    s.a = 1
def system():
    global STORE
    STORE = Store()
    return System([main(STORE, Event())])
"""
    assert loaded(HEADER + body, "server.py", mule.processes).system().check().verdict is Verdict.HOLDS
    waiting = body.replace("    await pause()", "    await asyncio.gather(server(s, event))")
    assert loaded(HEADER + waiting, "waiting.py", mule.processes).system().check().verdict is Verdict.VIOLATED


def test_a_failed_assertion_is_an_error_whoever_awaits_its_task() -> None:
    body = """
async def child(s):
    await pause()
    assert s.a == 1
async def main(s):
    task = asyncio.create_task(child(s))
    try:
        await task
    except Exception:
        s.b = 1
def system():
    global STORE
    STORE = Store()
    return System([main(STORE)])
"""
    _, found = both(body, "asserted.py")
    assert {end.failure for end in found} == {"AssertionError"}
    inside = body.replace(
        "    assert s.a == 1", "    try:\n        assert s.a == 1\n    except AssertionError:\n        s.a = 3"
    )
    real, found = both(inside, "caught inside.py")
    assert real == found
    assert values(found, "a") == {3}


def test_an_exception_of_a_task_that_nobody_awaits_is_an_error() -> None:
    body = """
async def child(s):
    await pause()
    raise ValueError
async def main(s):
    asyncio.create_task(child(s))
    await pause()
def system():
    global STORE
    STORE = Store()
    return System([main(STORE)])
"""
    _, found = both(body, "alone.py")
    assert "ValueError" in {end.failure for end in found}
