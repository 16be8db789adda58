"""Several workers from outside: options, limits, what is refused, and random models against one worker."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mule.checking import check, explore
from mule.cli.main import main
from mule.engine import SearchOptions, Team
from mule.errors import MuleError
from mule.frontends import load_text
from mule.model import Model
from mule.notes import workers_note
from mule.options import Options
from mule.planning import Preparation, plan_for
from mule.properties import Properties
from mule.results import Verdict
from tests.parallel.fuzz import try_model

pytestmark = pytest.mark.slow

COUNTERS = """byte a, b, c, d;
active proctype A() {{ do :: a < 9 -> a++ od }}
active proctype B() {{ do :: b < 9 -> b++ od }}
active proctype C() {{ do :: c < 9 -> c++ od }}
active proctype D() {{ do :: d < 9 -> d++; {} od }}
"""


def counters(last: str = "skip") -> Model:
    return load_text(COUNTERS.format(last), "counters", "promela")


def test_workers_count_what_one_counts() -> None:
    model = counters()
    one = explore(model, Options(por="none", workers=1)).statistics
    many = explore(model, Options(por="none", workers=3)).statistics
    assert (many.states, many.transitions, many.deadlocks, many.depth) == (
        one.states,
        one.transitions,
        one.deadlocks,
        one.depth,
    )
    assert one.states == 10_000


def test_a_violation_found_by_workers_has_a_shortest_trail() -> None:
    model = counters("assert(a + b + c < 8)")
    one, many = (
        check(model, Properties(assertions=True), Options(por="none", search="bfs", workers=workers))
        for workers in (1, 2)
    )
    assert one.verdict is many.verdict is Verdict.VIOLATED
    assert len(many.violations[0].trail) == len(one.violations[0].trail)
    assert many.violations[0].shortest


@pytest.mark.parametrize("por", ["auto", "ample", "closure", "beam", "lpor"])
def test_workers_have_every_reduction(por: str) -> None:
    options = Options(por=por, workers=2)  # type: ignore[arg-type]
    assert check(counters("assert(a + b + c < 8)"), Properties(assertions=True), options).verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (Options(search="dfs", workers=2), "leave out --search dfs"),
        (Options(search="astar", workers=2), "leave out --search astar"),
        (Options(proviso="stack-", workers=2), "have no stack"),
        (
            Options(proviso="fragmented", workers=2),
            "--proviso fragmented is one of a depth-first search: leave out one",
        ),
        (Options(por="dpor", workers=2), "--por dpor stores no states"),
        (Options(por="closure", stateless=True, workers=2), "--stateless stores no states"),
        (Options(store="compact", workers=2), "leave out --store compact"),
    ],
)
def test_what_workers_cannot_do_is_refused(options: Options, reason: str) -> None:
    with pytest.raises(MuleError, match=reason):
        check(counters(), Properties(assertions=True), options)


def test_ctl_has_one_worker() -> None:
    properties = Properties(deadlock=True, ctl=("EF (a == 9)",))
    with pytest.raises(MuleError, match="by one worker"):
        check(counters(), properties, Options(workers=2))
    check(counters(), properties, Options(workers=1, max_states=10))


@pytest.mark.parametrize("workers", [0, -1, 2000, True, "2"])
def test_a_number_of_workers_makes_sense(workers: int) -> None:
    with pytest.raises(MuleError, match="workers is a whole number"):
        Options(workers=workers)


def test_workers_stop_at_limits() -> None:
    few = explore(counters(), Options(por="none", workers=2, max_states=5_000))
    assert (few.stopped, few.statistics.states) == ("states", 5_000)
    small = explore(counters(), Options(por="none", workers=2, memory=100_000))
    assert small.stopped == "memory"


def test_one_goes_on_with_disk_where_the_memory_of_several_is_full(tmp_path: Path) -> None:
    model = load_text(COUNTERS.replace("9", "19").format("skip"), "counters", "promela")
    whole = explore(model, Options(por="none", workers=1))
    found = explore(model, Options(por="none", workers=2, memory=2_500_000, spill=str(tmp_path)))
    assert found.stopped is None
    assert (found.states, found.transitions) == (whole.states, whole.transitions)
    assert found.statistics.disk_bytes > 0
    assert found.notes[-1] == "the memory was full: from then on one worker searched, with disk"
    assert not list(tmp_path.iterdir())


def test_the_command_line_and_json_have_workers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "counters.pml"
    file.write_text(COUNTERS.format("skip"))
    assert main(["explore", str(file), "--por", "none", "--workers", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["options"]["workers"] == 2


@pytest.mark.parametrize("seed", range(24))
def test_random_models(seed: int) -> None:
    try_model(seed)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (Options(por="none"), 3),
        (Options(por="none", workers=1), 1),
        (Options(por="none", search="dfs"), 1),
        (Options(por="none", store="compact"), 1),
        (Options(por="none", max_states=50_000), 1),
    ],
)
def test_all_processors_help_once_a_search_is_large(
    options: Options, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mule.planning.resolution.available_cores", lambda: 3)
    model = load_text(COUNTERS.replace("9", "19").format("skip"), "counters", "promela")
    result = explore(model, options)
    assert result.options.workers == expected
    assert options.max_states or result.statistics.states == 160_000


def test_a_reduction_by_several_workers_says_that_its_counts_may_differ() -> None:
    prepared = Preparation(plan_for(counters(), Options(por="none"), "deadlocks", ()))
    alone = prepared.engine.search(SearchOptions())
    many = prepared.engine.search(SearchOptions(team=Team(2, worth_sharing=1)))
    assert (alone.workers, many.workers) == (1, 2)
    assert "2 workers: how many states" in workers_note(Options(por="beam"), many)
    assert not workers_note(Options(por="none"), many)
    assert not workers_note(Options(por="beam"), alone)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (Options(por="deletion"), True),  # depth first, by one worker
        (Options(por="deletion", search="bfs"), False),
        (Options(por="deletion", workers=1), False),
        (Options(por="deletion", search="dfs"), False),
        (Options(por="deletion", proviso="stack-"), False),
        (Options(por="deletion", store="compact"), False),
    ],
)
def test_a_long_search_by_one_worker_says_how_many_could_have_searched(
    monkeypatch: pytest.MonkeyPatch, options: Options, told: bool
) -> None:
    monkeypatch.setattr("mule.notes.LONG", 10)
    monkeypatch.setattr("mule.notes.available_cores", lambda: 3)
    monkeypatch.setattr("mule.planning.resolution.available_cores", lambda: 3)
    monkeypatch.setattr("mule.planning.resolution.LARGE", 100)
    note = "one of 3 processors searched: --workers 3 uses all of them"
    assert (note in explore(counters(), options, preserve="safety").notes) == told


def test_a_long_look_at_runs_says_so_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mule.notes.LONG", 10)
    monkeypatch.setattr("mule.notes.available_cores", lambda: 3)
    notes = [
        check(counters(), Properties(ltl=("[] (a < 10)",)), Options(workers=workers)).notes for workers in (None, 2)
    ]
    assert ["one of 3 processors searched: --workers 3 uses all of them" in each for each in notes] == [True, False]
