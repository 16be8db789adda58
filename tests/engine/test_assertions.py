"""Errors that have words of their own, above all violated assertions."""

from __future__ import annotations

import pytest

from mule.checking import Properties, check, explore
from mule.comparison import ALGORITHMS
from mule.model import BYTE, Model
from mule.model.expressions import Binary, Constant, Read
from mule.options import Options, Por, Search
from mule.results import Verdict, ViolationKind
from tests.engine.lines import Lines, increment, is_

searches = pytest.mark.parametrize("search", ["dfs", "bfs"])
reductions = pytest.mark.parametrize("por", ["none", *ALGORITHMS])


def model(asserts: bool = True) -> Model:
    """P counts x and then claims that it is 1, which holds unless Q counted before; everybody may end anywhere."""
    lines = Lines()
    x = lines.variable("x")
    p, q = lines.process("P", 2, range(3)), lines.process("Q", 1, range(2))
    lines.step(p, 0, "x++", None, increment(x))
    if asserts:
        lines.claim(p, 1, "x == 1", is_(x, 1))
    else:
        lines.step(p, 1, "assert(x == 1)")
        lines.error(p, 1, Binary("!=", Read(x), Constant(1)), "x is wrong", "assert(x == 1)")
    lines.step(q, 0, "x++", None, increment(x))
    return lines.build()


@searches
@reductions
def test_a_violated_assertion_is_reported_as_such(search: Search, por: Por) -> None:
    result = check(model(), options=Options(por=por, search=search))
    assert result.verdict is Verdict.VIOLATED
    assert "no violated assertion" in result.properties
    [violation] = result.violations
    assert (violation.kind, violation.property) == (ViolationKind.ASSERTION, "no violated assertion")
    assert violation.message == "assertion violated: x == 1"
    last = violation.trail.model.transitions[violation.trail.steps[-1].transition]
    assert (last.text, last.place and last.place.line) == ("assert(x == 1)", 2)
    assert len(violation.trail.states) == len(violation.trail.steps) == 3


@searches
@reductions
def test_other_errors_are_errors_of_the_model(search: Search, por: Por) -> None:
    for properties in (None, Properties(deadlock=True)):
        [violation] = check(model(asserts=False), properties, Options(por=por, search=search)).violations
        assert (violation.kind, violation.message) == (ViolationKind.MODEL_ERROR, "x is wrong")


@searches
@reductions
def test_assertions_that_nobody_asks_for_are_left_out(search: Search, por: Por) -> None:
    result = check(model(), Properties(deadlock=True), Options(por=por, search=search))
    assert result.verdict is Verdict.HOLDS
    assert "no violated assertion" not in result.properties
    assert "the model's assertions were not checked" in result.notes
    assert not any(transition.asserts for transition in result.model.transitions)


@searches
def test_exploring_neither_follows_nor_counts_them(search: Search) -> None:
    options = Options(por="none", search=search, as_written=True)
    result = explore(model(), options)
    counted = result.statistics
    assert (counted.states, counted.transitions, counted.deadlocks) == (6, 7, 0)
    [note] = result.notes
    assert note == "1 step violates an assertion (see `mule check`); it was not followed"
    [note] = explore(model(asserts=False), options).notes
    assert note == "1 step has no meaning in the model (see `mule check`); it was not followed"


def test_an_assertion_without_a_value_is_an_error_of_the_model() -> None:
    lines = Lines()
    i = lines.variable("i", 2)
    a = lines.builder.variable("a", BYTE, (), 2)
    p = lines.process("P", 1, [1])
    lines.claim(p, 0, "a[i] == 0", Binary("==", Read(a, Read(i)), Constant(0)))
    [violation] = check(lines.build()).violations
    assert (violation.kind, violation.message) == (ViolationKind.MODEL_ERROR, "index 2 is out of range for a[2]")
