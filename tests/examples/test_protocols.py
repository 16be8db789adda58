"""The protocols in examples/: the right ones hold, the faulty ones are found out, and no reduction changes that."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.checking import check, explore
from mule.comparison import compare
from mule.frontends import load
from mule.model import Model
from mule.model.expressions import FALSE
from mule.options import Options, Por
from mule.planning import make_room
from mule.records import replace
from mule.results import Verdict, ViolationKind
from mule.validation import validate

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"
REDUCTIONS: tuple[Por, ...] = ("none", "auto", "deletion")

RIGHT = [
    "paxos",
    "paxos proposers=3 acceptors=2",
    "echo_multicast",
    "echo_multicast receivers=3 liars=0",
    "echo_multicast initiators=1",
    "register writes=1 reads=1",
    "register writes=2 reads=1",
    "register writes=1 reads=1 readers=2",
    "raft_election terms=1",
    "raft_election terms=2 candidates=2",
    "raft_election servers=4 terms=1 candidates=2",
    "two_phase_commit",
    "two_phase_commit participants=1",
]
FAULTY = [
    ("paxos bug=proposer", "consensus"),
    ("paxos bug=learner", "consensus"),
    ("echo_multicast bug=quorum", "agreement"),
    ("echo_multicast receivers=2 liars=2", "agreement"),
    ("register writes=1 reads=1 bug=quorum", "no violated assertion"),
    ("register bug=quorum", "no violated assertion"),
    ("register writes=1 reads=1 bug=timestamp", "no violated assertion"),
    ("register bug=timestamp", "no violated assertion"),
    ("raft_election terms=1 bug=forgetful", "one_leader"),
    ("raft_election terms=2 candidates=2 bug=stale", "one_leader"),
    ("two_phase_commit bug=1", "no violated assertion"),
    ("two_phase_commit participants=2 bug=1", "no violated assertion"),
]
SMALL = [
    "paxos acceptors=2",
    "echo_multicast receivers=2",
    "register writes=1 reads=1",
    "raft_election terms=1",
    "raft_election terms=2 candidates=2",
    "two_phase_commit participants=2",
    "two_phase_commit participants=2 crashes=1",
]


def protocol(words: str) -> Model:
    name, *defines = words.split()
    return load(str(EXAMPLES / f"{name}.py"), defines=defines)


@pytest.mark.parametrize("words", RIGHT)
def test_holds_with_every_reduction(words: str) -> None:
    model = protocol(words)
    for por in REDUCTIONS:
        assert check(model, options=Options(por=por)).verdict is Verdict.HOLDS, por


@pytest.mark.parametrize(("words", "text"), FAULTY)
def test_the_fault_is_found_with_every_reduction(words: str, text: str) -> None:
    model = protocol(words)
    kind = ViolationKind.ASSERTION if text == "no violated assertion" else ViolationKind.INVARIANT
    for por in REDUCTIONS:
        violations = check(model, options=Options(por=por)).violations
        found = {(violation.kind, violation.property) for violation in violations}
        assert (kind, text) in found, por


@pytest.mark.parametrize("participants", ["2", "3"])
def test_two_phase_commit_blocks_when_the_coordinator_dies(participants: str) -> None:
    model = protocol(f"two_phase_commit participants={participants} crashes=1")
    for por in REDUCTIONS:
        found = {violation.kind for violation in check(model, options=Options(por=por)).violations}
        assert found == {ViolationKind.DEADLOCK, ViolationKind.TEMPORAL}, por


@pytest.mark.parametrize("words", SMALL)
def test_no_reduction_loses_an_end(words: str) -> None:
    """States in which nothing can happen any more, all counted as if no process were ever done."""
    model = make_room(protocol(words), Options()).wide_enough
    model = replace(model, processes=tuple(replace(process, done=FALSE) for process in model.processes))
    ends = [explore(model, Options(por=por)).statistics.deadlocks for por in REDUCTIONS]
    assert ends[0] > 0
    assert ends == [ends[0]] * len(REDUCTIONS)


@pytest.mark.parametrize("words", SMALL)
def test_its_relations_and_sets_are_valid(words: str) -> None:
    found = validate(protocol(words), sample=300)
    assert found.states > 10
    assert found.findings == []


def test_all_commands_give_messages_the_room_they_need() -> None:
    model = protocol("echo_multicast receivers=2")
    states = explore(model, Options(por="none")).statistics.states
    rows = {row.algorithm: row for row in compare(model)}
    assert rows["none"].states == validate(model).states == states
    wide = explore(
        make_room(model, Options()).wide_enough, Options(por="deletion", search="bfs"), "safety"
    ).statistics.states
    assert rows["deletion"].deadlocks == rows["none"].deadlocks
    assert rows["deletion"].states <= wide
    assert max(row.states for row in rows.values()) == states


def test_messages_that_travel_together_are_no_violation() -> None:
    """The trail of the fault is found depth first in a network with too little room, and shortened breadth first."""
    result = check(protocol("register bug=timestamp"))
    assert result.violations[0].kind is ViolationKind.ASSERTION
    assert len(result.violations[0].trail.steps) < 12
