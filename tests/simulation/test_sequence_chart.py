"""Charts: who sends what to whom, and what happens besides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import mule as package
from mule.model import Model
from mule.report.events import Arrow, Story, story_of
from mule.report.sequence_chart import HEADER_EVERY, chart, steps_of
from mule.report.trail import Passed
from mule.simulation import at_random, simulate
from tests.simulation import programs
from tests.simulation.programs import model_of, mule, written


def drawn(story: Story, names: Sequence[str], width: int = 80, plain: bool = True) -> list[str]:
    return chart(story, names, width, plain)


def told(text: str, seed: int = 0) -> tuple[Model, Story]:
    model = model_of(text)
    return model, story_of(model, list(simulate(model, at_random(model, seed))))


def a_story() -> Story:
    story = Story()
    story.meet(1, "client", "server", "ask!ping, 3")
    story.send(2, "server", Passed("log", "3", True))
    story.add(3, "client", "x = 1")
    story.receive(12, "logger", Passed("log", "3", False))
    story.add(13, "client", '"done"')
    return story


def test_a_chart_in_80_columns() -> None:
    assert drawn(a_story(), ["client", "idle", "server", "logger"], plain=False) == [
        "      client                 server           logger",
        "   1  │──── ask!ping, 3 ────>│                │",
        "   2  │                      │─── log!3 ────┐ │",
        "   3  • x = 1                │              │ │",
        "  12  │                      │              └>• log?3",
        '  13  • "done"               │                │',
    ]


def test_a_chart_in_40_columns_cuts_what_is_long() -> None:
    assert drawn(a_story(), ["client", "server", "logger"], 40) == [
        "      client      server      logger",
        "   1  |-ask!p...->|           |",
        "   2  |           |- log!3 -. |",
        "   3  * x = 1     |         | |",
        "  12  |           |         '>* log?3",
        '  13  * "done"    |           |',
    ]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_chart_keeps_to_the_width(width: int) -> None:
    story = Story()
    story.add(1, "a" * 50, "c!" + "5" * 300)
    story.meet(2, "b", "a" * 50, "d!" + "6" * 300)
    story.send(3, "c", Passed("e", "7" * 300, True))
    story.receive(4, "b", Passed("e", "7" * 300, False))
    assert max(map(len, drawn(story, ["a" * 50, "b", "c"], width))) <= width


def test_messages_of_a_channel_arrive_in_their_order() -> None:
    story = Story()
    for number in (1, 2):
        story.send(number, "a", Passed("c", "5", True))
    for number in (3, 4):
        story.receive(number, "b", Passed("c", "5", False))
    assert [(each.sent, each.received) for each in story.arrows] == [(0, 2), (1, 3)]
    assert drawn(story, ["a", "b"])[1:] == [
        "   1  |--- c!5 ----. |",
        "   2  |--- c!5 ---.| |",
        "   3  |           |'>* c?5",
        "   4  |           '->* c?5",
    ]


def test_a_message_goes_back_and_one_to_the_process_itself() -> None:
    story = Story()
    story.send(1, "b", Passed("c", "1", True))
    story.receive(2, "a", Passed("c", "1", False))
    story.send(3, "b", Passed("d", "2", True))
    story.receive(4, "b", Passed("d", "2", False))
    assert drawn(story, ["a", "b"])[1:] == [
        "   1  | .--- c!1 ----|",
        "   2  *<' c?1        |",
        "   3  |              |-.",
        "   4  |              *<' d?2",
    ]


def test_what_is_still_on_its_way_at_the_end() -> None:
    story = Story()
    story.send(1, "a", Passed("c", "1", True))
    story.send(2, "a", Passed("Ping", "2", True, receivers=("b",)))
    assert drawn(story, ["a", "b"])[1:] == ["   1  * c!1 -> ...", "   2  * Ping 2 -> b ..."]


def test_a_message_that_stays_arrives_again() -> None:
    _, story = told(
        "chan c = [1] of { byte }; active proctype P() { c!4 } active proctype Q() { byte x; c?<x>; c?<x>; c?x }"
    )
    assert [(each.source, each.target) for each in story.arrows] == [("P", "Q")] * 3
    assert not [each for each in story.ends if each.received is None]


def test_more_messages_than_fit_beside_a_line_arrive_straight() -> None:
    story = Story()
    for number in range(1, 7):
        story.send(number, "a", Passed("c", str(number), True))
    for number in range(1, 7):
        story.receive(6 + number, "b", Passed("c", str(number), False))
    lines = drawn(story, ["a", "b"])
    assert lines[5] == "   5  * c!5     |||| |"
    assert lines[11] == "  11  |---- c!5 ---->|"


def test_more_processes_than_fit_make_it_wider() -> None:
    names = [f"process{number}" for number in range(9)]
    story = Story()
    for number, name in enumerate(names[1:]):
        story.meet(number, names[0], name, "c!1")
    assert all(name in drawn(story, names, 40)[0] for name in names)


def test_silent_processes_share_a_column_where_there_is_no_room() -> None:
    names = [f"p{number}" for number in range(9)]
    story = Story()
    story.meet(1, "p0", "p1", "c!1")
    for name in names[2:]:
        story.add(2, name, "works")
    lines = drawn(story, names, 40)
    assert lines[0].split() == ["p0", "p1", "others"]
    assert lines[2].endswith("* p2: works")
    assert max(map(len, lines)) <= 40
    assert drawn(story, names, 120)[0].split() == names


def test_a_long_chart_names_its_columns_again_and_can_lose_its_middle() -> None:
    story = Story()
    for number in range(1, 101):
        story.add(number, "p", f"step {number}")
    lines = drawn(story, ["p"])
    assert [number for number, line in enumerate(lines) if line.split() == ["p"]] == [0, HEADER_EVERY + 1, 82]
    short = chart(story, ["p"], 80, plain=True, full=False)
    assert "      ... 30 rows left out; --full-trail shows them" in short
    assert [line.split()[0] for line in short[-2:]] == ["99", "100"]


def test_nobody_does_anything() -> None:
    assert drawn(Story(), ["P"]) == ["no process takes a step"]


def test_local_steps_and_output() -> None:
    _, story = told(programs.PING)
    found = [(row.process, row.text) for row in story.rows[:5]]
    assert found == [("P", "i < 3"), ("P", "a!ping, 0"), ("Q", '"got 0"'), ("Q", "b!0"), ("P", "b?0")]
    assert story.arrows[0] == Arrow("a!ping, 0", "P", "Q", 1, 1)
    assert story.arrows[1] == Arrow("b!0", "Q", "P", 3, 4)


def test_rendezvous_within_an_atomic_step() -> None:
    text = """
    chan c = [0] of { byte }; chan d = [1] of { byte };
    active proctype P() { atomic { c!1; d!2 } }
    active proctype Q() { byte x; atomic { c?x; d!x + 4; d?x } }
    """
    _, story = told(text)
    assert [(each.text, each.source, each.target) for each in story.ends] == [
        ("c!1", "P", "Q"),
        ("d!5", "Q", "Q"),
        ("d!2", "P", None),
    ]


def test_a_failing_assertion_is_in_the_column_of_its_process() -> None:
    system = package.loads("byte x; active proctype P() { x = 1; assert(x == 2) }", "promela")
    [violation] = system.check().violations
    story = story_of(system.model, steps_of(violation.trail))
    lines = chart(story, ["P"], 80, True, violation.message)
    assert lines[-2:] == ["   2  * assert(x == 2)", "      x assertion violated: x == 2"]


def test_what_is_wrong_in_a_state_stands_at_the_end() -> None:
    story = Story()
    story.add(1, "P", "x = 2")
    assert chart(story, ["P"], 80, True, "invariant x < 2 is false")[1:] == [
        "   1  * x = 2",
        "x invariant x < 2 is false",
    ]


def test_a_loop_is_marked() -> None:
    system = package.loads("byte x; active proctype P() { x = 1; do :: x = 1 - x od }", "promela")
    trail = system.check(ltl="<> x == 2").violations[0].trail
    assert trail.loop is not None
    lines = chart(story_of(system.model, steps_of(trail)), ["P"], 80, True, "", trail.loop)
    marked = lines.index("      and then for ever:")
    assert lines[marked + 1].split()[0] == str(trail.loop + 1)


FAULTY = """
from mule.actors import *

