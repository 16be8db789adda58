"""Sets that come from memory, against the definition of stubborn sets: slowly, over everything outside the set.

`MULE_FUZZ=5000 pytest tests/reduction` runs that many models."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st

from mule import _engine
from mule.comparison import ALGORITHMS
from mule.engine import Algorithm, Engine, SearchOptions
from mule.frontends.dve import load
from mule.model import Kind, Model
from mule.options import Options, Preserve
from mule.planning import Preparation
from tests.small_models import models

EXAMPLES = int(os.environ.get("MULE_FUZZ", "60"))
MOST_STATES = 200
Words = tuple[int, ...]


class Space:
    """The reachable states of a model that was prepared for a reduction, and what can be done in each."""

    def __init__(self, model: Model, preserve: Preserve) -> None:
        self.prepared = Preparation(model, Options(por="deletion", as_written=True), preserve, ())
        self.errors_are_enabled = preserve == "safety"
        found = self.engine.search(SearchOptions(max_states=MOST_STATES + 1, sample=MOST_STATES))
        self.complete = found.stopped is None
        self.states = found.sample if self.complete else ()
        self._known: dict[Words, tuple[list[int], dict[int, set[Words]]]] = {}

    @property
    def engine(self) -> Engine:
        return self.prepared.engine

    def reducer(self, algorithm: Algorithm) -> _engine.Reducer:
        return self.engine.reducer(self.prepared.relations, algorithm)

    def enabled(self, state: Words) -> list[int]:
        """Ascending; a step that fails is enabled although it leads nowhere."""
        return self._expanded(state)[0]

    def moves(self, state: Words) -> dict[int, set[Words]]:
        return self._expanded(state)[1]

    def _expanded(self, state: Words) -> tuple[list[int], dict[int, set[Words]]]:
        if state not in self._known:
            enabled: set[int] = set()
            targets: defaultdict[int, set[Words]] = defaultdict(set)
            transitions = self.prepared.searched.transitions
            for transition, _, failure, _, target in _engine.successors(self.engine.program, list(state)):
                if transitions[transition].kind is Kind.STEP or self.errors_are_enabled:
                    enabled.add(transition)
                if failure == 0:
                    targets[transition].add(tuple(target))
            self._known[state] = sorted(enabled), dict(targets)
        return self._known[state]

    def is_stubborn(self, state: Words, chosen: Iterable[int], *, weak: bool) -> bool:
        """D1 and D2 (D2w) for the enabled members of a set; its disabled members cannot come first, or it is none."""
        members = set(chosen)
        keys = set(members)
        seen, work = {state}, [state]
        for here in work:
            keys &= set(self.enabled(here))
            if not keys or (not weak and keys != members):
                return False
            for outside, targets in self.moves(here).items():
                if outside in members:
                    continue
                for there in targets:
                    if not all(self._closes(here, outside, there, member) for member in members):
                        return False
                    if there not in seen:
                        seen.add(there)
                        work.append(there)
        return True

    def _closes(self, here: Words, outside: int, there: Words, member: int) -> bool:
        """Wherever `outside` and then `member` lead, the other order leads too."""
        middles = self.moves(here).get(member, set())
        swapped = {end for middle in middles for end in self.moves(middle).get(outside, ())}
        return self.moves(there).get(member, set()) <= swapped


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
