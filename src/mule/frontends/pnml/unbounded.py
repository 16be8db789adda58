"""Evidence that a net has infinitely many markings: a run from a marking to a larger one, which can go on for ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mule.frontends.pnml.net import Firing, Marking, Net, enabled, fire

DEEPEST = 200
MOST_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Growth:
    place: int
    """Where tokens gather."""
    run: tuple[Firing, ...]
    """What leads from the smaller marking to the larger one."""


def find_growth(net: Net) -> Growth | None:
    """Looks depth first, for a while; None says nothing."""
    path: list[Marking] = [net.initial]
    fired: list[Firing] = []
    choices = [_choices(net, net.initial)]
    seen = {net.initial}
    for _ in range(MOST_STEPS):
        if not path:
            return None
        if not choices[-1] or len(path) > DEEPEST:
            path.pop()
            choices.pop()
            if fired:
                fired.pop()
            continue
        firing = choices[-1].pop()
        marking = fire(firing, path[-1])
        for position, before in enumerate(path):
            place = _larger(before, marking)
            if place is not None:
                return Growth(place, (*fired[position:], firing))
        if marking not in seen:
            seen.add(marking)
            path.append(marking)
            fired.append(firing)
            choices.append(_choices(net, marking))
    return None


def _choices(net: Net, marking: Marking) -> list[Firing]:
    return [firing for firing in reversed(net.firings) if enabled(firing, marking)]


def _larger(before: Sequence[int], after: Sequence[int]) -> int | None:
    """A place that grew, if none shrank."""
    grown = None
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        if new < old:
            return None
        if new > old:
            grown = place
    return grown
