"""The searches themselves: how they count, how they stop, and what their trails are."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.checking import Properties, check, explore
from mule.driving import Progress
from mule.engine import SearchOptions
from mule.frontends import load as load_file
from mule.frontends.dve import load
from mule.model import Model
from mule.options import Options, Por, Search
from mule.planning import resolve, search_options
from mule.results import Verdict, ViolationKind
from tests.dve.exploration import explore as explore_slowly
from tests.engine.engines import engine_of

pytestmark = pytest.mark.slow

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.dve"))

both_searches = pytest.mark.parametrize("search", ["dfs", "bfs"])


def counters(count: int, size: int) -> Model:
    """`size` to the power of `count` states, and `count` times as many transitions."""
    processes = "".join(
        f"process P{n} {{ byte x; state s; init s; trans s -> s {{ effect x = (x + 1) % {size}; }}; }}\n"
        for n in range(count)
    )
    return load(processes + "system async;", "counters.dve")


def torus(width: int, height: int, padding: int) -> Model:
    """Two counters, and `padding` bytes that are a function of the first: they widen states and add none."""
    declaration = f"byte pad[{padding}];" if padding else ""
    padded = "".join(f", pad[{k}] = x * {k + 1} % 200" for k in range(padding))
    text = f"""
    int x, y; {declaration}
    process P {{ state s; init s; trans s -> s {{ effect x = (x + 1) % {width}{padded}; }}; }}
    process Q {{ state s; init s; trans s -> s {{ effect y = (y + 1) % {height}; }}; }}
    system async;
    """
    return load(text, "torus.dve")


# limits ---------------------------------------------------------------------------------------------------------------


@both_searches
@pytest.mark.parametrize(
    ("limit", "stopped"),
    [(Options(max_states=1000), "states"), (Options(time=1e-9), "time"), (Options(memory=1000), "memory")],
    ids=["states", "time", "memory"],
)
def test_a_limit_makes_the_result_incomplete_and_is_named(search: Search, limit: Options, stopped: str) -> None:
    options = limit.but(por="none", search=search, as_written=True)
    explored = explore(counters(5, 20), options)
    assert (explored.verdict, explored.stopped) == (Verdict.INCOMPLETE, stopped)
    assert int(stopped != "time") <= explored.statistics.states < 20**5
    checked = check(counters(5, 20), Properties(invariants=("P0->x < 20",)), options)
    assert (checked.verdict, checked.stopped, checked.violations) == (Verdict.INCOMPLETE, stopped, ())


@both_searches
def test_the_limit_on_states_is_exact(search: Search) -> None:
    options = Options(por="none", search=search, max_states=777, as_written=True)
    assert explore(counters(4, 10), options).statistics.states == 777


@both_searches
def test_limits_that_are_not_met_change_nothing(search: Search) -> None:
    limits = Options(por="none", search=search, max_states=10**6, time=3600.0, memory=2**30, as_written=True)
    result = explore(counters(4, 10), limits)
    assert (result.verdict, result.stopped, result.statistics.states) == (Verdict.HOLDS, None, 10**4)


@both_searches
def test_a_violation_found_before_the_limit_counts(search: Search) -> None:
    options = Options(por="none", search=search, max_states=50)
    result = check(counters(4, 10), Properties(invariants=("P0->x < 1",)), options)
    assert (result.verdict, result.stopped) == (Verdict.VIOLATED, None)


@both_searches
def test_a_callback_that_returns_false_interrupts_the_search(search: Search) -> None:
    seen: list[Progress] = []

    def progress(snapshot: Progress) -> bool:
        seen.append(snapshot)
        return len(seen) < 2

    limits = Options(por="none", search=search, max_states=20_000_000, as_written=True)
    result = explore(counters(8, 200), limits, progress=progress)
    assert (result.verdict, result.stopped, len(seen)) == (Verdict.INCOMPLETE, "interrupted", 2)
    assert 0 < seen[0].states <= seen[1].states <= result.statistics.states
    assert seen[1].seconds > seen[0].seconds


# trails ---------------------------------------------------------------------------------------------------------------

DOUBLING = """
byte x = 1;
process P {
  state s; init s;
  trans s -> s { guard x < 200; effect x = x + 1; }, s -> s { guard x < 100; effect x = x * 2; };
}
system async;
"""


@both_searches
def test_breadth_first_trails_are_shortest(search: Search) -> None:
    options = Options(por="none", search=search)
    [violation] = check(load(DOUBLING, "doubling.dve"), Properties(invariants=("x != 100",)), options).violations
    values = [state[0] for state in violation.trail.states]
    assert (violation.kind, values[0], values[-1]) == (ViolationKind.INVARIANT, 1, 100)
    assert violation.shortest is (search == "bfs")
    if search == "bfs":
        # Backwards from 100: halve while the number is even.
        assert values == [1, 2, 3, 6, 12, 24, 25, 50, 100]


def test_a_long_depth_first_trail_is_looked_for_again_unless_the_user_chose_the_search() -> None:
    model, properties = load(DOUBLING, "doubling.dve"), Properties(invariants=("x != 100",))
    chosen = check(model, properties, Options(por="deletion", search="dfs"))
    automatic = check(model, properties, Options(por="deletion"))
    steps = len(chosen.violations[0].trail)
    assert steps > len(automatic.violations[0].trail) == 8
    assert f"the trail was shortened from {steps} steps by a second search, breadth first" in automatic.notes
    assert not automatic.violations[0].shortest, "a reduced search does not know"


@both_searches
def test_a_violation_in_the_initial_state_has_an_empty_trail(search: Search) -> None:
    options = Options(por="none", search=search)
    [violation] = check(load(DOUBLING, "doubling.dve"), Properties(invariants=("x == 2",)), options).violations
    assert len(violation.trail) == 0
    assert violation.trail.states == (violation.trail.states[0],)


def test_breadth_first_depth_is_the_distance_of_the_farthest_state() -> None:
    assert explore(torus(7, 5, 0), Options(por="none", search="bfs", as_written=True)).statistics.depth == 6 + 4


# counts ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_both_orders_count_what_the_interpreter_counts(example: Path) -> None:
    model = load_file(str(example))
    space = explore_slowly(model)
    for search in ("dfs", "bfs"):
        found = explore(model, Options(por="none", search=search, as_written=True)).statistics
        assert (found.states, found.transitions, found.deadlocks) == (*space.counts, space.deadlocks)


PADDINGS = [(1, 0), (2, 6), (3, 10), (4, 20), (5, 28), (9, 64)]


@both_searches
@pytest.mark.parametrize(("words", "padding"), PADDINGS)
def test_states_of_any_width_are_counted_while_the_table_grows(words: int, padding: int, search: Search) -> None:
    model = torus(1000, 120, padding)
    assert engine_of(model).compiled.layout.words == words
    found = explore(model, Options(por="none", search=search, as_written=True)).statistics
    assert (found.states, found.transitions, found.deadlocks) == (120_000, 240_000, 0)


@both_searches
@pytest.mark.parametrize(("words", "padding"), PADDINGS)
def test_states_of_any_width_agree_with_the_interpreter(words: int, padding: int, search: Search) -> None:
    model = torus(30, 7, padding)
    found = explore(model, Options(por="none", search=search, as_written=True)).statistics
    assert (found.states, found.transitions) == explore_slowly(model).counts


@both_searches
def test_a_reduced_search_of_wide_states_keeps_the_deadlock(search: Search) -> None:
    processes = "".join(
        f"process P{n} {{ byte x, pad[8]; state s; init s; "
        "trans s -> s { guard x < 8; effect pad[x] = x * 30, x = x + 1; }; }\n"
        for n in range(4)
    )
    model = load(processes + "system async;", "wide.dve")
    assert engine_of(model).compiled.layout.words > 4
    full = explore(model, Options(por="none", search=search, as_written=True)).statistics
    reduced = explore(model, Options(por="deletion", search=search, as_written=True)).statistics
    assert (full.states, full.deadlocks) == (9**4, 1)
    # The processes never meet: one order of the 32 steps is enough.
    assert (reduced.states, reduced.transitions, reduced.deadlocks) == (33, 32, 1)


@both_searches
@pytest.mark.parametrize(("words", "padding"), PADDINGS)
@pytest.mark.parametrize("por", ["beam", "deletion"])
def test_provisos_work_for_states_of_any_width(words: int, padding: int, search: Search, por: Por) -> None:
    model = torus(50, 12, padding)
    for invariant, verdict in (("y < 12", Verdict.HOLDS), ("y < 11", Verdict.VIOLATED), ("x < 49", Verdict.VIOLATED)):
        result = check(model, Properties(invariants=(invariant,)), Options(por=por, search=search))
        assert result.verdict is verdict


# code that is replaced while it runs ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("search", "size"), [("dfs", 9), ("bfs", 12)])
def test_better_code_may_take_over_in_the_middle_of_a_search(
    search: Search, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MULE_CACHE_DIR", str(tmp_path))
    engine = engine_of(counters(6, size))
    code = engine.compiled.code
    optimised_before, addresses = code.optimised, [code.address("expand")]
    states_before: list[int] = []

    def take_over(snapshot: Progress) -> bool:
        if not states_before:
            states_before.append(snapshot.states)
            engine.optimise()
            addresses.append(code.address("expand"))
        return True

    monkeypatch.setattr(engine, "optimise_in_background", lambda: None)
    options = search_options(resolve(Options(por="none", search=search), "deadlocks"), "deadlocks")
    found = engine.search(options, None, take_over)
    assert (optimised_before, code.optimised) == (False, True)
    assert 0 < states_before[0] < size**6
    assert len(set(addresses)) == 2
    assert (found.progress.states, found.progress.transitions) == (size**6, 6 * size**6)


def test_a_long_search_asks_for_better_code_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MULE_CACHE_DIR", str(tmp_path))
    engine = engine_of(counters(6, 12))
    found = engine.search(SearchOptions())
    assert engine._optimiser is not None
    engine._optimiser.join()
    assert engine.compiled.code.optimised
    assert found.progress.states == 12**6


# samples --------------------------------------------------------------------------------------------------------------


def test_a_sample_is_part_of_the_states_and_the_same_every_time() -> None:
    engine = engine_of(counters(3, 10))
    every = engine.search(SearchOptions(sample=2000)).sample
    assert len(every) == len(set(every)) == 1000
    some = engine.search(SearchOptions(sample=50)).sample
    assert len(set(some)) == 50
    assert set(some) < set(every)
    assert engine.search(SearchOptions(sample=50)).sample == some
