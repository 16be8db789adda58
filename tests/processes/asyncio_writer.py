"""Writes small random programs for asyncio: a few tasks, and what they share. A text is a model and a program."""

from __future__ import annotations

import random

HEADER = """import asyncio

from mule.processes import *

STORE = None


class Store(Shared):
    a: int = 0
    b: int = 0
    on: bool = False


async def helper(s, n):
    s.b = n
    await asyncio.sleep(0)
    return (s.a + n) % 3


async def locked(s, lock, n):
    async with lock:
        if s.a == n:
            return 1
        s.a = n
        await asyncio.sleep(0)
    return 2
"""
PARAMETERS = "s, lock, other, semaphore, bounded, event, condition, q, n"
SYSTEM = """

def system():
    global STORE
    s = STORE = Store()
    lock, other, semaphore, bounded = Lock(), Lock(), Semaphore({semaphore}), BoundedSemaphore(1)
    event, condition, q = Event(), Condition(), Queue({queue})
    return System([{tasks}])
"""


TOPICS = ["lock", "semaphore", "event", "condition", "queue", "helper"]
BLOCKS = ["try", "timeout", "limit", "task", "group", "raise", "task"]


class Writer:
    header = HEADER
    parameters = PARAMETERS
    """Of the functions for tasks; the last one is a number."""
    system = SYSTEM

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.fresh = 0
        self.budget = 0
        self.topics = self.random.sample(TOPICS, 2) + self.random.sample(BLOCKS, 2)
        self.parts = 0
        """How many functions there are for tasks that other tasks start."""
        self.inside = ""
        """Whether this is written for such a function, or stands in a loop: no tasks are started there."""

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def put(self, indent: int, *lines: str) -> None:
        self.lines += ["    " * indent + line for line in lines]

    def number(self) -> str:
        return self.pick("x", "n", "s.a", "s.b", "0", "1", "2", "(x + 1) % 3", "(s.a + 1) % 3", "(s.b + x) % 3")

    def test(self) -> str:
        return self.pick("s.on", "not s.on", f"{self.number()} == {self.number()}", "event.is_set()", "lock.locked()")

    def block(self, indent: int, size: int) -> None:
        for _ in range(size):
            self.statement(indent)

    def statement(self, indent: int) -> None:
        self.budget -= 1
        topics = [each for each in self.topics if not self.inside or each not in ("task", "group")]
        if indent > 2 or self.budget < 0:
            topics = [each for each in topics if each not in BLOCKS]
        kinds = ["assign", "assign", "sleep", *topics, *topics]
        if indent < 3 and self.budget > 0:
            kinds += ["if", "while", "for"]
        getattr(self, "write_" + self.pick(*kinds))(indent)

    def write_assign(self, indent: int) -> None:
        self.put(
            indent,
            self.pick(
                f"s.a = {self.number()}",
                f"s.b = {self.number()}",
                f"x = {self.number()}",
                "s.on = not s.on",
                f"s.on = {self.test()}",
                "s.a = (s.a * 2 + n + 1) % 5",
                "s.b = (s.b * 2 + x + 1) % 5",
            ),
        )

    def write_sleep(self, indent: int) -> None:
        self.put(indent, self.pick("await asyncio.sleep(0)", "await pause()", "await asyncio.sleep(1)"))

    def write_lock(self, indent: int) -> None:
        lock = self.pick("lock", "other")
        match self.pick("with", "with", "calls", "rare"):
            case "with":
                self.put(indent, f"async with {lock}:")
                self.block(indent + 1, self.random.randint(1, 2))
            case "calls":
                self.put(indent, f"await {lock}.acquire()")
                self.block(indent, 1)
                self.put(indent, f"{lock}.release()")
            case _:
                self.put(indent, f"if not {lock}.locked():")
                self.put(indent + 1, f"await {lock}.acquire()")

    def write_semaphore(self, indent: int) -> None:
        name = self.pick("semaphore", "semaphore", "bounded")
        match self.pick("with", "calls", "rare", "release"):
            case "with":
                self.put(indent, f"async with {name}:")
                self.block(indent + 1, self.random.randint(1, 2))
            case "calls":
                self.put(indent, f"await {name}.acquire()")
            case "release":
                self.put(indent, f"{name}.release()")
            case _:
                self.put(indent, f"{self.pick('', name + '.release(); ')}s.on = {name}.locked()")

    def write_event(self, indent: int) -> None:
        one = self.pick(
            "await event.wait()",
            "await event.wait()",
            "event.set()",
            "event.set()",
            "event.clear()",
            "event.set(); event.clear()",
            "s.on = await event.wait()",
        )
        self.put(indent, one)

    def write_condition(self, indent: int) -> None:
        notify = self.pick("condition.notify()", "condition.notify(2)", "condition.notify_all()")
        match self.pick("wait", "wait", "notify", "notify", "for", "rare"):
            case "wait":
                self.put(indent, "async with condition:")
                self.put(indent + 1, "await condition.wait()")
                self.block(indent + 1, 1)
            case "notify":
                self.put(indent, "async with condition:")
                self.block(indent + 1, 1)
                self.put(indent + 1, notify)
            case "for":
                self.put(indent, "async with condition:")
                self.put(indent + 1, f"await condition.wait_for(lambda: {self.test()})")
            case _:
                self.put(indent, self.pick(notify, "s.on = condition.locked()", "await condition.wait()"))

    def write_queue(self, indent: int) -> None:
        value = self.number()
        self.put(
            indent,
            *self.random.choice(
                [
                    [f"await q.put({value})"],
                    [f"await q.put({value})"],
                    ["x = await q.get()"],
                    ["x = await q.get()", "q.task_done()"],
                    ["await q.join()"],
                    ["if not q.empty():", "    x = q.get_nowait()"],
                    ["if not q.full():", f"    q.put_nowait({value})"],
                    ["if q.qsize() > 0:", "    q.task_done()"],
                    [self.pick("x = q.get_nowait()", f"q.put_nowait({value})", "q.task_done()")],
                ]
            ),
        )

    def write_helper(self, indent: int) -> None:
        self.put(
            indent,
            self.pick(
                f"x = await helper(s, {self.number()})",
                f"s.a = (s.b + await helper(s, {self.number()})) % 3",
                f"x = await locked(s, {self.pick('lock', 'other')}, n)",
                "await gather(helper(s, 1), helper(s, 2))",
            ),
        )

    def call(self) -> str:
        """Of a function for a task."""
        return f"part{self.random.randrange(self.parts)}({self.parameters[:-1]}{self.number()})"

    def write_raise(self, indent: int) -> None:
        self.put(indent, f"if {self.test()}:")
        self.put(indent + 1, self.pick("raise ValueError", "raise KeyError(x)", "raise asyncio.QueueEmpty"))

    def write_try(self, indent: int) -> None:
        self.put(indent, "try:")
        self.block(indent + 1, self.random.randint(1, 2))
        caught = self.pick("", "ValueError", "Exception", "asyncio.CancelledError", "(KeyError, asyncio.QueueEmpty)")
        if caught:
            self.put(indent, f"except {caught}:")
            self.block(indent + 1, 1)
            if self.random.random() < 0.5:
                self.put(indent + 1, "raise")
        if not caught or self.random.random() < 0.5:
            self.put(indent, "finally:")
            self.block(indent + 1, 1)

    def write_timeout(self, indent: int) -> None:
        self.put(indent, "try:", "    async with asyncio.timeout(1):")
        self.block(indent + 2, self.random.randint(1, 2))
        self.put(indent, "except TimeoutError:")
        self.block(indent + 1, 1)

    def write_limit(self, indent: int) -> None:
        awaited = self.pick("helper(s, n)", "event.wait()", "lock.acquire()", "q.get()", f"q.put({self.number()})")
        self.put(indent, "try:", f"    s.b = int(await asyncio.wait_for({awaited}, 1) or 0)")
        self.put(indent, "except asyncio.TimeoutError:", "    s.on = True")

    def write_task(self, indent: int) -> None:
        self.fresh += 1
        task = f"t{self.fresh}"
        self.put(indent, f"{task} = asyncio.create_task({self.call()})")
        before, self.inside = self.inside, "task"
        self.block(indent, self.random.randint(0, 1))
        self.inside = before
        if self.random.random() < 0.5:
            self.put(indent, self.pick(f"{task}.cancel()", f"s.on = {task}.cancel()", f"s.on = {task}.done()"))
        match self.pick("await", "gather", "try", "both"):
            case "await":
                self.put(indent, self.pick(f"x = await {task}", f"await {task}"))
            case "gather":
                self.put(indent, f"await gather({task}, return_exceptions=True)", f"s.on = {task}.cancelled()")
            case "try":
                caught = self.pick("ValueError", "Exception", "asyncio.CancelledError", "BaseException")
                self.put(indent, "try:", f"    x = await {task}", f"except {caught}:", "    s.b = 4")
            case _:
                self.put(indent, "try:", f"    x, s.b = await gather({task}, {self.call()})")
                self.put(indent, "except (Exception, asyncio.CancelledError):", "    s.b = 4")

    def write_group(self, indent: int) -> None:
        self.fresh += 1
        group = f"g{self.fresh}"
        self.put(indent, "try:", f"    async with asyncio.TaskGroup() as {group}:")
        for _ in range(self.random.randint(1, 2)):
            self.put(indent + 2, f"{group}.create_task({self.call()})")
        before, self.inside = self.inside, "task"
        self.block(indent + 2, self.random.randint(0, 2))
        self.inside = before
        self.put(indent, "except ExceptionGroup:", "    s.b = 3")

    def write_if(self, indent: int) -> None:
        self.put(indent, f"if {self.test()}:")
        self.block(indent + 1, self.random.randint(1, 2))
        if self.random.random() < 0.4:
            self.put(indent, "else:")
            self.block(indent + 1, 1)

    def write_while(self, indent: int) -> None:
        self.fresh += 1
        counter = f"w{self.fresh}"
        self.put(indent, f"{counter} = 0", f"while {counter} < 2:")
        self.put(indent + 1, f"{counter} += 1")
        before, self.inside = self.inside, "loop"
        self.block(indent + 1, self.random.randint(1, 2))
        self.inside = before

    def write_for(self, indent: int) -> None:
        self.put(indent, "for i in range(2):")
        self.put(indent + 1, "s.b = i")
        self.block(indent + 1, 1)

    def text(self) -> str:
        self.inside = "part"
        self.parts = self.random.randint(1, 2)
        for number in range(self.parts):
            self.budget = 2
            self.put(0, "", "", f"async def part{number}({self.parameters}):")
            self.put(1, "x = n")
            self.block(1, self.random.randint(1, 3))
            self.put(1, f"return {self.number()}")
        self.inside = ""
        functions = self.random.randint(1, 2)
        for number in range(functions):
            self.budget = self.random.randint(2, 5)
            self.put(0, "", "", f"async def task{number}({self.parameters}):")
            self.put(1, "x = n")
            self.block(1, self.random.randint(2, 4))
        tasks = self.random.randint(2, 3)
        numbers = [*range(functions), *(self.random.randrange(functions) for _ in range(tasks))][:tasks]
        made = [f"task{number}({self.parameters[:-1]}{self.random.randrange(3)})" for number in numbers]
        system = self.system.format(
            semaphore=self.random.randint(0, 2), queue=self.random.randint(1, 2), tasks=", ".join(made)
        )
        return self.header + "\n".join(self.lines) + "\n" + system


def program(seed: int) -> str:
    return Writer(seed).text()
