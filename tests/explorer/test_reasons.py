"""Why a transition is in a stubborn set: from the reasons alone the set is made again, and it is closed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from mule.engine import Algorithm
from mule.frontends import load
from mule.model import Model
from mule.model.interpreter import Interpreter, State
from mule.options import STUBBORN, Options
from mule.planning import Preparation, plan_for
from mule.reduction.reasons import ChosenSet, Reasons
from mule.relations import members
from tests.random_searches import model_of
from tests.reduction.space import Space

pytestmark = pytest.mark.slow

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.*"))
STATES = 100
LARGEST = 400
"""Transitions: the closure is checked here by the slow obvious way."""


def states_of(model: Model, count: int) -> list[State]:
    """Those of random runs."""
    interpreter, chosen = Interpreter(model), random.Random(1)
    found: dict[State, None] = {}
    state = interpreter.initial
    for _ in range(4 * count):
        found[state] = None
        steps = [step for step in interpreter.steps(state) if step.failure is None]
        state = chosen.choice(steps).target if steps and chosen.random() > 0.02 else interpreter.initial
    return list(found)[:count]


def prepared_for(model: Model) -> Preparation:
    return Preparation(plan_for(model, Options(por="deletion", as_written=True), "deadlocks", ()))


def require_derived(reasons: Reasons, state: State, chosen: ChosenSet) -> None:
    """Each reason is true, the set is what follows from those that begin it, and nothing that it needs is missing."""
    model, relations = reasons.model, reasons.relations
    interpreter = Interpreter(model)
    enabled = set(chosen.enabled)
    derived: set[int] = set()
    for member, reason in chosen.reasons.items():
        if reason.because == "begins":
            assert member in enabled
            derived.add(member)
            continue
        assert reason.cause in derived
        cause = reason.cause
        if reason.because == "interferes":
            assert cause in enabled
            assert relations.do_not_accord[cause] >> member & 1
        else:
            guard, own = reason.guard, model.transitions[cause].guards
            assert guard is not None
            assert cause not in enabled
            if reason.because == "enables":
                assert guard in own
                assert not interpreter.holds(guard, state)
                assert relations.enabling[guard] >> member & 1
            else:
                assert interpreter.holds(guard, state)
                assert any(relations.never_coenabled[guard] >> each & 1 for each in own)
                assert relations.disabling[guard] >> member & 1
        derived.add(member)
    assert derived == set(chosen.reasons)
    assert set(chosen.explored) == derived & enabled
    for member in derived:
        if member in enabled:
            assert set(members(relations.do_not_accord[member])) <= derived
        else:
            assert any(wanted <= derived for wanted in necessary_sets(reasons, member, state))


def necessary_sets(reasons: Reasons, member: int, state: State) -> list[set[int]]:
    relations, own = reasons.relations, set(reasons.model.transitions[member].guards)
    interpreter = Interpreter(reasons.model)
    found = [set(members(relations.enabling[guard])) for guard in own if not interpreter.holds(guard, state)]
    found += [
        set(members(relations.disabling[guard]))
        for guard in range(len(reasons.model.guards))
        if own & set(members(relations.never_coenabled[guard])) and interpreter.holds(guard, state)
    ]
    return found


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
