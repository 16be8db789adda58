"""Random nets, against a token game of a few lines: the same markings, the same deadlocks, whatever the reduction."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mule.checking import check, explore
from mule.comparison import REDUCTIONS
from mule.frontends.pnml import load
from mule.frontends.pnml.translation import NetFacts
from mule.model import Kind, Model
from mule.model.interpreter import Interpreter
from mule.options import Options
from mule.planning import make_room
from mule.properties import Properties
from mule.results import Verdict
from mule.validation import validate
from tests.pnml.nets import MOST, SmallNet, deadlocks, kanban, markings, pnml, small_nets

pytestmark = pytest.mark.slow

SLOW = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])


def loaded(net: SmallNet) -> Model:
    return make_room(load(pnml(net), "small.pnml"), Options(por="none")).wide_enough


def marking_of(model: Model, state: tuple[int, ...]) -> tuple[int, ...]:
    facts = model.facts
    assert isinstance(facts, NetFacts)
    named = {model.slot_name(slot): value for slot, value in enumerate(state)}
    return tuple(counter.tokens(named) for counter in facts.counters)


@SLOW
@given(small_nets)
def test_the_interpreter_plays_the_token_game(net: SmallNet) -> None:
    reached = markings(net, MOST)
    assert reached is not None
    model = loaded(net)
    interpreter = Interpreter(model)
    states, waiting = {model.initial_state}, [model.initial_state]
    for state in waiting:
        for step in interpreter.steps(state):
            assert model.transitions[step.transition].kind is Kind.STEP
            if step.target not in states:
                states.add(step.target)
                waiting.append(step.target)
    found = [marking_of(model, state) for state in states]
    assert set(found) == reached
    assert len(found) == len(reached)


@SLOW
@given(small_nets)
@example(SmallNet((1, 0), (({0: 1}, {1: 2}), ({1: 1}, {}))))
def test_every_reduction_finds_the_deadlocks(net: SmallNet) -> None:
    reached = markings(net, MOST)
    assert reached is not None
    stuck = deadlocks(net, reached)
    model = load(pnml(net), "small.pnml")
    full = explore(model, Options(por="none", as_written=True))
    assert (full.statistics.states, full.statistics.deadlocks) == (len(reached), len(stuck))
    for por, weak in REDUCTIONS:
        reduced = explore(model, Options(por=por, weak=weak, as_written=True))
        assert reduced.statistics.deadlocks == len(stuck), (por, weak)
        verdict = check(model, Properties(deadlock=True), Options(por=por, weak=weak)).verdict
        assert verdict is (Verdict.VIOLATED if stuck else Verdict.HOLDS), (por, weak)


@SLOW
@given(small_nets, st.data())
def test_invariants(net: SmallNet, data: st.DataObject) -> None:
    reached = markings(net, MOST)
    assert reached is not None
    first, second = (data.draw(st.integers(0, len(net.initial) - 1)) for _ in range(2))
    bound = data.draw(st.integers(0, 4))
    text = f"p{first} + p{second} <= {bound}"
    holds = all(marking[first] + marking[second] <= bound for marking in reached)
    for por in ("none", "ample", "beam", "deletion", "lpor"):
        result = check(load(pnml(net), "small.pnml"), Properties(invariants=(text,)), Options(por=por))
        assert result.verdict is (Verdict.HOLDS if holds else Verdict.VIOLATED), por
        temporal = check(load(pnml(net), "small.pnml"), Properties(ltl=(f"[] ({text})",)), Options())
        assert temporal.verdict is result.verdict


@settings(SLOW, max_examples=25)
@given(small_nets)
def test_relations_and_sets_are_validated(net: SmallNet) -> None:
    assert not validate(loaded(net)).findings


@pytest.mark.parametrize(("cards", "states"), [(1, 160), (2, 4_600), (3, 58_400)])
def test_kanban(cards: int, states: int) -> None:
    """The counts that are known of this net from the literature."""
    model = load(pnml(kanban(cards)), "kanban.pnml")
    assert not any(transition.limit for transition in model.transitions)
    assert explore(model, Options(por="none", as_written=True)).statistics.states == states
    reduced = explore(model, Options(as_written=True)).statistics
    assert (reduced.deadlocks, reduced.states < states / 3) == (0, True)
