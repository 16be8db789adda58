"""Splitting a transition changes neither the states nor the steps between them.

`MULE_FUZZ=5000 pytest tests/relations/test_instances.py` runs that many models."""

from __future__ import annotations

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from mule.model import Model
from mule.model.expressions import Binary, Constant, Read
from mule.model.failures import with_error_transitions
from mule.model.model import Assign
from mule.model.value_analysis import compute_domains
from mule.relations.derivation import derive
from mule.relations.instances import INSTANCES, split_on_indices
from tests.fuzz import examples
from tests.relations.brute import Brute, edges, examine_relations
from tests.small_models import Builder, compare, models, plus, put, reachable

pytestmark = pytest.mark.slow

EXAMPLES = examples(100)


@settings(max_examples=EXAMPLES)
@given(models(), st.sampled_from([INSTANCES, INSTANCES, 3]))
def test_states_and_steps_are_the_same(model: Model, limit: int) -> None:
    domains = compute_domains(model)
    model = with_error_transitions(model, domains)
    states = reachable(model)
    assume(states is not None)
    assert states is not None
    split = split_on_indices(model, domains, limit)
    event("split" if split is not model else "not split")
    for transition in split.transitions:
        origin = model.transitions[transition.origins[0]] if transition.origins else None
        assert origin is None or (origin.moves, origin.kind) == (transition.moves, transition.kind)
    assert edges(split, states) == edges(model, states)
    after = reachable(split)
    assert after is not None
    assert set(after) == set(states)


@settings(max_examples=EXAMPLES)
@given(models())
def test_relations_of_the_instances_are_sound(model: Model) -> None:
    domains = compute_domains(model)
    split = split_on_indices(with_error_transitions(model, domains), domains)
    states = reachable(split, 200)
    assume(states is not None)
    assert states is not None
    examine_relations(Brute(split, states), derive(split, domains))


def test_an_index_over_a_private_variable_is_split_and_folded() -> None:
    builder = Builder()
    k = builder.variable("k")
    a = builder.variable("a", length=3)
    p = builder.process("p", 2)
    builder.transition(p, 0, 0, [compare(Read(k), "<", 3), compare(Read(a, Read(k)), "==", 0)], (plus(k, 1),))
    model = builder.model()
    split = split_on_indices(model, compute_domains(model))
    assert [t.origins for t in split.transitions] == [(0,)] * 3
    texts = [[split.guards[g].text for g in t.guards][1:] for t in split.transitions]
    assert texts == [[f"k == {v}", f"a[{v}] == 0"] for v in range(3)]


def test_the_fill_level_of_a_buffer_is_left_alone() -> None:
    """Filling and draining accord as they are; instances for one level each would disable each other."""
    builder = Builder()
    level = builder.variable("level", 3)
    cells = builder.variable("cells", 3, length=3)
    builder.transition(None, 0, 0, [compare(Read(level), "<", 3)], (put(cells, 2, Read(level)), plus(level, 1)))
    shift = [Assign(Read(cells, Constant(i)), Read(cells, Constant(i + 1))) for i in range(2)]
    builder.transition(
        None, 0, 0, [compare(Read(level), ">", 0)], (*shift, put(cells, 0, Constant(2)), plus(level, -1))
    )
    model = builder.model()
    domains = compute_domains(model)
    assert split_on_indices(model, domains) is model
    assert derive(model, domains).do_not_accord == [0b01, 0b10]


def test_an_effect_that_fails_for_some_index_still_fails() -> None:
    builder = Builder()
    k = builder.variable("k", 3, initial=1)
    a = builder.variable("a", 1, length=2)
    p = builder.process("p", 1)
    builder.transition(p, 0, 0, [compare(Read(k), "<", 3)], (plus(k, 1),))
    builder.transition(p, 0, 0, [], (put(a, 1, Binary("+", Read(k), Constant(0))),))
    model = builder.model()
    split = split_on_indices(model, compute_domains(model))
    states = reachable(model)
    assert states is not None
    failing = [edge for edge in edges(split, states) if edge[4]]
    assert failing
    assert failing == [edge for edge in edges(model, states) if edge[4]]
