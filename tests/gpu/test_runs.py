"""Temporal properties by the kernels of a GPU, compiled for this computer and run by several threads."""

from __future__ import annotations

from typing import Any

import pytest

from mule.engine import SearchOptions
from mule.errors import MuleError
from mule.frontends import load_text
from mule.gpu.emptiness import _Look, search_runs
from mule.gpu.host import Host
from mule.gpu.product import MOST_EDGES
from mule.gpu.search import LevelSearch
from mule.ltl.automaton import Automaton, Edge
from mule.ltl.formula import not_
from mule.ltl.parser import parse
from mule.ltl.translate import translate
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.planning import Analysis
from mule.temporal.on_gpu import product_listing
from mule.temporal.product import Product
from tests.gpu.agreement import Way
from tests.gpu.fuzz_ltl import by_kernels, try_model
from tests.temporal.cases import over_atoms

pytestmark = pytest.mark.slow

SAMPLE = 20
ROUNDS = """byte x, y;
active proctype A() { do :: x < 40 -> x++ :: x == 40 -> x = 0 od }
active proctype B() { do :: y < 40 -> y++ od }
"""


def product(text: str, *tests: tuple[str, int]) -> Product:
    """The atoms are tests of a variable for a value."""
    model = load_text(text, "model", "promela")
    known = {variable.name: variable for variable in model.variables}
    atoms: list[Expression] = [Binary("==", Read(known[name]), Constant(value)) for name, value in tests]
    analysis = Analysis(model, tuple(atoms), invariants=False)
    return Product(analysis.model, analysis.domains, atoms, 16)


def rounds() -> Product:
    """`a` again and again, and `b` from some step on or never."""
    return product(ROUNDS, ("x", 7), ("y", 40))


def violation_of(formula: str) -> Automaton:
    return over_atoms(translate(not_(parse(formula).formula), "edges", "builtin"))


@pytest.mark.parametrize(("threads", "first_look"), [(1, 1), (2, 100_000), (4, 100)])
@pytest.mark.parametrize(
    ("formula", "states"),
    [("[] <> a", 13_202), ("<> [] b", None), ("[] (a -> <> ! a)", 6_884), ("[] (b -> [] b)", 6_724), ("[] ! a", None)],
)
def test_verdicts_are_those_of_the_serial_search(
    formula: str, states: int | None, threads: int, first_look: int
) -> None:
    asked = rounds()
    automaton = violation_of(formula)
    serial = asked.search(automaton, "scc")
    found = by_kernels(asked, automaton, Way(threads, capacity=1, narrow=0), first_look=first_look)
    assert (found.empty, found.empty) == (serial.empty, states is not None)
    if states is not None:
        assert found.progress.states == serial.progress.states == states


@pytest.mark.parametrize("first", range(0, SAMPLE, 5))
def test_random_models(first: int) -> None:
    for seed in range(first, first + 5):
        try_model(seed)


def test_a_way_without_a_cycle_is_taken_out_step_by_step() -> None:
    """All states are accepting and none repeats: one sweep for each would take for ever."""
    asked = product("int x; active proctype A() { do :: x < 500 -> x++ :: else -> break od }", ("x", 0))
    every = Automaton(("a",), [[Edge(3, 0, 1)]], marks=1)
    assert by_kernels(asked, every, Way(1, capacity=100), finite_runs=False).empty
    assert not by_kernels(asked, every, Way(1, capacity=100), finite_runs=True).empty


def test_states_behind_a_cycle_are_not_taken_for_the_way_to_it() -> None:
    """The nearest states that are left are behind the cycle, and lead nowhere."""
    text = """byte x, y;
    active proctype A() { do :: x == 0 -> x = 1 :: x == 0 -> x = 5 :: x == 1 -> x = 2 :: x == 2 -> x = 1
                             :: x == 2 -> x = 6 :: x == 5 -> x = 6 :: x == 6 && y < 50 -> y++ od }"""
    asked = product(text, ("x", 0), ("y", 0))
    found = by_kernels(asked, violation_of("<> [] a"), Way(2), finite_runs=False)
    assert not found.empty


def test_memory_that_is_too_small_for_a_look_makes_the_answer_incomplete() -> None:
    asked = rounds()
    automaton = violation_of("[] (b -> [] b)")
    for most in (5_000, 150_000):
        found = by_kernels(asked, automaton, Way(2, capacity=1), limits=SearchOptions(max_bytes=most))
        assert (found.stopped, found.empty) == ("memory", True)
        assert found.progress.memory_bytes <= most
    enough = by_kernels(asked, automaton, Way(2, capacity=1), limits=SearchOptions(max_bytes=2_000_000))
    assert (enough.stopped, enough.empty) == (None, True)


@pytest.mark.parametrize(("capacity", "bytes_per_state"), [(100, 95), (150, 70), (200, 60), (200, 90)])
def test_the_store_leaves_room_for_the_look(capacity: int, bytes_per_state: int) -> None:
    """Where all states find room, the answer is complete."""
    listing = product_listing(rounds(), violation_of("[] (b -> [] b)"), True)
    host = Host(1)
    host.load(listing)
    limits = SearchOptions(max_bytes=bytes_per_state * 6_724)
    found = search_runs(host, listing, limits, None, capacity, narrow=0, first_look=1_000_000)
    assert (found.stopped, found.progress.states) == (None, 6_724)


@pytest.mark.parametrize("memory", [100_000, 290_000])
def test_a_look_when_the_memory_is_full_does_without_the_table_that_was_given_up(memory: int) -> None:
    """For a larger one that has no room; and wide states would leave room for a look."""
    text = ROUNDS.replace("byte x, y;", "byte x, y, z[80];").replace("y++ od", "y++; z[79] = y od")
    asked = product(text, ("x", 7), ("y", 40))
    assert asked.listing.layout.words == 11
    way, limits = Way(1, capacity=1, narrow=0), SearchOptions(max_bytes=memory)
    found = by_kernels(asked, violation_of("<> [] b"), way, first_look=1_000_000, limits=limits)
    assert (found.stopped, found.empty) == ("memory", True)
    assert found.progress.memory_bytes <= memory


def test_a_limit_on_states_ends_the_search_and_what_is_known_is_looked_at() -> None:
    asked = rounds()
    limits = SearchOptions(max_states=300)
    holds = by_kernels(asked, violation_of("[] (b -> [] b)"), Way(2, narrow=0), first_look=10_000, limits=limits)
    assert (holds.stopped, holds.empty) == ("states", True)


@pytest.mark.parametrize("sweeps", [0, 3, 12])
def test_an_interruption_ends_a_look(sweeps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many sweeps of it."""
    left = [None] * sweeps
    run = _Look._run

    def swept(self: _Look, *arguments: Any) -> None:
        monkeypatch.setattr(LevelSearch, "why_to_end", lambda _: left.pop() if left else "interrupted")
        run(self, *arguments)

    monkeypatch.setattr(_Look, "_run", swept)
    found = by_kernels(rounds(), violation_of("[] <> a"), Way(1, capacity=100_000), first_look=1_000_000)
    assert (found.stopped, found.empty) == ("interrupted", True)


def test_an_automaton_with_too_many_edges_is_refused() -> None:
    asked = product(ROUNDS, ("x", 7))
    many = Automaton(("x == 7",), [[Edge(3, 0, 1)] * (MOST_EDGES + 1)], marks=1)
    with pytest.raises(MuleError, match=r"65 edges.* leave out --gpu"):
        product_listing(asked, many, True)
