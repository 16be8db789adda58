"""Protocols written by hand, one for each thing that the language has; Python itself says what is right."""

from __future__ import annotations

import pytest

from mule.frontends.actors.loading import load_system
from mule.frontends.actors.translation import translate
from mule.model.interpreter import Interpreter
from tests.actors.agreement import compare
from tests.actors.header import HEADER

pytestmark = pytest.mark.slow

PROTOCOLS = {
    "several messages of one type on their way": """
class Server(Process):
    total: int = 0
    @on(Ping)
    def take(self, m):
        self.total = (self.total * 2 + m.n) % 7
class Client(Process):
    server: Server
    left: int = 3
    @step(when=lambda self: self.left > 0)
    def ask(self):
        send(self.server, Ping(self.left % 3))
        self.left -= 1
def system():
    server = Server()
    return System([server, Client(server=server)], network=NETWORK)
""",
    "a quorum of distinct senders": """
class Collector(Process):
    best: int = 0
    rounds: int = 0
    @on(Pong, quorum=2, when=lambda self, ms: all(m.n > 0 for m in ms))
    def gather(self, ms):
        best = max(ms, key=lambda m: m.n)
        self.best = (max(best.n, self.best) + len({m.n for m in ms})) % 6
        self.rounds = (self.rounds + (1 if any(m.sender is best.who for m in ms) else 2)) % 4
class Worker(Process):
    to: Collector
    n: int
    left: int = 1
    @step(when=lambda self: self.left > 0)
    def work(self):
        self.left -= 1
        send(self.to, Pong(self.n + self.left, self))
def system():
    collector = Collector()
    return System([collector, *(Worker(to=collector, n=n) for n in (0, 1, 3))], network=NETWORK)
""",
    "messages to itself": """
class Loop(Process):
    n: int = 0
    phase: Phase = Phase.IDLE
    @step(when=lambda self: self.phase is Phase.IDLE)
    def begin(self):
        self.phase = Phase.BUSY
        send(self, Ping(0))
    @on(Ping)
    def again(self, m):
        self.n = m.n
        if m.n < 4:
            send(self, Ping(m.n + 1))
        else:
            self.phase = Phase.OVER
    def done(self):
        return self.phase is Phase.OVER
def system():
    return System([Loop(), Loop()], network=NETWORK)
""",
    "values that change places": """
class Swap(Process):
    a: int = 1
    b: int = 2
    cells: "list[Annotated[int, Range(0, 9)]]"
    left: int = 3
    @step(when=lambda self: self.left > 0)
    def swap(self):
        self.left -= 1
        self.a, self.b = self.b, self.a + 1
        self.cells[0], self.cells[1], self.cells[2] = self.cells[2], self.cells[0], self.cells[1]
        self.cells[self.left] = choose(self.a, self.b)
        self.cells[-1] = self.cells[self.left - 1]
def system():
    return System([Swap(cells=[1, 2, 3])])
""",
    "sets and processes as values": """
class Member(Process):
    ring: "list[Member]"
    known: "set[Member]"
    leader: "Member | None" = None
    phase: Phase = Phase.IDLE
    @step(when=lambda self: self.phase is Phase.IDLE)
    def begin(self):
        self.phase = Phase.BUSY
        broadcast([p for p in self.ring if p is not self], Pong(len(self.known), self))
    @on(Pong)
    def meet(self, m):
        self.known.add(m.who)
        self.known |= {self}
        match len(self.known):
            case 1:
                self.leader = m.who
            case 2 if self.leader is None:
                self.leader = self
            case _:
                self.known.discard(m.sender)
        if self.known == set(self.ring):
            self.phase = Phase.OVER
            send(self.leader, Pong(9, None))
    @on(Pong, when=lambda self, m: m.who is None)
    def told(self, m):
        self.known.clear()
def system():
    ring = [Member(ring=[], known=set()) for _ in range(3)]
    for p in ring:
        p.ring = ring
    return System(ring, network=NETWORK)
""",
    "errors of many kinds": """
class Careless(Process):
    n: Annotated[int, Range(0, 2)] = 0
    maybe: "int | None" = None
    cells: "list[int]"
    @step(when=lambda self: self.n < 3)
    def act(self):
        match choose(0, 1, 2, 3, 4, 5, 6):
            case 0:
                self.n += 1
            case 1:
                self.n = 4 // self.n
            case 2:
                self.cells[self.n] = self.cells[self.n - 2]
            case 3:
                self.maybe = (self.maybe + 1) % 3 if self.n == 1 else None
            case 4:
                assert self.n < 2
            case 5:
                raise ValueError("never")
            case _:
                self.maybe = choose([x for x in self.cells if x > self.n])
def system():
    return System([Careless(cells=[0, 1])])
""",
    "crashes": """
class Node(Process):
    peers: "list[Node]"
    n: int = 0
    left: int = 1
    @step(when=lambda self: self.left > 0)
    def say(self):
        self.left -= 1
        broadcast(self.peers, Ping(1))
    @on(Ping)
    def hear(self, m):
        self.n = min(self.n + m.n, 3)
    def done(self):
        return self.n == 2
def system():
    nodes = [Node(peers=[]) for _ in range(3)]
    for node in nodes:
        node.peers = [p for p in nodes if p is not node]
    return System(nodes, network=NETWORK, faults=[Crash(nodes, at_most=1)])
""",
    "a liar": """
class Honest(Process):
    heard: "set[Phase]"
    believed: Phase = Phase.IDLE
    @on(Say, quorum=2, when=lambda self, ms: ms[0].phase == ms[1].phase)
    def believe(self, ms):
        self.believed = ms[0].phase
class Speaker(Process):
    to: Honest
    said: bool = False
    @step(when=lambda self: not self.said)
    def speak(self):
        self.said = True
        send(self.to, Say(Phase.BUSY))
def system():
    honest = Honest(heard=set())
    return System(
        [honest, Speaker(to=honest), Byzantine([Say], [honest])],
        invariants={"true": lambda: honest.believed is not Phase.OVER},
    )
""",
    "both networks at once": """
class Node(Process):
    other: "Node"
    log: "list[int]"
    at: Annotated[int, Range(0, 4)] = 0
    left: int = 2
    @step(when=lambda self: self.left > 0)
    def say(self):
        send(self.other, Ping(self.left))
        send(self.other, Pong(self.left))
        self.left -= 1
    @on(Ping)
    def ping(self, m):
        self.note(m.n)
    @on(Pong, when=lambda self, m: self.at > 0)
    def pong(self, m):
        self.note(-m.n)
    def note(self, n):
        self.log[self.at] = n
        self.at += 1
def system():
    a = Node(other=None, log=[0] * 4)
    b = Node(other=a, log=[0] * 4)
    a.other = b
    return System([a, b], network=NETWORK, networks={Pong: Fifo()})
""",
}
SAY = "class Say(Message):\n    phase: Phase\n\n"
COSTLY = "a quorum of distinct senders"
NETWORKS = ("Unordered()", "Fifo()", "Unordered(lossy=True)", "Fifo(lossy=True)", "Unordered(duplicating=True)")


