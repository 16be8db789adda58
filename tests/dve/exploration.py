"""Breadth-first exploration with the reference interpreter, and small helpers around it."""

from __future__ import annotations

from dataclasses import dataclass

from mule.frontends.dve import load
from mule.model import Model
from mule.model.interpreter import Interpreter, State, Step


@dataclass(frozen=True)
class StateSpace:
    states: set[State]
    transitions: int
    deadlocks: int
    failures: int

    @property
    def counts(self) -> tuple[int, int]:
        return len(self.states), self.transitions


def explore(model: Model) -> StateSpace:
    interpreter = Interpreter(model)
    seen, queue = {interpreter.initial}, [interpreter.initial]
    transitions = deadlocks = failures = 0
    for state in queue:
        steps = list(interpreter.steps(state))
        deadlocks += not steps
        for step in steps:
            if step.failure is not None:
                failures += 1
                continue
            transitions += 1
            if step.target not in seen:
                seen.add(step.target)
                queue.append(step.target)
    return StateSpace(seen, transitions, deadlocks, failures)


def counts(text: str) -> tuple[int, int]:
    """States and transitions of a DVE model."""
    return explore(load(text, "test.dve")).counts


def named(model: Model, state: State) -> dict[str, int]:
    """A state by the names of its slots."""
    return {model.slot_name(slot): value for slot, value in enumerate(state)}


def only_step(text: str) -> tuple[Model, Step]:
    """The one step that a model can take from its initial state."""
    model = load(text, "test.dve")
    interpreter = Interpreter(model)
    [step] = interpreter.steps(interpreter.initial)
    return model, step


def only_successor(text: str) -> dict[str, int]:
    """Where the one transition of a model leads from its initial state."""
    model, step = only_step(text)
    assert step.failure is None
    return named(model, step.target)


def only_failure(text: str) -> str:
    """What goes wrong in the one step that a model can take from its initial state."""
    _, step = only_step(text)
    assert step.failure is not None
    return step.failure
