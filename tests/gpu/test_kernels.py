"""The kernels of a search on a GPU, compiled for this computer and run by several threads."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from mule.engine import Found, Proviso, SearchOptions
from mule.frontends import load, load_text
from mule.gpu.host import Host
from mule.gpu.search import search
from mule.gpu.store import Store
from mule.gpu.table import Cells, cells_for
from mule.gpu.targets import DEVICE, HOST
from mule.model import Model
from mule.options import Por
from mule.planning.resolution import ON_GPU
from mule.records import replace
from tests.gpu.agreement import (
    Way,
    by_kernels,
    counts,
    prepared_for,
    reduced_for,
    require_same_counts,
    require_same_finding,
)
from tests.gpu.fuzz import keeps_what_the_engine_keeps, try_model

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"
SAMPLE = 30
COUNTERS = """byte a, b, c{0};
active proctype A() {{ do :: a < 9 -> a++ od }}
active proctype B() {{ do :: b < 9 -> b++ od }}
active proctype C() {{ do :: c{1} < 9 -> c{1}++; {2} od }}
"""


def counters(last: str = "skip", length: int = 1) -> Model:
    """10,108 states; the last variable makes them as wide as wanted."""
    dimension, place = ("", "") if length == 1 else (f"[{length}]", f"[{length - 1}]")
    return load_text(COUNTERS.format(dimension, place, last), "counters", "promela")


def failing() -> Model:
    text = """byte x = 0;
    process P { state a; init a; trans a -> a { guard x < 6; effect x = x + 1; }, a -> a { effect x = 6 / (3 - x); }; }
    process Q { byte y = 0; state b; init b; trans b -> b { guard y < 3; effect y = y + 1; }; }
    system async;"""
    return load_text(text, "failing", "dve")


@pytest.mark.parametrize("file", sorted(file.name for file in EXAMPLES.iterdir() if file.suffix != ".md"))
def test_examples_have_the_counts_of_the_serial_search(file: str) -> None:
    prepared = prepared_for(load(str(EXAMPLES / file)))
    serial = prepared.engine.search(SearchOptions(max_states=30_000))
    if serial.stopped:
        pytest.skip("too many states for a test")
    require_same_counts(by_kernels(prepared.listing, SearchOptions(), Way(threads=2, capacity=1, narrow=20)), serial)


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("narrow", [0, 2048])
@pytest.mark.parametrize(("length", "words"), [(1, 1), (16, 2), (20, 3), (80, 6), (520, 34)])
def test_states_of_any_width_with_a_table_that_grows_all_the_time(
    length: int, words: int, threads: int, narrow: int
) -> None:
    prepared = prepared_for(counters(length=length))
    assert prepared.listing.layout.words == words
    serial = prepared.engine.search(SearchOptions())
    assert serial.progress.states == 10_108
    for marked in (False, True):
        way = Way(threads, capacity=1, marked=marked, narrow=narrow)
        require_same_counts(by_kernels(prepared.listing, SearchOptions(), way), serial)


def test_code_that_is_optimised_counts_the_same() -> None:
    prepared = prepared_for(counters(length=20))
    found = by_kernels(prepared.listing, SearchOptions(), Way(threads=4, capacity=100, optimised=True))
    require_same_counts(found, prepared.engine.search(SearchOptions()))


def test_states_after_an_error_are_counted_where_the_language_counts_them() -> None:
    prepared = prepared_for(failing())
    serial = prepared.engine.search(SearchOptions())
    assert serial.error_states == 4
    for threads in (1, 3):
        require_same_counts(by_kernels(prepared.listing, SearchOptions(), Way(threads, capacity=1)), serial)


@pytest.mark.parametrize("narrow", [0, 2048])
def test_a_violated_assertion_has_a_shortest_path(narrow: int) -> None:
    prepared = prepared_for(counters("assert(a + b + c < 8)"))
    options = SearchOptions(stop_at_assertion=True, stop_at_error=True)
    found = by_kernels(prepared.listing, options, Way(threads=3, capacity=1, narrow=narrow))
    serial = prepared.engine.search(options)
    assert (found.found, len(found.path)) == (Found.FAILURE, len(serial.path))
    require_same_finding(prepared, found, serial)


@pytest.mark.parametrize("asserts", [True, False])
def test_only_what_is_looked_for_is_found_where_assertions_and_errors_fail(asserts: bool) -> None:
    text = "byte x; active proctype P() { do :: x < 9 -> x++ :: x > 3 -> x = 1 / (x - 6) :: x > 5 -> assert(x < 5) od }"
    prepared = prepared_for(load_text(text, "both", "promela"))
    options = SearchOptions(stop_at_assertion=asserts, stop_at_error=not asserts)
    found = by_kernels(prepared.listing, options, Way(threads=2, narrow=20))
    serial = prepared.engine.search(options)
    assert prepared.trail(found.path).steps[-1].failure == prepared.trail(serial.path).steps[-1].failure
    assert prepared.searched.transitions[found.path[-1][0]].asserts == asserts


def test_the_same_violation_is_found_by_any_number_of_threads() -> None:
    prepared = prepared_for(counters("assert(a + b + c < 8)"))
    ends = set()
    for threads in (1, 2, 4):
        found = by_kernels(
            prepared.listing, SearchOptions(stop_at_assertion=True, stop_at_error=True), Way(threads, capacity=50)
        )
        ends.add(prepared.trail(found.path).states[-1])
    assert len(ends) == 1


def test_a_deadlock_in_the_initial_state_has_an_empty_path() -> None:
    model = load_text("active proctype P() { false }", "stuck", "promela")
    prepared = prepared_for(model)
    found = by_kernels(prepared.listing, SearchOptions(stop_at_deadlock=True), Way())
    assert (found.found, found.path, found.progress.states) == (Found.DEADLOCK, (), 1)


@pytest.mark.parametrize("narrow", [0, 2048])
def test_a_limit_on_states_ends_the_search_soon_after(narrow: int) -> None:
    prepared = prepared_for(counters())
    found = by_kernels(prepared.listing, SearchOptions(max_states=500), Way(threads=2, narrow=narrow))
    assert found.stopped == "states"
    assert 500 < found.progress.states <= 500 + 2 * prepared.listing.max_successors
    all_ = by_kernels(prepared.listing, SearchOptions(max_states=10_108), Way(threads=2, narrow=narrow))
    assert (all_.stopped, all_.progress.states) == (None, 10_108)


@pytest.mark.parametrize("memory", [5_000, 40_000, 60_000, 100_000])
def test_memory_that_is_too_small_gives_a_part_of_the_states_and_no_wrong_count(memory: int) -> None:
    prepared = prepared_for(counters(length=20))
    whole = prepared.engine.search(SearchOptions())
    host = Host(2)
    host.load(prepared.listing)
    found = search(host, prepared.listing, SearchOptions(max_bytes=memory), narrow=0)
    assert found.stopped == "memory"
    assert found.progress.memory_bytes <= memory
    assert found.progress.states < whole.progress.states
    assert host.available() == Host(2).available(), "all memory was given back"


@pytest.mark.parametrize("memory", [20_000, 60_000, 100_000, 150_000, 200_000])
def test_states_after_errors_have_no_memory_of_their_own(memory: int) -> None:
    many = "byte x = 0, y = 0; process P { state a; init a; trans a -> a { guard x < 60; effect x = x + 1; }, "
    many += "a -> a { effect x = 1 / (x % 2); }; } "
    many += "process Q { state b; init b; trans b -> b { guard y < 60; effect y = y + 1; }; } system async;"
    prepared = prepared_for(load_text(many, "many", "dve"))
    whole = prepared.engine.search(SearchOptions())
    assert (whole.progress.states, whole.error_states) == (3_721 + whole.error_states, 31 * 61)
    found = by_kernels(prepared.listing, SearchOptions(max_bytes=memory), Way(threads=2, capacity=1, narrow=0))
    assert found.progress.memory_bytes <= memory
    if found.stopped is None:
        require_same_counts(found, whole)


def test_what_memory_is_left_is_taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a few states at a time, each time with a new table."""
    prepared = prepared_for(counters(length=20))
    host = Host(2)
    host.load(prepared.listing)
    taken: list[int] = []
    make = Store._make_table

    def noted(store: Store, cells: int) -> None:
        make(store, cells)
        taken.append(store.bytes)

    monkeypatch.setattr(Store, "_make_table", noted)
    found = search(host, prepared.listing, SearchOptions(max_bytes=300_000), first_capacity=1, narrow=0)
    assert found.stopped == "memory"
    assert taken[-1] > 280_000
    assert len(taken) <= 8


