"""A model as written, and in each of its states the steps that a search with reduction would explore."""

from __future__ import annotations

from mule.model import Model
from mule.model.expressions import Expression
from mule.model.interpreter import Failure, Interpreter, State
from mule.options import STUBBORN, Options
from mule.planning import Preparation, algorithm, make_room, plan_for, resolve
from mule.records import replace
from mule.reduction.reasons import ChosenSet, Reasons

MOST_STATES = 300_000
"""Of a search for the room that the runs of a model need."""


def with_room(model: Model) -> Model:
    """The model with as much room (for messages, for tokens) as its runs need, as far as a short search can tell: what
    a translation had to guess must not look like an error of the model."""
    return make_room(model, Options(max_states=MOST_STATES, workers=1)).model


class Reduced:
    def __init__(self, model: Model, options: Options | None = None) -> None:
        wanted = (options or Options()).but(as_written=True, proviso="none")
        wanted = wanted if wanted.por in STUBBORN else wanted.but(por="deletion")
        resolved = resolve(wanted, "deadlocks")
        prepared = Preparation(plan_for(model, resolved, "deadlocks", ()))
        self.model = replace(prepared.model, start=None)
        """As written: what is shown."""
        self.interpreter = Interpreter(self.model)
        self.reasons = Reasons(prepared.searched, prepared.relations, algorithm(resolved))
        self._origin = [
            transition.origins[0] if transition.origins else number
            for number, transition in enumerate(prepared.searched.transitions)
        ]

    def choose(self, state: State) -> ChosenSet:
        """In transitions of the model that a search explores, in which one as written may be several."""
        return self.reasons.choose(state)

    def origin(self, number: int) -> int:
        """The transition of the model as written."""
        return self._origin[number]

    def explored(self, state: State) -> set[int]:
        """The transitions of the model as written that a reduction would explore."""
        return {self._origin[each] for each in self.choose(state).explored}

    def value(self, expression: Expression, state: State) -> bool | None:
        """None: it has none."""
        try:
            return self.interpreter.evaluate(expression, state) != 0
        except Failure:
            return None
