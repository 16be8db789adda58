"""A model seen through some of its variables alone: what is forgotten may have any value.

Every step of the model is a step of the projection, or changes nothing in it. So no goal is nearer in the model than it
is in the projection.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product

from mule.directed.failing import failing_where
from mule.directed.goals import Goals
from mule.model import Kind, Model, Outcome, Transition
from mule.model.domains import Domains
from mule.model.expressions import (
    TRUE,
    Binary,
    Constant,
    Expression,
    Read,
    Unary,
    Undefined,
    conjunction,
    conjuncts,
    disjunction,
    disjuncts,
    negation,
    variables_read,
)
from mule.model.failures import effects_may_fail, may_fail
from mule.model.model import Assign, Guard, Receive, Send, Statement
from mule.model.simplify import is_total
from mule.model.variables import Variable
from mule.records import Record

MOST_VALUES = 40
"""So many values an assignment of something forgotten may have."""
MOST_OUTCOMES = 200


class TooVagueError(Exception):
    """A step could do too much in the projection, unless these variables were kept too."""

    def __init__(self, missing: Collection[Variable]) -> None:
        super().__init__()
        self.missing = frozenset(missing)


class Projection(Record, frozen=True):
    model: Model
    goal: Expression
    """What holds in the projection where the goal of the model is reached."""


def project(
    model: Model, domains: Domains, bounds: Sequence[tuple[int, int]], kept: Collection[Variable], goals: Goals
) -> Projection:
    return _Projecting(model, domains, bounds, frozenset(kept)).result(goals)


class _Projecting:
    def __init__(
        self, model: Model, domains: Domains, bounds: Sequence[tuple[int, int]], kept: frozenset[Variable]
    ) -> None:
        self.model = model
        self.domains = domains
        self.bounds = bounds
        self.kept = kept
        self.guards: dict[Expression, int] = {}

    def result(self, goals: Goals) -> Projection:
        steps = [each for each in self.model.transitions if each.kind is Kind.STEP]
        transitions = list(dict.fromkeys(found for each in steps if (found := self._transition(each)) is not None))
        variables = tuple(variable for variable in self.model.variables if variable in self.kept)
        goal = self._goal(goals)
        start = None
        if self.model.start is not None:
            start = tuple(self.model.start[slot] for variable in variables for slot in self._slots(variable))
        guards = tuple(Guard(expression, "") for expression in self.guards)
        model = Model(self.model.name, self.model.language, variables, guards, tuple(transitions), start=start)
        return Projection(model, goal)

    def _slots(self, variable: Variable) -> range:
        first = self.model.slot_of[variable]
        return range(first, first + variable.size)

    def _knows(self, expression: Expression) -> bool:
        return variables_read(expression) <= self.kept

    # steps

    def _transition(self, transition: Transition) -> Transition | None:
        """None: it changes nothing that is kept."""
        outcomes = [found for outcome in transition.outcomes for found in self._outcomes(outcome)]
        if not any(outcome.statements for outcome in outcomes):
            return None
        known = [part for guard in transition.guards for part in self._known(self.model.guards[guard].expression)]
        numbers = tuple(self.guards.setdefault(each, len(self.guards)) for each in dict.fromkeys(known))
        if len(outcomes) > MOST_OUTCOMES:
            raise TooVagueError(set().union(*map(self._missing, transition.outcomes)))
        return Transition("", numbers, tuple(dict.fromkeys(outcomes)))

    def _known(self, condition: Expression) -> Iterator[Expression]:
        """What remains of a condition: the parts of the conjunction that speak of nothing forgotten."""
        return (part for part in conjuncts(condition) if self._knows(part))

    def _outcomes(self, outcome: Outcome) -> Iterator[Outcome]:
        choices = [self._statements(each) for each in outcome.statements]
        count = 1
        for each in choices:
            count *= len(each)
        if count > MOST_OUTCOMES:
            raise TooVagueError(self._missing(outcome))
        known = [] if outcome.condition is None else list(self._known(outcome.condition))
        for chosen in product(*choices):
            statements = tuple(statement for each in chosen for statement in each)
            yield Outcome(statements, conjunction(known) if known else None)

    def _statements(self, statement: Statement) -> list[tuple[Statement, ...]]:
        """The ways in which it may change what is kept."""
        match statement:
            case Assign(target, value):
                return self._assignments(target, value)
            case Send(channel, _):
                if {channel.length, *channel.fields} & self.kept:
                    raise TooVagueError(())
                return [()]
            case Receive(channel, targets):
                if {channel.length, *channel.fields} & self.kept:
                    raise TooVagueError(())
                ways: list[tuple[Statement, ...]] = [()]
                for destination in filter(None, targets):
                    further = self._assignments(destination, None)
                    ways = [(*way, *more) for way in ways for more in further]
                return ways

    def _assignments(self, target: Read, value: Expression | None) -> list[tuple[Statement, ...]]:
        variable = target.variable
        if variable not in self.kept:
            return [()]
        places = [target]
        if target.index is not None and not self._knows(target.index):
            places = [Read(variable, Constant(index)) for index in range(variable.size)]
        values: Sequence[Expression]
        if value is not None and self._knows(value):
            values = [value]
        else:
            slots = [self.bounds[slot] for slot in self._slots(variable)]
            among = range(min(low for low, _ in slots), max(high for _, high in slots) + 1)
            values = [Constant(each) for each in among[: MOST_VALUES + 1]]
        if len(places) * len(values) > MOST_VALUES:
            read = variables_read(target) | (set() if value is None else variables_read(value))
            raise TooVagueError(() if value is None else read - self.kept)
        return [(Assign(place, each),) for place in places for each in values]

    def _missing(self, outcome: Outcome) -> set[Variable]:
        """What is forgotten and decides what an outcome does to what is kept."""
        assigned = [each for each in outcome.statements if isinstance(each, Assign)]
        kept = [each for each in assigned if each.target.variable in self.kept]
        return set().union(*(variables_read(each.target) | variables_read(each.value) for each in kept)) - self.kept

    # goals

    def _goal(self, goals: Goals) -> Expression:
        parts = [self._violated(each) for each in goals.propositions]
        if goals.failures:
            parts += [self._fails(each) for each in self.model.transitions if self._may_fail(each)]
        if goals.deadlock:
            parts.append(self._stuck())
        return disjunction(parts)

    def _violated(self, proposition: Expression) -> Expression:
        """Be it that it is undefined."""
        if not self._knows(proposition) and may_fail(proposition, self.domains):
            return TRUE
        return self._may(negation(proposition))

    def _may(self, goal: Expression) -> Expression:
        """What is true wherever the goal may be, for any values of what is forgotten."""
        if self._knows(goal):
            return goal if is_total(goal) else Binary("or", Undefined(goal), goal)
        match goal:
            case Binary("and"):
                return conjunction([self._may(each) for each in conjuncts(goal)])
            case Binary("or"):
                return disjunction([self._may(each) for each in disjuncts(goal)])
            case Binary("!=", Binary("and" | "or") as operand, Constant(0)):
                return self._may(operand)
            case Unary("not", Binary("and", left, right)):
                return self._may(Binary("or", negation(left), negation(right)))
            case Unary("not", Binary("or", left, right)):
                return self._may(Binary("and", negation(left), negation(right)))
        return TRUE

    def _may_fail(self, transition: Transition) -> bool:
        return transition.kind is Kind.ERROR or effects_may_fail(self.model, transition, self.domains)

    def _fails(self, transition: Transition) -> Expression:
        guards = [self.model.guards[guard].expression for guard in transition.guards]
        return conjunction([self._may(each) for each in (*guards, failing_where(transition))])

    def _stuck(self) -> Expression:
        """No step is possible of which all conditions are known."""
        parts: list[Expression] = []
        for transition in self.model.transitions:
            guards = [self.model.guards[guard].expression for guard in transition.guards]
            surely_steps = any(outcome.condition is None for outcome in transition.outcomes)
            known = all(self._knows(guard) and is_total(guard) for guard in guards)
            if surely_steps and known and not self._may_fail(transition):
                parts.append(negation(conjunction(guards)))
        return conjunction(list(dict.fromkeys(parts)))