def test_a_violation_is_told_although_the_memory_is_full() -> None:
    prepared = prepared_for(counters("assert(a + b + c[19] < 8)", length=20))
    host = Host(2)
    host.load(prepared.listing)
    limited = SearchOptions(max_bytes=100_000, stop_at_assertion=True, stop_at_error=True)
    found = search(host, prepared.listing, limited)
    assert found.found is Found.FAILURE
    assert prepared.trail(found.path).taken[-1].failure is not None


def test_a_progress_callback_can_end_the_search() -> None:
    prepared = prepared_for(counters())
    host = Host(1)
    host.load(prepared.listing)
    told = []

    def stop(so_far: object) -> bool:
        told.append(so_far)
        return False

    found = search(host, prepared.listing, SearchOptions(), stop, first_capacity=1, narrow=0)
    assert (found.stopped == "interrupted") == bool(told)


def test_how_a_state_gets_into_its_cell() -> None:
    assert [cells_for(words, HOST) for words in (1, 2, 3)] == [Cells.WORD, Cells.PAIR, Cells.MARKED]
    assert cells_for(2, replace(DEVICE, wide="")) is Cells.MARKED


@pytest.mark.parametrize("first", range(0, SAMPLE, 10))
def test_random_models(first: int) -> None:
    for seed in range(first, first + 10):
        try_model(seed)


