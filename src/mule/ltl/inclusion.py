"""Is every word of one automaton a word of another? Ramsey's theorem, without a complement.

A finite word is known by what it does: a path in the left automaton, and all arcs in the
right one (Abdulla et al., "Simulation subsumption in Ramsey-based Büchi automata universality and inclusion testing",
CAV 2010, without the subsumption). A word u·v^ω of the left automaton is one of the right automaton if and only if the
arcs of v, repeated, come from where u can lead to a cycle with a mark.
"""

from __future__ import annotations

from typing import NamedTuple

from mule.ltl import letters
from mule.ltl.automaton import Automaton, union
from mule.ltl.components import components

MOST_PATHS = 30_000
MOST_JOINS = 100_000
"""More are not looked at: the question is left open. So many joins take about two seconds."""


class _Arcs(NamedTuple):
    """For each state of the right automaton where a word can lead, and where with a mark, as bit sets."""

    reached: tuple[int, ...]
    marked: tuple[int, ...]


class _Path(NamedTuple):
    """What a word does, from some state of the left automaton."""

    target: int
    marked: bool
    arcs: _Arcs


def included(left: Automaton, right: Automaton) -> bool | None:
    """None: not decided. Both must have the same atoms and at most one mark."""
    assert left.atoms == right.atoms
    assert max(left.marks, right.marks) <= 1
    steps = _steps(left, right)
    stems = _stems(left, right, steps)
    component = components(left).of
    room, joins = MOST_PATHS, MOST_JOINS
    for state, out in enumerate(steps):
        if stems[state] and any(step.marked and component[step.target] == component[state] for step in out):
            inner = [[step for step in each if component[step.target] == component[state]] for each in steps]
            tried = _loops(inner, state, room, joins)
            if tried is None:
                return None
            loops, joins = tried
            room -= len(loops)
            if any(not entered & _accepting(arcs) for arcs in loops for entered in stems[state]):
                return False
    return True


def _steps(left: Automaton, right: Automaton) -> list[list[_Path]]:
    labels = [edge.label for automaton in (left, right) for out in automaton.edges for edge in out]
    steps: list[list[_Path]] = [[] for _ in left.edges]
    for part in letters.partition(labels, left.full):
        arcs = _arcs(right, part)
        for state, out in enumerate(left.edges):
            steps[state] += [
                _Path(target, marks != 0 or left.marks == 0, arcs) for label, target, marks in out if label & part
            ]
    return steps


def _stems(left: Automaton, right: Automaton, steps: list[list[_Path]]) -> list[set[int]]:
    """For each state of the left automaton the sets of states in which the right one can be at the same time."""
    found: list[set[int]] = [set() for _ in steps]
    found[left.initial].add(1 << right.initial)
    waiting = [(left.initial, 1 << right.initial)]
    while waiting:
        state, at = waiting.pop()
        for target, _, arcs in steps[state]:
            then = union(arcs.reached[each] for each in _bits(at))
            if then not in found[target]:
                found[target].add(then)
                waiting.append((target, then))
    return found


def _loops(steps: list[list[_Path]], start: int, most: int, joins: int) -> tuple[set[_Arcs], int] | None:
    """What the words do that lead from a state back to it, with a mark, and how many more joins may be tried."""
    found = set(steps[start])
    waiting = list(found)
    while waiting:
        path = waiting.pop()
        joins -= len(steps[path.target])
        if joins < 0:
            return None
        for step in steps[path.target]:
            longer = _Path(step.target, path.marked or step.marked, _joined(path.arcs, step.arcs))
            if longer not in found:
                if len(found) >= most:
                    return None
                found.add(longer)
                waiting.append(longer)
    return {path.arcs for path in found if path.target == start and path.marked}, joins


def _arcs(automaton: Automaton, part: int) -> _Arcs:
    reached, marked = [], []
    for out in automaton.edges:
        targets = [(1 << target, marks != 0 or automaton.marks == 0) for label, target, marks in out if label & part]
        reached.append(union(bit for bit, _ in targets))
        marked.append(union(bit for bit, mark in targets if mark))
    return _Arcs(tuple(reached), tuple(marked))


def _joined(first: _Arcs, second: _Arcs) -> _Arcs:
    reached, marked = [], []
    for targets, with_mark in zip(first.reached, first.marked, strict=True):
        between = [(middle, with_mark >> middle & 1) for middle in _bits(targets)]
        reached.append(union(second.reached[middle] for middle, _ in between))
        marked.append(union(second.reached[m] if mark else second.marked[m] for m, mark in between))
    return _Arcs(tuple(reached), tuple(marked))


def _accepting(arcs: _Arcs) -> int:
    """The states from which the word, repeated for ever, is accepted."""
    closed = _transitive(arcs.reached)
    on_cycle = union(
        1 << state
        for state, with_mark in enumerate(arcs.marked)
        if any(target == state or closed[target] >> state & 1 for target in _bits(with_mark))
    )
    return union(1 << s for s, targets in enumerate(closed) if (targets | 1 << s) & on_cycle)


def _transitive(rows: tuple[int, ...]) -> list[int]:
    closed = list(rows)
    for middle in range(len(closed)):
        for state, targets in enumerate(closed):
            if targets >> middle & 1:
                closed[state] |= closed[middle]
    return closed


def _bits(mask: int) -> list[int]:
    return [index for index in range(mask.bit_length()) if mask >> index & 1]
