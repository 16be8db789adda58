"""Messages counted by value: what is counted, that nothing else changes, and that sends and receives accord."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.cli.main import main
from mule.frontends.actors.facts import facts
from mule.frontends.actors.loading import load_system
from mule.frontends.actors.translation import translate
from mule.model import Assign, Kind, Model, Variable
from mule.model.interpreter import Interpreter
from mule.model.value_analysis import compute_domains
from mule.options import Options
from mule.planning import make_room
from mule.relations.derivation import derive
from mule.report.state import summarise
from tests.actors.agreement import compare
from tests.actors.header import HEADER

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"

STREAM = """
class Sink(Process):
    total: int = 0
    def done(self):
        return False
    @on(Ping)
    def take(self, m):
        self.total = (self.total * 2 + m.n) % 7
class Source(Process):
    to: Sink
    n: int = 0
    @step(when=lambda self: self.n < 3)
    def act(self):
        BODY
        self.n += 1
def system():
    sink = Sink()
    return System([sink, Source(to=sink)], network=NETWORK)
"""
NETWORKS = ("Unordered()", "Unordered(lossy=True)", "Unordered(duplicating=True)")
BODIES = {
    "few values": "send(self.to, Ping(self.n))",
    "one value often": "send(self.to, Ping(self.n // 2)); send(self.to, Ping(self.n // 2))",
    "values behind the room there was at first": (
        "send(self.to, Ping(7)); send(self.to, Ping(8)); send(self.to, Ping(self.n * 5))"
    ),
    "too many values": "send(self.to, Ping(choose(list(range(70)))))",
}


def protocol(body: str, network: str = "Unordered()") -> str:
    return HEADER + STREAM.replace("BODY", BODIES[body]).replace("NETWORK", network)


def widest(text: str) -> Model:
    return make_room(translate(load_system(text, "stream.py")), Options(por="none")).wide_enough


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("body", [body for body in BODIES if body != "too many values"])
def test_as_python_does(body: str, network: str) -> None:
    assert compare(protocol(body, network), "stream.py", 4, transitions=2000).states > 0


def test_few_values_are_counted() -> None:
    model = widest(protocol("few values"))
    (bag,) = model.bags
    assert [message for _, message in bag.counts] == [(0,), (1,), (2,)]
    assert {count.type.high for count, _ in bag.counts} == {1}
    assert not model.channels


def test_counts_grow_where_they_must() -> None:
    (bag,) = widest(protocol("one value often")).bags
    assert [message for _, message in bag.counts] == [(0,), (1,)]
    assert {count.type.high for count, _ in bag.counts} == {4}


def test_values_that_were_not_foreseen_find_a_place() -> None:
    (bag,) = widest(protocol("values behind the room there was at first")).bags
    assert [message for _, message in bag.counts] == [(0,), (5,), (7,), (8,), (10,)]


def test_a_cell_without_a_message_hands_nothing_on() -> None:
    text = (EXAMPLES / "paxos.py").read_text()
    model = make_room(translate(load_system(text, "paxos.py")), Options()).wide_enough
    assert model.bags
    assert {message[0] for bag in model.bags for _, message in bag.counts} == {1, 2}


def test_many_values_are_listed() -> None:
    model = translate(load_system(protocol("too many values"), "stream.py"))
    assert model.wider is not None
    wider = model.wider(frozenset(t.failure for t in model.transitions if t.limit))
    assert not wider.bags
    assert [channel.capacity for channel in wider.channels] == [2]


def test_many_ways_to_take_a_quorum_are_ways_to_take_it_from_lists() -> None:
    text = (
        HEADER
        + """
class Sink(Process):
    @on(Ping, quorum=3)
    def take(self, ms):
        pass
class Source(Process):
    to: Sink
    n: int = 0
    @step(when=lambda self: self.n < 13)
    def act(self):
        send(self.to, Ping(self.n))
        self.n += 1
def system():
    sink = Sink()
    return System([sink, *[Source(to=sink) for _ in range(3)]])
"""
    )
    model = translate(load_system(text, "ways.py"))
    assert model.wider is not None
    assert not model.wider(frozenset(t.failure for t in model.transitions if t.limit)).bags


def register() -> Model:
    text = (EXAMPLES / "register.py").read_text()
    return make_room(
        translate(load_system(text.replace("reads: int = 2", "reads: int = 1"), "register.py")), Options()
    ).wide_enough


def test_sends_and_receives_of_a_lane_accord() -> None:
    model = register()
    known = facts(model)
    assert known is not None
    relations = derive(model, compute_domains(model))
    assert {bag.name.split()[0] for bag in model.bags} == {"Write", "Written", "Completed"}
    counts = {count for bag in model.bags for count, _ in bag.counts}

    def counted(number: int) -> set[Variable]:
        statements = (s for outcome in model.transitions[number].outcomes for s in outcome.statements)
        return {s.target.variable for s in statements if isinstance(s, Assign)} & counts

    pairs = 0
    steps = [n for n, t in enumerate(model.transitions) if t.kind is Kind.STEP]
    for t in steps:
        for u in steps:
            sends, receives = known.transitions[t], known.transitions[u]
            if sends.process != receives.process and set(sends.outputs) & set(receives.inputs) and counted(u):
                pairs += 1
                assert not relations.do_not_accord[t] >> u & 1, (model.transitions[t].name, model.transitions[u].name)
    assert pairs > 50


def test_they_do_in_every_state() -> None:
    """What the relations say, by running both orders."""
    model = register()
    interpreter = Interpreter(model)
    seen, work, diamonds = {interpreter.initial}, [interpreter.initial], 0
    while work and len(seen) < 500:
        state = work.pop()
        steps = {step.transition: step.target for step in interpreter.steps(state)}
        for t, after_t in steps.items():
            for u, after_u in steps.items():
                if model.transitions[t].moves[0].process < model.transitions[u].moves[0].process:
                    diamonds += 1
                    both = [
                        next(step.target for step in interpreter.steps(after) if step.transition == other)
                        for after, other in ((after_t, u), (after_u, t))
                    ]
                    assert both[0] == both[1]
        new = set(steps.values()) - seen
        seen |= new
        work += new
    assert diamonds > 1000


def test_what_is_on_its_way_is_shown_as_a_list() -> None:
    model = widest(protocol("one value often"))
    interpreter = Interpreter(model)
    state = interpreter.initial
    for _ in range(2):
        state = next(
            step.target for step in interpreter.steps(state) if "act" in model.transitions[step.transition].name
        )
    shown = summarise(model, state)
    assert shown.channels == {"Ping from source to sink": (0, 0, 0, 0)}
    assert shown.variables == {"sink.total": 0, "source.n": 2}


def test_scratch_is_not_shown() -> None:
    text = HEADER + (
        "class P(Process):\n    a: int = 1\n    b: int = 2\n    @step()\n    def swap(self):\n"
        "        self.a, self.b = self.b, self.a\ndef system():\n    return System([P()])\n"
    )
    model = translate(load_system(text, "swap.py"))
    assert any("aside" in variable.name for variable in model.variables)
    assert set(summarise(model, model.initial_state).variables) == {"p.a", "p.b"}


@pytest.mark.parametrize("name", ["paxos", "register", "raft_election", "echo_multicast"])
def test_bugs_that_are_not_there(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(EXAMPLES / f"{name}.py"), "-D", "bug=1"]) == 2
    assert "there is no bug '1': choose" in capsys.readouterr().err