@pytest.mark.parametrize("por", ON_GPU)
@pytest.mark.parametrize("file", ["philosophers.dve", "pipeline.dve", "mailbox.pml", "raft_election.py"])
def test_a_reduction_that_preserves_deadlocks_keeps_what_the_engine_keeps(file: str, por: Por) -> None:
    keeps_what_the_engine_keeps(load(str(EXAMPLES / file)), por, True, random.Random(file))


@pytest.mark.parametrize("por", ["closure", "beam-noh"])
@pytest.mark.parametrize("marked", [False, True])
def test_where_all_successors_of_a_reduced_set_are_closed_all_are_taken(por: Por, marked: bool) -> None:
    """By one thread, in the order of the serial search: exactly where that one does so."""
    reduced = reduced_for(load(str(EXAMPLES / "philosophers.dve")), por, "safety")
    found = by_kernels(reduced.listing, SearchOptions(), Way(threads=1, marked=marked), reduced.gpu_sets)
    options = SearchOptions(proviso=Proviso.CLOSED_MINUS, failing_guards_are_transitions=True)
    serial = reduced.engine.search(options, reduced.reducer(reduced.options))
    assert (found.progress.states, found.fully_expanded) == (serial.progress.states, serial.fully_expanded)
    assert found.fully_expanded > 0


def test_counts_are_those_of_the_search_without_transient_states() -> None:
    text = "byte x; active proctype P() { do :: x < 5 -> atomic { x++; x++; x-- } od } active proctype Q() { x = 0 }"
    prepared = prepared_for(load_text(text, "atomic", "promela"))
    serial = prepared.engine.search(SearchOptions())
    assert counts(by_kernels(prepared.listing, SearchOptions(), Way(threads=2, narrow=0))) == counts(serial)
