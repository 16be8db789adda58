"""Transitions that are never enabled go, guards that are always true where they are asked go, constants are folded.

All of it says the same of reachable states as before, so states and steps stay as they are. Tests of the own control
location stay even where they are always true: they are what ties a transition to its process.
"""

from __future__ import annotations

from mule.model.domains import Domains, Place, pinned
from mule.model.expressions import Constant, Expression, conjuncts
from mule.model.failures import may_fail
from mule.model.model import Guard, Kind, Model, Outcome
from mule.model.printer import Locations, format_expression, locations_of
from mule.model.simplify import is_total
from mule.model.substitution import Substitution
from mule.model.value_sets import Overlay
from mule.model.variables import Role
from mule.records import replace
from mule.transform.assembly import Rule, assembled, rules


def prune(model: Model, domains: Domains) -> Model:
    pruner = _Pruner(model, domains)
    before = rules(model)
    after = [kept for kept in map(pruner.rule, before) if kept is not None]
    unchanged = len(after) == len(before) and all(new is old for new, old in zip(after, before, strict=True))
    return model if unchanged else assembled(model, after)


class _Pruner:
    def __init__(self, model: Model, domains: Domains) -> None:
        self.domains = domains
        self._locations: Locations = locations_of(model.processes)
        self._overlays: dict[tuple[Place, ...], Overlay] = {}
        constant = {
            slot: value
            for slot, (variable, _) in enumerate(model.slot_variables)
            if variable.role is Role.DATA and len(domains.values[slot]) == len(domains.assigned[slot]) == 1
            for value in domains.values[slot]
        }
        self._substitution = Substitution(model.slot_of, constant) if constant else None

    def rule(self, rule: Rule) -> Rule | None:
        """The same object where nothing changes; None where it can never run."""
        if self.domains.given(rule.tests) is None:
            return None
        if rule.transition.kind is Kind.ERROR:
            return rule
        guards = self._guards(rule)
        outcomes = self._outcomes(rule.transition.outcomes)
        if guards == rule.guards and outcomes == rule.transition.outcomes:
            return rule
        return Rule(replace(rule.transition, outcomes=outcomes), guards)

    def _outcomes(self, outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
        if self._substitution is None:
            return outcomes
        return tuple(self._substitution.outcome(outcome) for outcome in outcomes)

    def _guards(self, rule: Rule) -> tuple[Guard, ...]:
        pins = [test for test in rule.tests if pinned(self.domains.evaluation, [test])]
        overlay = self._at(tuple(pinned(self.domains.evaluation, pins)))
        kept: list[Guard] = []
        for guard in rule.guards:
            if guard.expression in pins:
                kept.append(guard)
            elif not self._always_true(guard.expression, overlay, pins):
                kept += self._folded(guard)
        return tuple(kept)

    def _at(self, places: tuple[Place, ...]) -> Overlay:
        """What slots can hold at these control locations."""
        known = self._overlays.get(places)
        if known is None:
            known = self._overlays[places] = {}
            for place in places:
                known.update(self.domains.local.get(place, {}))
        return known

    def _always_true(self, test: Expression, overlay: Overlay, pins: list[Expression]) -> bool:
        image = self.domains.evaluation.image(test, self.domains.values, overlay)
        return 0 not in image and bool(image) and (is_total(test) or not may_fail(test, self.domains, pins))

    def _folded(self, guard: Guard) -> list[Guard]:
        if self._substitution is None:
            return [guard]
        folded = self._substitution.expression(guard.expression)
        if folded is guard.expression:
            return [guard]
        parts = [part for part in conjuncts(folded) if not (isinstance(part, Constant) and part.value)]
        return [Guard(part, format_expression(part, self._locations)) for part in parts]
