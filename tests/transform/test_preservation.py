"""A smaller model shows what the model as written shows: observations, deadlocks, errors, and every run replays.

`MULE_FUZZ=5000 pytest tests/transform` runs that many models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from mule.model import Model
from mule.model.expressions import Expression
from mule.model.failures import with_error_transitions
from mule.model.interpreter import Failure, Interpreter, State
from mule.model.value_analysis import compute_domains
from mule.records import replace
from tests.small_models import models, reachable
from tests.transform.cases import EXAMPLES, PASSES
from tests.transform.sequences import observations, sequences

pytestmark = pytest.mark.slow

MOST_STATES = 1200


@dataclass
class Behaviour:
    """What can be told apart from outside."""

    model: Model
    observed: Sequence[Expression]
    states: set[State] = field(default_factory=set)
    seen: set[tuple[int | None, ...]] = field(default_factory=set)
    deadlocks: set[tuple[tuple[int, ...], tuple[int | None, ...], int | None]] = field(default_factory=set)
    failing: set[tuple[int, int]] = field(default_factory=set)
    fired: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.interpreter = Interpreter(self.model)
        self.locations = [self.model.slot_of[process.location] for process in self.model.processes]

    def value(self, expression: Expression, state: State) -> int | None:
        try:
            return self.interpreter.evaluate(expression, state)
        except Failure:
            return None

    def observe(self, state: State) -> tuple[int | None, ...]:
        return tuple(self.value(expression, state) for expression in self.observed)

    def at(self, state: State) -> tuple[int, ...]:
        return tuple(state[slot] for slot in self.locations)

    def explore(self) -> bool:
        """False where there are too many states."""
        waiting = [self.interpreter.initial]
        self.states.add(self.interpreter.initial)
        while waiting:
            state = waiting.pop()
            self.seen.add(self.observe(state))
            stuck = True
            for step in self.interpreter.steps(state):
                stuck = False
                origins = self.origins(step.transition)
                if step.failure is not None:
                    self.failing.add((origins[-1], step.outcome))
                    continue
                self.fired.update(origins)
                if step.target not in self.states:
                    if len(self.states) >= MOST_STATES:
                        return False
                    self.states.add(step.target)
                    waiting.append(step.target)
            if stuck:
                ends = self.value(self.model.end_states, state)
                self.deadlocks.add((self.at(state), self.observe(state), ends))
        return True

    def origins(self, transition: int) -> tuple[int, ...]:
        return self.model.transitions[transition].origins or (transition,)


def replays(written: Behaviour, smaller: Behaviour) -> None:
    """Every step of the smaller model, from states that were reached together, is one of the model as written."""
    start = smaller.interpreter.initial
    together = {start: written.interpreter.initial}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        for step in smaller.interpreter.steps(state):
            there = together[state]
            origins = smaller.origins(step.transition)
            for position, origin in enumerate(origins):
                transition = written.model.transitions[origin]
                assert written.interpreter.enabled(transition, there)
                outcome = step.outcome if len(origins) == 1 else 0
                [taken] = [s for s in written.interpreter.fire(origin, there) if s.outcome == outcome]
                if step.failure is not None:
                    assert position + 1 == len(origins)
                    assert taken.failure is not None
                else:
                    assert taken.failure is None
                there = taken.target
            if step.failure is None:
                assert written.observe(there) == smaller.observe(step.target)
                assert written.at(there) == smaller.at(step.target)
                if step.target not in together:
                    together[step.target] = there
                    waiting.append(step.target)


def examine(model: Model, observed: Sequence[Expression], name: str) -> None:
    domains = compute_domains(model)
    model = with_error_transitions(model, domains)
    watched = [*observed, *([] if model.transient is None else [model.transient])]
    written = Behaviour(model, watched)
    assume(written.explore())
    made = PASSES[name](model, domains, observed)
    smaller = Behaviour(made, watched)
    assert smaller.explore(), "there are more states than before"
    event(f"{name}: {fires(model, made)}, {'fewer' if len(smaller.states) < len(written.states) else 'all'} states")
    assert len(smaller.states) <= len(written.states)
    assert smaller.seen == written.seen
    assert smaller.deadlocks == written.deadlocks
    assert smaller.failing == written.failing
    assert smaller.fired == written.fired
    replays(written, smaller)
    after = compute_domains(made)
    for state in smaller.states:
        assert all(value in after.values[slot] for slot, value in enumerate(state))


def fires(model: Model, made: Model) -> str:
    if made is model:
        return "nothing"
    if any(len(transition.origins) > 1 for transition in made.transitions):
        return "merged"
    return "changed"


def begun(model: Model, data: st.DataObject) -> Model:
    """The model from a state on that some run comes to."""
    found = reachable(model, 100)
    return model if found is None else replace(model, start=data.draw(st.sampled_from(sorted(found))))


SETTINGS = settings(
    max_examples=EXAMPLES, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], deadline=None
)


@pytest.mark.parametrize("name", PASSES)
@SETTINGS
@given(st.data())
def test_processes_that_do_much_alone(name: str, data: st.DataObject) -> None:
    model = data.draw(sequences())
    if data.draw(st.integers(0, 3)) == 3:
        model = begun(model, data)
    examine(model, data.draw(observations(model)), name)


@SETTINGS
@given(st.data())
def test_any_model(data: st.DataObject) -> None:
    model = data.draw(models())
    examine(model, data.draw(observations(model)), "all")
