"""What may interfere with what in a net: LPOR's relations by brute force, and how close the derived ones come."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings

from mule.checking import check, explore
from mule.cli.main import main
from mule.frontends.pnml import load, lpor
from mule.frontends.pnml.lpor import NetRelations
from mule.frontends.pnml.translation import NetFacts
from mule.lpor import Lpor
from mule.model import Kind, Model
from mule.model.value_analysis import compute_domains
from mule.options import Options
from mule.properties import Properties
from mule.relations import members
from mule.relations.derivation import derive
from mule.validation import validate
from tests.pnml.nets import MOST, SmallNet, can_fire, deadlocks, fired, markings, pnml, small_nets

pytestmark = pytest.mark.slow

FIGURE_2 = SmallNet(
    (1, 0, 0, 0, 1, 1),
    (
        ({0: 1}, {}),
        ({0: 1, 1: 1}, {}),
        ({2: 1, 3: 1}, {1: 1}),
        ({4: 1}, {2: 1}),
        ({5: 1}, {3: 1}),
    ),
)
"""Two transitions compete for a token; one of them waits for a third, which waits for two more that can fire. (LPOR,
section III; there the transitions count from 1.)"""

PAIRS = [(t, u) for t in range(5) for u in range(5) if t != u]


def model_of(net: SmallNet) -> Model:
    return load(pnml(net), "small.pnml")


def box(net: SmallNet, *numbers: int) -> Iterator[tuple[int, ...]]:
    """All markings with up to five tokens in each place that these transitions take from; the others do not count."""
    places = {place for number in numbers for place in net.transitions[number][0]}
    return product(*(range(6) if place in places else (0,) for place in range(len(net.initial))))


def depends(net: SmallNet, first: int, second: int) -> bool:
    """Whether the second is dependent on the first: it is disabled by it, or can come after it where it cannot come
    before it to the same marking."""
    for marking in box(net, first, second):
        if can_fire(net, first, marking) and can_fire(net, second, marking):
            after_first, after_second = fired(net, first, marking), fired(net, second, marking)
            if not can_fire(net, second, after_first):
                return True
            if not can_fire(net, first, after_second):
                return True
            assert fired(net, second, after_first) == fired(net, first, after_second)
    return False


def enables(net: SmallNet, first: int, second: int) -> bool:
    """By way of one place: the others may hold as much as they need."""
    return any(
        can_fire(net, first, marking)
        and any(marking[p] < w <= fired(net, first, marking)[p] for p, w in net.transitions[second][0].items())
        for marking in box(net, first, second)
    )


def test_the_example_of_lpor() -> None:
    model = model_of(FIGURE_2)
    relations, (t1, _, t3, t4, t5) = NetRelations(model), model.transitions
    assert [(t, u) for t, u in PAIRS if relations.can_enable(model.transitions[t], model.transitions[u])] == [
        (2, 1),
        (3, 2),
        (4, 2),
    ]
    assert [(t, u) for t, u in PAIRS if relations.dep(model.transitions[t], model.transitions[u])] == [(0, 1), (1, 0)]
    assert [list(relations.net(None, t)) for t in model.transitions] == [[], [t3], [t4, t5], [], []]
    reduction = Lpor(model.transitions, relations)
    initial = {model.slot_name(slot): value for slot, value in enumerate(model.initial_state)}
    assert reduction.stubborn(t1, [t1, t4, t5]) == [t1, t4, t5]
    assert reduction.stubborn(t1, [t1, t4, t5], state=initial) == [t1, t4]
    assert reduction.stubborn(t1, [t1, t4, t5], executed=[]) == [t1, t4]


def test_the_example_by_brute_force() -> None:
    relations, transitions = NetRelations(model := model_of(FIGURE_2)), model.transitions
    for t, u in PAIRS:
        assert relations.dep(transitions[t], transitions[u]) == depends(FIGURE_2, t, u)
        assert relations.can_enable(transitions[t], transitions[u]) == enables(FIGURE_2, t, u)


@settings(deadline=None, max_examples=40)
@given(small_nets)
def test_relations_of_nets_by_brute_force(net: SmallNet) -> None:
    """In nets whose bounds are proven they are exact."""
    model = model_of(net)
    assert isinstance(model.facts, NetFacts)
    if model.facts.guessed:
        return
    relations, transitions = NetRelations(model), model.transitions
    for t in range(len(transitions)):
        for u in range(len(transitions)):
            if t != u:
                assert relations.dep(transitions[t], transitions[u]) == depends(net, t, u)
                assert relations.can_enable(transitions[t], transitions[u]) == enables(net, t, u)


@settings(deadline=None, max_examples=40)
@given(small_nets)
def test_derived_relations_are_as_sharp(net: SmallNet) -> None:
    """Nothing is called dependent, or necessary, that the arcs of the net rule out."""
    model = model_of(net)
    assert isinstance(model.facts, NetFacts)
    exact, transitions = NetRelations(model), model.transitions
    derived = derive(model, compute_domains(model))
    steps = [n for n, transition in enumerate(transitions) if transition.kind is Kind.STEP]
    for t in steps:
        for u in members(derived.do_not_accord[t]):
            if u != t and u in steps:
                one, other = transitions[t], transitions[u]
                assert exact.dep(one, other) or exact.dep(other, one), (one.name, other.name)
        for u in (u for guard in transitions[t].guards for u in members(derived.enabling[guard])):
            if u not in (t, *range(len(steps), len(transitions))) and not model.processes:
                assert exact.can_enable(transitions[u], transitions[t]), (transitions[u].name, transitions[t].name)


def test_bringing_tokens_to_one_place_commutes() -> None:
    """p2 holds up to two tokens; those who bring them, and who takes them, accord."""
    net = SmallNet((2, 2, 0), (({0: 2}, {2: 1}), ({1: 2}, {2: 1}), ({2: 1}, {})))
    model = model_of(net)
    assert not model.processes or all(len(process.locations) < 3 for process in model.processes)
    derived = derive(model, compute_domains(model))
    assert derived.do_not_accord == [1, 2, 4]
    guard = next(n for n, each in enumerate(model.guards) if each.text == "p2 >= 1")
    assert list(members(derived.enabling[guard])) == [0, 1]


@settings(deadline=None, max_examples=30)
@given(small_nets)
def test_lpor_with_the_relations_of_nets(net: SmallNet) -> None:
    reached = markings(net, MOST)
    assert reached is not None
    model = model_of(net)
    reduced = explore(model, Options(lpor=NetRelations))
    assert reduced.statistics.deadlocks == len(deadlocks(net, reached))
    assert reduced.statistics.states <= len(reached)
    text = "p0 + p1 <= 1"
    full = check(model, Properties(invariants=(text,)), Options(por="none"))
    assert check(model, Properties(invariants=(text,)), Options(lpor=NetRelations)).verdict is full.verdict
    if not any(transition.limit for transition in model.transitions):
        assert not validate(model, Options(lpor=NetRelations), invariants=(text,)).findings


def test_relations_of_nets_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net.pnml"
    file.write_text(pnml(FIGURE_2))
    source = f"{lpor.__file__}:NetRelations"
    assert main(["validate", str(file), "--lpor", source]) == 0
    assert main(["explore", str(file), "--lpor", source, "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (result["states"], result["deadlocks"]) == (6, 2), "of 11 states"


class Careless(NetRelations):
    def dep(self, t1: object, t: object) -> bool:
        return False


def test_wrong_relations_are_found() -> None:
    assert {finding.relation for finding in validate(model_of(FIGURE_2), Options(lpor=Careless)).findings} >= {"dep"}
