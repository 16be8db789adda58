"""Two-phase commit: a coordinator asks participants whether they can commit, and all do what it decides.

mule check examples/two_phase_commit.py -D participants=3
mule check examples/two_phase_commit.py -D bug=1        the coordinator does not wait for all votes
mule check examples/two_phase_commit.py -D crashes=1    blocks, as two-phase commit does when the coordinator dies
"""

from enum import Enum

from mule.actors import Crash, Message, Process, System, broadcast, choose, on, send, step


class State(Enum):
    WORKING = 0
    PREPARED = 1
    COMMITTED = 2
    ABORTED = 3


class Prepare(Message):
    pass


class Vote(Message):
    yes: bool


class Decision(Message):
    commit: bool


class Coordinator(Process):
    participants: "list[Participant]"
    hasty: bool
    state: State = State.WORKING
    agreed: "set[Participant]"

    @step(when=lambda self: self.state is State.WORKING)
    def ask(self):
        self.state = State.PREPARED
        broadcast(self.participants, Prepare())

    @on(Vote)
    def count(self, vote):
        if self.state is not State.PREPARED:
            return
        if not vote.yes:
            self.decide(False)
            return
        self.agreed.add(vote.sender)
        if self.hasty or len(self.agreed) == len(self.participants):
            self.decide(True)

    def decide(self, commit: bool) -> None:
        self.state = State.COMMITTED if commit else State.ABORTED
        broadcast(self.participants, Decision(commit))

    def done(self) -> bool:
        return self.state in (State.COMMITTED, State.ABORTED)


class Participant(Process):
    state: State = State.WORKING

    @on(Prepare)
    def vote(self, prepare):
        if self.state is not State.WORKING:
            return  # the decision to abort was faster
        yes = choose(True, False)
        self.state = State.PREPARED if yes else State.ABORTED
        send(prepare.sender, Vote(yes))

    @on(Decision)
    def obey(self, decision):
        if decision.commit:
            assert self.state is State.PREPARED, "told to commit without having agreed"
            self.state = State.COMMITTED
        else:
            self.state = State.ABORTED

    def done(self) -> bool:
        return self.state in (State.COMMITTED, State.ABORTED)


def system(participants: int = 3, bug: bool = False, crashes: int = 0) -> System:
    members = [Participant() for _ in range(participants)]
    coordinator = Coordinator(participants=members, hasty=bug, agreed=set())

    def consistent():
        """No participant commits while another aborts."""
        return not (any(m.state is State.COMMITTED for m in members) and any(m.state is State.ABORTED for m in members))

    return System(
        [coordinator, *members],
        faults=[Crash([coordinator], at_most=crashes)] if crashes else [],
        invariants=[consistent],
        propositions={"decided": lambda: all(m.done() for m in members)},
        ltl={"termination": "<> decided"},
    )