@pytest.mark.parametrize(
    ("name", "network"),
    [
        (name, network)
        for name, text in PROTOCOLS.items()
        for network in (NETWORKS if "NETWORK" in text else ["Unordered()"])
        if name != COSTLY or network in ("Unordered()", "Fifo(lossy=True)")
    ],
)
def test_as_python_does(name: str, network: str) -> None:
    text = HEADER + SAY + PROTOCOLS[name].replace("NETWORK", network)
    turn = NETWORKS.index(network) + list(PROTOCOLS).index(name)
    duplicating = "duplicating" in network  # then there are often too many states
    compared = compare(text, f"{name}.py", turn, most=800 if duplicating else 4000, transitions=2000)
    assert compared.states > 0 or duplicating


def test_a_mailbox_grows_only_where_it_must() -> None:
    system = load_system(
        HEADER + PROTOCOLS["several messages of one type on their way"].replace("NETWORK", "Unordered()"), "m.py"
    )
    model = translate(system)
    assert [channel.capacity for channel in model.channels] == [1]
    assert model.wider is not None
    failures = frozenset(transition.failure for transition in model.transitions if transition.limit)
    wider = model.wider(failures)
    assert [len(bag.counts) for bag in wider.bags] == [3]
    assert not wider.channels


def test_nothing_is_there_for_messages_that_are_never_sent() -> None:
    text = HEADER + PROTOCOLS["crashes"].replace("NETWORK", "Unordered()")
    names = {channel.name for channel in translate(load_system(text, "m.py")).channels}
    assert "Ping from node 1 to node 2" in names
    assert "Ping from node 1 to node 1" not in names
    assert not any(name.startswith("Pong") for name in names)


def test_transitions_of_different_lanes_share_no_variable() -> None:
    text = HEADER + PROTOCOLS["a quorum of distinct senders"].replace("NETWORK", "Unordered()")
    model = translate(load_system(text, "m.py"))
    interpreter = Interpreter(model)
    first = list(interpreter.steps(interpreter.initial))
    assert [model.transitions[step.transition].name for step in first] == [
        "worker 1: work",
        "worker 2: work",
        "worker 3: work",
    ]
    changed = [
        {slot for slot, (a, b) in enumerate(zip(interpreter.initial, step.target, strict=True)) if a != b}
        for step in first
    ]
    assert not changed[0] & changed[1]
    assert not changed[1] & changed[2]


def test_a_step_needs_no_parentheses() -> None:
    text = """from mule.actors import *
class Lamp(Process):
    on: bool = False
    @step
    def press(self):
        self.on = not self.on
def system():
    return System([Lamp()])
"""
    model = translate(load_system(text, "m.py"))
    assert [transition.name for transition in model.transitions] == ["lamp: press"]


def test_a_set_takes_an_enum_from_a_channel_with_wider_fields() -> None:
    text = (
        HEADER
        + """
class Number(Message):
    n: Annotated[int, Range(0, 7)]
class Told(Message):
    phase: Phase
class Ear(Process):
    seen: set[Phase]
    @on(Told)
    def hear(self, m):
        self.seen.add(m.phase)
    @on(Number)
    def count(self, m):
        pass
class Mouth(Process):
    ear: Ear
    left: int = 1
    @step(when=lambda self: self.left > 0)
    def speak(self):
        self.left -= 1
        send(self.ear, Number(7))
        send(self.ear, Told(Phase.BUSY))
def system():
    ear = Ear(seen=set())
    return System([ear, Mouth(ear=ear)], network=Fifo())
"""
    )
    compared = compare(text, "ear.py", 0)
    assert compared.states > 2
