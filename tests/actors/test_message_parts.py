"""Messages whose fields are tuples and frozen dataclasses."""

from __future__ import annotations

import pytest

import mule
from mule.errors import MuleError

PROTOCOL = """
from dataclasses import dataclass
from typing import Annotated
from mule.actors import Message, Process, Range, System, on, send, step

Small = Annotated[int, Range(0, 3)]

@dataclass(frozen=True)
class Ballot:
    round: Small
    owner: bool = False

class Propose(Message):
    ballot: Ballot
    pair: tuple[Small, bool]
    n: Small = 1

class A(Process):
    peer: "A | None" = None
    n: Small = 0
    best: Small = 0

    @step(when=lambda self: self.peer is not None and self.n < 2)
    def go(self):
        self.n += 1
        send(self.peer, Propose(Ballot(self.n, True), (self.n, self.n == 2)))

    @on(Propose, when=lambda self, m: m.ballot.round >= self.best)
    def got(self, m):
        a, b = m.pair
        assert a == m.ballot.round and b == (a == 2) and m.pair == (a, b) and m.ballot == Ballot(a, True)
        assert m.n == 1
        self.best = m.ballot.round
        assert BOUND

def system():
    b = A(name="b")
    a = A(name="a", peer=b)
    return System([a, b])
"""


def protocol(bound: str = "True") -> mule.System:
    return mule.loads(PROTOCOL.replace("BOUND", bound), "actors")


def test_what_is_sent_is_what_arrives() -> None:
    result = protocol().check(assertions=True, ltl="<>(b.best == 2)")
    assert result.holds
    assert protocol().validate().holds


def test_the_parts_are_told() -> None:
    violation = protocol("self.best < 2").check(assertions=True).violation
    assert violation is not None
    sent = "sends Propose(ballot=Ballot(round=2, owner=True), pair=(2, True), n=1) to b"
    assert sent in str(violation).replace("\n     ", " ")


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ("list[Small]", "use a tuple"),
        ("tuple[Small, ...]", "a tuple of any length"),
        ("tuple[set[Small], bool]", "use frozenset"),
        ("Loose", "Loose could be changed after sending: write frozen=True"),
    ],
)
def test_what_could_be_changed_is_refused(annotation: str, message: str) -> None:
    loose = "@dataclass\nclass Loose:\n    x: int = 0\n\nclass Propose(Message):"
    text = PROTOCOL.replace("class Propose(Message):", loose).replace("tuple[Small, bool]", annotation)
    with pytest.raises(MuleError, match=message):
        mule.loads(text.replace("BOUND", "True"), "actors")


def test_what_does_not_fit_is_refused() -> None:
    text = PROTOCOL.replace("BOUND", "True").replace("(self.n, self.n == 2)))", "self.n))")
    with pytest.raises(MuleError, match=r"Propose\.pair is a tuple, and this is"):
        mule.loads(text, "actors")
