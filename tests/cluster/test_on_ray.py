"""Searches on a real Ray cluster on this machine: few, because its processes take seconds to start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mule
from mule.errors import MuleError
from mule.options import Options
from mule.planning import Preparation, plan_for, resolve, search_options
from mule.records import replace

pytest.importorskip("ray", reason="Ray is not installed: pip install 'mule-checker[cluster]'")

from mule.cluster import connection, on_ray
from mule.cluster.assignment import assignment_of, preparation_for
from mule.cluster.places import Place
from tests.cluster.faults import try_once, try_runs

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"
HERE = "local:4"


@pytest.fixture(scope="module", autouse=True)
def _connected() -> Iterator[None]:
    connection.connect(Options(cluster=HERE))
    yield
    connection.disconnect()


def test_a_cluster_counts_what_one_search_does_and_finds_what_it_finds() -> None:
    philosophers = mule.load(EXAMPLES / "philosophers.dve")
    alone, shared = philosophers.explore(por="none"), philosophers.explore(por="none", cluster=HERE)
    assert (shared.states, shared.transitions, shared.statistics.deadlocks) == (118, 340, 1)
    assert (alone.states, alone.transitions, alone.statistics.deadlocks) == (118, 340, 1)
    nodes = shared.statistics.nodes
    assert len(nodes) == 4
    assert sum(node.states for node in nodes) == 118
    assert sum(node.sent_batches for node in nodes) == sum(node.received_batches for node in nodes) > 0
    found = philosophers.check(deadlock=True, cluster=HERE).violation
    assert found is not None
    assert found.message == "no process can move"
    assert not found.shortest
    assert mule.load(EXAMPLES / "broken_mutex.dve").check(cluster=HERE).violated
    peterson = mule.load(EXAMPLES / "peterson.dve")
    invariant = "not (left.critical and right.critical)"
    assert peterson.check(invariant=invariant, cluster=HERE).holds
    assert peterson.check(invariant=invariant, cluster=HERE, proviso="fragmented-history").holds
    assert peterson.check(invariant=invariant, cluster=HERE, por="none").holds
    with_threads = philosophers.explore(por="none", cluster=HERE, workers=3)
    assert (with_threads.states, with_threads.transitions, with_threads.options.workers) == (118, 340, 3)
    assert [node.threads for node in with_threads.statistics.nodes] == [3, 3, 3, 3]
    assert philosophers.check(deadlock=True, cluster=HERE, workers=3).violated
    assert peterson.check(invariant=invariant, cluster=HERE, workers=2).holds
    cut = philosophers.explore(por="none", cluster=HERE, max_states=20)
    assert cut.stopped == "states"
    assert cut.incomplete


def test_a_cluster_finds_runs_that_violate_a_property() -> None:
    peterson = mule.load(EXAMPLES / "peterson.dve")
    alone = peterson.check(ltl="[] !(left.critical && right.critical)", por="none", as_written=True)
    shared = peterson.check(ltl="[] !(left.critical && right.critical)", por="none", as_written=True, cluster=HERE)
    assert (shared.holds, shared.states, shared.transitions) == (alone.holds, alone.states, alone.transitions)
    assert len(shared.statistics.nodes) == 4
    found = peterson.check(ltl="[]<> left.critical", cluster=HERE)
    assert found.violated
    assert found.violation is not None
    assert found.violation.trail.loop is not None
    assert peterson.check(ltl="[]<> left.critical", cluster=HERE, fairness="weak").holds


def test_what_a_cluster_cannot_do_is_refused() -> None:
    model = mule.load(EXAMPLES / "peterson.dve")
    for options, words in (
        ({"ctl": "EF left.critical"}, "but no CTL"),
        ({"ltl": "[]<> left.critical", "fairness": "strong"}, "or those that are weakly fair"),
        ({"deadlock": None, "ltl": "[]<> left.critical", "proviso": "stack"}, "use --proviso auto or duplicate"),
        ({"search": "astar"}, "no one queue"),
        ({"search": "dfs", "proviso": "stack"}, "the whole stack"),
        ({"por": "dpor"}, "shares out the states that are stored"),
        ({"cluster": "local:0"}, "write local:N"),
        ({"workers": 2, "proviso": "fragmented"}, "one of a depth-first search"),
        ({"deadlock": None, "ltl": "[]<> left.critical", "workers": 2}, "each worker of a cluster has one thread"),
    ):
        with pytest.raises(MuleError, match=words):
            model.check(**{"deadlock": True, "cluster": HERE, **options})  # type: ignore[arg-type]


def test_an_address_where_nobody_answers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MuleError, match="does not answer"):
        connection.require_answer("127.0.0.1:1", "127.0.0.1", 1)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MuleError, match=r"pip install 'mule-checker\[cluster\]'"):
        mule.load(EXAMPLES / "peterson.dve").explore(cluster="127.0.0.1:1")


def test_a_worker_without_memory_ends_the_search_as_one_machine_does(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray")
    answers = on_ray.RayTeam._answers_to

    def answers_to(team: on_ray.RayTeam, questions: list[Any], meanwhile: Callable[[], None]) -> list[Any]:
        if questions:
            return answers(team, questions, meanwhile)
        raise ray.exceptions.RayTaskError("report", "", MemoryError())

    monkeypatch.setattr(on_ray.RayTeam, "_answers_to", answers_to)
    monkeypatch.setattr(on_ray.RayTeam, "reports", lambda team: team._ask([]))
    found = mule.load(EXAMPLES / "philosophers.dve").explore(por="none", cluster=HERE)
    assert (found.stopped, found.incomplete) == ("memory", True)


def test_a_worker_with_another_model_or_another_mule_is_refused() -> None:
    model = mule.load(EXAMPLES / "peterson.dve").compile()
    options = resolve(Options(por="none", search="bfs", cluster=HERE), "safety")
    prepared = Preparation(plan_for(model, options, "safety", ()))
    good = assignment_of(prepared, search_options(options, "safety"))
    assert preparation_for(good).searched.transitions
    recipe = good.recipe
    for wrong, words in (
        (replace(good, recipe=replace(recipe, fingerprint="0" * 32)), "another model"),
        (replace(good, recipe=replace(recipe, version="0.0")), "was read by Mule 0.0"),
        (replace(good, searched="0" * 32), "another search"),
    ):
        with pytest.raises(MuleError, match=words):
            preparation_for(wrong)
    with pytest.raises(MuleError, match="another model"):
        on_ray.RayTeam(replace(good, recipe=replace(recipe, fingerprint="0" * 32)), [Place()])


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_worker_changes_no_verdict_and_no_count(seed: int) -> None:
    try_once(seed)


def test_a_killed_worker_changes_no_verdict_on_runs() -> None:
    try_runs(4)


def test_each_machine_is_a_partition_and_one_may_be_lost() -> None:
    command = [sys.executable, "-m", "tests.cluster.machines"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("partitions of [1, 2] threads; ")


def test_the_command_line_takes_the_address_of_a_cluster() -> None:
    connection.dismiss_resting()
    ray = pytest.importorskip("ray")
    address = ray.get_runtime_context().gcs_address
    command = [sys.executable, "-m", "mule", "explore", str(EXAMPLES / "philosophers.dve"), "--por", "none"]
    done = subprocess.run(
        [*command, "--cluster", address, "--json"], capture_output=True, text=True, env=os.environ, timeout=300
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["states"], told["options"]["cluster"]) == (118, address)
    assert [(node["states"], node["threads"]) for node in told["nodes"]] == [(118, 4)]
    assert told["options"]["workers"] == 4
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (OSError(28, "the disk is full"), MuleError),
        (ImportError("no module named mule"), MuleError),
        (ValueError("wrong"), RuntimeError),
    ],
)
def test_what_a_worker_raises_is_a_defect_unless_its_machine_failed(cause: Exception, told: type[Exception]) -> None:
    import ray

    @ray.remote  # type: ignore[untyped-decorator]
    def fails() -> None:
        raise cause

    team = on_ray.RayTeam.__new__(on_ray.RayTeam)
    team._ray = ray
    with pytest.raises(told, match="a worker of the cluster failed: ") as raised:
        team._ask([fails.remote()])
    assert isinstance(raised.value, MuleError) == (told is MuleError)
