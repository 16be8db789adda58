"""Hand-written programs, each for one part of the language: what the compiled model reaches is what Python reaches."""

from __future__ import annotations

import pytest

from mule.frontends.python.translation import translate
from mule.results import Verdict
from tests.processes.agreement import Compared, Space, compare, maker

pytestmark = pytest.mark.slow

IMPORTS = """from enum import Enum
from typing import Annotated
import asyncio
from mule.processes import Event, Lock, Queue, Range, Semaphore, Shared, System, choose, gather, pause, sleep, until


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class S(Shared):
    a: int = 0
    b: int = 0
    on: bool = False

"""

PROGRAMS = {
    "read, wait, write loses an update": """
async def add(s):
    s.a += await one(s)
async def one(s):
    await pause()
    return 1
def system():
    s = S()
    return System([add(s), add(s)])
""",
    "operands are read from left to right, before the await that comes after them": """
async def left(s):
    s.b = s.a + await two(s) * 10 + s.a * 100
async def two(s):
    await pause()
    return s.a
async def other(s):
    s.a = 1
    await pause()
    s.a = 2
def system():
    s = S()
    return System([left(s), other(s)])
""",
    "an awaited call is no scheduling point if nothing in it waits": """
async def quick(s):
    s.a = 1
    return 2
async def first(s):
    x = await quick(s)
    s.a = 0
    s.b = x
async def second(s):
    s.on = s.a == 1
def system():
    s = S()
    return System([first(s), second(s)])
""",
    "return, break and continue give locks back": """
async def user(s, lock, other, n):
    while True:
        async with lock:
            async with other:
                s.a = (s.a + 1) % 3
                if s.a == n:
                    break
                if s.b == 1:
                    return
                await pause()
                if s.a == 0:
                    continue
                s.b = 1
        await pause()
    assert not lock.locked() or s.on
    s.on = True
def system():
    s, lock, other = S(), Lock(), Lock()
    return System([user(s, lock, other, 1), user(s, lock, other, 2)])
""",
    "locks in opposite orders": """
async def both(s, first, second):
    async with first, second:
        s.a += 1
        await pause()
        s.a -= 1
        assert s.a == 0
def system():
    s, first, second = S(), Lock(), Lock()
    return System([both(s, first, second), both(s, second, first)])
""",
    "else of loops": """
async def loops(s, n):
    for i in range(2):
        if s.b == i + n:
            break
        await pause()
    else:
        s.a += 1
    k = 0
    while k < 2:
        k += 1
        await pause()
        if s.a == 2:
            break
    else:
        s.b += 1
def system():
    s = S()
    return System([loops(s, 0), loops(s, 1)])
""",
    "enums, None and sets": """
class Light(Shared):
    color: Color = Color.RED
    last: Color | None = None
    seen: set[Color]
async def change(light, color):
    old = light.color
    maybe = None
    await pause()
    if old is not color:
        maybe = old
    light.color = color
    await pause()
    light.last = maybe
    light.seen.add(color)
    match light.color:
        case Color.RED:
            await pause()
        case Color.GREEN | Color.BLUE if light.last is None:
            light.seen.discard(Color.BLUE)
            await pause()
    assert light.color in light.seen or light.last is not None or True
def system():
    light = Light(seen=set())
    return System([change(light, Color.GREEN), change(light, Color.BLUE)])
""",
    "queues of pairs": """
async def send(s, q):
    await q.put((1, True))
    await q.put((2, False))
async def take(s, q):
    for _ in range(2):
        number, flag = await q.get()
        s.a = number
        s.on = flag
def system():
    s, q = S(), Queue(1, of=tuple[int, bool])
    return System([send(s, q), take(s, q)])
""",
    "several operations on queues in one step": """
async def shift(s, q, r):
    q.put_nowait(1)
    s.a = q.qsize()
    q.put_nowait(q.qsize() + 5)
    await pause()
    x = q.get_nowait()
    q.put_nowait(x + 1)
    r.put_nowait(q.get_nowait())
    s.b = r.qsize() * 10 + q.qsize()
    await pause()
    while not q.empty():
        s.a = q.get_nowait()
        if not r.full():
            r.put_nowait(s.a)
async def other(s, q, r):
    if not r.empty():
        s.on = True
        q.put_nowait(r.get_nowait())
def system():
    s, q, r = S(), Queue(3), Queue(2, of=Annotated[int, Range(1, 9)])
    return System([shift(s, q, r), other(s, q, r)])
""",
    "a queue that is full or empty": """
async def wrong(q, s):
    q.put_nowait(1)
    await pause()
    s.a = q.get_nowait()
    await pause()
    s.b = q.get_nowait()
def system():
    s, q = S(), Queue(1)
    return System([wrong(q, s), wrong(q, s)])
""",
    "events and semaphores": """
async def waiter(s, event, semaphore):
    async with semaphore:
        await event.wait()
        s.a += 1
        if s.a == 2:
            event.clear()
async def setter(s, event, semaphore):
    await semaphore.acquire()
    event.set()
    semaphore.release()
    await sleep(1)
    await asyncio.sleep(0)
    s.on = event.is_set() or semaphore.locked()
def system():
    s, event, semaphore = S(), Event(), Semaphore(2)
    return System([waiter(s, event, semaphore), waiter(s, event, semaphore), setter(s, event, semaphore)])
""",
    "objects that only the run knows": """
async def pick(s, locks):
    mine = locks[choose(0, 1)]
    async with mine:
        await pause()
        s.a += 1 if mine is locks[0] else 2
    other = locks[s.a % 2]
    await other.acquire()
def system():
    s, locks = S(), [Lock(), Lock()]
    return System([pick(s, locks), pick(s, locks)])
""",
    "objects in objects": """
class Account(Shared):
    lock: Lock
    money: int = 2
    async def pay(self, to, amount=1):
        async with self.lock:
            if self.money < amount:
                return False
            self.money -= amount
        await pause()
        to.money += amount
        return True
async def transfer(one, two):
    done = await one.pay(two, amount=2)
    if not done:
        await two.pay(one)
def system():
    one, two = Account(lock=Lock()), Account(lock=Lock())
    one.lock.name, two.lock.name = "first", "second"
    return System([transfer(one, two), transfer(two, one)])
""",
    "tasks in the background may wait for ever": """
async def server(q, s):
    while True:
        s.a = (s.a + await q.get()) % 5
async def client(q):
    await q.put(1)
    await q.put(2)
def system():
    s, q = S(), Queue(1)
    return System([client(q)], background=[server(q, s)])
""",
    "functions inside of system, with its variables": """
def system():
    s, limit = S(), 2
    async def count():
        while s.a < limit:
            seen = s.a
            await pause()
            s.a = seen + 1
    return System([count(), counting(s)])
async def counting(s):
    await until(lambda: s.a > 0)
    s.on = True
""",
    "parameters that are assigned": """
async def down(s, n, step=1):
    while n > 0:
        await pause()
        n -= step
        s.a = n
def system():
    s = S()
    return System([down(s, 2), down(s, 4, step=2)])
""",
    "tasks that are gathered": """
async def main(s, locks):
    s.a = 1
    await gather(part(s, locks[0], 1), part(s, locks[1], 2))
    s.on = True
    for n in range(2):
        await gather(*[part(s, each, n) for each in locks])
        s.b += 1
    k = 0
    while k < 2:
        k += 1
        await gather(last(s, k0=1))
async def last(s, k0):
    s.a = s.a * k0 + s.b
    await pause()
    s.a = 0
async def part(s, lock, n):
    seen = s.a
    async with lock:
        await pause()
        s.a = seen + n
async def other(s, locks):
    await until(lambda: s.on)
    async with locks[0]:
        s.b = s.a
def system():
    s, locks = S(), [Lock(), Lock()]
    return System([main(s, locks), other(s, locks)])
""",
    "gathered tasks that deadlock": """
async def main(s, locks):
    one, two = locks
    await gather(both(s, one, two), both(s, two, one))
    s.a = 7
async def both(s, one, two):
    async with one, two:
        s.b += 1
def system():
    s, locks = S(), [Lock(), Lock()]
    return System([main(s, locks)])
""",
    "a number out of range": """
class Small(Shared):
    a: Annotated[int, Range(0, 2)] = 0
async def up(s):
    s.a += 1
    await pause()
    s.a += 1
def system():
    s = Small()
    return System([up(s), up(s)])
""",
    "waiting for a condition over several things": """
async def wait(s, n):
    me = n
    await until(lambda: s.a == me and not s.on)
    s.on = True
    await pause()
    s.on = False
    s.a = (s.a + 1) % 3
def system():
    s = S()
    return System([wait(s, 0), wait(s, 1), wait(s, 2)])
""",
    "exceptions": """
async def fail(s, n):
    s.a = n
    await pause()
    if s.a == 2:
        raise ValueError(s.a)
    s.b = 4 // s.a
def system():
    s = S()
    return System([fail(s, 0), fail(s, 1), fail(s, 2)])
""",
    "what is printed is evaluated": """
async def talk(s, q):
    print("start", s.a, flush=True)
    await q.put(s.a)
    s.a += 1
    print(f"{s.a:>3} and {10 // (s.a - s.b)}")
async def listen(s, q):
    got = await q.get()
    print("got", got)
    s.b = 1
def system():
    s, q = S(), Queue(1)
    return System([talk(s, q), listen(s, q)])
""",
    "names that are bound once": """
async def names(s, forks, n):
    left, right = forks[n], forks[(n + 1) % 2]
    for fork in (left, right):
        held = s.a
        async with fork:
            s.a = held + n
            await pause()
    i = 7
    for i in range(n):
        await pause()
    s.b = i
def system():
    s, forks = S(), [Lock(), Lock()]
    return System([names(s, forks, 0), names(s, forks, 1)])
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_model_does_what_python_does(name: str) -> None:
    compared = compare(IMPORTS + PROGRAMS[name], f"{name}.py", 0)
    assert compared.states > 0


def _compared(name: str) -> Compared:
    return compare(IMPORTS + PROGRAMS[name], f"{name}.py", 0)


def test_an_update_can_get_lost() -> None:
    model = translate(maker(IMPORTS + PROGRAMS["read, wait, write loses an update"], "lost.py")())
    ends = {dict(state)["s.a"] for state in Space(model).shared}
    assert ends == {(0,), (1,), (2,)}
    assert model.parse_expression is not None


def test_locks_in_opposite_orders_deadlock_and_in_the_same_order_do_not() -> None:
    assert _compared("locks in opposite orders").deadlocks == 1
    same = PROGRAMS["locks in opposite orders"].replace("both(s, second, first)", "both(s, first, second)")
    assert compare(IMPORTS + same, "same.py", 0).deadlocks == 0


def test_all_finished_is_no_deadlock_and_a_server_may_wait() -> None:
    assert _compared("tasks in the background may wait for ever").deadlocks == 0
    stuck = PROGRAMS["tasks in the background may wait for ever"].replace("[client(q)], background=[", "[client(q), ")
    assert compare(IMPORTS + stuck, "stuck.py", 0).deadlocks > 0


def test_an_expression_sees_objects_processes_and_their_variables() -> None:
    text = IMPORTS + PROGRAMS["parameters that are assigned"]
    system = maker(text, "seen.py")()
    line = text.splitlines().index("        await pause()") + 1
    assert system.check(invariants=["s.a <= 3"]).verdict is Verdict.HOLDS
    assert system.check(invariants=["down_1.n <= 2 and down_2.n in (4, 2, 0)"]).verdict is Verdict.HOLDS
    assert system.check(ltl=f"down_1.line == {line} U down_1.done").verdict is Verdict.HOLDS
    assert system.check(ltl="<> (down_1.done and down_2.done)").verdict is Verdict.HOLDS
    assert system.check(ltl="<> (s.a == 1)").verdict is Verdict.HOLDS
    assert system.check(ltl="[] (down_1.done -> s.a == 0)").verdict is Verdict.VIOLATED


def test_the_program_runs_under_asyncio() -> None:
    for name in (
        "tasks that are gathered",
        "objects in objects",
        "tasks in the background may wait for ever",
        "queues of pairs",
    ):
        maker(IMPORTS + PROGRAMS[name], "run.py")().run()
