"""Paxos for one decision (L. Lamport, "The Part-Time Parliament"), with quorum transitions.

Each proposer has a ballot of its own, and a value of its own that it would like to see chosen.

    mule check examples/paxos.py                        2 proposers, 3 acceptors, 1 learner
    mule check examples/paxos.py -D proposers=3
    mule check examples/paxos.py -D bug=proposer        a proposer ignores what was accepted before
    mule check examples/paxos.py -D bug=learner         a learner does not look at the ballots of what was accepted
"""

from mule.actors import Message, Process, System, broadcast, majority, on, send, step


class Prepare(Message):
    ballot: int


class Promise(Message):
    ballot: int
    accepted: int
    """The highest ballot in which the acceptor has accepted a value; 0: none."""
    value: int


class Accept(Message):
    ballot: int
    value: int


class Accepted(Message):
    ballot: int
    value: int


class Proposer(Process):
    ballot: int
    value: int
    acceptors: "list[Acceptor]"
    forgetful: bool
    started: bool = False
    prepared: bool = False

    @step(when=lambda self: not self.started)
    def prepare(self):
        self.started = True
        broadcast(self.acceptors, Prepare(self.ballot))

    @on(Promise, quorum=majority, when=lambda self, promises: not self.prepared)
    def propose(self, promises):
        self.prepared = True
        highest = max(promises, key=lambda promise: promise.accepted)
        value = highest.value if highest.accepted > 0 and not self.forgetful else self.value
        broadcast(self.acceptors, Accept(self.ballot, value))


class Acceptor(Process):
    learners: "list[Learner]"
    promised: int = 0
    accepted: int = 0
    value: int = 0

    @on(Prepare)
    def promise(self, prepare):
        if prepare.ballot > self.promised:
            self.promised = prepare.ballot
            send(prepare.sender, Promise(prepare.ballot, self.accepted, self.value))

    @on(Accept)
    def accept(self, request):
        if request.ballot >= self.promised:
            self.promised = request.ballot
            self.accepted = request.ballot
            self.value = request.value
            broadcast(self.learners, Accepted(request.ballot, request.value))


class Learner(Process):
    gullible: bool
    first: int = 0
    """The value learned first; 0: none yet."""
    agreed: bool = True

    @on(
        Accepted,
        quorum=majority,
        when=lambda self, votes: self.gullible or len({vote.ballot for vote in votes}) == 1,
    )
    def learn(self, votes):
        if self.first == 0:
            self.first = votes[0].value
        elif self.first != votes[0].value:
            self.agreed = False


def system(proposers: int = 2, acceptors: int = 3, learners: int = 1, bug: str = "") -> System:
    if bug not in ("", "proposer", "learner"):
        raise ValueError(f"there is no bug {bug!r}: choose proposer or learner")
    learning = [Learner(gullible=bug == "learner") for _ in range(learners)]
    accepting = [Acceptor(learners=learning) for _ in range(acceptors)]
    proposing = [
        Proposer(ballot=number, value=number, acceptors=accepting, forgetful=bug == "proposer")
        for number in range(1, proposers + 1)
    ]

    def consensus():
        """No two different values are learned."""
        learned = [learner.first for learner in learning if learner.first != 0]
        return all(learner.agreed for learner in learning) and len(set(learned)) <= 1

    return System([*proposing, *accepting, *learning], invariants=[consensus])
