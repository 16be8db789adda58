"""Long runs of large states: what each step changes, and a whole state now and then.

300,000 steps of a model with 30,000 variables are 70 GB as tuples. Who goes through such a run from beginning to end
has two of its states in memory at a time, besides those that are kept as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from mule.model.interpreter import State, Step

LARGE = 4_000_000
"""Slots of all states of a run together, from which on it is kept so."""
WHOLE = 256
"""Every so many states one is kept as it is."""
PIECE = 256
"""Slots that are compared at once."""


class States(Sequence[State]):
    def __init__(self, first: State) -> None:
        self._whole = [first]
        self._changes: list[tuple[tuple[int, int], ...]] = [()]
        self._near: dict[int, State] = {0: first}
        """The last two that were asked for, or added."""

    def append(self, state: State) -> None:
        number = len(self)
        self._changes.append(_changes(self[number - 1], state))
        if number % WHOLE == 0:
            self._whole.append(state)
        self._keep(number, state)

    def __len__(self) -> int:
        return len(self._changes)

    @overload
    def __getitem__(self, index: int) -> State: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[State, ...]: ...
    def __getitem__(self, index: int | slice) -> State | tuple[State, ...]:
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(len(self))))
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(index)
        if number not in self._near:
            self._keep(number, self._made(number))
        return self._near[number]

    def _made(self, number: int) -> State:
        begin = number // WHOLE * WHOLE
        before = max((each for each in self._near if begin <= each < number), default=None)
        state = list(self._whole[number // WHOLE] if before is None else self._near[before])
        for each in range((begin if before is None else before) + 1, number + 1):
            for slot, value in self._changes[each]:
                state[slot] = value
        return tuple(state)

    def _keep(self, number: int, state: State) -> None:
        self._near[number] = state
        if len(self._near) > 2:
            del self._near[next(iter(self._near))]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(_same, self, other))

    def __hash__(self) -> int:
        return hash((len(self), self[-1]))


def _same(left: object, right: object) -> bool:
    return left == right


def _changes(before: State, after: State) -> tuple[tuple[int, int], ...]:
    return tuple(
        (start + place, value)
        for start in range(0, len(after), PIECE)
        if before[start : start + PIECE] != after[start : start + PIECE]
        for place, value in enumerate(after[start : start + PIECE])
        if before[start + place] != value
    )


class Steps(Sequence[Step]):
    """Of a run whose states are kept so: each is made when it is asked for."""

    def __init__(self, states: States) -> None:
        self._states = states
        self._taken: list[tuple[int, int, str | None]] = []

    def append(self, step: Step) -> None:
        self._taken.append((step.transition, step.outcome, step.failure))

    def __len__(self) -> int:
        return len(self._taken)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(len(self))))
        number = index + len(self) if index < 0 else index
        transition, outcome, failure = self._taken[number]
        return Step(transition, outcome, self._states[number + (failure is None)], failure)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(_same, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self._taken))
