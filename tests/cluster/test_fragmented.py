"""Fragmented depth-first search: its conditions on random graphs, and the engine against the obvious version."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings

from mule import _engine
from mule.engine import Engine
from mule.model import Model
from mule.model.interpreter import Failure, Interpreter, State
from mule.options import FRAGMENTED, Options
from mule.relations import Relations
from tests.cluster.fragmented import Explored, explore, reduced_cycle
from tests.cluster.questions import Asked
from tests.fuzz import examples
from tests.small_models import models
from tests.soundness.reference import Space

pytestmark = pytest.mark.slow

NODES = 4


def random_graph(chosen: random.Random) -> dict[int, tuple[list[int], list[int]]]:
    """For each state the successors by a reduced set, and the others."""
    count = chosen.randint(2, 12)
    graph = {}
    for state in range(count):
        targets = [chosen.randrange(count) for _ in range(chosen.randint(1, 4))]
        cut = chosen.randint(1, len(targets))
        graph[state] = targets[:cut], targets[cut:]
    return graph


@pytest.mark.parametrize("proviso", FRAGMENTED)
def test_every_cycle_has_a_state_that_is_expanded_fully(proviso: str) -> None:
    for seed in range(examples(3000)):
        chosen = random.Random(seed)
        graph = random_graph(chosen)
        owners = [chosen.randrange(NODES) for _ in graph]
        explored = explore(0, graph.__getitem__, owners.__getitem__, proviso, chosen)
        assert not reduced_cycle(explored), (seed, graph, owners)


def test_a_search_without_a_condition_would_leave_such_cycles() -> None:
    """Two nodes, and a cycle over both of them."""
    graph = {0: ([1], [2]), 1: ([0], [2]), 2: ([2], [])}
    unguarded: Explored[int] = Explored({state: set(chosen) for state, (chosen, _) in graph.items()}, {2})
    assert reduced_cycle(unguarded)
    for proviso in FRAGMENTED:
        assert not reduced_cycle(explore(0, lambda state: graph[state], lambda state: state % 2, proviso))


class Sets:
    """The stubborn sets of a model, as the engine chooses them, over states of the interpreter."""

    def __init__(self, engine: Engine, relations: Relations) -> None:
        model = self.model = engine.compiled.model
        self.interpreter = Interpreter(model)

        def rows(bitsets: tuple[int, ...] | list[int], columns: int) -> bytes:
            return b"".join(bits.to_bytes((columns + 7) // 8, "little") for bits in bitsets)

        count = len(model.transitions)
        self.sets = _engine.StubbornSets(
            count,
            len(model.guards),
            [list(transition.guards) for transition in model.transitions],
            rows(relations.do_not_accord, count),
            b"",
            rows(relations.enabling, count),
            rows(relations.disabling, count),
            rows(relations.never_coenabled, len(model.guards)),
            "deletion",
            nds=False,
        )

    def successors(self, state: State) -> tuple[list[State], list[State]]:
        steps = list(self.interpreter.steps(state))
        enabled = sorted({step.transition for step in steps})
        if not enabled:
            return [], []
        values = [self.interpreter.evaluate(guard.expression, state) != 0 for guard in self.model.guards]
        chosen = set(self.sets.choose(enabled, values)[1])
        return (
            [step.target for step in steps if step.transition in chosen],
            [step.target for step in steps if step.transition not in chosen],
        )


@settings(max_examples=examples(60))
@given(models())
def test_the_engine_explores_what_the_obvious_version_does(model: Model) -> None:
    space = Space(model)
    assume(space.complete and not space.fails)
    asked = Asked(model, "safety")
    options = Options(por="deletion", remember="none", proviso="fragmented")
    prepared = asked.prepared(options)
    sets = Sets(prepared.engine, prepared.relations)
    try:
        explored = explore(sets.interpreter.initial, sets.successors, lambda _: 0, "fragmented")
    except Failure:  # a guard that nobody asks about has no value
        assume(False)
    for proviso in FRAGMENTED:
        found = asked.alone(options.but(proviso=proviso))
        assert (found.progress.states, found.progress.transitions) == (len(explored.edges), explored.transitions)
