"""Ultimately periodic words, and what holds on them: the semantics, written down directly."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from mule.ltl.automaton import Automaton, Edge
from mule.ltl.components import components, is_empty
from mule.ltl.formula import Formula, Op


def holds(formula: Formula, atoms: Sequence[str], stem: Sequence[int], loop: Sequence[int]) -> bool:
    """Is the formula true on stem·loop^ω? Bit i of a letter is the truth of `atoms[i]`."""
    word = [*stem, *loop]
    follow = [*range(1, len(word)), len(stem)]
    index = {text: position for position, text in enumerate(atoms)}
    return _values(formula, word, follow, index, {})[0]


def _values(
    formula: Formula,
    word: Sequence[int],
    follow: Sequence[int],
    index: Mapping[str, int],
    known: dict[Formula, list[bool]],
) -> list[bool]:
    """The truth of the formula at each position."""
    if formula not in known:
        args = [_values(arg, word, follow, index, known) for arg in formula.args]
        known[formula] = _combined(formula, args, word, follow, index)
    return known[formula]


def _combined(
    formula: Formula, args: list[list[bool]], word: Sequence[int], follow: Sequence[int], index: Mapping[str, int]
) -> list[bool]:
    op = formula.op
    if op in (Op.TRUE, Op.FALSE):
        return [op is Op.TRUE] * len(word)
    if op is Op.ATOM:
        return [bool(letter >> index[formula.name] & 1) for letter in word]
    if op is Op.NOT:
        return [not value for value in args[0]]
    if op is Op.AND:
        return [all(values) for values in zip(*args, strict=True)]
    if op is Op.OR:
        return [any(values) for values in zip(*args, strict=True)]
    if op is Op.NEXT:
        return [args[0][position] for position in follow]
    return _fixpoint(op, args, follow)


def _fixpoint(op: Op, args: list[list[bool]], follow: Sequence[int]) -> list[bool]:
    """The strong operators are least fixpoints of their unfolding, the weak ones greatest."""
    least = op in (Op.EVENTUALLY, Op.UNTIL, Op.STRONG_RELEASE)
    values = [not least] * len(follow)
    left, right = args[0], args[-1]
    for _ in range(len(follow) + 1):
        later = [values[position] for position in follow]
        if op is Op.EVENTUALLY:
            values = [now or rest for now, rest in zip(right, later, strict=True)]
        elif op is Op.ALWAYS:
            values = [now and rest for now, rest in zip(right, later, strict=True)]
        elif op in (Op.UNTIL, Op.WEAK_UNTIL):
            values = [b or (a and rest) for a, b, rest in zip(left, right, later, strict=True)]
        else:
            values = [b and (a or rest) for a, b, rest in zip(left, right, later, strict=True)]
    return values


def accepts(automaton: Automaton, stem: Sequence[int], loop: Sequence[int]) -> bool:
    """Does the automaton accept stem·loop^ω?"""
    return not is_empty(_on_word(automaton, stem, loop))


def _on_word(automaton: Automaton, stem: Sequence[int], loop: Sequence[int]) -> Automaton:
    """The runs of the automaton over stem·loop^ω: state `q * size + i` is `q` before letter `i`."""
    word = [*stem, *loop]
    follow = [*range(1, len(word)), len(stem)]
    size = len(word)
    edges = [
        [
            Edge(1, target * size + follow[position], marks)
            for label, target, marks in automaton.edges[state]
            if label >> word[position] & 1
        ]
        for state in range(automaton.states)
        for position in range(size)
    ]
    return Automaton((), edges, automaton.initial * size, automaton.marks)


class AcceptingRun(NamedTuple):
    """`(position, state)`: the state of the automaton before it reads the letter at that position of stem·loop."""

    stem: list[tuple[int, int]]
    loop: list[tuple[int, int]]
    """Comes again and again; the word's loop may come several times in it."""


def accepting_run(automaton: Automaton, stem: Sequence[int], loop: Sequence[int]) -> AcceptingRun | None:
    """How the automaton accepts stem·loop^ω; None: it does not."""
    runs = _on_word(automaton, stem, loop)
    parts = components(runs)
    good = {state for number, group in enumerate(parts.members) if parts.accepting(number) for state in group}
    way = _way(runs, runs.initial, lambda edge: edge.target in good, range(runs.states))
    if runs.initial not in good and way is None:
        return None
    begin = [runs.initial] if runs.initial in good else way or []
    inside = parts.members[parts.of[begin[-1]]]
    turn = [begin[-1]]
    missing = automaton.all_marks
    for mark in range(automaton.marks):
        if missing >> mark & 1:
            found = _way(runs, turn[-1], partial(_has, mark), inside) or []
            missing &= ~_marks_on(runs, found)
            turn += found[1:]
    back = _way(runs, turn[-1], lambda edge: edge.target == begin[-1], inside) or []
    turn += back[1:]
    size = len(stem) + len(loop)
    told = [[(each % size, each // size) for each in states] for states in (begin[:-1], turn[:-1])]
    return AcceptingRun(*told)


def _has(mark: int, edge: Edge) -> bool:
    return edge.marks >> mark & 1 == 1


def _way(automaton: Automaton, start: int, wanted: Callable[[Edge], bool], inside: Collection[int]) -> list[int] | None:
    """The states of a shortest way, of one edge at least, that ends with a wanted edge."""
    allowed, came = set(inside), {start: start}
    level = [start]
    while level:
        following = []
        for state in level:
            for edge in automaton.edges[state]:
                if edge.target in allowed and wanted(edge):
                    way = [edge.target, state]
                    while way[-1] != start:
                        way.append(came[way[-1]])
                    return way[::-1]
                if edge.target in allowed and edge.target not in came:
                    came[edge.target] = state
                    following.append(edge.target)
        level = following
    return None


def _marks_on(automaton: Automaton, way: Sequence[int]) -> int:
    """Only those that every edge between two states of the way has."""
    found = 0
    for state, target in pairwise(way):
        common = automaton.all_marks
        for edge in automaton.edges[state]:
            if edge.target == target:
                common &= edge.marks
        found |= common
    return found
