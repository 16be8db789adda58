"""A few states, looked at with the reference interpreter: most parts of a property make a difference in one of them,
and a small model has no others. It is done before a search could be compiled."""

from __future__ import annotations

from itertools import chain, islice

from mule.model import Model
from mule.model.expressions import Expression, subexpressions
from mule.model.interpreter import Failure, Interpreter, State

STATES = 200
LOOKS = 30_000
"""So many parts of guards are evaluated, about: a few milliseconds."""


class Glance:
    def __init__(self, model: Model) -> None:
        self._model = model
        self._interpreter = Interpreter(model)
        self._states: list[State] = [self._interpreter.initial]
        self._complete = self._visit()

    def _visit(self) -> bool:
        """Whether these are all states."""
        seen = set(self._states)
        parts = chain.from_iterable(subexpressions(guard.expression) for guard in self._model.guards)
        most = min(STATES, LOOKS // (1 + sum(1 for _ in islice(parts, LOOKS))))
        for number, state in enumerate(self._states):  # which grows
            if number == most:
                return False
            for step in self._interpreter.steps(state):
                if step.failure is not None:
                    if self._model.transitions[step.transition].limit:
                        return False
                elif step.target not in seen:
                    seen.add(step.target)
                    self._states.append(step.target)
        return True

    def says(self, expression: Expression) -> bool | None:
        """Whether the expression is true in every state, if that can be seen here."""
        try:
            if not all(self._interpreter.evaluate(expression, state) for state in self._states if self._shown(state)):
                return False
        except Failure:
            return None
        return True if self._complete else None

    def _shown(self, state: State) -> bool:
        """Whether it is no state inside a step."""
        transient = self._model.transient
        return transient is None or not self._interpreter.evaluate(transient, state)
