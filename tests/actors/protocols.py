"""Random protocols as Python source: small, finite, and using every construct of the language."""

from __future__ import annotations

import random

HEADER = """from __future__ import annotations

from enum import Enum
from typing import Annotated

from mule.actors import (
    Byzantine, Crash, Fifo, Message, Process, Range, System, Unordered, broadcast, choose, majority, on, send, step,
)

Small = Annotated[int, Range(0, 3)]
LIMIT = 2


class Color(Enum):
    RED = 0
    GREEN = 1
    BLUE = 2


def clamp(value: int) -> int:
    if value > 3:
        return 3
    return max(value, 0)


"""

MESSAGE_FIELDS = {
    "n": "Small",
    "flag": "bool",
    "color": "Color",
    "maybe": "Small | None",
    "who": "Process",
    "seen": "frozenset[Color]",
}


class Writer:
    """Writes one protocol; the same seed gives the same one."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.locals: list[str] = []
        """Local variables that hold numbers."""
        self.messages: dict[str, list[str]] = {}
        self.receives: str | None = None
        """The type of message that the handler at hand gets."""
        self.quorum = False

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def protocol(self) -> str:
        for number in range(self.random.randint(1, 2)):
            name = "AB"[number]
            fields = self.random.sample(list(MESSAGE_FIELDS), self.random.choice([0, 1, 1, 2]))
            self.messages[name] = sorted(fields)
            body = "".join(f"    {field}: {MESSAGE_FIELDS[field]}\n" for field in sorted(fields)) or "    pass\n"
            self.lines.append(f"class {name}(Message):\n{body}\n")
        kinds = ["P", "Q"][: self.random.randint(1, 2)]
        for kind in kinds:
            self._process(kind)
        self._system(kinds)
        return HEADER + "\n".join(self.lines)

    # processes --------------------------------------------------------------------------------------------------------

    def _process(self, name: str) -> None:
        self.lines.append(
            f"class {name}(Process):\n"
            "    others: list[Process]\n"
            f"    left: Annotated[int, Range(0, 2)] = {self.random.choice([1, 2, 2])}\n"
            f"    n: Small = {self.random.randint(0, 3)}\n"
            "    flag: bool = False\n"
            f"    color: Color = Color.{self.pick('RED', 'GREEN')}\n"
            "    maybe: Small | None = None\n"
            "    cells: list[Small]\n"
            "    seen: set[Color]\n"
            "    met: set[Process]\n"
            "    friend: Process | None = None\n"
        )
        self.lines.append(
            "    def bump(self, by: int) -> int:\n        self.n = (self.n + by) % 4\n        return self.n\n"
        )
        if self.chance(0.5):
            self.lines.append(f"    def done(self):\n        return {self.truth(1)}\n")
        self.receives, self.quorum = None, False
        for number in range(self.random.randint(1, 2)):
            self.locals = []
            guard = f" and {self.truth(1)}" if self.chance(0.4) else ""
            self.lines.append(
                f"    @step(when=lambda self: self.left > 0{guard})\n    def act{number}(self):\n"
                + (self._send(2) if self.chance(0.7) else "        self.left -= 1\n")
                + self._block(2, 2)
            )
        for message in self.messages:
            for number in range(self.random.choice([1, 1, 2])):
                self.receives = message
                self.quorum = self.chance(0.3)
                self._handler(message, number)
        self.receives, self.quorum = None, False

    def _handler(self, message: str, number: int) -> None:
        self.locals = []
        options = []
        if self.quorum:
            options.append(f"quorum={self.pick('1', '2', '2', 'lambda self: len(self.others)')}")
        if self.chance(0.4):
            options.append(f"when=lambda self, m: {self.truth(1)}")
        arguments = ", ".join([message, *options])
        self.lines.append(
            f"    @on({arguments})\n    def take_{message.lower()}{number}(self, m):\n{self._block(2, 3)}"
        )

    # statements -------------------------------------------------------------------------------------------------------

    def _block(self, depth: int, most: int) -> str:
        before = list(self.locals)
        text = "".join(self._statement(depth) for _ in range(self.random.randint(1, most)))
        self.locals = before
        return text

    def _statement(self, depth: int) -> str:
        pad = "    " * depth
        choice = self.random.randint(0, 21 if depth < 5 else 12)
        if choice == 0:
            return (
                f"{pad}self.n = ({self.number(2)}) % 4\n" if self.chance(0.8) else f"{pad}self.n = {self.number(1)}\n"
            )
        if choice == 1:
            return f"{pad}self.flag = {self.truth(2)}\n"
        if choice == 2:
            return f"{pad}self.color = {self.color()}\n"
        if choice == 3:
            return f"{pad}self.maybe = {self.pick('None', f'clamp({self.number(1)})')}\n"
        if choice == 4:
            index = self.pick("0", "1", "-1", f"({self.number(1)}) % 2", "self.n")
            return f"{pad}self.cells[{index}] = ({self.number(1)}) % 4\n"
        if choice == 5:
            return f"{pad}self.seen.{self.pick('add', 'discard')}({self.color()})\n"
        if choice == 6:
            return f"{pad}self.friend = {self.pick('None', 'self', 'self.others[0]', self.sender())}\n"
        if choice == 7:
            name = f"v{len(self.locals)}"
            line = f"{pad}{name} = {self.number(2)}\n"
            self.locals.append(name)
            return line
        if choice == 8:
            return f"{pad}self.met |= {{{self.pick('self', self.sender())}}}\n"
        if choice == 9:
            return f"{pad}self.n, self.cells[0] = self.cells[0], self.n\n"
        if choice == 10:
            return f"{pad}assert {self.truth(2)}\n" if self.chance(0.3) else f"{pad}self.bump({self.number(0)})\n"
        if choice in (11, 12):
            return self._send(depth)
        if choice in (13, 14, 15):
            text = f"{pad}if {self.truth(2)}:\n{self._block(depth + 1, 2)}"
            if self.chance(0.3):
                text += f"{pad}elif {self.truth(1)}:\n{self._block(depth + 1, 1)}"
            return text + (f"{pad}else:\n{self._block(depth + 1, 2)}" if self.chance(0.5) else "")
        if choice == 16:
            body = self._block(depth + 1, 1)
            end = (
                f"{pad}    if {self.truth(1)}:\n{pad}        {self.pick('break', 'continue')}\n"
                if self.chance(0.4)
                else ""
            )
            return f"{pad}for i in range({self.pick('2', 'LIMIT', 'self.n')}):\n{end}{body}"
        if choice == 17:
            return (
                f"{pad}match self.color:\n{pad}    case Color.RED:\n{self._block(depth + 2, 1)}"
                f"{pad}    case Color.GREEN | Color.BLUE if {self.truth(1)}:\n{self._block(depth + 2, 1)}"
                f"{pad}    case _:\n{self._block(depth + 2, 1)}"
            )
        if choice == 18:
            return (
                f"{pad}self.n = choose(0, {self.number(0)} % 4)\n"
                if self.chance(0.6)
                else f"{pad}self.color = choose(Color.RED, Color.BLUE)\n"
            )
        if choice == 19:
            return f"{pad}if {self.truth(1)}:\n{pad}    return\n"
        if choice == 20:
            return f"{pad}self.n = sorted([1, 3, 2])[{self.pick('0', '1')}]\n{pad}self.n -= 1\n"
        return self._send(depth)

    def _send(self, depth: int) -> str:
        pad = "    " * depth
        message = self.random.choice(list(self.messages))
        arguments = ", ".join(self.field(name) for name in self.messages[message])
        made = f"{message}({arguments})"
        what = self.random.random()
        if what < 0.4:
            call = f"send(self.others[{self.pick('0', '-1')}], {made})"
        elif what < 0.6:
            call = f"send({self.sender()}, {made})"
        elif what < 0.7:
            test = "if self.left > 0 and self.friend is not None"
            return f"{pad}{test}:\n{pad}    self.left -= 1\n{pad}    send(self.friend, {made})\n"
        else:
            call = f"broadcast(self.others, {made})"
        return f"{pad}if self.left > 0:\n{pad}    self.left -= 1\n{pad}    {call}\n"

    def field(self, name: str) -> str:
        match name:
            case "n":
                return f"({self.number(1)}) % 4"
            case "flag":
                return self.truth(1)
            case "color":
                return self.color()
            case "maybe":
                return self.pick("None", "self.maybe", f"clamp({self.number(0)})")
            case "who":
                return self.pick("self", "self.others[0]", self.sender())
            case "seen":
                return self.pick("frozenset()", "frozenset(self.seen)", f"frozenset({{{self.color()}}})")
        raise ValueError(name)

    # expressions ------------------------------------------------------------------------------------------------------

    def has(self, field: str) -> bool:
        return self.receives is not None and field in self.messages[self.receives]

    def sender(self) -> str:
        if self.receives is None:
            return "self.others[0]"
        return "m[0].sender" if self.quorum else "m.sender"

    def number(self, depth: int) -> str:
        options = [
            "self.n",
            "self.left",
            str(self.random.randint(0, 3)),
            "len(self.seen)",
            "self.cells[0]",
            "self.cells[1]",
            "(self.maybe if self.maybe is not None else 1)",
            "sum(self.cells)",
            *self.locals,
        ]
        if self.has("n"):
            options += (
                ["sum(x.n for x in m)", "max(m, key=lambda x: x.n).n", "len({x.n for x in m})"]
                if self.quorum
                else ["m.n"] * 3
            )
        if self.has("maybe"):
            options += ["max([x.maybe for x in m if x.maybe is not None], default=1)"] * self.quorum
            options += ["sum(x.maybe for x in m if x.maybe is not None)"] * self.quorum
            options += (
                ["sum(1 for x in m if x.maybe is None)"] if self.quorum else ["(0 if m.maybe is None else m.maybe)"]
            )
        if depth > 0:
            a, b = self.number(depth - 1), self.number(depth - 1)
            options += [
                f"({a} + {b})",
                f"({a} - {b})",
                f"({a} * {b})",
                f"max({a}, {b})",
                f"min({a}, {b}, 2)",
                f"abs({a} - {b})",
                f"(({a}) // 2)",
                f"(({a} - 2) % 3)",
                f"(({a} - 3) // {self.pick('2', '-2')})",
                f"({a} if {self.truth(depth - 1)} else {b})",
                f"clamp({a} + 1)",
                "self.cells[self.n % 2]",
                "max([c for c in self.cells if c > 1], default=0)",
                "self.cells.count(1)",
            ]
            if self.chance(0.05):
                options += [f"({a} // self.n)", f"self.cells[{a}]", "self.maybe + 1"]
        return self.random.choice(options)

    def truth(self, depth: int) -> str:
        options = [
            "self.flag",
            "self.maybe is None",
            f"self.color is {self.color()}",
            f"self.n {self.pick('<', '<=', '==', '!=', '>', '>=')} {self.random.randint(0, 3)}",
            f"{self.color()} in self.seen",
            "self in self.met",
            "self.friend is not None",
            "len(self.met) < 2",
            "self.seen",
            "any(c == self.n for c in self.cells)",
            "(self.n, self.left) < (2, 1)",
        ]
        if self.has("n"):
            options += (
                ["any(x.n > self.n for x in m)", "all(x.n == m[0].n for x in m)"] if self.quorum else ["m.n > self.n"]
            )
        if self.has("flag"):
            options += ["all(x.flag for x in m)"] if self.quorum else ["m.flag"]
        if self.has("color"):
            options += ["len({x.color for x in m}) == 1"] if self.quorum else ["m.color == self.color"]
        if self.has("maybe"):
            options += (
                ["any(x.maybe is not None and x.maybe > 1 for x in m)"] if self.quorum else ["m.maybe == self.maybe"]
            )
        if self.has("who"):
            options += ["m[0].who is self"] if self.quorum else ["m.who is self", "m.who in self.met"]
        if self.has("seen"):
            options += (
                ["m[0].seen <= self.seen"] if self.quorum else ["m.seen <= self.seen", "bool(m.seen & self.seen)"]
            )
        if depth > 0:
            a, b = self.truth(depth - 1), self.truth(depth - 1)
            options += [
                f"({a} and {b})",
                f"({a} or {b})",
                f"(not {a})",
                f"{self.number(depth - 1)} < {self.number(depth - 1)}",
                "self.maybe is not None and self.maybe > 1",
                "(self.n > 0 and 6 // self.n > 2)",
                "(self.n == 0 or 4 // self.n > 1)",
                "0 < self.n <= 6 // self.n",
                "self.flag is True",
                f"0 <= {self.number(depth - 1)} < 3",
                f"all(c != {self.random.randint(0, 3)} or {a} for c in self.cells)",
            ]
        chosen = self.random.choice(options)
        return f"bool({chosen})" if chosen in ("self.seen",) else chosen

    def color(self) -> str:
        options = ["Color.RED", "Color.GREEN", "Color.BLUE", "self.color", "(Color.RED if self.flag else Color.BLUE)"]
        if self.has("color"):
            options += ["m[-1].color"] if self.quorum else ["m.color"]
        return self.random.choice(options)

    # the system -------------------------------------------------------------------------------------------------------

    def _network(self) -> str:
        return self.pick(
            "Unordered()",
            "Unordered()",
            "Unordered()",
            "Fifo()",
            "Unordered(lossy=True)",
            "Fifo(lossy=True)",
            "Unordered(duplicating=True)",
        )

    def _system(self, kinds: list[str]) -> None:
        made = [self.random.choice(kinds) for _ in range(self.random.choice([2, 2, 3]))]
        args = "others=[], cells=[0, 1], seen=set(), met=set()"
        lines = [f"    ps: list[Process] = [{', '.join(f'{kind}({args})' for kind in made)}]"]
        lines.append("    for p in ps:\n        p.others = [q for q in ps if q is not p]")
        extra = f", networks={{B: {self._network()}}}" if "B" in self.messages and self.chance(0.2) else ""
        if self.chance(0.2):
            extra += f", faults=[Crash(ps[:{self.random.randint(1, 2)}], at_most=1)]"
        if self.chance(0.1):
            sends = self.random.choice(list(self.messages))
            lines.append(f"    ps.append(Byzantine([{sends}], [ps[0]]))")
        invariant = self.pick(
            "ps[0].n < 3 or not ps[1].flag",
            "not any(p.flag for p in ps[:2]) or ps[0].color is not Color.BLUE",
            "len(ps[0].met | ps[1].met) < 2",
            "sum(p.n for p in ps[:2]) < 5",
            "ps[0].maybe is None or ps[0].maybe == ps[1].maybe",
            "ps[0].cells[0] <= ps[0].cells[1] or ps[1].friend is not ps[0]",
        )
        lines.append(f"    def safe():\n        return {invariant}")
        lines.append(f"    return System(ps, network={self._network()}, invariants=[safe]{extra})")
        self.lines.append("def system() -> System:\n" + "\n".join(lines) + "\n")


def protocol(seed: int) -> str:
    return Writer(seed).protocol()
