"""The state space of a model as the reference interpreter sees it, and reduced searches to compare with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mule.engine import SearchResult
from mule.model import Model
from mule.model.expressions import Expression
from mule.model.interpreter import Failure, Interpreter, State, Step
from mule.options import Options, Preserve
from mule.planning import Analysis, Plan, Preparation, algorithm, resolve, search_options

MOST_STATES = 1500


class Space:
    """The whole state space of a model as written, as the interpreter sees it."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.interpreter = Interpreter(model)
        self.states: set[State] = {self.interpreter.initial}
        self.transitions = 0
        self.deadlocks: set[State] = set()
        self.guards_fail = self.effects_fail = False
        work = [self.interpreter.initial]
        while work and len(self.states) <= MOST_STATES:
            state = work.pop()
            stuck = True
            for step in self.steps(state):
                stuck = False
                if step is None:
                    self.guards_fail = True
                elif step.failure is not None:
                    self.effects_fail = True
                else:
                    self.transitions += 1
                    if step.target not in self.states:
                        self.states.add(step.target)
                        work.append(step.target)
            if stuck:
                self.deadlocks.add(state)
        self.complete = len(self.states) <= MOST_STATES

    @property
    def fails(self) -> bool:
        return self.guards_fail or self.effects_fail

    def steps(self, state: State) -> Iterator[Step | None]:
        """All steps; None for a guard that goes wrong while all guards before it hold."""
        for number, transition in enumerate(self.model.transitions):
            try:
                tests = (self.model.guards[guard].expression for guard in transition.guards)
                enabled = all(self.interpreter.evaluate(test, state) != 0 for test in tests)
            except Failure:
                yield None
                continue
            if enabled:
                yield from self.interpreter.fire(number, state)

    def holds(self, expression: Expression, state: State) -> bool:
        try:
            return self.interpreter.evaluate(expression, state) != 0
        except Failure:
            return False

    def always(self, expression: Expression) -> bool:
        return all(self.holds(expression, state) for state in self.states)


class Searches:
    """One model, prepared once, and as many searches of it as it takes."""

    def __init__(self, model: Model | Analysis, preserve: Preserve, propositions: Sequence[Expression] = ()) -> None:
        self.preserve = preserve
        options = Options(por="deletion", as_written=True)
        analysis = model if isinstance(model, Analysis) else Analysis(model)
        self.prepared = Preparation(Plan(analysis, options, preserve, tuple(propositions)))

    def full(self, search: str) -> SearchResult:
        """Of the model as a reduction sees it: split, compiled with its guards."""
        options = resolve(Options(por="none", search=search), self.preserve)  # type: ignore[arg-type]
        return self.prepared.engine.search(search_options(options, self.preserve))

    def reduced(self, options: Options, **stops: bool) -> SearchResult:
        resolved = resolve(options, self.preserve)
        reducer = self.prepared.engine.reducer(self.prepared.relations, algorithm(resolved))
        return self.prepared.engine.search(search_options(resolved, self.preserve, **stops), reducer)
