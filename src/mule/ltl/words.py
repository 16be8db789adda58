"""Ultimately periodic words, and what holds on them: the semantics, written down directly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mule.ltl.automaton import Automaton, Edge
from mule.ltl.components import is_empty
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
    return not is_empty(Automaton((), edges, automaton.initial * size, automaton.marks))
