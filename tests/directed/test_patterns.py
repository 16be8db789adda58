"""Distances in projections: exact where all that matters is in the table, and never too large."""

from __future__ import annotations

import pytest

from mule.checking import check
from mule.codegen import Layout
from mule.directed import patterns
from mule.directed.estimate import estimate_for
from mule.directed.goals import Goals
from mule.directed.patterns import find_pattern, pattern_on
from mule.frontends.dve import load
from mule.model import Guard, Model, Outcome, Transition
from mule.model.expressions import Binary, Constant, Read, negation
from mule.model.model import Assign
from mule.model.value_analysis import compute_domains
from mule.model.variables import BYTE, Variable
from mule.options import Options
from mule.planning.analysis import bounds
from mule.properties import Properties
from mule.results import ViolationKind
from tests.directed.distances import Distances

TURNS = """
byte turn, wanted[3];
process A { state n, w, c; init n; trans n -> w { effect wanted[0] = 1; }, w -> c { guard turn == 2; }, c -> n {}; }
process B { state n, w, c; init n; trans n -> w { effect wanted[1] = 1; }, w -> c { guard turn == 3; }, c -> n {}; }
process C { state n, w, c; init n; trans n -> w { effect wanted[2] = 1; }, w -> c { guard turn == 9; }, c -> n {}; }
process T { state t; init t; trans t -> t { guard turn < 6; effect turn = turn + 1; }; }
system async;
"""


def model() -> Model:
    return load(TURNS, "turns.dve")


def said(goal: str) -> int:
    """What is said of the initial state."""
    turns = model()
    domains = compute_domains(turns)
    assert turns.parse_expression is not None
    goals = Goals(propositions=(negation(turns.parse_expression(goal)),))
    limits = bounds(domains)
    found = find_pattern(turns, domains, limits, Layout(turns, limits), goals)
    assert found is not None
    return found.distances.from_initial


def test_a_table_knows_what_a_step_waits_for() -> None:
    assert said("A.c") == 4, "two steps of A, and two of T"
    assert said("A.c and B.c") == 7
    assert said("A.c or B.c") == 4
    assert said("not (not A.c or not B.c)") == 7


def test_a_goal_that_no_state_of_the_projection_leads_to_is_far_away() -> None:
    assert said("C.c") >= 255


def test_conditions_that_are_added_up_are_counted() -> None:
    assert said("(A.c) + (B.c) + (C.n) > 1") == 4
    assert said("(A.c) + (B.c) + (C.w) > 2") == 8
    assert said("(A.c) + (B.c) + (C.w) >= 3") == 8


def test_a_projection_with_many_states_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said("A.c and turn == 3") == 5
    monkeypatch.setattr(patterns, "MOST_STATES", 3)
    assert said("A.c and turn == 3") == 2, "there is room for the states of A alone"


def test_an_error_of_the_model_that_is_met_on_the_way_is_not_called_the_shortest() -> None:
    text = TURNS.replace("guard turn < 6; effect turn = turn + 1;", "effect turn = turn + 50;")
    result = check(load(text, "turns.dve"), Properties(invariants=("not C.c",)), Options(search="astar", por="none"))
    [violation] = [each for each in result.violations if each.kind is ViolationKind.MODEL_ERROR]
    assert not violation.shortest


def test_a_proposition_without_a_value_is_at_the_goal_though_part_of_it_is_forgotten() -> None:
    one, other = Variable("one", BYTE, (0,)), Variable("other", BYTE, (0,))
    undefined = Binary("==", Binary("%", Constant(7), Read(other)), Constant(0))
    proposition = Binary("or", undefined, Binary("==", Read(one), Constant(0)))
    raised = Outcome((Assign(Read(one), Binary("-", Constant(1), Read(one))),))
    turns = Model("m", "test", (one, other), (), (Transition("t", (), (raised,)),))
    assert distances_from(turns, Goals((proposition,)), [one]) == 0


def test_a_step_fails_too_where_the_condition_of_an_outcome_has_no_value() -> None:
    left, done = Variable("left", BYTE, (3,)), Variable("done", BYTE, (0,))
    lowered = Outcome((Assign(Read(left), Binary("-", Read(left), Constant(1))),))
    condition = Binary("==", Binary("/", Constant(6), Read(left)), Constant(1))
    risky = Outcome((Assign(Read(done), Constant(1)),), condition)
    counting = Transition("count", (0,), (lowered,))
    guards = (Guard(Binary(">", Read(left), Constant(0)), ""),)
    counter = Model("m", "test", (left, done), guards, (counting, Transition("divide", (), (risky,))))
    space = Distances(counter)
    goals = Goals(failures=True)
    assert {state[0] for state in space.failing} == {0}
    assert distances_from(counter, goals, [left]) == 3
    limits = bounds(space.domains)
    value = estimate_for(space.model, space.domains, limits, goals, bound=True).value
    space.require_bound(value, set(), space.failing)


def distances_from(model: Model, goals: Goals, kept: list[Variable]) -> int:
    """What is said of the initial state by the projection on these variables."""
    domains = compute_domains(model)
    limits = bounds(domains)
    found = pattern_on(model, domains, limits, Layout(model, limits), kept, goals)
    assert found is not None
    return found.distances.from_initial
