"""State machines in a net: places that hold one token at most, all together, become the control locations of a process.

That they do is proven by a place invariant. The units of a NUPN are only preferred where they are proven so: a wrong
claim would hide markings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mule.frontends.pnml.invariants import Invariant
from mule.frontends.pnml.net import Firing, Net


@dataclass(frozen=True, slots=True)
class Machine:
    name: str
    places: tuple[int, ...]
    """At most one of them is marked, with one token."""
    initial: int | None
    """The position of the one that is marked at first."""

    @property
    def nowhere(self) -> int:
        """The location that stands for: none of the places is marked."""
        return len(self.places)

    def step(self, firing: Firing) -> Step | None:
        """How the machine takes part in a firing; None: the firing can never happen."""
        takes = [(position, firing.takes.get(place, 0)) for position, place in enumerate(self.places)]
        brings = [(position, firing.brings.get(place, 0)) for position, place in enumerate(self.places)]
        source = [position for position, weight in takes for _ in range(min(weight, 2))]
        target = [position for position, weight in brings for _ in range(min(weight, 2))]
        if len(source) > 1 or len(target) > 1:
            return None
        return Step(source[0] if source else self.nowhere, target[0] if target else self.nowhere)


@dataclass(frozen=True, slots=True)
class Step:
    source: int
    target: int


def find_machines(net: Net, invariants: Sequence[Invariant]) -> list[Machine]:
    """Machines of two places or more that share no place: units of the NUPN first, then those that overlap with few
    others, and then what is left of the largest."""
    exclusive = [frozenset(each.exclusive) for each in invariants if each.total > 0]
    chosen: list[tuple[str, frozenset[int]]] = []
    free = frozenset(range(len(net.places)))
    for name, places in net.units.items():
        unit = free.intersection(places)
        if len(unit) > 1 and any(unit <= each for each in exclusive):
            chosen.append((name, unit))
            free -= unit
    for candidate in sorted(dict.fromkeys(exclusive), key=_overlap(exclusive)):
        if candidate <= free and len(candidate) > 1:
            chosen.append(("", candidate))
            free -= candidate
    for candidate in sorted(dict.fromkeys(exclusive), key=lambda each: (-len(each), sorted(each))):
        if len(candidate & free) > 1:
            chosen.append(("", candidate & free))
            free -= candidate
    return _named(net, [(name, sorted(places)) for name, places in chosen])


def _overlap(candidates: Sequence[frozenset[int]]) -> Callable[[frozenset[int]], tuple[float, int, list[int]]]:
    """How many other candidates want a place, on average."""
    wanted = Counter(place for each in candidates for place in each)
    return lambda each: (sum(wanted[place] for place in each) / (len(each) or 1), -len(each), sorted(each))


def _named(net: Net, chosen: list[tuple[str, list[int]]]) -> list[Machine]:
    machines = []
    names = {node.name for node in net.places}
    for number, (unit, places) in enumerate(chosen, 1):
        name = unit or f"machine {number}"
        while name in names:
            name += "'"
        names.add(name)
        marked = [position for position, place in enumerate(places) if net.initial[place]]
        machines.append(Machine(name, tuple(places), marked[0] if marked else None))
    return machines
