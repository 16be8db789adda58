"""What asyncio can do, the model can do: random programs, and one by hand for each thing that was otherwise once.
`python -m tests.processes.asyncio_programs --count 1000` compares that many."""

from __future__ import annotations

import pytest

from tests.processes import collections_writer
from tests.processes.asyncio_programs import compare
from tests.processes.asyncio_writer import program
from tests.processes.both import both, values

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(12))
def test_the_model_can_do_what_the_program_does(seed: int) -> None:
    compare(program(seed), f"asyncio_program_{seed}.py", seed, runs=20)


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_with_lists_dicts_and_dataclasses(seed: int) -> None:
    compare(collections_writer.program(seed), f"collections_program_{seed}.py", seed, runs=20)


SET_AND_CLEAR = """
async def waiter(s, event):
    await event.wait()
    s.a = 1
async def setter(s, event):
    await pause()
    event.set()
    event.clear()
def system():
    global STORE
    s, event = Store(), Event()
    STORE = s
    return System([waiter(s, event), setter(s, event)])
"""


def test_who_waits_for_an_event_is_woken_though_it_is_cleared_at_once() -> None:
    real, found = both(SET_AND_CLEAR, "cleared.py")
    assert 1 in values(real, "a")
    assert real == found


def test_who_comes_after_the_event_was_cleared_waits() -> None:
    late = SET_AND_CLEAR.replace("    await event.wait()", "    await pause()\n    await event.wait()")
    real, found = both(late, "late.py")
    assert {end.pending for end in real} == {(), (0,)}
    assert real == found


def test_a_released_semaphore_belongs_to_who_waits_for_it() -> None:
    real, found = both(
        """
async def waiter(s, semaphore):
    await semaphore.acquire()
    s.a = 1
async def releaser(s, semaphore):
    await pause()
    semaphore.release()
    s.on = semaphore.locked()
def system():
    global STORE
    s, semaphore = Store(), Semaphore(0)
    STORE = s
    return System([waiter(s, semaphore), releaser(s, semaphore)])
""",
        "released.py",
    )
    assert values(real, "on") == {0, 1}
    assert real <= found


CONDITION = """
async def waiter(s, condition, n):
    async with condition:
        await condition.wait_for(lambda: s.b > 0)
        s.b -= 1
        s.a = s.a * 2 + n
async def notifier(s, condition):
    for _ in range(2):
        await pause()
        async with condition:
            s.b += 1
            condition.notify()
def system():
    global STORE
    s, condition = Store(), Condition()
    STORE = s
    return System([waiter(s, condition, 0), waiter(s, condition, 1), notifier(s, condition)])
"""


def test_a_condition_wakes_those_who_wait_for_it() -> None:
    real, found = both(CONDITION, "condition.py")
    assert values(real, "a") == {1, 2}
    assert real == found


def test_a_notification_of_nobody_is_lost() -> None:
    lost = CONDITION.replace("wait_for(lambda: s.b > 0)", "wait()")
    real, found = both(lost, "lost.py")
    assert any(end.pending for end in real)
    assert real <= found


JOINED = """
async def worker(s, q):
    for _ in range(2):
        s.a += await q.get()
        await pause()
        q.task_done()
async def main(s, q):
    await q.put(1)
    await q.put(2)
    await q.join()
    s.b = s.a
def system():
    global STORE
    s, q = Store(), Queue(1)
    STORE = s
    return System([worker(s, q), main(s, q)])
"""


def test_a_joined_queue_is_done_when_all_its_items_are() -> None:
    real, found = both(JOINED, "joined.py")
    assert values(found, "b") == {3}
    assert real == found
    real, found = both(JOINED.replace("        q.task_done()\n", ""), "never done.py")
    assert {end.pending for end in found} == {(1,)}
    assert real == found
    real, found = both(JOINED.replace("q.task_done()", "q.task_done(); q.task_done()"), "too often.py")
    assert {end.failure for end in found if end.failure} == {"ValueError"}
    assert real <= found


def test_a_bounded_semaphore_cannot_be_released_too_often() -> None:
    real, found = both(
        """
async def user(s, semaphore):
    async with semaphore:
        s.a += 1
        await pause()
    if s.a == 2:
        semaphore.release()
def system():
    global STORE
    s, semaphore = Store(), BoundedSemaphore(1)
    STORE = s
    return System([user(s, semaphore), user(s, semaphore)])
""",
        "bounded.py",
    )
    assert {end.failure for end in real} >= {"ValueError"}
    assert real <= found
