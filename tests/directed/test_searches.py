"""Directed searches against breadth-first search and the reference interpreter."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mule.checking import check
from mule.engine import Found
from mule.errors import MuleError
from mule.frontends.dve import load
from mule.model import Model
from mule.options import GUIDED, Estimate, Options, Por, Proviso, Search
from mule.planning.analysis import Analysis
from mule.planning.plan import Plan
from mule.planning.preparation import Preparation
from mule.planning.resolution import resolve, search_options
from mule.properties import Properties
from mule.records import replace
from mule.results import Result, Verdict, ViolationKind
from mule.safety import check_invariants
from tests.directed.distances import predicates
from tests.directed.fuzz import SOUND
from tests.fuzz import examples
from tests.small_models import models
from tests.soundness.reference import Space

pytestmark = pytest.mark.slow

EXAMPLES = examples(40)


def length(result: Result) -> int:
    return len(result.violations[0].trail.steps)


@settings(max_examples=EXAMPLES)
@given(models(), st.data())
def test_a_star_is_as_short_as_breadth_first_search(model: Model, data: st.DataObject) -> None:
    space = Space(model)
    if not space.complete or not model.slot_variables:
        return
    asked = {"drawn": data.draw(predicates(model))}
    shortest = check_invariants(model, asked, Options(por="none", search="bfs"))
    for search, estimate in product(("astar", "idastar"), ("bound", "none")):
        options = Options(por="none", search=search, estimate=estimate)  # type: ignore[arg-type]
        found = check_invariants(model, asked, options)
        assert found.verdict is shortest.verdict
        lengths = {each.property: len(each.trail) for each in shortest.violations}
        for each in found.violations:
            if each.kind is not ViolationKind.MODEL_ERROR:  # such an error is met on the way to what is asked for
                assert each.shortest
            if each.shortest:
                assert len(each.trail) == lengths[each.property]
    weighted = check_invariants(model, asked, Options(por="none", search="astar", weight=3))
    assert weighted.verdict is shortest.verdict
    for each in weighted.violations:
        assert not each.shortest
        if each.kind is not ViolationKind.MODEL_ERROR:
            assert len(each.trail) <= 3 * lengths[each.property]


@settings(max_examples=EXAMPLES)
@given(models(), st.booleans(), st.data())
def test_a_star_without_an_estimate_is_breadth_first_search(model: Model, deadlock: bool, data: st.DataObject) -> None:
    space = Space(model)
    if space.guards_fail or space.effects_fail or not model.slot_variables:
        return  # breadth-first search looks at the steps of several states before it stores what they lead to
    asked = {"drawn": data.draw(predicates(model))}
    blind = Options(por="none", search="astar", estimate="none", max_states=2_000)
    results = []
    for options in (blind, blind.but(search="bfs", estimate="auto")):
        if deadlock:
            results.append(check(model, Properties(deadlock=True), options))
        else:
            results.append(check_invariants(model, asked, options))
    first, second = results
    assert first.verdict is second.verdict
    assert [each.trail for each in first.violations] == [each.trail for each in second.violations]
    # A* stores all that a state leads to before it looks at what it has found; breadth-first search finds deadlocks
    # among several states before it stores what they lead to.
    more = sum(len(transition.outcomes) for transition in model.transitions) if first.violations else 0
    assert first.statistics.states - second.statistics.states >= 0
    assert deadlock or first.statistics.states - second.statistics.states <= more


REDUCTIONS: list[Por] = ["deletion", "beam", "ample", "closure"]
ESTIMATES: list[Estimate] = ["bound", "sum", "pattern", "none"]


@settings(max_examples=EXAMPLES)
@given(models(), st.sampled_from(sorted(SOUND)), st.sampled_from(REDUCTIONS), st.data())
def test_no_reduction_loses_a_violation(model: Model, search: Search, por: Por, data: st.DataObject) -> None:
    space = Space(model)
    if not space.complete or not model.slot_variables:
        return
    asked = {"drawn": data.draw(predicates(model))}
    expected = check_invariants(model, asked, Options(por="none", search="bfs")).verdict
    options = Options(por=por, search=search, weak=por != "ample" and data.draw(st.booleans()))
    if search in GUIDED:
        options = options.but(estimate=data.draw(st.sampled_from(ESTIMATES)))
    for proviso in SOUND[search]:
        found = check_invariants(model, asked, options.but(proviso=proviso))
        assert found.verdict is expected
        assert not any(violation.shortest for violation in found.violations)
    deadlock = Properties(deadlock=True)
    expected = check(model, deadlock, Options(por="none", search="bfs")).verdict
    assert check(model, deadlock, options).verdict is expected


@pytest.mark.parametrize("search", ["bfs", "astar", "best-first"])
@pytest.mark.parametrize("proviso", ["stack", "stack-"])
def test_a_search_without_a_stack_has_no_stack_proviso(search: Search, proviso: Proviso) -> None:
    asked = Properties(invariants=("x < 20",))
    with pytest.raises(MuleError, match="needs a stack"):
        check(load(COUNTERS, "counters.dve"), asked, Options(search=search, proviso=proviso))


@pytest.mark.parametrize("search", sorted(SOUND))
def test_what_only_keeps_visible_steps_from_being_ignored_is_not_enough_for_states(search: Search) -> None:
    asked = Properties(invariants=("x < 20",))
    with pytest.raises(MuleError, match="c3prime"):
        check(load(COUNTERS, "counters.dve"), asked, Options(search=search, proviso="c3prime"))


COUNTERS = """
byte x, y, z;
process A { state a; init a; trans a -> a { guard x < 20; effect x = x + 1; }; }
process B { state a; init a; trans a -> a { guard y < 20; effect y = y + 1; }; }
process C { state a; init a; trans a -> a { guard z < 20; effect z = z + 1; }; }
system async;
"""


def test_a_star_without_an_estimate_meets_the_states_of_breadth_first_search() -> None:
    model = load(COUNTERS, "counters.dve")
    for invariant in ("x < 20", "x + y + z != 31", "x * y * z != 210"):
        asked = Properties(invariants=(invariant,))
        blind = check(model, asked, Options(por="none", search="astar", estimate="none"))
        breadth_first = check(model, asked, Options(por="none", search="bfs"))
        assert blind.statistics.states == breadth_first.statistics.states
        assert blind.violations[0].trail == breadth_first.violations[0].trail


def test_an_exact_estimate_goes_straight_to_the_violation() -> None:
    model = load(COUNTERS, "counters.dve")
    asked = Properties(invariants=("x < 20",))
    states = {}
    for search in ("bfs", "astar", "best-first"):
        result = check(model, asked, Options(por="none", search=search))
        assert result.verdict is Verdict.VIOLATED
        assert length(result) == 20
        states[search] = result.statistics.states
    assert states["bfs"] > 1000
    assert states["astar"] <= 61, "the states along the way, and their neighbours"
    assert states["best-first"] <= 61


JUST_TOO_MANY = """
byte x, y;
process A { state a; init a; trans a -> a { guard x < 54; effect x = x+1; }, a -> a { guard x > 53; effect x = 53; }; }
process B { state a; init a; trans a -> a { guard y < 55; effect y = y + 1; }; }
system async;
"""
"""3,080 states: the table is enlarged after 3,072."""


@pytest.mark.parametrize("por", ["none", "deletion"])
def test_idastar_goes_on_when_its_table_is_full(por: Por) -> None:
    """What is not stored is met again and again, and no cycle keeps the search from ending."""
    model = load(JUST_TOO_MANY, "counters.dve")
    assert model.parse_expression is not None
    for invariant, found in (("x < 55", Found.NOTHING), ("x + y < 40", Found.PROPOSITION)):
        observed = (model.parse_expression(invariant),)
        options = resolve(Options(por=por, search="idastar", estimate="none"), "safety")
        prepared = Preparation(Plan(Analysis(model, observed), options, "safety", observed))
        result = prepared.search(replace(search_options(options, "safety"), max_bytes=200_000), None)
        assert result.found is found
        assert result.stopped is None
        if por == "none":
            assert result.table_full == (found is Found.NOTHING)
            assert len(result.path) == (40 if found is Found.PROPOSITION else 0)


@pytest.mark.parametrize("search", ["astar", "idastar", "best-first"])
def test_progress_tells_the_least_estimate_and_the_depth(search: Search) -> None:
    model = load(COUNTERS.replace("20", "90"), "counters.dve")
    assert model.parse_expression is not None
    observed = (model.parse_expression("x + 0 != 90 or x != 90"),)
    for estimate, known in (("sum", True), ("none", False)):
        options = resolve(Options(por="none", search=search, estimate=estimate), "safety")
        prepared = Preparation(Plan(Analysis(model, observed), options, "safety", observed))
        steps = prepared.engine.search(replace(search_options(options, "safety"), max_states=1_000)).progress
        assert (steps.estimate is not None) == known
        assert steps.depth > 0


WAITS = """
byte t, u, v;
process A { state a; init a; trans a -> a { guard t < 9; effect t = t + 1; }; }
process B { state a; init a; trans a -> a { guard u < 9; effect u = u + 1; }; }
process C { state a; init a; trans a -> a { guard v < 9; effect v = v + 1; }; }
process P { state p, q, e; init p; trans p -> q {}, q -> p {}, q -> e { guard t * u * v == 8; }; }
system async;
"""


def test_a_star_expands_no_more_than_breadth_first_search_where_the_estimate_leads_astray() -> None:
    model = load(WAITS, "waits.dve")
    assert model.parse_expression is not None
    observed = (model.parse_expression("not P.e"),)
    expanded = {}
    for search, estimate in (("bfs", "auto"), ("astar", "bound")):
        options = resolve(Options(por="none", search=search, estimate=estimate), "safety")  # type: ignore[arg-type]
        prepared = Preparation(Plan(Analysis(model, observed), options, "safety", observed))
        result = prepared.search(search_options(options, "safety"), None)
        assert len(result.path) == 8
        expanded[search] = result.expanded
    assert expanded["astar"] <= expanded["bfs"]


def test_a_report_says_what_the_estimate_is() -> None:
    model = load(COUNTERS, "counters.dve")
    asked = Properties(invariants=("x < 20",))
    [proven] = [note for note in check(model, asked, Options(search="astar")).notes if "estimate" in note]
    assert "a lower bound" in proven
    assert "states were expanded" in proven
    [added] = [note for note in check(model, asked, Options(search="best-first")).notes if "estimate" in note]
    assert "no lower bound" in added


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (Options(search="astar", stateless=True), "stores no states"),
        (Options(search="bfs", weight=2), "--weight 2 has no effect"),
        (Options(search="best-first", weight=2), "--weight 2 has no effect"),
        (Options(estimate="sum"), "--estimate sum has no effect"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: Options, message: str) -> None:
    with pytest.raises(MuleError, match=message):
        check(load(COUNTERS, "counters.dve"), Properties(invariants=("x < 20",)), options)
