"""Leader election of Raft (D. Ongaro and J. Ousterhout, "In Search of an Understandable Consensus Algorithm").

A server that has not heard of a leader for a while becomes a candidate in a new term and asks the others for their
votes; with votes from a majority it leads in that term. A server votes once in a term.

    mule check examples/raft_election.py                         3 servers, 2 terms, any of them may time out
    mule check examples/raft_election.py -D candidates=2 -D terms=3
    mule check examples/raft_election.py -D bug=forgetful        a server does not remember for whom it has voted
    mule check examples/raft_election.py -D bug=stale            a vote for an earlier term counts as well
"""

from enum import Enum
from typing import Annotated

from mule.actors import Message, Process, Range, System, broadcast, majority, on, send, step

Term = Annotated[int, Range(0, 7)]


class Role(Enum):
    FOLLOWER = 0
    CANDIDATE = 1
    LEADER = 2


class RequestVote(Message):
    term: Term


class Vote(Message):
    term: Term


class Server(Process):
    others: "list[Server]"
    terms: int
    """How often it may time out is bounded by this: the last term there is."""
    patient: bool
    forgetful: bool
    gullible: bool
    role: Role = Role.FOLLOWER
    term: Term = 0
    voted_for: "Server | None" = None
    led: set[Term]
    """The terms in which it was the leader."""

    @step(when=lambda self: not self.patient and self.role is not Role.LEADER and self.term < self.terms)
    def time_out(self):
        self.term += 1
        self.role = Role.CANDIDATE
        self.voted_for = self
        broadcast(self.others, RequestVote(self.term))

    @on(RequestVote)
    def vote(self, request):
        if request.term > self.term:
            self.term = request.term
            self.role = Role.FOLLOWER
            self.voted_for = None
        if request.term == self.term and (self.voted_for is None or self.forgetful):
            self.voted_for = request.sender
            send(request.sender, Vote(request.term))

    @on(
        Vote,
        quorum=lambda self: majority(len(self.others) + 1) - 1,
        when=lambda self, votes: (
            self.role is Role.CANDIDATE and all(vote.term == self.term or self.gullible for vote in votes)
        ),
    )
    def win(self, votes):
        """With its own vote it has a majority."""
        self.role = Role.LEADER
        self.led.add(self.term)


def system(servers: int = 3, terms: int = 2, candidates: int = 3, bug: str = "") -> System:
    if bug not in ("", "forgetful", "stale"):
        raise ValueError(f"there is no bug {bug!r}: choose forgetful or stale")
    """So many of the servers may time out."""
    cluster = [
        Server(
            others=[],
            terms=terms,
            patient=number >= candidates,
            forgetful=bug == "forgetful",
            gullible=bug == "stale",
            led=set(),
        )
        for number in range(servers)
    ]
    for server in cluster:
        server.others = [each for each in cluster if each is not server]

    def one_leader():
        """At most one server is ever the leader in a term."""
        return all(sum(term in server.led for server in cluster) <= 1 for term in range(1, terms + 1))

    return System(cluster, invariants=[one_leader])
