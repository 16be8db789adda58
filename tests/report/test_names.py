"""What trails and states call things: as the author of the model writes them, in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

import mule
from mule.model.variables import element_name
from mule.report.simulation import in_words
from mule.report.state import summarise
from mule.results import ViolationKind
from mule.simulation import Simulator, at_random, simulate
from mule.trails import State, Step
from tests.simulation.programs import model_of

EXAMPLES = Path(__file__).parents[2] / "examples"

STRUCTURES = """
typedef Inner { byte z[3]; byte w };
typedef Outer { byte x[2]; Inner i[2]; chan c = [2] of { byte, byte } };
mtype = { req, ack };
Outer a[2];
chan q[2] = [2] of { mtype, byte };
chan passed = [1] of { chan };
chan k;
active proctype P() {
  Inner mine[2];
  skip;
  a[1].x[0] = 3;
  a[1].i[1].z[2] = 4;
  a[0].i[1].w = 5;
  mine[1].z[0] = 6;
  a[1].c!1,2;
  k = q[1];
  k!req,7;
  passed!k;
  true;
  a[1].x[false] = 'b'
}
"""


@pytest.fixture(scope="module")
def run() -> list[Step]:
    model = model_of(STRUCTURES)
    return [step for part in simulate(model, at_random(model, 0)) for step in part.trail]


def test_an_element_inside_structures() -> None:
    assert element_name("a.x", (("a", 2), (".x", 3)), 4) == "a[1].x[1]"
    assert element_name("a.s.x", (("a", None), (".s", 2), (".x", None)), 1) == "a.s[1].x"
    assert element_name("a", (), 7) == "a[7]"


def test_changes_of_structures_are_named_as_they_are_written(run: list[Step]) -> None:
    assert [step.changes for step in run[1:5]] == [
        {"a[1].x[0]": (0, 3)},
        {"a[1].i[1].z[2]": (0, 4)},
        {"a[0].i[1].w": (0, 5)},
        {"P:mine[1].z[0]": (0, 6)},
    ]


def test_channels_go_by_their_names(run: list[Step]) -> None:
    assert [step.changes for step in run[5:9]] == [
        {"a[1].c": ((), ((1, 2),))},
        {"k": (0, "q[1]")},
        {"q[1]": ((), (("req", 7),))},
        {"passed": ((), ("q[1]",))},
    ]
    assert run[8].actions[0].message == "passed!q[1]"


def test_words_stay_words(run: list[Step]) -> None:
    assert run[0].action == "skip"
    assert run[9].action == "true"
    assert run[10].action == "a[1].x[false] = 'b'"


def test_a_label_without_a_statement_is_a_skip() -> None:
    model = model_of("byte x; active proctype P() { if :: x == 0 -> x = 1; here: fi; goto here }")
    assert "skip" in {transition.text for transition in model.transitions}


def test_a_state_has_the_parts_of_structures_by_their_names(run: list[Step]) -> None:
    state = run[10].state
    assert (state["a[1].x"], state["a[1].x[0]"], state["a[1].i[1].z"]) == ((98, 0), 98, (0, 0, 4))
    assert (state["a[0].i[1].w"], state["k"], state["q[1]"]) == (5, "q[1]", (("req", 7),))
    # The variable and its channel are one thing to the author.
    assert state["a[1].c"] == ((1, 2),)
    assert state["P"] == "end"
    assert "a.x" not in state
    with pytest.raises(KeyError, match=r"no 'a\[1\]\.y'; there is a\[1\]\.x"):
        state["a[1].y"]


def test_a_net_is_told_in_places_and_tokens() -> None:
    [violation] = mule.load(EXAMPLES / "philosophers.pnml").check().violations
    first = violation.trail[0]
    assert first.changes == {"thinks0": (1, 0), "waits0": (0, 1), "fork0": (1, 0)}
    assert (first.process, first.action, first.moves) == (None, "fires left0", ())
    assert first.state["waits0"] == 1
    assert not first.state.processes


def test_truth_values_of_python_are_truth_values() -> None:
    model = mule.load(EXAMPLES / "lost_update.py").model
    assert State(model, model.initial_state)["lock.held"] is False
    raft = mule.load(EXAMPLES / "raft_election.py").model
    assert summarise(raft, raft.initial_state).variables["server 1.voted_for"] is None


def test_invariants_are_called_invariants() -> None:
    system = mule.load(EXAMPLES / "lost_update.py", defines=["bug=true"])
    [violation] = system.check(assertions=True).violations
    assert violation.kind is ViolationKind.INVARIANT
    assert violation.message == "invariant nothing_lost is false"
    ending = None
    for seed in range(50):
        simulator, chooser = Simulator(system.model), at_random(system.model, seed)
        while (ending := simulator.ending()) is None:
            simulator.advance(chooser)
        if ending.violation is not None:
            break
    assert ending is not None
    assert (ending.violation, in_words(ending)) == (ViolationKind.INVARIANT, "invariant nothing_lost is false")
