"""Pattern databases: the exact distances in a projection of the model that is small enough to be searched as a whole.

What the goal speaks of is kept first, then whatever decides most about the steps that change what is kept, as long as
the projection has few states. A larger projection of the same kind is never a worse estimate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod

from mule import _engine
from mule.codegen import Layout, compile_model
from mule.directed.goals import Goals
from mule.directed.parts import Writers
from mule.directed.projection import TooVagueError, project
from mule.engine import Engine
from mule.model import Kind, Model
from mule.model.domains import Domains
from mule.model.expressions import Expression, conjuncts, variables_read
from mule.model.model import outcome_expressions
from mule.model.variables import Role, Variable
from mule.records import Record

MOST_STATES = 50_000
"""Of a projection."""
MOST_PROJECTIONS = 12
"""So many are searched, one after the other."""
MOST_ATTEMPTS = 40
"""So many are tried, with those that are given up because a step could do too much."""
OF_GOALS, OF_FAILURES = 1_000_000, 10
"""How much more a variable matters that the goal speaks of, than one that a step speaks of."""
MOST_NAMES = 4
"""Of variables, in a report."""


class Pattern(Record, frozen=True):
    distances: _engine.Pattern
    kept: tuple[Variable, ...]

    @property
    def why(self) -> str:
        """What there is to say about it as an estimate: it is a lower bound, and no step lowers it by more than one."""
        some = ", ".join(variable.name for variable in self.kept[:MOST_NAMES])
        more = f" and {len(self.kept) - MOST_NAMES} more" if len(self.kept) > MOST_NAMES else ""
        return f"the distance in a projection of {self.distances.states:,} states on {some}{more}"


def find_pattern(
    model: Model, domains: Domains, bounds: Sequence[tuple[int, int]], layout: Layout, goals: Goals
) -> Pattern | None:
    """The best projection of few states, if there is one that says anything."""
    return _Choosing(model, domains, bounds, layout, goals).best()


class _Choosing:
    def __init__(
        self, model: Model, domains: Domains, bounds: Sequence[tuple[int, int]], layout: Layout, goals: Goals
    ) -> None:
        self.model = model
        self.domains = domains
        self.bounds = bounds
        self.layout = layout
        self.goals = goals
        self.refused: set[Variable] = set()
        self.left, self.attempts = MOST_PROJECTIONS, MOST_ATTEMPTS
        self.places = {variable: place for place, variable in enumerate(model.variables)}
        self.writers = Writers(model)
        queues = {part for channel in model.channels for part in (channel.length, *channel.fields)}
        self.candidates = [each for each in model.variables if each not in queues and self._size(each) > 1]

    def best(self) -> Pattern | None:
        best: Pattern | None = None
        while self.left > 0 and self.attempts > 0:
            kept = [] if best is None else list(best.kept)
            added = self._next(kept, 1 if best is None else best.distances.states)
            if not added:
                break
            found = self._build([*kept, *added])
            if found is None and len(added) > 1:
                added = added[:1]
                found = self._build([*kept, *added])
            if found is None:
                self.refused.update(added)
            else:
                best = found
        return best

    def _next(self, kept: list[Variable], states: int) -> list[Variable]:
        """What to keep besides: as much as is sure to leave the projection small, and one variable at least."""
        added: list[Variable] = []
        most = states
        for variable in self._wanted(kept):
            if added and most * self._size(variable) > MOST_STATES:
                break
            added.append(variable)
            most *= self._size(variable)
            if most > MOST_STATES:
                break
        return added

    def _wanted(self, kept: list[Variable]) -> list[Variable]:
        """What is not kept yet, what matters most first."""
        known = set(kept)
        counted: Counter[Variable] = Counter()
        for proposition in self.goals.propositions:
            counted.update(dict.fromkeys(variables_read(proposition), OF_GOALS))
        for expression in self._of_goal():
            counted.update(dict.fromkeys(variables_read(expression), OF_FAILURES))
        for number in self.writers.of(kept or self.candidates):
            transition = self.model.transitions[number]
            for guard in transition.guards:
                for part in conjuncts(self.model.guards[guard].expression):
                    counted.update(variables_read(part))
            for outcome in transition.outcomes:
                for expression in outcome_expressions(outcome):
                    counted.update(variables_read(expression))
        wanted = [each for each in self.candidates if counted[each] and each not in known and each not in self.refused]
        return sorted(wanted, key=lambda each: (-counted[each] / self._size(each).bit_length(), self.places[each]))

    def _of_goal(self) -> Iterator[Expression]:
        for transition in self.model.transitions:
            errs = self.goals.failures and transition.kind is Kind.ERROR
            for guard in transition.guards if errs or self.goals.deadlock else ():
                expression = self.model.guards[guard].expression
                if errs or any(each.role is Role.LOCATION for each in variables_read(expression)):
                    yield expression

    def _size(self, variable: Variable) -> int:
        first = self.model.slot_of[variable]
        return prod(high - low + 1 for low, high in self.bounds[first : first + variable.size])

    def _build(self, kept: list[Variable], further: int = 3) -> Pattern | None:
        """With what is needed besides, so that the steps do not have too many outcomes."""
        self.attempts -= 1
        try:
            found = pattern_on(self.model, self.domains, self.bounds, self.layout, kept, self.goals)
        except TooVagueError as error:
            missing = error.missing.intersection(self.candidates)
            if not further or not missing:
                return None
            return self._build([*kept, *sorted(missing, key=self.places.__getitem__)], further - 1)
        self.left -= 1
        return found


def pattern_on(
    model: Model,
    domains: Domains,
    bounds: Sequence[tuple[int, int]],
    layout: Layout,
    kept: Sequence[Variable],
    goals: Goals,
) -> Pattern | None:
    """The distances in the projection on these variables; None if it has too many states."""
    projection = project(model, domains, bounds, kept, goals)
    slots = [model.slot_of[each] + index for each in projection.model.variables for index in range(each.size)]
    compiled = compile_model(projection.model, [bounds[slot] for slot in slots], [projection.goal])
    if compiled.layout.words > _engine.Pattern.most_words:
        return None
    program, initial = Engine(compiled).program, compiled.layout.pack(projection.model.initial_state)
    distances = _engine.Pattern(program, initial, _bits(layout, compiled.layout), MOST_STATES)
    return Pattern(distances, projection.model.variables) if distances.complete else None


def _bits(whole: Layout, projected: Layout) -> list[tuple[int, int, int, int, int]]:
    """Where the bits of the projection are in the states of the model."""
    found = []
    for variable, field in projected.fields.items():
        source = whole.fields[variable]
        assert (field.width, field.low) == (source.width, source.low)
        places = range(variable.size)
        found += [(*source.place(index), *field.place(index), field.mask) for index in places]
    return found
