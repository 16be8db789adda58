"""How many tokens a place can hold, by weights that no firing increases the sum of (place invariants).

Farkas' algorithm: from one weight vector for each place, firing after firing, those that it increases are combined with
those that it decreases until it does neither. With `falling` weights, sums that fall are kept too. There may be
exponentially many vectors: beyond a limit the largest are dropped, which loses bounds and makes none wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from mule.frontends.pnml.net import Net

MOST_VECTORS = 1_000
WORK = 25_000_000
"""How many numbers may be looked at: a second or two."""
LARGEST_BOUND = 2**28
"""Tokens are counted with 32 bits, and bounds need some room above them."""
_COMBINING = 4
"""Combining two numbers costs as much as looking at so many."""


@dataclass(slots=True)
class Invariant:
    """The weighted sum of tokens never exceeds `total`."""

    weights: dict[int, int]
    """By place; all positive."""
    total: int

    def bound(self, place: int) -> int:
        return self.total // self.weights[place]

    @property
    def exclusive(self) -> list[int]:
        """Places that hold one token at most, all together."""
        return [place for place, weight in self.weights.items() if 2 * weight > self.total]


@dataclass(slots=True)
class _Vector:
    weights: dict[int, int]
    changes: dict[int, int]
    """What each firing that is still to be looked at adds to the sum."""


def find_invariants(net: Net) -> list[Invariant]:
    """Enough of them to bound every place that the structure of the net bounds, as far as the limits allow."""
    found = _eliminate(net, falling=False)
    covered = {place for each in found for place in each.weights}
    if len(covered) < len(net.places):
        found += _eliminate(net, falling=True)
    return found


def bounds(invariants: Sequence[Invariant]) -> dict[int, int]:
    """The least bound of each place that has one of use."""
    result: dict[int, int] = {}
    for invariant in invariants:
        for place in invariant.weights:
            bound = invariant.bound(place)
            if bound <= LARGEST_BOUND:
                result[place] = min(bound, result.get(place, bound))
    return result


def _eliminate(net: Net, falling: bool) -> list[Invariant]:
    vectors = [_Vector({place: 1}, {}) for place in range(len(net.places))]
    for number, firing in enumerate(net.firings):
        for place in firing.touched:
            vectors[place].changes[number] = firing.gain(place)
    work = WORK
    waiting = set(range(len(net.firings)))
    while waiting and work > 0:
        costs = _costs(vectors, waiting)
        work -= len(waiting) + len(vectors) + sum(len(each.changes) for each in vectors)
        number = min(waiting, key=costs.__getitem__)
        waiting.remove(number)
        rising = [each for each in vectors if each.changes.get(number, 0) > 0]
        sinking = [each for each in vectors if each.changes.get(number, 0) < 0]
        kept = [each for each in vectors if each.changes.get(number, 0) == 0]
        combined: dict[tuple[tuple[int, int], ...], _Vector] = {}
        for up in rising:
            for down in sinking:
                vector = _combine(up, down, number)
                combined[tuple(sorted(vector.weights.items()))] = vector
                work -= _COMBINING * (len(vector.weights) + len(vector.changes))
            if work <= 0:
                break
        if falling:
            for each in sinking:
                del each.changes[number]
            kept += sinking
        vectors = _smallest([*kept, *combined.values()])
    done = [each for each in vectors if not any(change > 0 for change in each.changes.values())]
    totals = [sum(net.initial[place] * weight for place, weight in each.weights.items()) for each in done]
    return [Invariant(each.weights, total) for each, total in zip(done, totals, strict=True)]


def _costs(vectors: Sequence[_Vector], waiting: set[int]) -> dict[int, int]:
    """How many vectors more there are when a firing has been looked at."""
    up, down = dict.fromkeys(waiting, 0), dict.fromkeys(waiting, 0)
    for vector in vectors:
        for number, change in vector.changes.items():
            (up if change > 0 else down)[number] += 1
    return {number: up[number] * down[number] - up[number] - down[number] for number in waiting}


def _combine(up: _Vector, down: _Vector, number: int) -> _Vector:
    common = gcd(up.changes[number], down.changes[number])
    first, second = -down.changes[number] // common, up.changes[number] // common
    weights = _sum(up.weights, first, down.weights, second)
    changes = _sum(up.changes, first, down.changes, second)
    divisor = gcd(*weights.values())
    if divisor > 1:
        weights = {key: value // divisor for key, value in weights.items()}
        changes = {key: value // divisor for key, value in changes.items()}
    return _Vector(weights, changes)


def _sum(left: dict[int, int], first: int, right: dict[int, int], second: int) -> dict[int, int]:
    result = {key: first * value for key, value in left.items()}
    for key, value in right.items():
        result[key] = result.get(key, 0) + second * value
    return {key: value for key, value in result.items() if value}


def _smallest(vectors: list[_Vector]) -> list[_Vector]:
    if len(vectors) <= MOST_VECTORS:
        return vectors
    return sorted(vectors, key=lambda each: (len(each.weights), sum(each.weights.values())))[:MOST_VECTORS]
