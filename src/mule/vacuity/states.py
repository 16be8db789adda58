"""Invariants that hold vacuously."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from mule.ltl.formula import FALSE, TRUE, Formula, always, and_, atom, not_, or_
from mule.model import Model
from mule.model.expressions import (
    Binary,
    Constant,
    Expression,
    Read,
    Unary,
    conjuncts,
    disjuncts,
)
from mule.model.printer import Locations, format_expression, locations_of
from mule.model.variables import BOOL, Variable
from mule.options import Options
from mule.planning.trial import parts_in
from mule.properties import Properties
from mule.records import replace
from mule.results import Judgement, Result, Verdict, ViolationKind
from mule.safety import check_invariants, worth_looking_at
from mule.state_formulas import state_expression
from mule.vacuity.glance import Glance
from mule.vacuity.parts import ALWAYS_TRUE, LINEAR, Stronger, why_vacuous

FEW_STATES = 200_000
"""So many states are looked at for a part that is no condition: this is soon done."""
MORE = 1_000_000
"""The search for vacuous parts costs so much more than the check itself, at most: in states, about a second. A limit in
seconds would make the answer hang on what else the machine does."""
FOR_A_SEARCH, FOR_A_PART = 20_000, 20
"""What it costs to prepare a search, in states: for any model, and for each part of an expression in it."""


class Known(NamedTuple):
    """What a search was good for."""

    holds: bool
    states: int


class Effort:
    """What it took to judge a property, in states, and so what may be spent on how it holds."""

    def __init__(self, model: Model, states: int) -> None:
        self.states = states
        self._preparation = FOR_A_SEARCH + FOR_A_PART * parts_in(model)
        self._left = MORE + self._preparation + states

    def most_states(self, stronger: Stronger, options: Options) -> int:
        enough = worth_looking_at(self.states, options)
        return enough if stronger.by_antecedent else min(enough, FEW_STATES)

    def spent_on(self, search: Callable[[], Known]) -> bool:
        """Whether it is known to hold, if there is anything left to find out with."""
        if self._left < self._preparation:
            return False
        known = search()
        self._left -= self._preparation + known.states
        return known.holds


def mark_invariants(model: Model, wanted: Properties, result: Result, options: Options) -> Result:
    """The result with what is to be said about invariants that hold. The model must have room for all of its runs."""
    stated = dict(_stated(model, wanted))
    glance = cache(lambda: Glance(model))
    judgements = tuple(_marked(model, each, stated, result, options, glance) for each in result.judgements)
    return replace(result, judgements=judgements)


def _stated(model: Model, wanted: Properties) -> Iterator[tuple[tuple[ViolationKind, str], Expression]]:
    if wanted.assertions:
        for each in model.assertions:
            yield (ViolationKind(each.word), f"{each.word} {each.name}"), each.expression
    for text in wanted.invariants:
        assert model.parse_expression is not None
        yield (ViolationKind.INVARIANT, f"{ViolationKind.INVARIANT.value} {text}"), model.parse_expression(text)


def _marked(
    model: Model,
    judgement: Judgement,
    stated: dict[tuple[ViolationKind, str], Expression],
    result: Result,
    options: Options,
    glance: Callable[[], Glance],
) -> Judgement:
    expression = stated.get((judgement.kind, judgement.property))
    if expression is None or judgement.verdict is not Verdict.HOLDS:
        return judgement
    return replace(
        judgement,
        vacuous=vacuous_in_states(model, expression, options, Effort(model, result.statistics.states), glance),
    )


def vacuous_in_states(
    model: Model, expression: Expression, options: Options, effort: Effort, glance: Callable[[], Glance]
) -> str | None:
    """About what holds in every state."""
    reading = _Reading(locations_of(model.processes))
    formula = reading.formula(expression)
    if formula is TRUE:
        return ALWAYS_TRUE
    if reading.ambiguous:
        return None

    def decided(stronger: Stronger) -> bool:
        part = state_expression(stronger.formula.args[0], reading.atoms)
        seen = glance().says(part)
        if seen is not None:
            return seen
        limits = options.but(max_states=effort.most_states(stronger, options))
        return effort.spent_on(lambda: holds_always(model, part, limits))

    return why_vacuous(LINEAR, always(formula), decided)


def holds_always(model: Model, expression: Expression, options: Options) -> Known:
    """Whether it is known soon that the expression is true in every state; only the limits of the options count."""
    limits = Options(memory=options.memory, time=options.time, max_states=options.max_states)
    result = check_invariants(model, {"p": expression}, limits)
    return Known("invariant p" in result.holding, result.statistics.states)


class _Reading:
    """An expression as a formula without temporal operators, whose atoms are called as they are written."""

    def __init__(self, locations: Locations) -> None:
        self.locations = locations
        self.atoms: dict[str, Expression] = {}
        self.ambiguous = False
        """Whether two atoms are called the same, because what is long is written in short."""

    def formula(self, expression: Expression) -> Formula:
        match expression:
            case Constant(value):
                return TRUE if value else FALSE
            case Unary("not", operand):
                return not_(self.formula(operand))
            case Binary("and", _, _):
                return and_(*map(self.formula, conjuncts(expression)))
            case Binary("or", _, _):
                return or_(*map(self.formula, disjuncts(expression)))
            case Binary("==", Read(variable, _) as operand, Constant(0)) if _is_bool(variable):
                return not_(self.atom(operand))
            case Binary("!=", Read(variable, _) as operand, Constant(0)) if _is_bool(variable):
                return self.atom(operand)
            case Binary("!=", left, right):
                return not_(self.atom(Binary("==", left, right)))
        return self.atom(expression)

    def atom(self, expression: Expression) -> Formula:
        text = self.text(expression)
        self.ambiguous |= self.atoms.setdefault(text, expression) != expression
        return atom(text)

    def text(self, expression: Expression) -> str:
        match expression:
            case Binary("==", Read(variable, None), Constant(value)) if value in dict(variable.type.names):
                return f"{variable.name} == {dict(variable.type.names)[value]}"
        return format_expression(expression, self.locations)


def _is_bool(variable: Variable) -> bool:
    return variable.type.name == BOOL.name
