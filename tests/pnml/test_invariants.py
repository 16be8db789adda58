"""Bounds of places, against all reachable markings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from mule.checking import explore
from mule.comparison import compare
from mule.errors import MuleError
from mule.frontends.pnml import invariants, load, translation
from mule.frontends.pnml.invariants import bounds, find_invariants
from mule.frontends.pnml.machines import find_machines
from mule.frontends.pnml.net import Net, read_net
from mule.frontends.pnml.translation import NetFacts
from mule.options import Options
from mule.planning import make_room
from mule.validation import validate
from tests.pnml.nets import MOST, SmallNet, deadlocks, markings, pnml, small_nets

pytestmark = pytest.mark.slow


def net_of(net: SmallNet) -> Net:
    return read_net(pnml(net), "small.pnml")


def check_against_all_markings(net: SmallNet) -> None:
    reached = markings(net, MOST)
    assert reached is not None
    found = find_invariants(net_of(net))
    for marking in reached:
        for invariant in found:
            assert sum(marking[place] * weight for place, weight in invariant.weights.items()) <= invariant.total
        assert all(marking[place] <= bound for place, bound in bounds(found).items())
        for machine in find_machines(net_of(net), found):
            assert sum(marking[place] for place in machine.places) <= 1


@settings(deadline=None)
@given(small_nets)
def test_no_marking_exceeds_an_invariant(net: SmallNet) -> None:
    check_against_all_markings(net)


@pytest.mark.parametrize(("vectors", "work"), [(2, 10**6), (1000, 60)])
@given(net=small_nets)
@settings(deadline=None)
def test_limits_lose_bounds_and_make_none_wrong(vectors: int, work: int, net: SmallNet) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(invariants, "MOST_VECTORS", vectors)
        patch.setattr(invariants, "WORK", work)
        check_against_all_markings(net)


def test_weighted_sums_bound_places() -> None:
    """Two of p1 for one of p0, and nothing comes back from p2."""
    net = net_of(SmallNet((3, 0, 0), (({0: 1}, {1: 2}), ({1: 3}, {2: 1}), ({1: 2}, {0: 1}))))
    assert bounds(find_invariants(net)) == {0: 3, 1: 6, 2: 2}


CYCLE = SmallNet((1, 0, 0, 1), (({0: 1}, {1: 1}), ({1: 1}, {2: 1}), ({2: 1, 3: 1}, {0: 1, 3: 1})))


def test_a_cycle_is_a_process() -> None:
    model = load(pnml(CYCLE), "cycle.pnml")
    assert [process.locations for process in model.processes] == [("p0", "p1", "p2")]
    assert [variable.name for variable in model.variables] == ["machine 1", "p3"]


def test_units_that_are_proven_name_the_processes() -> None:
    model = load(pnml(SmallNet(CYCLE.initial, CYCLE.transitions, ((0, 1), (2, 3)))), "cycle.pnml")
    assert [(process.name, process.locations) for process in model.processes] == [("u0", ("p0", "p1", "nowhere"))]


def test_a_wrong_claim_of_safety_hides_nothing() -> None:
    net = SmallNet((2, 0), (({0: 1}, {1: 1}), ({1: 1}, {0: 1})), ((0, 1),))
    assert explore(load(pnml(net), "wrong.pnml"), Options(por="none")).statistics.states == 3


DEAD_SOURCE = SmallNet((1, 0, 3), (({0: 2}, {0: 2, 1: 1}), ({2: 1}, {1: 1}), ({1: 2}, {})))
"""The first transition could fill p1 without end, if it could ever fire."""


def test_what_no_invariant_bounds_is_found_by_widening() -> None:
    model = load(pnml(DEAD_SOURCE), "dead_source.pnml")
    reached = markings(DEAD_SOURCE, MOST)
    assert isinstance(model.facts, NetFacts)
    assert reached is not None
    assert model.facts.guessed == {1}
    assert explore(model, Options(por="none", as_written=True)).statistics.states == len(reached)
    assert explore(model, Options()).statistics.deadlocks == len(deadlocks(DEAD_SOURCE, reached))
    assert {row.deadlocks for row in compare(model)} == {len(deadlocks(DEAD_SOURCE, reached))}
    assert not validate(model).findings
    assert make_room(model, Options()).wide_enough.variables[1].type.high >= max(marking[1] for marking in reached)


@pytest.mark.parametrize(
    ("net", "place"),
    [
        (SmallNet((0,), (({}, {0: 1}),)), "p0"),
        (SmallNet((1, 0, 0), (({0: 1}, {1: 1}), ({1: 1}, {0: 1, 2: 1}))), "p2"),
    ],
)
def test_unbounded_nets_are_refused(net: SmallNet, place: str) -> None:
    with pytest.raises(MuleError, match=f"the net is unbounded: .* more tokens gather in {place}"):
        explore(load(pnml(net), "unbounded.pnml"))


def test_probably_unbounded_nets_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "find_growth", lambda _: None)
    with pytest.raises(MuleError, match=r"more than 4095 tokens come to p0, .* the net is probably unbounded"):
        explore(load(pnml(SmallNet((0,), (({}, {0: 1}),))), "unbounded.pnml"))


def test_bounds_that_32_bits_do_not_hold_are_not_used() -> None:
    net = SmallNet((2**20, 0), (({0: 1}, {1: 2**20}),))
    assert bounds(find_invariants(net_of(net))) == {0: 2**20}
    with pytest.raises(MuleError, match="the net is probably unbounded"):
        explore(load(pnml(net), "many.pnml"))
