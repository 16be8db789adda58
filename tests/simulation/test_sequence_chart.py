"""Charts: who sends what to whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.report.sequence_chart import Event, chart, events_of
from mule.simulation import at_random, simulate
from tests.simulation import programs
from tests.simulation.programs import model_of, mule, written

EVENTS = [
    Event(1, "client", "ask!ping, 3", "server"),
    Event(2, "server", "log!3"),
    Event(12, "server", "answer!pong", "client"),
    Event(13, "logger", "log?3"),
    Event(14, "client", '"done"'),
]


def test_a_chart_in_80_columns() -> None:
    assert chart(EVENTS, ["client", "idle", "server", "logger"], 80, plain=False) == [
        "      client                  server                  logger",
        "   1  │──── ask!ping, 3 ─────>│                       │",
        "   2  │                       log!3                   │",
        "  12  │<──── answer!pong ─────│                       │",
        "  13  │                       │                       log?3",
        '  14  "done"                  │                       │',
    ]


def test_a_chart_in_40_columns_cuts_what_is_long() -> None:
    assert chart(EVENTS, ["client", "server", "logger"], 40, plain=True) == [
        "      client     server     logger",
        "   1  |-ask!...->|          |",
        "   2  |          log!3      |",
        "  12  |<-answ...-|          |",
        "  13  |          |          log?3",
        '  14  "done"     |          |',
    ]


@pytest.mark.parametrize("width", [36, 40, 60, 80, 200])
def test_a_chart_keeps_to_the_width(width: int) -> None:
    long = [Event(1, "a" * 50, "c!" + "5" * 300), Event(2, "b", "d!" + "6" * 300, "a" * 50), Event(3, "c", "x" * 300)]
    lines = chart(long, ["a" * 50, "b", "c"], width, plain=True)
    assert max(map(len, lines)) <= width


def test_more_processes_than_fit_make_it_wider() -> None:
    names = [f"process{number}" for number in range(9)]
    lines = chart([Event(1, name, "c!1234567") for name in names], names, 40, plain=True)
    assert all("c!1234567" in line for line in lines[1:])


def test_an_arrow_crosses_the_lines_between() -> None:
    events = [Event(1, "c", "x!1", "a"), Event(1, "b", "y!1")]
    assert chart(events, ["a", "b", "c"], 40, plain=True)[1:] == [
        "   1  |<------- x!1 --------|",
        "      |          y!1        |",
    ]


def test_no_messages() -> None:
    assert chart([], ["P"], 80, plain=True) == ["no messages"]


def test_events_of_a_program() -> None:
    model = model_of(programs.PING)
    events = [event for step in simulate(model, at_random(model, 0)) for event in events_of(model, step)]
    assert [(event.process, event.text, event.partner) for event in events[:4]] == [
        ("P", "a!ping, 0", "Q"),
        ("Q", '"got 0"', None),
        ("Q", "b!0", None),
        ("P", "b?0", None),
    ]
    assert events[-1].text == '"done 3 ping"'


def test_rendezvous_within_an_atomic_step() -> None:
    text = """
    chan c = [0] of { byte }; chan d = [1] of { byte };
    active proctype P() { atomic { c!1; d!2 } }
    active proctype Q() { byte x; atomic { c?x; d!x + 4; d?x } }
    """
    model = model_of(text)
    events = [event for step in simulate(model, at_random(model, 0)) for event in events_of(model, step)]
    assert [(event.process, event.text, event.partner) for event in events] == [
        ("P", "c!1", "Q"),
        ("Q", "d!5", None),
        ("Q", "d?5", None),
        ("P", "d!2", None),
    ]


def test_messages_of_dve() -> None:
    run = mule("examples/pipeline.dve", "--chart", "--seed", "2", "--steps", "3")
    assert run.stdout.splitlines()[2:6] == [
        "      source                          cutter",
        "   1  raw!0                           |",
        "   2  raw!1                           |",
        "   3  |                               raw?0",
    ]


@pytest.mark.parametrize("option", ["-c", "--chart"])
def test_the_command_draws_plainly_into_a_pipe(option: str, tmp_path: Path) -> None:
    path = written(tmp_path, programs.PING)
    run = mule(path, option, "--seed", "3", COLUMNS="40")
    assert run.returncode == 0
    assert run.stdout.splitlines()[2:5] == [
        "      P                Q",
        "   2  |-- a!ping, 0 -->|",
        '   3  |                "got 0"',
    ]
