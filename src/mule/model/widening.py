"""Widening: a domain that keeps growing leaps to the next constant of the model, so that a value analysis ends."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable

from mule.model.expressions import Binary, Constant, Expression, Read, subexpressions
from mule.model.model import Model
from mule.model.value_sets import Domain, highest, hull, lowest
from mule.model.variables import Role

_PATIENCE = 20
"""How often a domain may grow before it is widened."""
_COUNTING = 5
"""Growing by the next number counts for more: that is a counter, which ends at some constant or not at all."""
_ENDURANCE = _PATIENCE + 8 * _COUNTING
"""How often it may be widened to the next constant; then more and more of them are leapt over."""


class Widening:
    def __init__(self, model: Model, guards: Iterable[int]) -> None:
        self._variables = model.slot_variables
        self._growth: dict[tuple[int, int], int] = {}
        self._thresholds = _constants(model, guards)

    def wider(self, slot: int, place: int, old: Domain, new: Domain) -> Domain | None:
        """What becomes of the domain of a slot, at one place, that has grown too often; None: it has not."""
        counting = len(new) == len(old) + 1 and (highest(new) == highest(old) + 1 or lowest(new) == lowest(old) - 1)
        count = self._growth.get((slot, place), 0) + (_COUNTING if counting else 1)
        self._growth[slot, place] = count
        if count <= _PATIENCE:
            return None
        low, high, thresholds = lowest(new), highest(new), self._thresholds
        leap = (1 << max(0, count - _ENDURANCE)) - 1 if count < _ENDURANCE + len(thresholds) else len(thresholds)
        if low < lowest(old):
            low = thresholds[max(bisect_right(thresholds, low) - 1 - leap, 0)]
        if high > highest(old):
            high = thresholds[min(bisect_left(thresholds, high) + leap, len(thresholds) - 1)]
        kind = self._variables[slot][0].type
        return hull(max(low, kind.low), min(high, kind.high))


def _constants(model: Model, guards: Iterable[int]) -> list[int]:
    """Where widening stops: what guards compare with, control locations apart, and the ends of types and arrays."""
    compared: Counter[int] = Counter()
    for guard in guards:
        for part in subexpressions(model.guards[guard].expression):
            if isinstance(part, Constant):
                compared[part.value] += 1
            elif isinstance(part, Binary) and _is_location(part.left) and isinstance(part.right, Constant):
                compared[part.right.value] -= 1
    found = {value + step for value, times in compared.items() if times > 0 for step in (-1, 0, 1)}
    for variable in model.variables:
        if variable.role is not Role.LOCATION:
            found.update((variable.type.low, variable.type.high, variable.size - 1, variable.size))
    return sorted(found)


def _is_location(expression: Expression) -> bool:
    return isinstance(expression, Read) and expression.variable.role is Role.LOCATION
