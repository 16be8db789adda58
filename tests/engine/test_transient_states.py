"""States inside a step that the language takes for one: searched, but neither counted nor judged."""

from __future__ import annotations

import pytest

from mule.checking import Properties, check, explore
from mule.comparison import ALGORITHMS
from mule.engine import SearchOptions
from mule.model import Assertion, Model
from mule.model.expressions import Binary, Expression
from mule.options import Options, Por, Search
from mule.records import replace
from mule.results import Verdict, ViolationKind
from mule.validation import validate
from tests.engine.engines import engine_of
from tests.engine.lines import Lines, increment, is_

searches = pytest.mark.parametrize("search", ["dfs", "bfs"])
reductions = pytest.mark.parametrize("por", ["none", *ALGORITHMS])


def pair(transient: bool = True, length: int = 3, blocked: bool = False) -> Model:
    """P goes through `length` steps as if they were one, and counts x in each; Q takes one step and counts x."""
    lines = Lines()
    x = lines.variable("x")
    p, q = lines.process("P", length), lines.process("Q", 1)
    inside: Expression = lines.at(p, 1)
    for source in range(2, length):
        inside = Binary("or", inside, lines.at(p, source))
    for source in range(length):
        guard = is_(x, 99) if blocked and source == length - 1 else None
        lines.step(p, source, "x++", guard, increment(x))
    outside = lines.at(p, 0)
    lines.step(q, 0, "x++", Binary("or", outside, lines.at(p, length)), increment(x))
    return lines.build(inside if transient else None)


@searches
def test_they_are_searched_and_not_counted(search: Search) -> None:
    options = Options(por="none", search=search, as_written=True)
    every = explore(pair(transient=False), options).statistics
    assert (every.states, every.transitions, every.deadlocks) == (8, 8, 1)
    counted = explore(pair(), options).statistics
    # Of P's three steps only the one that leaves the block counts, before and after Q's.
    assert (counted.states, counted.transitions, counted.deadlocks) == (4, 4, 1)


@searches
def test_no_limit_on_states_counts_them(search: Search) -> None:
    limits = Options(por="none", search=search, as_written=True, max_states=4)
    model = pair(length=30)
    assert explore(model, limits).stopped is None
    assert explore(model, limits.but(max_states=3)).stopped == "states"


@searches
@reductions
def test_no_property_is_judged_in_them(search: Search, por: Por) -> None:
    options = Options(por=por, search=search)
    model = pair()
    x = model.variables[0]
    for value, verdict in ((2, Verdict.HOLDS), (3, Verdict.VIOLATED), (4, Verdict.VIOLATED)):
        claim = Assertion(f"x is not {value}", Binary("==", is_(x, value), is_(x, 77)))
        result = check(replace(model, assertions=(claim,)), Properties(assertions=True), options)
        assert result.verdict is verdict, value


@searches
@reductions
def test_none_of_them_is_a_deadlock(search: Search, por: Por) -> None:
    options = Options(por=por, search=search)
    assert explore(pair(blocked=True), options).statistics.deadlocks == 0
    assert check(pair(blocked=True), options=options).verdict is Verdict.HOLDS
    assert explore(pair(transient=False, blocked=True), options).statistics.deadlocks > 0


@searches
def test_an_error_inside_is_found(search: Search) -> None:
    lines = Lines()
    x = lines.variable("x")
    p = lines.process("P", 2)
    lines.step(p, 0, "x++", None, increment(x))
    lines.claim(p, 1, "x == 0", is_(x, 0))
    wanted = Properties(assertions=True)
    [violation] = check(lines.build(lines.at(p, 1)), wanted, Options(search=search)).violations
    assert (violation.kind, len(violation.trail)) == (ViolationKind.ASSERTION, 2)


def test_none_of_them_is_sampled() -> None:
    model = pair()
    engine = engine_of(model)
    found = engine.search(SearchOptions(sample=100))
    assert len(found.sample) == found.progress.states == 4
    at = model.slot_of[model.processes[0].location]
    assert {engine.compiled.layout.unpack(words)[at] for words in found.sample} == {0, 3}
    validation = validate(model, Options(as_written=True))
    assert (validation.states, validation.findings) == (4, [])


def test_the_initial_state_may_be_one() -> None:
    lines = Lines()
    p = lines.process("P", 2, ends=[2])
    lines.step(p, 0, "skip")
    lines.step(p, 1, "skip")
    for search in ("dfs", "bfs"):
        options = Options(search=search, as_written=True)
        counted = explore(lines.build(lines.at(p, 0)), options).statistics
        assert (counted.states, counted.transitions) == (2, 2)
