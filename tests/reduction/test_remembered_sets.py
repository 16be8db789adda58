"""Sets that come from memory, against the definition of stubborn sets: slowly, over everything outside the set.

`MULE_FUZZ=5000 pytest tests/reduction` runs that many models."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mule.comparison import ALGORITHMS
from mule.engine import Algorithm
from mule.frontends.dve import load
from mule.model import Model
from mule.options import Preserve
from tests.fuzz import examples
from tests.reduction.space import Space
from tests.small_models import models

pytestmark = pytest.mark.slow

EXAMPLES = examples(60)


@settings(max_examples=EXAMPLES)
@given(
    models(),
    st.sampled_from(ALGORITHMS),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["deadlocks", "safety"]),
    st.data(),
)
def test_every_set_that_memory_gives_is_stubborn(
    model: Model, name: str, weak: bool, nds: bool, preserve: Preserve, data: st.DataObject
) -> None:
    space = Space(model, preserve)
    reducer = space.reducer(Algorithm(name, weak, nds, "valid"))
    again = data.draw(st.permutations(space.states), label="the order of the second round")
    for state in (*space.states, *again):
        enabled = space.enabled(state)
        if enabled:
            chosen = reducer.choose(list(state), enabled)
            assert set(chosen) <= set(enabled)
            assert space.is_stubborn(state, chosen, weak=weak)


@settings(max_examples=EXAMPLES)
@given(models(), st.sampled_from(ALGORITHMS), st.booleans(), st.booleans(), st.data())
def test_exact_memory_gives_the_set_that_would_be_computed(
    model: Model, name: str, weak: bool, nds: bool, data: st.DataObject
) -> None:
    space = Space(model, "deadlocks")
    remembering = space.reducer(Algorithm(name, weak, nds, "exact"))
    forgetting = space.reducer(Algorithm(name, weak, nds, "none"))
    again = data.draw(st.permutations(space.states), label="the order of the second round")
    for state in (*space.states, *again):
        enabled = space.enabled(state)
        if enabled:
            assert remembering.choose(list(state), enabled) == forgetting.choose(list(state), enabled)
    copy = remembering.copy()
    assert (copy.statistics.hits, copy.statistics.misses) == (0, 0), "a copy has a memory of its own"
    for state in space.states:
        enabled = space.enabled(state)
        if enabled:
            assert copy.choose(list(state), enabled) == remembering.choose(list(state), enabled)


# A enables B; B and C write y, each something else. D has nothing to do with any of them.
DEPENDENT = """
byte x, y;
process A { state a, b; init a; trans a -> b { effect x = 1; }; }
process B { state a, b; init a; trans a -> b { guard x == 1; effect y = 1; }; }
process C { state a, b; init a; trans a -> b { effect y = 2; }; }
process D { byte d; state a; init a; trans a -> a { effect d = (d + 1) % 5; }; }
system async;
"""


def test_only_stubborn_sets_are_taken_for_stubborn() -> None:
    space = Space(load(DEPENDENT, "dependent.dve"), "deadlocks")
    initial = space.states[0]
    a, _, c, d = range(4)
    assert space.enabled(initial) == [a, c, d]
    verdicts = {
        chosen: space.is_stubborn(initial, chosen, weak=False)
        for chosen in ((a,), (c,), (d,), (a, c), (c, d), (a, c, d))
    }
    # C alone would miss that B, once A has enabled it, and C write y in either order.
    assert verdicts == {(a,): True, (c,): False, (d,): True, (a, c): True, (c, d): False, (a, c, d): True}


def test_valid_memory_answers_in_states_that_were_never_seen() -> None:
    space = Space(load(DEPENDENT, "dependent.dve"), "deadlocks")
    computed = {}
    for memory in ("none", "valid"):
        reducer = space.reducer(Algorithm("deletion", False, False, memory))
        for state in space.states:
            reducer.choose(list(state), space.enabled(state))
        computed[memory] = reducer.statistics.misses
    asked = sum(len(space.enabled(state)) > 1 for state in space.states)
    assert computed["none"] == asked
    assert computed["valid"] < asked / 4
    assert reducer.statistics.hits + reducer.statistics.misses == asked
    assert reducer.statistics.bytes > 0
