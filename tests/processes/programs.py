"""Small random programs: a few coroutines over a few shared objects."""

from __future__ import annotations

import random

HEADER = """from mule.processes import Event, Lock, Queue, Semaphore, Shared, System, choose, pause, until


class Store(Shared):
    a: int = 0
    b: int = 1
    on: bool = False
    xs: list[int]

    def bump(self, by):
        self.a = (self.a + by) % 3
        return self.a

    async def swap(self):
        old = self.a
        await pause()
        self.a = self.b
        self.b = old
        return old


async def guarded(s, lock, n):
    async with lock:
        if s.a == n:
            return 1
        s.a = n
        await pause()
    return s.b


async def twice(s, n):
    m = n
    await until(lambda: s.b < 2 or m == 0)
    m += 1
    await pause()
    return m % 3
"""


class Program:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.fresh = 0
        self.budget = 0

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def expression(self, depth: int = 0) -> str:
        simple = ["x", "y", "s.a", "s.b", "n", "s.xs[0]", "s.xs[n % 2]", "0", "1", "2", "q.qsize()", "min(x, s.a)"]
        if depth > 1 or self.random.random() < 0.5:
            return self.pick(*simple)
        left, right = self.expression(depth + 1), self.expression(depth + 1)
        return self.pick(
            f"({left} + {right}) % 3",
            f"({left} * {right}) % 3",
            f"({left} if {self.test()} else {right})",
            f"abs({left} - {right})",
        )

    def test(self) -> str:
        left, right = self.expression(2), self.expression(2)
        return self.pick(
            f"{left} == {right}",
            f"{left} < {right}",
            "s.on",
            "not s.on",
            "event.is_set()",
            "q.empty()",
            f"s.on and {left} != {right}",
            "lock.locked()",
        )

    def target(self) -> str:
        return self.pick("x", "y", "s.a", "s.b", "s.xs[0]", "s.xs[x % 2]")

    def awaited(self) -> str:
        """An await with a small number as its value."""
        return self.pick(
            "await q.get()", "await s.swap()", f"await twice(s, {self.expression(2)})", "await guarded(s, lock2, 1)"
        )

    def block(self, indent: int, size: int, inside: str) -> None:
        for _ in range(size):
            self.statement(indent, inside)

    def put(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def statement(self, indent: int, inside: str) -> None:
        self.budget -= 1
        kinds = ["assign", "assign", "await", "await", "value", "queue", "event", "set", "name"]
        if indent < 4 and self.budget > 0:
            kinds += ["if", "if", "with", "while", "for", "match", "semaphore", "sync loop"]
        if inside:
            kinds += ["leave"]
        kinds += ["rare", "rare"]
        kind = self.pick(*kinds)
        smaller = self.random.randint(1, 2)
        match kind:
            case "assign":
                self.put(indent, self.pick(f"{self.target()} = {self.expression()}", f"s.bump({self.expression(1)})"))
            case "set":
                self.put(
                    indent, self.pick("s.on = not s.on", f"s.on = {self.test()}", "x, y = y, x", "s.a, s.b = s.b, s.a")
                )
            case "name":
                self.fresh += 1
                name = f"z{self.fresh}"
                self.put(indent, f"{name} = {self.expression(1)}")
                self.put(indent, "await pause()")
                self.put(indent, f"{self.target()} = {name} % 3")
            case "await":
                self.put(indent, self.pick("await pause()", "await pause()", f"await until(lambda: {self.test()})"))
            case "value":
                value = self.awaited()
                self.put(
                    indent,
                    self.pick(
                        f"{self.target()} = {value}",
                        f"{self.target()} = (s.a + {value}) % 3",
                        f"s.a = (s.b + ({value})) % 3",
                        f"x = {self.expression(2)} - {value}",
                        f"if {value} == {self.expression(2)}:\n{'    ' * (indent + 1)}y = 0",
                    ),
                )
                self.put(indent, "x = abs(x) % 3")
            case "queue":
                e = self.expression(1)
                self.put(
                    indent,
                    self.pick(
                        f"await q.put({e})",
                        f"await q.put({e})",
                        "y = await q.get()",
                        f"if not q.full():\n{'    ' * (indent + 1)}q.put_nowait({e})",
                        f"if not q.empty():\n{'    ' * (indent + 1)}q.put_nowait((q.get_nowait() + 1) % 3)",
                        f"if q.qsize() > 1:\n{'    ' * (indent + 1)}x = q.get_nowait() + q.get_nowait()",
                    ),
                )
            case "event":
                self.put(indent, self.pick("event.set()", "event.set()", "event.clear()", "await event.wait()"))
            case "if":
                self.put(indent, f"if {self.test()}:")
                self.block(indent + 1, smaller, inside)
                if self.random.random() < 0.3:
                    self.put(indent, f"elif {self.test()}:")
                    self.block(indent + 1, 1, inside)
                if self.random.random() < 0.5:
                    self.put(indent, "else:")
                    self.block(indent + 1, 1, inside)
            case "with":
                self.put(indent, self.pick("async with lock:", "async with lock2:", "async with locks[x % 2]:"))
                self.block(indent + 1, smaller, inside)
            case "semaphore":
                self.put(indent, "async with semaphore:")
                self.block(indent + 1, smaller, inside)
            case "while":
                self.fresh += 1
                counter = f"w{self.fresh}"
                self.put(indent, f"{counter} = 0")
                self.put(indent, f"while {self.pick('True', counter + ' < 2', counter + ' < 2 and ' + self.test())}:")
                self.put(indent + 1, f"{counter} += 1")
                self.put(indent + 1, f"if {counter} > 2:")
                self.put(indent + 2, "break")
                self.block(indent + 1, smaller, "loop")
                self.put(indent + 1, "await pause()")
            case "for":
                name = self.pick("i", "j")
                self.put(indent, f"for {name} in {self.pick('range(2)', 'range(n)', '[2, 0]')}:")
                self.put(indent + 1, self.pick(f"x = (x + {name}) % 3", f"s.xs[{name} % 2] = y", "await pause()"))
                self.block(indent + 1, 1, "loop")
            case "sync loop":
                self.put(indent, "for k in range(2):")
                self.put(indent + 1, f"if {self.test()}:")
                self.put(indent + 2, self.pick("continue", "break", "s.xs[k] = (s.xs[k] + 1) % 3"))
                self.put(indent + 1, "s.xs[k] = x")
            case "match":
                self.put(indent, f"match {self.expression(1)}:")
                self.put(indent + 1, "case 0:")
                self.block(indent + 2, 1, inside)
                self.put(indent + 1, "case 1 | 2 if " + self.test() + ":")
                self.block(indent + 2, 1, inside)
                self.put(indent + 1, "case _:")
                self.put(indent + 2, "y = 1")
            case "leave":
                self.put(indent, f"if {self.test()}:")
                self.put(indent + 1, self.pick("return", "break", "continue") if inside == "loop" else "return")
            case "rare":
                self.put(
                    indent,
                    self.pick(
                        f"assert {self.test()} or {self.test()}",
                        f"x = choose(0, {self.expression(2)})",
                        "if choose(True, False):\n" + "    " * (indent + 1) + "await pause()",
                        f"x = 2 // ({self.expression(2)} + 1)",
                        "lock.release()" if self.random.random() < 0.2 else "s.on = False",
                        "s.b = s.bump(1)",
                    ),
                )

    def text(self) -> str:
        functions = self.random.randint(1, 2)
        for number in range(functions):
            self.budget = self.random.randint(3, 8)
            self.put(0, "")
            self.put(0, "")
            self.put(0, f"async def process{number}(s, lock, lock2, locks, semaphore, event, q, n):")
            self.put(1, "x = n")
            self.put(1, "y = 0")
            self.block(1, self.random.randint(2, 4), "function")
        tasks = self.random.randint(2, 3) if self.random.random() < 0.3 else 2
        shared = "s, locks[0], locks[1], locks, semaphore, event, q"
        made = ", ".join(
            f"process{self.random.randrange(functions)}({shared}, {self.random.randrange(3)})" for _ in range(tasks)
        )
        background = f", background=[process0({shared}, 1)]"
        self.put(0, "")
        self.put(0, "")
        self.put(0, "def system():")
        self.put(1, "s, locks, semaphore, event = Store(xs=[0, 1]), [Lock(), Lock()], Semaphore(1), Event()")
        self.put(1, f"q = Queue(maxsize={self.random.randint(1, 3)})")
        self.put(1, f"return System([{made}]{background if self.random.random() < 0.1 else ''})")
        return HEADER + "\n".join(self.lines) + "\n"


def program(seed: int) -> str:
    return Program(seed).text()
