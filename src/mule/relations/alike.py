"""Transitions that do the same to what processes share: a question about two of them need not be asked again of others
like them, wherever in their own processes these are."""

from __future__ import annotations

from mule.relations.accesses import members
from mule.relations.updates import Updates


class Alike:
    """Numbers the transitions by what they do to the slots that transitions of different processes touch."""

    def __init__(self, updates: Updates, touched: list[int]) -> None:
        self.updates = updates
        model, accesses = updates.decider.model, updates.decider.accesses
        self._processes = [sum({1 << move.process for move in each.moves}) for each in model.transitions]
        owners: dict[int, int] = {}
        for processes, slots in zip(self._processes, touched, strict=True):
            for slot in members(slots):
                owners[slot] = owners.get(slot, processes) & processes
        shared = sum(1 << slot for slot, owner in owners.items() if not owner)
        numbers: dict[object, int] = {}
        self._numbers: list[int] = []
        for transition, slots in enumerate(touched):
            here = [(slot, updates.of(transition, slot)) for slot in members(slots & shared)]
            what = tuple([(slot, None if update is None else update.number) for slot, update in here])
            form = (what, accesses.writes[transition] & shared)
            self._numbers.append(numbers.setdefault(form, len(numbers)))

    def pair(self, t: int, u: int) -> tuple[int, int] | None:
        """What two transitions share, by number; None where a process takes part in both, so that
        they may share what is its own."""
        return None if self._processes[t] & self._processes[u] else (self._numbers[t], self._numbers[u])
