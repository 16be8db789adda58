"""Echo multicast: all honest receivers deliver the same, even if the initiator lies (M. Reiter, "Secure Agreement
Protocols: Reliable and Atomic Group Multicast in Rampart").

An initiator sends its value to all receivers; a receiver echoes, signed, the first value that it gets from an
initiator; with echoes of one value from a quorum the initiator can convince everybody to deliver that value. Quorums
are so large that two of them have an honest receiver in common. Nobody can forge a signature.

    mule check examples/echo_multicast.py                               Byzantine: one receiver of 4, the initiator
    mule check examples/echo_multicast.py -D initiators=1               and an honest initiator beside it
    mule check examples/echo_multicast.py -D bug=quorum                 two quorums may have no honest one in common
    mule check examples/echo_multicast.py -D receivers=2 -D liars=2     more Byzantine receivers than are tolerated
"""

from mule.actors import Message, Process, System, broadcast, choose, on, send, step


class Initial(Message):
    value: int


class Echo(Message):
    value: int


class Commit(Message):
    """It carries the signed echoes: who has no quorum of them cannot send it."""

    value: int


class Initiator(Process):
    number: int
    receivers: list[Process]
    value: int
    quorum: int
    started: bool = False

    @step(when=lambda self: not self.started)
    def start(self):
        self.started = True
        broadcast(self.receivers, Initial(self.value))

    @on(Echo, quorum=lambda self: self.quorum, when=lambda self, echoes: all(e.value == self.value for e in echoes))
    def commit(self, echoes):
        broadcast(self.receivers, Commit(self.value))


class LyingInitiator(Process):
    """Tells some receivers this, and others that."""

    number: int
    receivers: list[Process]
    quorum: int
    told: set[Process]

    @step(when=lambda self: len(self.told) < len(self.receivers))
    def tell(self):
        receiver = choose([each for each in self.receivers if each not in self.told])
        self.told.add(receiver)
        send(receiver, Initial(choose(1, 2)))

    @on(Echo, quorum=lambda self: self.quorum, when=lambda self, echoes: len({e.value for e in echoes}) == 1)
    def commit(self, echoes):
        broadcast(self.receivers, Commit(echoes[0].value))


class Receiver(Process):
    echoed: set[Process]
    delivered: list[int]
    """For each initiator the value that was delivered; 0: none yet."""

    @on(Initial)
    def echo(self, initial):
        if initial.sender not in self.echoed:
            self.echoed.add(initial.sender)
            send(initial.sender, Echo(initial.value))

    @on(Commit)
    def deliver(self, commit):
        if self.delivered[commit.sender.number] == 0:
            self.delivered[commit.sender.number] = commit.value


class LyingReceiver(Process):
    """Echoes whatever may help to deceive the others."""

    ignores = (Commit,)

    @on(Initial)
    def echo(self, initial):
        send(initial.sender, Echo(1))
        send(initial.sender, Echo(2))


def system(receivers: int = 3, initiators: int = 0, liars: int = 1, lying_initiators: int = 1, bug: str = "") -> System:
    if bug not in ("", "quorum"):
        raise ValueError(f"there is no bug {bug!r}: choose quorum")
    """So many honest receivers and initiators, and so many Byzantine ones."""
    members = receivers + liars
    tolerated = (members - 1) // 3
    quorum = (members + tolerated) // 2 + 1 - (bug == "quorum")
    count = initiators + lying_initiators
    honest = [Receiver(echoed=set(), delivered=[0] * count) for _ in range(receivers)]
    everybody = [*honest, *(LyingReceiver() for _ in range(liars))]
    starting = [Initiator(number=n, receivers=everybody, value=1, quorum=quorum) for n in range(initiators)]
    lying = [LyingInitiator(number=n, receivers=everybody, quorum=quorum, told=set()) for n in range(initiators, count)]

    def agreement():
        """What two honest receivers deliver from one initiator is the same."""
        return all(
            len({receiver.delivered[number] for receiver in honest if receiver.delivered[number] != 0}) <= 1
            for number in range(count)
        )

    return System([*starting, *lying, *everybody], invariants=[agreement])
