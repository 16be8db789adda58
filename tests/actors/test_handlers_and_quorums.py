"""Handlers that no process can ever run are listed, although no transition stands for them; and those that can run in
too many ways are refused."""

from __future__ import annotations

import pytest

import mule
from mule.errors import MuleError

PROTOCOL = """
from mule.actors import Message, Process, System, on, send, step


class Vote(Message):
    pass


class Recount(Message):
    pass


class Clerk(Process):
    decided: bool = False

    @on(Vote, quorum={quorum})
    def decide(self, votes):
        self.decided = True

    @on(Recount)
    def count_again(self, recount):
        self.decided = False


class Voter(Process):
    clerk: Clerk
    voted: bool = False

    @step(when=lambda self: not self.voted)
    def vote(self):
        self.voted = True
        send(self.clerk, Vote())


clerk = Clerk()
system = System([clerk, *(Voter(clerk=clerk) for _ in range({voters}))])
"""


def _protocol(quorum: str, voters: int = 3) -> str:
    return PROTOCOL.replace("{quorum}", quorum).replace("{voters}", str(voters))


@pytest.mark.parametrize(
    ("quorum", "expected"),
    [
        ("3", ["count_again (nobody sends Recount)"]),
        ("4", ["decide (a quorum of 4, and at most 3 send Vote)", "count_again (nobody sends Recount)"]),
        (
            "10 ** 20",
            [f"decide (a quorum of {10**20}, and at most 3 send Vote)", "count_again (nobody sends Recount)"],
        ),
    ],
)
def test_what_nobody_can_run_is_listed(quorum: str, expected: list[str]) -> None:
    result = mule.loads(_protocol(quorum), language="actors").check()
    assert result.holds
    assert result.unreached is not None
    assert [(each.process, each.text) for each in result.unreached] == [("Clerk", text) for text in expected]


def test_too_many_quorums_are_refused_before_they_are_made() -> None:
    with pytest.raises(MuleError, match=r"there are 184,756 sets of 10 senders .*: take fewer processes"):
        mule.loads(_protocol("10", voters=20), language="actors")
