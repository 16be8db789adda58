"""Bounds of counters that nothing in the model tests: how often can what increments them run?

A step whose process can never come back to where it started runs once at most. Where only such steps write a slot, and
all of them add a constant, the slot stays within the sum: a count of elected leaders, say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mule.model.expressions import Binary, Constant, Read
from mule.model.model import Assign, Receive, Send, Transition
from mule.model.variables import Variable

Bounds = tuple[int, int]


def counter_bounds(
    steps: Sequence[Transition],
    places: Sequence[dict[int, int]],
    slot_of: dict[Variable, int],
    initial: tuple[int, ...],
) -> dict[int, Bounds]:
    """For each such slot the least and the greatest value; `places` are the locations that each step starts from."""
    steps_up: dict[int, list[tuple[int, int]]] = {}
    others: set[int] = set()
    for number, transition in enumerate(steps):
        for slot, difference in _writes(transition, slot_of):
            if difference is None:
                others.add(slot)
            else:
                steps_up.setdefault(slot, []).append((number, difference))
    candidates = {slot: found for slot, found in steps_up.items() if slot not in others}
    if not candidates:
        return {}
    types = {slot: variable.type for variable, slot in slot_of.items()}
    reach = _Reachability(steps, places, slot_of)
    bounds = {}
    for slot, found in candidates.items():
        if all(reach.runs_once(number) for number, _ in found):
            low = initial[slot] + sum(difference for _, difference in found if difference < 0)
            high = initial[slot] + sum(difference for _, difference in found if difference > 0)
            kind = types[slot]
            if kind.checked or (kind.low <= low and high <= kind.high):
                bounds[slot] = (max(low, kind.low), min(high, kind.high))
    return bounds


def _writes(transition: Transition, slot_of: dict[Variable, int]) -> Iterable[tuple[int, int | None]]:
    """The slots that a transition writes, with the constant it adds; None: it does something else."""
    for outcome in transition.outcomes:
        for statement in outcome.statements:
            targets: list[Read | None] = []
            match statement:
                case Assign(Read(variable, None), Binary(name, Read(same, None), Constant(value))) if (
                    variable is same and name in ("+", "-", "+!", "-!")
                ):
                    yield slot_of[variable], value if name in ("+", "+!") else -value
                    continue
                case Assign(target, _):
                    targets = [target]
                case Send(channel, _) | Receive(channel, _):
                    for variable in (channel.length, *channel.fields):
                        for slot in range(slot_of[variable], slot_of[variable] + variable.size):
                            yield slot, None
                    if isinstance(statement, Receive):
                        targets = list(statement.targets)
            for place in targets:
                if place is not None:
                    base = slot_of[place.variable]
                    for slot in range(base, base + place.variable.size):
                        yield slot, None


class _Reachability:
    """Which control locations a process can reach from which, whatever the guards say."""

    def __init__(
        self, steps: Sequence[Transition], places: Sequence[dict[int, int]], slot_of: dict[Variable, int]
    ) -> None:
        self._places = places
        self._moves: list[dict[int, set[int]]] = []
        self._edges: dict[int, dict[int, set[int]]] = {}
        self._free: set[int] = set()
        """Locations that are also set from unknown places, or to unknown ones."""
        self._closure: dict[tuple[int, int], set[int]] = {}
        locations = {location for sources in places for location in sources}
        for transition, sources in zip(steps, places, strict=True):
            moves: dict[int, set[int]] = {}
            for outcome in transition.outcomes:
                final: dict[int, int] = {}
                for statement in outcome.statements:
                    if isinstance(statement, Assign) and slot_of[statement.target.variable] in locations:
                        location = slot_of[statement.target.variable]
                        if isinstance(statement.value, Constant) and location in sources:
                            final[location] = statement.value.value
                        else:
                            self._free.add(location)
                for location, source in sources.items():
                    moves.setdefault(location, set()).add(final.get(location, source))
            self._moves.append(moves)
            for location, targets in moves.items():
                self._edges.setdefault(location, {}).setdefault(sources[location], set()).update(targets)

    def runs_once(self, number: int) -> bool:
        """Whether some process that takes part cannot come back to where the step starts."""
        return any(
            location not in self._free
            and bool(self._moves[number].get(location))
            and all(source not in self._from(location, target) for target in self._moves[number][location])
            for location, source in self._places[number].items()
        )

    def _from(self, location: int, start: int) -> set[int]:
        key = (location, start)
        if key not in self._closure:
            seen, waiting = {start}, [start]
            while waiting:
                for target in self._edges.get(location, {}).get(waiting.pop(), ()):
                    if target not in seen:
                        seen.add(target)
                        waiting.append(target)
            self._closure[key] = seen
        return self._closure[key]
