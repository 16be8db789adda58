"""Which values each slot can ever have, as `value_analysis` finds them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mule.model.abstraction import Evaluation
from mule.model.expressions import Expression, location_test
from mule.model.model import Model
from mule.model.value_sets import Domain, Overlay

Place = tuple[int, int]
"""A control location: the slot of a location variable and its value."""


@dataclass
class Domains:
    """The result. It speaks of slots and locations only, so it stays true of a model whose transitions were split."""

    values: list[Domain]
    """For each slot everything that it can hold in a reachable state."""
    assigned: list[Domain]
    """The same, and what it can hold for a moment between two statements of one step."""
    local: dict[Place, Overlay]
    """For each control location what the variables that its process alone writes can hold there."""
    control: dict[int, int]
    """For each slot of `local` the slot of the location variable it goes by."""
    evaluation: Evaluation
    answers: dict[Any, Any] = dataclasses.field(default_factory=dict, repr=False)
    """What was derived from these domains, for a model and for the model after its transitions were split."""

    def before(self, model: Model, guards: Iterable[int]) -> Overlay | None:
        """What slots can hold where all these guards are true, as far as it is less than `values`; None: never."""
        return environment(self.evaluation, self.values, self.local, [model.guards[g].expression for g in guards])

    def given(self, predicates: Iterable[Expression]) -> Overlay | None:
        """The same for predicates that are no guards of the model."""
        return environment(self.evaluation, self.values, self.local, list(predicates))


def environment(
    evaluation: Evaluation, values: Sequence[Domain], local: dict[Place, Overlay], predicates: list[Expression]
) -> Overlay | None:
    places: list[Place] = []
    others: list[Expression] = []
    for predicate in predicates:
        test = location_test(predicate)
        if test is None:
            others.append(predicate)
        else:
            places.append((evaluation.slot_of[test[0]], test[1]))
    return at(evaluation, values, local, others, places)


def at(
    evaluation: Evaluation,
    values: Sequence[Domain],
    local: dict[Place, Overlay],
    predicates: list[Expression],
    places: Iterable[Place],
) -> Overlay | None:
    """The same where it is known which control locations are asked for, `predicates` apart."""
    overlay: Overlay = {}
    for place in places:
        location, value = place
        if value not in (overlay.get(location) or values[location]):
            return None
        at_place = local.get(place)
        if at_place is not None:
            overlay.update(at_place)
        overlay[location] = frozenset((value,))
    for predicate in predicates:
        if not evaluation.refine(predicate, values, overlay):
            return None
    return overlay


def pinned(evaluation: Evaluation, predicates: Iterable[Expression]) -> list[Place]:
    """The control locations that some of the predicates ask for."""
    tests = filter(None, map(location_test, predicates))
    return [(evaluation.slot_of[variable], value) for variable, value in tests]
