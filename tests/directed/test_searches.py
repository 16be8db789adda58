"""Directed searches against breadth-first search and the reference interpreter."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mule.checking import check
from mule.errors import MuleError
from mule.frontends.dve import load
from mule.model import Model
from mule.options import Options
from mule.properties import Properties
from mule.results import Result, Verdict
from mule.safety import check_invariants
from tests.directed.distances import predicates
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
    for estimate in ("bound", "none"):
        found = check_invariants(model, asked, Options(por="none", search="astar", estimate=estimate))
        assert found.verdict is shortest.verdict
        if shortest.violations:
            assert found.violations[0].shortest
            assert length(found) == length(shortest)
    weighted = check_invariants(model, asked, Options(por="none", search="astar", weight=3))
    assert weighted.verdict is shortest.verdict
    if shortest.violations:
        assert not weighted.violations[0].shortest
        assert length(weighted) <= 3 * length(shortest)


@settings(max_examples=EXAMPLES)
@given(models(), st.booleans(), st.data())
def test_a_star_without_an_estimate_is_breadth_first_search(model: Model, deadlock: bool, data: st.DataObject) -> None:
    asked = {"drawn": data.draw(predicates(model))} if model.slot_variables else {}
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
    assert first.statistics.states == second.statistics.states


@settings(max_examples=EXAMPLES)
@given(models(), st.sampled_from(["astar", "best-first"]), st.sampled_from(["deletion", "beam", "ample"]), st.data())
def test_no_reduction_loses_a_violation(model: Model, search: str, por: str, data: st.DataObject) -> None:
    space = Space(model)
    if not space.complete or not model.slot_variables:
        return
    asked = {"drawn": data.draw(predicates(model))}
    expected = check_invariants(model, asked, Options(por="none", search="bfs")).verdict
    estimate = data.draw(st.sampled_from(["bound", "sum", "none"]))
    found = check_invariants(model, asked, Options(por=por, search=search, estimate=estimate))  # type: ignore[arg-type]
    assert found.verdict is expected
    assert not any(violation.shortest for violation in found.violations)
    deadlock = Properties(deadlock=True)
    expected = check(model, deadlock, Options(por="none", search="bfs")).verdict
    assert check(model, deadlock, Options(por=por, search=search)).verdict is expected  # type: ignore[arg-type]


COUNTERS = """
byte x, y, z;
process A { state a; init a; trans a -> a { guard x < 20; effect x = x + 1; }; }
process B { state a; init a; trans a -> a { guard y < 20; effect y = y + 1; }; }
process C { state a; init a; trans a -> a { guard z < 20; effect z = z + 1; }; }
system async;
"""


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
        (Options(search="astar", proviso="stack-"), "needs a stack"),
        (Options(search="astar", stateless=True), "stores no states"),
        (Options(search="bfs", weight=2), "--weight 2 has no effect"),
        (Options(search="best-first", weight=2), "--weight 2 has no effect"),
        (Options(estimate="sum"), "--estimate sum has no effect"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: Options, message: str) -> None:
    with pytest.raises(MuleError, match=message):
        check(load(COUNTERS, "counters.dve"), Properties(invariants=("x < 20",)), options)
