"""The states of small models, and how far they are from goals, as the reference interpreter sees it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Set

from hypothesis import strategies as st

from mule.model import Model
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.model.failures import with_error_transitions
from mule.model.interpreter import Failure, Interpreter, State
from mule.model.value_analysis import compute_domains

MOST_STATES = 300


class Distances:
    """All states of a small model, its steps, and what an estimate says of them."""

    def __init__(self, model: Model) -> None:
        self.model = with_error_transitions(model, compute_domains(model))
        self.domains = compute_domains(self.model)
        self.interpreter = Interpreter(self.model)
        self.steps: dict[State, set[State]] = {}
        self.failing: set[State] = set()
        work = [self.interpreter.initial]
        while work and len(self.steps) <= MOST_STATES:
            state = work.pop()
            if state in self.steps:
                continue
            taken = list(self.interpreter.steps(state))
            self.steps[state] = {step.target for step in taken if step.failure is None}
            if any(step.failure is not None for step in taken):
                self.failing.add(state)
            work += self.steps[state] - self.steps.keys()
        self.complete = not work

    def to(self, goals: set[State]) -> dict[State, int]:
        before = defaultdict(set)
        for source, targets in self.steps.items():
            for target in targets:
                before[target].add(source)
        distances = dict.fromkeys(goals, 0)
        work = list(goals)
        for state in work:
            for source in before[state] - distances.keys():
                distances[source] = distances[state] + 1
                work.append(source)
        return distances

    def holds(self, expression: Expression, state: State) -> bool:
        try:
            return self.interpreter.evaluate(expression, state) != 0
        except Failure:
            return False

    def require_bound(self, value: Expression, goals: set[State], failing: Set[State] = frozenset()) -> None:
        self.require_lower_bound(lambda state: self.interpreter.evaluate(value, state), goals, failing)

    def require_lower_bound(
        self, estimate: Callable[[State], int], goals: set[State], failing: Set[State] = frozenset()
    ) -> None:
        """Defined, never above the distance, and lowered by no step by more than one. From the states of `failing` it
        is one step more."""
        said = {state: estimate(state) for state in self.steps}
        assert min(said.values(), default=0) >= 0
        for state, distance in self.to(goals).items():
            assert said[state] <= distance
        for state, distance in self.to(set(failing)).items():
            assert said[state] <= distance + 1
        for source, targets in self.steps.items():
            assert all(said[source] <= said[target] + 1 for target in targets)


@st.composite
def predicates(draw: st.DrawFn, model: Model) -> Expression:
    """Comparisons over the slots of a model, and what connectives make of them."""

    def comparison() -> Expression:
        variable, index = draw(st.sampled_from(model.slot_variables))
        read: Expression = Read(variable, None if index is None else Constant(index))
        if draw(st.integers(0, 5)) == 0:
            read = Binary("%", Constant(7), read)
        operator = draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
        return Binary(operator, read, Constant(draw(st.integers(-1, 4))))

    expression = comparison()
    for _ in range(draw(st.integers(0, 3))):
        expression = Binary(draw(st.sampled_from(["and", "or"])), expression, comparison())
    return expression
