"""Fragmented depth-first search by several nodes, slow and obvious: what the engine's is compared with.

A state has transitions, and perhaps a reduced set of them. It is explored with a history, the nodes that lie before it
since the last full expansion; reached with nodes that are new, it is explored again, with the same set or fully."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

State = TypeVar("State", bound=Hashable)
History = frozenset[int]
NOBODY: History = frozenset()


@dataclass
class Explored(Generic[State]):
    """What was followed."""

    edges: dict[State, set[State]] = field(default_factory=dict)
    full: set[State] = field(default_factory=set)
    transitions: int = 0


def crossing(proviso: str) -> Callable[[History, int, int], bool]:
    """Whether a reduced set may lead from one node to another."""
    if proviso == "fragmented-order":
        return lambda history, here, there: there < here
    if proviso == "fragmented-history":
        return lambda history, here, there: there not in history
    return lambda history, here, there: False


def explore(
    initial: State,
    successors: Callable[[State], tuple[Sequence[State], Sequence[State]]],
    owner: Callable[[State], int],
    proviso: str,
    chosen: random.Random | None = None,
) -> Explored[State]:
    """`successors`: by the reduced set, and by all other transitions. `chosen` picks who goes on; None: the state that
    was put aside last."""
    may_cross = crossing(proviso)
    explored: Explored[State] = Explored()
    histories: dict[State, History] = {}
    waiting: list[tuple[State, History]] = [(initial, NOBODY)]

    def visited(state: State, history: History) -> bool:
        return state in explored.full or (state in histories and history <= histories[state])

    def visit(state: State, history: History, stack: list[State]) -> None:
        again = state in histories
        history = histories[state] = history | histories.get(state, NOBODY)
        reduced, others = successors(state)
        here = owner(state)
        allowed = all(
            target not in stack if owner(target) == here else may_cross(history, here, owner(target))
            for target in reduced
        )
        edges = explored.edges.setdefault(state, set())
        edges.update(reduced)
        explored.transitions += 0 if again else len(reduced)
        if not others or not allowed or state in reduced:
            explored.full.add(state)
            explored.transitions += len(others)
            edges.update(others)
            waiting.extend((target, NOBODY) for target in (*reduced, *others))
            return
        for target in reduced:
            if owner(target) != here:
                crossed = history | {here} if proviso == "fragmented-history" else NOBODY
                waiting.append((target, crossed))
            elif not visited(target, history):
                visit(target, history, [*stack, target])

    while waiting:
        state, history = waiting.pop(-1 if chosen is None else chosen.randrange(len(waiting)))
        if not visited(state, history):
            visit(state, history, [state])
    return explored


def reduced_cycle(explored: Explored[State]) -> bool:
    """Whether some cycle has no state that was expanded fully."""
    left = {state: {to for to in targets if to not in explored.full} for state, targets in explored.edges.items()}
    left = {state: targets for state, targets in left.items() if state not in explored.full}
    while True:
        ends = {state for state, targets in left.items() if not targets & left.keys()}
        if not ends:
            return bool(left)
        left = {state: targets for state, targets in left.items() if state not in ends}