class Ping(Message):
    n: int

class Server(Process):
    seen: int = 0

    @on(Ping)
    def ping(self, message):
        self.seen = message.n

class Client(Process):
    server: Server
    sent: int = 0

    @step(when=lambda self: self.sent < 2)
    def ask(self):
        self.sent += 1
        send(self.server, Ping(self.sent))

def system():
    server = Server()
    return System([Client(server=server), server], network=Fifo(lossy=True), faults=[Crash([server])])
"""


QUEUES = """
from mule.processes import Queue, System

def system():
    queue = Queue(2, int)

    async def producer():
        for item in range(1, 3):
            await queue.put(item)

    async def consumer():
        for _ in range(2):
            await queue.get()

    return System([producer(), consumer()])
"""


def test_crashes_and_lost_messages(tmp_path: Path) -> None:
    path = tmp_path / "faulty.py"
    path.write_text(FAULTY)
    system = package.load(path)
    for seed in range(40):
        story = story_of(system.model, list(system.simulate(seed=seed)))
        lines = drawn(story, ["client", "server"])
        losses = [each for each in story.arrows if each.lost]
        assert sum("is lost" in line for line in lines) == len(losses)
        crash = next((number for number, line in enumerate(lines) if line.endswith("x crashes")), None)
        if crash is not None and losses and losses[-1].received == len(lines) - 2 > crash:
            column = lines[0].index("server")
            assert all(line[column : column + 1] in ("", " ") for line in lines[crash + 1 : -1])
            return
    pytest.fail("no run with a crash and a loss after it")


def test_queues_of_python(tmp_path: Path) -> None:
    path = tmp_path / "queues.py"
    path.write_text(QUEUES)
    system = package.load(path)
    story = story_of(system.model, list(system.simulate(seed=1)))
    assert [(each.text, each.source, each.target) for each in story.arrows] == [
        ("queue!1", "producer", "consumer"),
        ("queue!2", "producer", "consumer"),
    ]


def test_messages_of_dve() -> None:
    run = mule("examples/pipeline.dve", "--chart", "--seed", "2", "--steps", "3")
    assert run.stdout.splitlines()[2:6] == [
        "      source           cutter",
        "   1  |--- raw!0 ----. |",
        "   2  * raw!1 -> ... | |",
        "   3  |              '>* raw?0",
    ]


def test_a_rendezvous_of_dve_shows_what_is_passed() -> None:
    text = """
    channel {byte} c[0];
    process P { byte x = 3; state a, b; init a; trans a -> b { guard x == 3; sync c!x; effect x = 4; }; }
    process Q { byte y; state a, b; init a; trans a -> b { sync c?y; }; }
    system async;
    """
    model = package.loads(text, "dve").model
    story = story_of(model, list(simulate(model, at_random(model, 0))))
    assert [(each.text, each.source, each.target) for each in story.arrows] == [("c!x", "P", "Q")]


@pytest.mark.parametrize("option", ["-c", "--chart"])
def test_the_command_draws_plainly_into_a_pipe(option: str, tmp_path: Path) -> None:
    path = written(tmp_path, programs.PING)
    run = mule(path, option, "--seed", "3", COLUMNS="40")
    assert run.returncode == 0
    assert run.stdout.splitlines()[2:6] == [
        "      P                    Q",
        "   1  * i < 3              |",
        "   2  |---- a!ping, 0 ---->|",
        '   3  |                    * "got 0"',
    ]
