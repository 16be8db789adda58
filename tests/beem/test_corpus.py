"""The engine on the BEEM benchmark: BEEM's counts and answers, and deadlocks under every reduction.

`mule bench counts` and `mule bench reachability` run the whole corpus; here is a fixed sample."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mule.checking import Properties, check, explore
from mule.comparison import REDUCTIONS
from mule.frontends import load
from mule.model import Model
from mule.options import Options, Por
from mule.results import Verdict

SHARED = Path(__file__).resolve().parents[3] / "shared"
BEEM = SHARED / "models" / "dve"
LTSMIN = SHARED / "peers" / "ltsmin.json"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.slow,
    pytest.mark.skipif(
        not (BEEM / "expected.json").exists(), reason=f"the BEEM models are not beside the repository: no {BEEM}"
    ),
]

COUNTED = (
    *("adding.1", "anderson.4", "at.1", "bakery.3", "bopdp.2", "brp2.1", "cambridge.3", "collision.2"),
    *("driving_phils.2", "elevator_planning.3", "exit.2", "extinction.2", "firewire_link.2", "gear.1", "hanoi.1"),
    *("iprotocol.2", "lamport.3", "leader_filters.3", "lifts.3", "msmie.3", "peterson.2", "pgm_protocol.4"),
    *("schedule_world.1", "synapse.5", "telephony.2", "train-gate.3"),
)
QUESTIONED = (
    *("adding.1", "bridge.1", "brp.2", "cyclic_scheduler.2", "firewire_tree.2", "gear.1", "hanoi.1", "lamport.1"),
    *("lamport.3", "mcs.1", "production_cell.2", "telephony.1"),
)
TABLE_5 = ("bakery.3", "brp.2", "collision.2", "exit.2", "krebs.1", "mcs.4")
REDUCED_FURTHER_THAN_BY_LTSMIN = ("leader_election.3", "mcs.4", "szymanski.2")


@cache
def facts(name: str) -> dict[str, Any]:
    [found] = [each for each in json.loads((BEEM / "expected.json").read_text()) if each["model"] == name]
    return dict(found)


@cache
def model(name: str) -> Model:
    return load(str(BEEM / facts(name)["file"]))


@cache
def deadlocks(name: str) -> int:
    return explore(model(name), Options(por="none", as_written=True)).statistics.deadlocks


@pytest.mark.parametrize("name", COUNTED)
def test_the_counts_are_beem_s(name: str) -> None:
    expected = (facts(name)["states"], facts(name)["transitions"])
    for search in ("bfs", "dfs"):
        found = explore(model(name), Options(por="none", search=search, as_written=True)).statistics
        assert (found.states, found.transitions) == expected


def test_beem_counts_the_states_after_an_overflow() -> None:
    result = explore(model("anderson.1"), Options(por="none", as_written=True))
    assert result.statistics.states == facts("anderson.1")["states"] == 347_039
    assert any("steps have no meaning in the model" in note for note in result.notes)


@pytest.mark.parametrize("name", QUESTIONED)
def test_the_answers_are_beem_s_with_and_without_reduction(name: str) -> None:
    assert facts(name)["reachability"]
    for question in facts(name)["reachability"]:
        properties = Properties(invariants=(f"not ({question['expression']})",))
        expected = {"yes": Verdict.VIOLATED, "no": Verdict.HOLDS}[question["answer"]]
        for options in (
            Options(por="none", search="dfs"),
            Options(por="ample", search="dfs"),
            Options(por="ample", search="bfs"),
            Options(por="beam", search="dfs"),
            Options(por="beam", search="bfs"),
            Options(por="deletion", search="dfs"),
            Options(por="deletion", search="bfs"),
        ):
            assert check(model(name), properties, options).verdict is expected, (question, options)
        shortest = check(model(name), properties, Options(por="none", search="bfs", as_written=True))
        assert shortest.verdict is expected
        for violation in shortest.violations:
            # BEEM counts the states on the path, we the steps between them.
            assert (violation.shortest, len(violation.trail) + 1) == (True, question["length"])


@pytest.mark.parametrize(("por", "weak"), REDUCTIONS)
@pytest.mark.parametrize("name", TABLE_5)
def test_every_reduction_keeps_all_deadlocks(name: str, por: Por, weak: bool) -> None:
    assert deadlocks(name) > 0
    found = explore(model(name), Options(por=por, weak=weak, as_written=True)).statistics
    assert found.deadlocks == deadlocks(name)
    # The processes of exit and krebs are never safe, and ample sets are all or nothing of one process.
    assert found.states < facts(name)["states"] or (por == "ample" and name in ("exit.2", "krebs.1"))


@pytest.mark.skipif(not LTSMIN.exists(), reason=f"LTSmin's figures are not beside the repository: no {LTSMIN}")
@pytest.mark.parametrize("name", REDUCED_FURTHER_THAN_BY_LTSMIN)
def test_deletion_keeps_no_more_states_than_ltsmin_s(name: str) -> None:
    rows = json.loads(LTSMIN.read_text())["rows"]
    [peer] = [row for row in rows if (row["model"], row["language"]) == (name, "dve")]
    found = explore(model(name), Options(por="deletion", remember="exact", as_written=True)).statistics
    assert found.states <= peer["deletion"]["states"]
    assert found.deadlocks == peer["none"]["deadlocks"]
