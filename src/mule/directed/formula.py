"""The formula-based estimate (Edelkamp, Leue and Lluch-Lafuente, SPIN 2001) for any predicate, from its structure: the
parts of a conjunction together, the nearest part of a disjunction; for a comparison of one variable with a constant the
distance in that variable's own graph, which is a process's control graph for a location and the channel's length for a
channel; and one step for anything else that does not hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from mule.directed.parts import NEVER, REACHED, Part, Writers, either, together, unless
from mule.directed.slots import Slot
from mule.model import Model
from mule.model.domains import Domains
from mule.model.expressions import (
    COMPARISONS,
    MIRRORED,
    NEGATED,
    Binary,
    Constant,
    Expression,
    Read,
    Unary,
    Undefined,
    conjunction,
    conjuncts,
    disjuncts,
    negation,
)
from mule.model.failures import may_fail
from mule.model.variables import Variable

_HOLDS: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}

_SIGNS = {"+": 1, "+!": 1, "-": -1, "-!": -1}
_FAR_FROM_WRAPPING = 1 << 30

Join = Callable[[Sequence[Part]], Part]
"""How the parts of a conjunction are put together: `together`, or `added`."""


class Formulas:
    """Estimates for predicates over the variables of one model."""

    def __init__(self, model: Model, domains: Domains, bounds: Sequence[tuple[int, int]], join: Join) -> None:
        self.model = model
        self.domains = domains
        self.bounds = bounds
        self.join = join
        self.writers = Writers(model)

    def reaching(self, goal: Expression) -> Part:
        """To a state in which the goal, which is undefined nowhere, holds; 0 is said where it may be undefined."""
        if may_fail(goal, self.domains):
            return REACHED
        return self._reaching(goal)

    def all_of(self, goals: Sequence[Expression]) -> Part:
        """The same for several goals at once."""
        return self.reaching(conjunction(list(goals)))

    def one_of_the_values(self, variable: Variable, values: Collection[int]) -> Part:
        """To a state in which a scalar has one of the values."""
        slot = Slot(self.model, self.bounds, Read(variable), self.writers)
        return slot.distance_to(lambda each: each in values) if slot.is_small else REACHED

    def violating(self, proposition: Expression) -> Part:
        """To a state in which a proposition does not hold, be it that it is undefined."""
        return self.reaching(negation(proposition))

    def _reaching(self, goal: Expression) -> Part:
        match goal:
            case Constant(value):
                return REACHED if value else Part(Constant(NEVER), frozenset())
            case Binary("and"):
                return self.join([self._reaching(each) for each in conjuncts(goal)])
            case Binary("or"):
                return either([self._reaching(each) for each in disjuncts(goal)])
            case Unary("not", operand):
                return self._avoiding(operand)
            case Binary(operator, Read(_, None | Constant()) as read, Constant(value)) if operator in COMPARISONS:
                return self._comparing(goal, operator, read, value)
            case Binary(operator, Constant(value), Read(_, None | Constant()) as read) if operator in COMPARISONS:
                return self._comparing(goal, MIRRORED[operator], read, value)
            case Read(_, None | Constant()) as read:
                return self._comparing(goal, "!=", read, 0)
            case Binary(
                operator, Binary(sign, Read(_, None | Constant()) as read, Constant(more)), Constant(value)
            ) if operator in COMPARISONS and sign in _SIGNS and max(abs(more), abs(value)) < _FAR_FROM_WRAPPING:
                return self._comparing(goal, operator, read, value - _SIGNS[sign] * more)
        return self._unless(goal)

    def _avoiding(self, predicate: Expression) -> Part:
        match predicate:
            case Constant(value):
                return self._reaching(Constant(int(value == 0)))
            case Binary("and"):
                return either([self._avoiding(each) for each in conjuncts(predicate)])
            case Binary("or"):
                return self.join([self._avoiding(each) for each in disjuncts(predicate)])
            case Unary("not", operand):
                return self._reaching(operand)
            case Binary(operator, left, right) if operator in NEGATED:
                return self._reaching(Binary(NEGATED[operator], left, right))
            case Undefined():
                return REACHED
            case Read(_, None | Constant()) as read:
                return self._comparing(negation(predicate), "==", read, 0)
        return self._unless(negation(predicate))

    def _unless(self, goal: Expression) -> Part:
        """A part of a formula may be undefined where the other parts keep it from being asked: it then says nothing."""
        return REACHED if may_fail(goal, self.domains) else unless(goal, self.writers)

    def _comparing(self, goal: Expression, operator: str, read: Read, value: int) -> Part:
        if may_fail(goal, self.domains):
            return REACHED
        slot = Slot(self.model, self.bounds, read, self.writers)
        if not slot.is_small:
            return unless(goal, self.writers)
        return slot.distance_to(lambda each: _HOLDS[operator](each, value))


def reaching(
    model: Model, domains: Domains, bounds: Sequence[tuple[int, int]], goal: Expression, join: Join = together
) -> Part:
    return Formulas(model, domains, bounds, join).reaching(goal)
