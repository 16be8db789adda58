"""Sets of letters: which truth values of the atoms an edge of an automaton allows.

A letter gives each atom a truth value: a number whose bit i is the value of atom i. A set of letters is an integer with
one bit for each letter, a truth table: boolean operations on labels are those on integers, and equal sets are
equal numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from mule.errors import MuleError
from mule.ltl.formula import TRUE, Formula, Op

MOST_ATOMS = 16
"""A label over so many atoms is a number of 8 KiB."""

Cube = tuple[int, int]
"""A conjunction of literals: the atoms that must be true and those that must be false, as masks."""


def check_count(atoms: Sequence[str]) -> None:
    if len(atoms) > MOST_ATOMS:
        raise MuleError(
            f"the property has {len(atoms)} different propositions, at most {MOST_ATOMS} are supported; "
            "name a boolean expression in the model and use that name"
        )


@lru_cache(maxsize=MOST_ATOMS + 1)
def everything(count: int) -> int:
    """All letters over `count` atoms."""
    return (1 << (1 << count)) - 1


@lru_cache(maxsize=1024)
def positive(count: int, index: int) -> int:
    """The letters in which atom `index` is true."""
    step = 1 << index
    block = ((1 << step) - 1) << step
    total = 1 << count
    width = 2 * step
    while width < total:
        block |= block << width
        width *= 2
    return block


def of_formula(formula: Formula, index: Mapping[str, int]) -> int:
    """The letters that satisfy a formula without temporal operators; `index` numbers the atoms."""
    full = everything(len(index))
    if formula.op in (Op.TRUE, Op.FALSE):
        return full if formula is TRUE else 0
    if formula.op is Op.ATOM:
        return positive(len(index), index[formula.name])
    parts = [of_formula(arg, index) for arg in formula.args]
    if formula.op is Op.NOT:
        return full & ~parts[0]
    result = parts[0]
    for part in parts[1:]:
        result = result & part if formula.op is Op.AND else result | part
    return result


def cubes(count: int, label: int) -> list[Cube]:
    """An irredundant list of cubes whose union is the label (Minato's algorithm, 1992)."""
    return _irredundant(label, label, count)[0]


@lru_cache(maxsize=4096)
def _irredundant(lower: int, upper: int, count: int) -> tuple[list[Cube], int]:
    """Cubes, and their union, with lower ⊆ union ⊆ upper, both over the first `count` atoms."""
    if lower == 0:
        return [], 0
    if upper == everything(count):
        return [(0, 0)], upper
    half, bit = 1 << (count - 1), 1 << (count - 1)
    mask = (1 << half) - 1
    low_0, low_1, up_0, up_1 = lower & mask, lower >> half, upper & mask, upper >> half
    false_cubes, false_cover = _irredundant(low_0 & ~up_1, up_0, count - 1)
    true_cubes, true_cover = _irredundant(low_1 & ~up_0, up_1, count - 1)
    rest = (low_0 & ~false_cover) | (low_1 & ~true_cover)
    both_cubes, both_cover = _irredundant(rest, up_0 & up_1, count - 1)
    found = [(yes, no | bit) for yes, no in false_cubes] + [(yes | bit, no) for yes, no in true_cubes] + both_cubes
    return found, (false_cover | both_cover) | ((true_cover | both_cover) << half)


def partition(labels: Sequence[int], full: int) -> list[int]:
    """The coarsest division of all letters such that each label is a union of parts."""
    parts = [full]
    for label in labels:
        split = []
        for part in parts:
            inside = part & label
            if inside and inside != part:
                split += [inside, part ^ inside]
            else:
                split.append(part)
        parts = split
    return parts
