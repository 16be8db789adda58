"""Estimates against the distances that the reference interpreter finds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mule import _engine
from mule.codegen import Layout
from mule.directed.estimate import estimate_for
from mule.directed.formula import reaching
from mule.directed.given_state import fsm_distance, hamming_distance
from mule.directed.goals import Goals
from mule.directed.parts import Part, added, together
from mule.directed.patterns import find_pattern, pattern_on
from mule.directed.projection import TooVagueError
from mule.frontends.dve import load
from mule.model import Model
from mule.model.expressions import Constant
from mule.model.interpreter import Interpreter, State
from mule.model.value_analysis import compute_domains
from mule.planning.analysis import bounds
from tests.directed.distances import Distances, predicates
from tests.fuzz import examples
from tests.small_models import models

pytestmark = pytest.mark.slow

EXAMPLES = examples(60)


@st.composite
def some_goals(draw: st.DrawFn, space: Distances) -> Goals:
    propositions = tuple(draw(st.lists(predicates(space.model), max_size=2)))
    return Goals(propositions, draw(st.booleans()), draw(st.booleans()))


def reaching_them(space: Distances, goals: Goals) -> tuple[set[State], set[State]]:
    """The states at a goal, and those from which a step fails where that is one."""
    reached = {state for state in space.steps if not all(space.holds(each, state) for each in goals.propositions)}
    if goals.deadlock:
        reached |= {state for state, targets in space.steps.items() if not targets and state not in space.failing}
    return reached, space.failing if goals.failures else set()


@settings(max_examples=EXAMPLES)
@given(models(), st.data())
def test_estimates_are_lower_bounds_and_consistent(model: Model, data: st.DataObject) -> None:
    space = Distances(model)
    if not space.complete or not space.model.slot_variables:
        return
    goals = data.draw(some_goals(space))
    estimate = estimate_for(space.model, space.domains, bounds(space.domains), goals, bound=True)
    assert estimate.admissible
    assert estimate.consistent
    space.require_bound(estimate.value, *reaching_them(space, goals))


@settings(max_examples=EXAMPLES)
@given(models(), st.data())
def test_distances_in_projections_are_lower_bounds_and_consistent(model: Model, data: st.DataObject) -> None:
    space = Distances(model)
    if not space.complete or not space.model.slot_variables:
        return
    goals = data.draw(some_goals(space))
    kept = data.draw(st.lists(st.sampled_from(space.model.variables), min_size=1, unique=True))
    limits = bounds(space.domains)
    layout = Layout(space.model, limits)
    arguments = (space.model, space.domains, limits, layout)
    found = [find_pattern(*arguments, goals)]
    with suppress(TooVagueError):
        found.append(pattern_on(*arguments, kept, goals))
    for pattern in filter(None, found):

        def estimate(state: State, distances: _engine.Pattern = pattern.distances) -> int:
            return distances.distance(layout.pack(state))

        space.require_lower_bound(estimate, *reaching_them(space, goals))


@settings(max_examples=EXAMPLES // 2)
@given(models(), st.data())
def test_distances_to_a_state_are_lower_bounds_and_consistent(model: Model, data: st.DataObject) -> None:
    space = Distances(model)
    if not space.complete:
        return
    goal = data.draw(st.sampled_from(sorted(space.steps)))
    space.require_bound(hamming_distance(space.model, goal).value, {goal})
    space.require_bound(fsm_distance(space.model, bounds(space.domains), goal).value, {goal})


TWO = """
byte x, y;
process A { state a, b, c; init a; trans a -> b {}, b -> c { effect x = x + 1; }, c -> a { guard x < 9; }; }
process B { state d, e; init d; trans d -> e { effect y = 2; }, e -> d { guard y > 5; }; }
system async;
"""


def said(goal: str, join: Callable[..., Part] | None = None) -> int:
    """What is said of the initial state."""
    model = load(TWO, "two.dve")
    domains = compute_domains(model)
    assert model.parse_expression is not None
    arguments = (model, domains, bounds(domains), model.parse_expression(goal))
    part = reaching(*arguments) if join is None else reaching(*arguments, join)
    return Interpreter(model).evaluate(part.value, model.initial_state)


def test_the_distance_of_a_location_is_that_in_the_control_graph() -> None:
    assert said("A.c") == 2
    assert said("A.a") == 0
    assert said("not A.a") == 1


def test_the_distance_of_a_counter_is_how_often_it_must_be_raised() -> None:
    assert said("x >= 5") == 5
    assert said("x == 0") == 0
    assert said("y == 2") == 1


def test_parts_that_no_step_serves_together_are_added_up_and_others_are_not() -> None:
    parts = [Part(Constant(2), frozenset({1})), Part(Constant(3), frozenset({2})), Part(Constant(4), frozenset({1, 2}))]
    model = load(TWO, "two.dve")
    evaluate = Interpreter(model).evaluate
    assert evaluate(together(parts).value, model.initial_state) == 5
    assert evaluate(added(parts).value, model.initial_state) == 9
    assert said("A.c and B.e") == 3
    assert said("x >= 5 or A.c") == 2
