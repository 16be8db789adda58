"""A run of a product, followed step by step with the reference interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mule.ltl.automaton import Automaton
from mule.model import Model
from mule.model.expressions import Expression
from mule.model.interpreter import Failure, Interpreter, State
from mule.results import TrailError
from mule.temporal.fairness import Requirements
from mule.temporal.product import ProductStep


@dataclass(frozen=True, slots=True)
class LassoTrail:
    """A run: `steps[i]` leads from `states[i]` to `states[i + 1]`; the last state is the same as `states[entrance]`,
    from which the run goes on."""

    states: tuple[State, ...]
    automaton_states: tuple[int, ...]
    steps: tuple[ProductStep, ...]
    entrance: int


def replay_lasso(
    model: Model,
    automaton: Automaton,
    atoms: Sequence[Expression],
    prefix: Sequence[ProductStep],
    cycle: Sequence[ProductStep],
    required: Requirements | None = None,
) -> LassoTrail:
    """Follow a run with the reference interpreter and the automaton; TrailError where it is none, is not accepted or is
    not fair."""
    run = _Run(model, automaton, atoms, required)
    for step in prefix:
        run.take(step)
    entrance = len(prefix)
    run.marks, run.letters, run.raised, run.idle, run.met = 0, 0, 0, 0, 0
    for step in cycle:
        run.take(step)
    if (run.states[-1], run.automaton_states[-1]) != (run.states[entrance], run.automaton_states[entrance]):
        raise TrailError("the cycle does not come back to where it began")
    if run.marks != automaton.all_marks or run.letters == 0:
        raise TrailError("the automaton does not accept the run")
    if required is not None and run.raised & ~run.met & (-1 if required.compassion else ~run.idle):
        raise TrailError("the run is not fair")
    return LassoTrail(tuple(run.states), tuple(run.automaton_states), (*prefix, *cycle), entrance)


class _Run:
    def __init__(
        self, model: Model, automaton: Automaton, atoms: Sequence[Expression], required: Requirements | None
    ) -> None:
        self.model, self.automaton, self.atoms, self.required = model, automaton, atoms, required
        self.interpreter = Interpreter(model)
        self.states = [self.interpreter.initial]
        self.automaton_states = [automaton.initial]
        self.marks = 0
        self.letters = 0
        """How many the automaton has read."""
        self.raised = self.idle = self.met = 0
        """The requirements that some state raised, that some state did not raise, and that some step met."""

    def take(self, step: ProductStep) -> None:
        self._move_automaton(step.edge)
        state = self.states[-1]
        if self.required is not None:
            self._note_fairness(self.required, step.transition)
        if step.transition is None:
            if any(True for _ in self.interpreter.steps(state)):
                raise TrailError(f"step {len(self.states)}: the system stutters, and something is enabled")
            self.states.append(state)
            return
        transition = self.model.transitions[step.transition]
        if not self.interpreter.enabled(transition, state):
            raise TrailError(f"step {len(self.states)}: {transition.name} is not enabled")
        taken = next((s for s in self.interpreter.fire(step.transition, state) if s.outcome == step.outcome), None)
        if taken is None or taken.failure is not None:
            raise TrailError(f"step {len(self.states)}: outcome {step.outcome} of {transition.name} is not possible")
        self.states.append(taken.target)

    def _move_automaton(self, number: int | None) -> None:
        at = self.automaton_states[-1]
        if (number is None) != self._holds(self.model.transient):
            raise TrailError(f"step {len(self.states)}: the automaton moves in transient states, or not in others")
        if number is None:
            self.automaton_states.append(at)
            return
        edge = self.automaton.edges[at][number]
        letter = sum(self._holds(atom) << index for index, atom in enumerate(self.atoms))
        if not edge.label >> letter & 1:
            raise TrailError(f"step {len(self.states)}: the automaton's edge does not allow the letter")
        self.automaton_states.append(edge.target)
        self.marks |= edge.marks
        self.letters += 1

    def _holds(self, expression: Expression | None) -> bool:
        """False where it is undefined."""
        try:
            return expression is not None and self.interpreter.evaluate(expression, self.states[-1]) != 0
        except Failure:
            return False

    def _note_fairness(self, required: Requirements, taken: int | None) -> None:
        if taken is not None:
            self.met |= required.meeting[taken]
        if not self._holds(self.model.transient):
            raised = 0
            for step in self.interpreter.steps(self.states[-1]):
                raised |= required.raising[step.transition]
            self.raised |= raised
            self.idle |= ~raised
