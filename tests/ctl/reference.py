"""CTL by brute force: the textbook's fixed points, iterated, on the state space that the reference interpreter has."""

from __future__ import annotations

from collections.abc import Callable

from mule.ctl.formula import Formula, Op
from tests.temporal.reference import System

States = set[int]


class Tree:
    """The states of a system that are not transient, each with those that come next; runs go on for ever."""

    def __init__(self, system: System, atoms: tuple[str, ...]) -> None:
        self.system = system
        self.atoms = atoms
        self.states = {state for state, letter in enumerate(system.letters) if letter is not None}
        self.after = {state: self._next(state) for state in range(len(system.steps))}
        self.alive: States = set(self.states)
        """Where a run begins."""
        while True:
            left = {state for state in self.alive if self.after[state] & self.alive}
            if left == self.alive:
                break
            self.alive = left

    def _next(self, state: int) -> States:
        """The first states that are not transient after at least one step."""
        found: States = set()
        seen: States = set()
        waiting = [target for _, target in self.system.steps[state]]
        while waiting:
            target = waiting.pop()
            if target in seen:
                continue
            seen.add(target)
            if target in self.states:
                found.add(target)
            else:
                waiting += [further for _, further in self.system.steps[target]]
        return found

    def holds(self, formula: Formula) -> bool:
        where = self.where(formula)
        if 0 in self.states:
            return 0 in where
        return self.after[0] & self.alive <= where

    def where(self, formula: Formula) -> States:
        if formula.op is Op.ATOM:
            bit = self.atoms.index(formula.name)
            return {state for state in self.states if (self.system.letters[state] or 0) >> bit & 1}
        args = [self.where(arg) for arg in formula.args]
        match formula.op:
            case Op.TRUE:
                return set(self.states)
            case Op.FALSE:
                return set()
            case Op.NOT:
                return self.states - args[0]
            case Op.AND:
                return args[0] & args[1]
            case Op.OR:
                return args[0] | args[1]
        if formula.op.value[0] == "E":
            return self._temporal(formula.op.value[1], args, self._some) & self.alive
        return self._temporal(formula.op.value[1], args, self._all) | (self.states - self.alive)

    def _some(self, goal: States) -> States:
        return {state for state in self.alive if self.after[state] & self.alive & goal}

    def _all(self, goal: States) -> States:
        return {state for state in self.alive if self.after[state] & self.alive <= goal}

    def _temporal(self, operator: str, args: list[States], step: Callable[[States], States]) -> States:
        p, q = args[0], args[-1]
        match operator:
            case "X":
                return step(p)
            case "F":
                return _fixed_point(set(), lambda z: p | step(z))
            case "G":
                return _fixed_point(self.alive, lambda z: p & step(z))
            case "U":
                return _fixed_point(set(), lambda z: q | (p & step(z)))
            case "W":
                return _fixed_point(self.alive, lambda z: q | (p & step(z)))
            case _:
                return _fixed_point(self.alive, lambda z: q & (p | step(z)))


def _fixed_point(start: States, function: Callable[[States], States]) -> States:
    while True:
        following = function(start)
        if following == start:
            return start
        start = following
