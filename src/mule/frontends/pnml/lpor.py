"""LPOR's relations for place/transition nets: `mule check net.pnml --lpor …/pnml/lpor.py:NetRelations`.

Firings never fail to commute where both orders are possible, so all that counts is who takes whose tokens.
"""

from __future__ import annotations

from collections.abc import Collection

from mule.frontends.pnml.net import Firing
from mule.frontends.pnml.translation import NetFacts
from mule.lpor import LporRelations
from mule.model import Kind, Model, Transition


class NetRelations(LporRelations[Transition]):
    """Exact for two transitions of a net of which nothing is known but their arcs."""

    def __init__(self, model: Model) -> None:
        facts = model.facts
        if not isinstance(facts, NetFacts):
            raise TypeError("these relations are for nets")
        self._facts = facts
        steps = [each for each in model.transitions if each.kind is Kind.STEP]
        self._firings = {id(each): firing for each, firing in zip(steps, facts.net.firings, strict=True)}
        self._steps = steps

    def dep(self, t1: Transition, t: Transition) -> bool:
        """One may leave too little of what both take. Where it is the second that does, the first can come before it
        and not after."""
        first, second = self._firing(t1), self._firing(t)
        if any(_competes(first, second, p) for p in first.takes.keys() & second.takes.keys()):
            return True
        return any(first.gain(p) > 0 and second.gain(p) > 0 for p in self._facts.guessed)

    def can_enable(self, t1: Transition, t: Transition) -> bool:
        """The first brings what the second takes, and does not need as much of it to begin with."""
        first, second = self._firing(t1), self._firing(t)
        if any(_can_supply(first, place, weight) for place, weight in second.takes.items()):
            return True
        return any(first.gain(p) < 0 and second.gain(p) > 0 for p in self._facts.guessed)

    def net(self, state: dict[str, int] | None, t: Transition) -> Collection[Transition]:
        """The only transition that brings something that is missing."""
        return [members[0] for members in self.enabling_sets(state, t) if len(members) == 1]

    def enabling_sets(self, state: dict[str, int] | None, t: Transition) -> list[list[Transition]]:
        """For each place that holds too little those that bring something there."""
        wanted = self._firing(t).takes
        missing = [place for place, weight in wanted.items() if self._tokens(state, place) < weight]
        return [
            [other for other in self._steps if _can_supply(self._firing(other), place, wanted[place])]
            for place in missing
        ]

    def _firing(self, transition: Transition) -> Firing:
        return self._firings[id(transition)]

    def _tokens(self, state: dict[str, int] | None, place: int) -> int:
        return self._facts.net.initial[place] if state is None else self._facts.counters[place].tokens(state)


def _competes(first: Firing, second: Firing, place: int) -> bool:
    least = min(first.takes[place], second.takes[place])
    return first.brings.get(place, 0) < least or second.brings.get(place, 0) < least


def _can_supply(firing: Firing, place: int, weight: int) -> bool:
    """Whether it can lift a place from less than a number of tokens to as many."""
    return firing.takes.get(place, 0) < min(weight, firing.brings.get(place, 0))
