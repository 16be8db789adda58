"""Stutter bisimulation with divergence by brute force: two graphs that it relates satisfy the same CTL* without next
(Browne, Clarke and Grumberg, 1988). Refined by signatures (Blom and Orzan, 2003) until nothing changes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from mule import _engine
from tests.temporal.reference import System

TRANSIENT = 1 << 31


@dataclass
class Runs:
    """The states that runs come to, without transient ones: for each its letter and those that come next."""

    letters: dict[int, int]
    after: dict[int, set[int]]
    initial: set[int]


def runs_of(letters: list[int | None], steps: list[list[int]]) -> Runs:
    """Passes over transient states (letter None), and leaves out the states from which no run goes on."""

    def following(state: int) -> set[int]:
        found, seen, waiting = set[int](), set[int](), list(steps[state])
        while waiting:
            target = waiting.pop()
            if target not in seen:
                seen.add(target)
                if letters[target] is None:
                    waiting += steps[target]
                else:
                    found.add(target)
        return found

    after = {state: following(state) for state, letter in enumerate(letters) if letter is not None}
    while True:
        dead = {state for state, targets in after.items() if not targets}
        if not dead:
            break
        after = {state: targets - dead for state, targets in after.items() if state not in dead}
    initial = {0} if letters[0] is not None else following(0)
    return Runs({state: letters[state] or 0 for state in after}, after, initial & set(after))


def runs_of_system(system: System) -> Runs:
    return runs_of(list(system.letters), [[target for _, target in out] for out in system.steps])


def runs_of_graph(graph: _engine.Graph) -> Runs:
    letters, targets, offsets = array("I", graph.letters), array("I", graph.targets), array("Q", graph.offsets)
    steps = [list(targets[offsets[state] : offsets[state + 1]]) for state in range(graph.states)]
    return runs_of([None if letter & TRANSIENT else letter for letter in letters], steps)


def bisimilar(one: Runs, other: Runs) -> bool:
    """Whether each initial state of one is related to some initial state of the other."""
    letters = {(side, s): runs.letters[s] for side, runs in enumerate((one, other)) for s in runs.letters}
    after = {
        (side, s): {(side, t) for t in runs.after[s]} for side, runs in enumerate((one, other)) for s in runs.after
    }
    block: dict[tuple[int, int], int] = dict(letters)
    while True:
        signatures = {state: (block[state], _signature(state, after, block)) for state in letters}
        numbers = {signature: number for number, signature in enumerate(dict.fromkeys(signatures.values()))}
        refined = {state: numbers[signature] for state, signature in signatures.items()}
        if len(numbers) == len(set(block.values())):
            break
        block = refined
    first, second = ({block[side, s] for s in runs.initial} for side, runs in enumerate((one, other)))
    return first == second


State = tuple[int, int]


def _signature(state: State, after: dict[State, set[State]], block: dict[State, int]) -> frozenset[int]:
    """The blocks that can be entered from the own one; -1 where a run can stay in it for ever."""
    inside = {state}
    waiting = [state]
    entered = set()
    while waiting:
        for target in after[waiting.pop()]:
            if block[target] != block[state]:
                entered.add(block[target])
            elif target not in inside:
                inside.add(target)
                waiting.append(target)
    if _has_cycle(inside, after):
        entered.add(-1)
    return frozenset(entered)


def _has_cycle(inside: Iterable[State], after: dict[State, set[State]]) -> bool:
    left = set(inside)
    while True:
        staying = {state for state in left if after[state] & left}
        if staying == left:
            return bool(left)
        left = staying
