"""Steps of a trail left out by trying: without a part of the steps, do those of the rest that are still possible lead
to the violation? Large parts are tried first, then halves of them (Zeller's delta debugging). This needs no search, so
it gains something also where the model is too large for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mule.model import Model
from mule.model.interpreter import Interpreter, State, Step

Steps = list[Step]
MOST_STEPS = 50_000
"""Steps that are followed in all."""


def with_fewer_steps(model: Model, steps: Sequence[Step], violates: Callable[[State, Step | None], bool]) -> Steps:
    """`violates`: whether the run may end in a state, or with a step that fails there."""
    return _Trials(model, violates).shortest(list(steps))


class _Trials:
    def __init__(self, model: Model, violates: Callable[[State, Step | None], bool]) -> None:
        self.interpreter = Interpreter(model)
        self.violates = violates
        self.left = MOST_STEPS

    def shortest(self, steps: Steps) -> Steps:
        size = len(steps) // 2
        while size and self.left > 0:
            begin = 0
            while begin < len(steps) and self.left > 0:
                found = self._followed(steps[:begin], steps[begin + size :])
                if found is not None and len(found) < len(steps):
                    steps = found
                else:
                    begin += size
            size //= 2
        return steps

    def _followed(self, first: Sequence[Step], rest: Sequence[Step]) -> Steps | None:
        """The steps that are possible, up to the first violation."""
        state, taken = first[-1].target if first else self.interpreter.initial, list(first)
        for wanted in rest:
            self.left -= 1
            step = self._same(wanted, state)
            if step is None:
                continue
            if step.failure is not None:
                if self.violates(state, step):
                    return [*taken, step]
                continue
            taken.append(step)
            state = step.target
            if self.violates(state, None):
                return taken
        return None

    def _same(self, wanted: Step, state: State) -> Step | None:
        if not self.interpreter.enabled(self.interpreter.model.transitions[wanted.transition], state):
            return None
        fired = self.interpreter.fire(wanted.transition, state)
        return next((step for step in fired if step.outcome == wanted.outcome), None)
