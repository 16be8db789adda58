"""How far a state is from a deadlock: by the processes that can still move (Edelkamp, Leue and Lluch-Lafuente 2001).

Added up they are no lower bound, since one step can stop several processes. `together` counts those of them that no
step can stop together; and where every process that can move is stopped by some other one's step, that is one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from mule.directed.formula import Join
from mule.directed.parts import REACHED, Part, Writers, together
from mule.model import Kind, Model, Transition
from mule.model.domains import Domains
from mule.model.expressions import (
    FALSE,
    TRUE,
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    conjunction,
    disjunction,
    location_test,
    variables_read,
)
from mule.model.failures import may_fail
from mule.model.variables import Variable

MOST_TRANSITIONS = 2_000
"""Of a model with more nothing is said: its code would be written twice."""


def deadlock(model: Model, domains: Domains, join: Join = together) -> Part:
    if len(model.transitions) > MOST_TRANSITIONS:
        return REACHED
    groups: dict[int, list[int]] = defaultdict(list)
    for number, transition in enumerate(model.transitions):
        if transition.kind is Kind.STEP:
            groups[transition.moves[0].process if transition.moves else -1 - number].append(number)
    moving, writers = _Moving(model, domains), Writers(model)
    return join([moving.part(numbers, writers) for numbers in groups.values()])


class _Moving:
    """Whether some of the transitions of a model can happen."""

    def __init__(self, model: Model, domains: Domains) -> None:
        self.model = model
        self.risky = [may_fail(guard.expression, domains) for guard in model.guards]
        self.domains = domains

    def part(self, numbers: Sequence[int], writers: Writers) -> Part:
        """1 where one of the transitions is enabled."""
        enabled = self._one_enabled(numbers)
        return Part(Conditional(enabled, Constant(1), Constant(0)), writers.of(variables_read(enabled)))

    def _one_enabled(self, numbers: Sequence[int]) -> Expression:
        """Only the guards of the transitions at hand are looked at where these go by the location of a process."""
        by_place: dict[tuple[Variable, int] | None, list[Expression]] = defaultdict(list)
        for number in numbers:
            transition = self.model.transitions[number]
            conditions = self._conditions(transition)
            if conditions is None:
                continue  # nothing is said where it alone is enabled
            place = next(filter(None, map(location_test, conditions)), None)
            rest = [each for each in conditions if place is None or location_test(each) != place]
            by_place[place].append(conjunction(rest))
        enabled = _one_of(by_place.pop(None, []))
        at: dict[Variable, list[tuple[int, Expression]]] = defaultdict(list)
        for place, possible in by_place.items():
            assert place is not None
            at[place[0]].append((place[1], _one_of(possible)))
        chosen = [_by_location(variable, sorted(cases, key=lambda case: case[0])) for variable, cases in at.items()]
        return disjunction([enabled, *chosen])

    def _conditions(self, transition: Transition) -> list[Expression] | None:
        """What makes a step possible: all guards, and the condition of one of the outcomes; None: they may fail."""
        if any(self.risky[guard] for guard in transition.guards):
            return None
        conditions = [self.model.guards[guard].expression for guard in transition.guards]
        outcomes = [outcome.condition for outcome in transition.outcomes]
        possible = [condition for condition in outcomes if condition is not None]
        if len(possible) < len(outcomes):
            return conditions
        if any(may_fail(condition, self.domains) for condition in possible):
            return None
        return [*conditions, _one_of(possible)]


def _one_of(possible: Sequence[Expression]) -> Expression:
    return TRUE if TRUE in possible else disjunction(possible)


def _by_location(variable: Variable, cases: Sequence[tuple[int, Expression]]) -> Expression:
    """What is said of the location at hand, found by halving; 0 for the others."""
    if len(cases) == 1:
        value, possible = cases[0]
        at = Binary("==", Read(variable), Constant(value))
        return at if possible == TRUE else Conditional(at, possible, FALSE)
    middle = len(cases) // 2
    below = Binary("<", Read(variable), Constant(cases[middle][0]))
    return Conditional(below, _by_location(variable, cases[:middle]), _by_location(variable, cases[middle:]))
