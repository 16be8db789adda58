"""Why a transition is in a stubborn set: from the reasons alone the set is made again, and it is closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.engine import Algorithm
from mule.frontends import load
from mule.options import STUBBORN
from mule.reduction.reasons import Reasons
from tests.random_searches import model_of
from tests.reduction.explained import EXAMPLES, LARGEST, prepared_for, require_derived, states_of
from tests.reduction.space import Space

pytestmark = pytest.mark.slow

STATES = 100


@pytest.mark.parametrize("name", STUBBORN)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_reasons_of_the_examples(path: Path, name: str) -> None:
    prepared = prepared_for(load(str(path)))
    if len(prepared.searched.transitions) > LARGEST:
        pytest.skip("too many transitions to check the closure one by one")
    reasons = Reasons(prepared.searched, prepared.relations, Algorithm(name))
    for state in states_of(prepared.searched, STATES if name == "deletion" else STATES // 5):
        chosen = reasons.choose(state)
        require_derived(reasons, state, chosen)


@pytest.mark.parametrize("seed", range(24))
def test_reasons_of_random_models(seed: int) -> None:
    _, model = model_of(seed)
    if model is None:
        return
    space = Space(model, "deadlocks")
    reasons = Reasons(space.prepared.searched, space.prepared.relations, Algorithm("deletion"))
    layout = space.engine.compiled.layout
    for words in space.states[:60]:
        state = layout.unpack(words)
        chosen = reasons.choose(state)
        if not chosen.enabled:
            continue
        require_derived(reasons, state, chosen)
        assert list(chosen.enabled) == space.enabled(words)
        assert space.is_stubborn(words, chosen.explored, weak=False)
