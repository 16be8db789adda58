"""An order that the engine does not know: states are expanded at random. Counts, verdicts and trails must not care."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mule.comparison import REDUCTIONS
from mule.engine import Found
from mule.model import Model
from mule.options import Options
from mule.planning import resolve, search_options
from tests.fuzz import examples
from tests.small_models import models
from tests.soundness.reference import Searches, Space
from tests.soundness.trails import examine_trail, invariants

pytestmark = pytest.mark.slow

EXAMPLES = examples(60)


class RandomFrontier:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.waiting: list[int] = []

    def push(self, number: int) -> None:
        self.waiting.append(number)

    def pop(self) -> int:
        return self.waiting.pop(self.random.randrange(len(self.waiting)))


@settings(max_examples=EXAMPLES)
@given(models(), st.integers(0, 9), st.data())
def test_a_random_order_agrees_with_the_interpreter(model: Model, seed: int, data: st.DataObject) -> None:
    space = Space(model)
    if not space.complete:
        return
    full = Searches(model, "deadlocks")
    options = search_options(resolve(Options(por="none", search="bfs"), "deadlocks"), "deadlocks")
    found = full.prepared.engine.search_in_order(options, RandomFrontier(seed))
    counted = (found.progress.states, found.progress.transitions, found.deadlocks)
    assert counted == (len(space.states), space.transitions, len(space.deadlocks))
    drawn = () if space.fails else (data.draw(invariants(space)),)
    good = all(space.always(each) for each in drawn) and not space.fails and not space.deadlocks
    searches = Searches(model, "safety", drawn)
    for (por, weak), proviso in product(REDUCTIONS, ("closed-", "duplicate-")):
        chosen = resolve(Options(por=por, weak=weak, search="bfs", proviso=proviso), "safety")  # type: ignore[arg-type]
        options = search_options(chosen, "safety", stop_at_deadlock=True, stop_at_assertion=True, stop_at_error=True)
        reducer = searches.prepared.reducer(chosen)
        found = searches.prepared.engine.search_in_order(options, RandomFrontier(seed), reducer)
        assert (found.found is Found.NOTHING) == good, (por, weak, proviso)
        examine_trail(space, searches, found, drawn)
