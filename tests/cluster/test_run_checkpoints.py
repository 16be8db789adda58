"""Temporal properties on a cluster that are written and go on: with the same answer, or refused with a message."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from mule.checking import check
from mule.errors import MuleError
from mule.frontends import load_text
from mule.model import Model
from mule.options import Fairness, Options, Proviso
from mule.properties import Properties
from mule.results import Result
from tests.checkpoints.killed import compare, without_end
from tests.cluster.resumed import disturbed, mortal_partitions

FULL = Options(por="none", as_written=True, cluster="local:3")
PARTS = 3
HOLDS = "[] (common < 5)"
VIOLATED = "<> (common == 4 and P0.b)"


@pytest.fixture(scope="module")
def endless() -> Model:
    return load_text(without_end(3, 5), "endless.dve", "dve")


def asked(model: Model, formula: str, options: Options, memory: int | None = None) -> Result:
    with mortal_partitions(PARTS, random.Random(0), None, memory):
        return check(model, Properties(ltl=(formula,)), options)


def alone(model: Model, formula: str) -> Result:
    return check(model, Properties(ltl=(formula,)), FULL.but(cluster=None))


@pytest.fixture
def stopped(endless: Model, tmp_path: Path) -> Options:
    """How to go on with a run that waits for it."""
    options = FULL.but(checkpoint=str(tmp_path / "run"))
    found = asked(endless, HOLDS, options.but(max_states=200))
    assert found.stopped == "states"
    assert any("to go on: mule check --resume" in note for note in found.notes)
    assert not any("searched anew" in note or "breadth first" in note for note in found.notes)
    return options.but(resume=True)


def test_a_run_goes_on_beyond_its_limit(endless: Model, stopped: Options) -> None:
    assert stopped.checkpoint is not None
    assert len(list(Path(stopped.checkpoint).glob("*.partition"))) == PARTS
    found, expected = asked(endless, HOLDS, stopped), alone(endless, HOLDS)
    assert found.holds
    assert (found.states, found.transitions) == (expected.states, expected.transitions)


def test_a_run_goes_on_with_more_memory(endless: Model, tmp_path: Path) -> None:
    options = FULL.but(checkpoint=str(tmp_path / "run"))
    found = asked(endless, HOLDS, options, memory=1)
    assert found.stopped == "memory"
    found, expected = asked(endless, HOLDS, options.but(resume=True)), alone(endless, HOLDS)
    assert (found.holds, found.states) == (True, expected.states)


def test_a_partition_that_is_cut_short_changed_or_another_one_is_refused(endless: Model, stopped: Options) -> None:
    assert stopped.checkpoint is not None
    first, second, _ = sorted(Path(stopped.checkpoint).glob("*.partition"))
    whole = first.read_bytes()
    step = len(whole) // 7
    cut_short = [whole[:at] for at in range(0, len(whole), step)]
    changed = [whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :] for at in range(0, len(whole), step)]
    for data in (*cut_short, *changed, second.read_bytes()):
        first.write_bytes(data)
        with pytest.raises(MuleError, match="this file is damaged, or not one of the last cut") as raised:
            asked(endless, HOLDS, stopped)
        assert str(first) in str(raised.value)
    first.write_bytes(whole)
    assert asked(endless, HOLDS, stopped).holds


@pytest.mark.parametrize("formula", [HOLDS, VIOLATED])
@pytest.mark.parametrize(
    ("proviso", "fairness"),
    [("c3prime", "none"), ("duplicate", "none"), ("static", "none"), ("duplicate", "weak"), ("auto", "weak")],
)
def test_every_proviso_goes_on(
    endless: Model, formula: str, proviso: Proviso, fairness: Fairness, tmp_path: Path
) -> None:
    options = Options(por="none" if proviso == "auto" else "deletion", proviso=proviso, fairness=fairness)
    wanted = Properties(ltl=(formula,))
    expected = check(endless, wanted, Options(por="none", fairness=fairness))
    for seed in range(3):
        folder = tmp_path / str(seed)
        folder.mkdir()
        on_cluster = options.but(cluster="local:3")
        found = disturbed(lambda each: check(endless, wanted, each), on_cluster, PARTS, random.Random(seed), folder)
        assert found.verdict is expected.verdict


def test_all_searches_of_a_command_go_on(endless: Model, tmp_path: Path) -> None:
    """Each has files of its own."""
    wanted = Properties(deadlock=True, ltl=(HOLDS, VIOLATED))
    expected = check(endless, wanted, FULL.but(cluster=None))
    for seed in range(4):
        folder = tmp_path / str(seed)
        folder.mkdir()
        found = disturbed(lambda each: check(endless, wanted, each), FULL, PARTS, random.Random(seed), folder)
        assert [each.verdict for each in found.judgements] == [each.verdict for each in expected.judgements]


@pytest.mark.slow
def test_a_leader_that_is_killed_is_resumed_on_a_real_cluster() -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'mule-checker[cluster]'")
    assert compare(26, "cluster") > 0
