"""Dataclasses whose fields change are objects of the model, in programs and in protocols."""

from __future__ import annotations

from pathlib import Path

import pytest

import mule
from mule.errors import MuleError

PROGRAM = """
from __future__ import annotations
from dataclasses import dataclass, field
from typing import Annotated
from mule.processes import AtMost, Shared, System, pause

@dataclass
class Account:
    balance: int = 0
    log: Annotated[list[int], AtMost(4)] = field(default_factory=list)
    next: Account | None = None

    def deposit(self, amount):
        self.balance += amount
        self.log.append(amount)

class Bank(Shared):
    main: Account
    current: Account

async def pay(account, amount):
    value = account.balance
    await pause()
    account.balance = value + amount

async def move(bank, b):
    bank.current.deposit(3)
    await pause()
    bank.current = b
    await pause()
    bank.current.deposit(1)
    bank.current.next = bank.main
    MORE

def system():
    a, b = Account(), Account()
    bank = Bank(main=a, current=a)
    seen = {"lost": lambda: a.balance == 1, "done": lambda: b.next is a}
    return System([pay(a, 1), move(bank, b)], propositions=seen)
"""


def program(folder: Path, more: str = "pass", text: str = PROGRAM) -> mule.System:
    path = folder / "m.py"
    path.write_text(text.replace("MORE", more))
    return mule.load(path)


def test_an_update_is_lost(tmp_path: Path) -> None:
    system = program(tmp_path)
    assert system.check(ltl="<> done").holds
    assert system.check(ltl="[] !lost").violated
    assert system.check(invariant="account_2.balance <= 1 and account_1.balance <= 4").holds


def test_an_object_by_another_name(tmp_path: Path) -> None:
    more = "assert b.balance == 1 and bank.current is b and b.next is bank.main and len(b.log) == 1"
    assert program(tmp_path, more).check(assertions=True).holds


def test_two_references_that_may_be_none(tmp_path: Path) -> None:
    more = """bank.main.next = choose(bank.main, None)
    await pause()
    assert (b.next is bank.main.next) == (bank.main.next is not None)"""
    text = PROGRAM.replace("import AtMost,", "import AtMost, choose,")
    assert program(tmp_path, more, text).check(assertions=True).holds


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("assert bank.main == b", "== compares the fields of Account"),
        ("assert bank.current == b", "== compares the fields of Account"),
        ("assert b in [bank.main]", "an Account has comparisons of its own"),
        ("assert (bank.main if bank.current is b else b) == b", "== compares the fields of Account"),
        ("c = Account()", "Account could be changed"),
    ],
)
def test_what_is_refused(tmp_path: Path, more: str, message: str) -> None:
    with pytest.raises(MuleError, match=message):
        program(tmp_path, more)


def test_what_the_decorator_writes_is_no_part_of_the_model(tmp_path: Path) -> None:
    text = PROGRAM.replace("import AtMost,", "import AtMost, Condition,")
    text = text.replace("def pay(account, amount):", "def pay(account, amount, condition=Condition()):")
    waits = "async with condition:\n        account.balance ="
    assert (
        program(tmp_path, text=text.replace("await pause()\n    account.balance =", waits)).check(deadlock=True).holds
    )


def test_slots(tmp_path: Path) -> None:
    with pytest.raises(MuleError, match="leave out slots=True"):
        program(tmp_path, text=PROGRAM.replace("@dataclass\n", "@dataclass(slots=True)\n"))


PROTOCOL = """
from dataclasses import dataclass, field
from typing import Annotated
from mule.actors import Message, Process, Range, System, on, send, step

class Ping(Message):
    n: Annotated[int, Range(0, 3)]

@dataclass
class Stats:
    sent: int = 0
    seen: set[Annotated[int, Range(0, 3)]] = field(default_factory=set)

    def mark(self, n):
        self.seen.add(n)

def bump(stats):
    stats.sent += 1

class A(Process):
    peer: "A | None" = None
    stats: Stats
    many: list[Stats]

    @step(when=lambda self: self.peer is not None and self.stats.sent < 2)
    def go(self):
        send(self.peer, Ping(self.stats.sent))
        bump(self.stats)
        last = self.many[1]
        last.sent = self.stats.sent

    @on(Ping)
    def got(self, ping):
        self.stats.mark(ping.n)
        MORE

def system():
    b = A(name="b", stats=Stats(), many=[])
    a = A(name="a", peer=b, stats=Stats(), many=[Stats(), Stats()])
    return System([a, b])
"""


def test_what_a_process_holds(tmp_path: Path) -> None:
    system = program(tmp_path, text=PROTOCOL)
    same = "b.stats.sent == 0 and a.many[1].sent == a.stats.sent and a.many[0].sent == 0 and len(a.stats.seen) == 0"
    assert system.check(invariant=same).holds
    assert system.check(ltl="<>(len(b.stats.seen) == 2)").holds
    assert system.check(invariant="len(b.stats.seen) < 2").violated
    assert system.validate().holds


def test_objects_that_begin_alike_are_two(tmp_path: Path) -> None:
    text = PROTOCOL.replace("last = self.many[1]", "last = self.many[2 - self.stats.sent]")
    result = program(tmp_path, text=text).check(invariant="a.many[0].sent in (0, 2) and a.many[1].sent in (0, 1)")
    assert result.holds
    assert program(tmp_path, text=text).check(ltl="<>(a.many[0].sent == 2 and a.many[1].sent == 1)").holds


def test_processes_share_nothing(tmp_path: Path) -> None:
    shared = PROTOCOL.replace("b = A(", "s = Stats()\n    b = A(").replace("stats=Stats()", "stats=s")
    with pytest.raises(MuleError, match="a and b hold the same Stats"):
        program(tmp_path, text=shared)
    prying = PROTOCOL.replace("last = self.many[1]", "self.peer.stats.sent = 3; last = self.many[1]")
    with pytest.raises(MuleError, match="a field of another process"):
        program(tmp_path, text=prying)
