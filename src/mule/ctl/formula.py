"""CTL formulas: an immutable tree. Each temporal operator comes with its path quantifier, as in `AG` or `E[p U q]`.

Implication and equivalence are written with `!`, `&&` and `||` from the start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Final


class Op(Enum):
    """What stands at the root of a formula."""

    FALSE = "false"
    TRUE = "true"
    ATOM = "atom"
    NOT = "!"
    AND = "&&"
    OR = "||"
    EX = "EX"
    AX = "AX"
    EF = "EF"
    AF = "AF"
    EG = "EG"
    AG = "AG"
    EU = "EU"
    AU = "AU"
    ER = "ER"
    AR = "AR"
    EW = "EW"
    AW = "AW"


BOOLEAN: Final = frozenset({Op.FALSE, Op.TRUE, Op.ATOM, Op.NOT, Op.AND, Op.OR})
PREFIX: Final = frozenset({Op.EX, Op.AX, Op.EF, Op.AF, Op.EG, Op.AG})
_PLAIN: Final = re.compile(r"[\w.@\[\]]+")


@dataclass(frozen=True)
class Formula:
    op: Op
    args: tuple[Formula, ...] = ()
    name: str = ""
    """The text of an atom, a boolean expression of the model's language; empty elsewhere."""

    def walk(self) -> Iterator[Formula]:
        """The nodes of the tree, each before its operands."""
        yield self
        for arg in self.args:
            yield from arg.walk()

    def atoms(self) -> tuple[str, ...]:
        """The texts of its atoms, in the order of the formula's text."""
        return tuple(dict.fromkeys(node.name for node in self.walk() if node.op is Op.ATOM))

    @cached_property
    def boolean(self) -> bool:
        """No temporal operator: it speaks about one state."""
        return all(node.op in BOOLEAN for node in self.walk())

    @cached_property
    def next_free(self) -> bool:
        return all(node.op not in (Op.EX, Op.AX) for node in self.walk())

    def __str__(self) -> str:
        if self.op is Op.ATOM:
            return self.name if _PLAIN.fullmatch(self.name) else f"({self.name})"
        if not self.args:
            return str(self.op.value)
        if self.op is Op.NOT:
            return f"!{self.args[0]}"
        if self.op in PREFIX:
            return f"{self.op.value} {self.args[0]}"
        if self.op in (Op.AND, Op.OR):
            return f"({self.args[0]} {self.op.value} {self.args[1]})"
        quantifier, operator = self.op.value
        return f"{quantifier}[{self.args[0]} {operator} {self.args[1]}]"


TRUE: Final = Formula(Op.TRUE)
FALSE: Final = Formula(Op.FALSE)


def atom(text: str) -> Formula:
    """The proposition that the boolean expression `text` of the model holds."""
    return Formula(Op.ATOM, name=text)


def not_(arg: Formula) -> Formula:
    if arg.op is Op.NOT:
        return arg.args[0]
    return FALSE if arg == TRUE else TRUE if arg == FALSE else Formula(Op.NOT, (arg,))


def and_(left: Formula, right: Formula) -> Formula:
    return Formula(Op.AND, (left, right))


def or_(left: Formula, right: Formula) -> Formula:
    return Formula(Op.OR, (left, right))


def implies(left: Formula, right: Formula) -> Formula:
    return or_(not_(left), right)


def equivalent(left: Formula, right: Formula) -> Formula:
    return or_(and_(left, right), and_(not_(left), not_(right)))


_DUALS: Final = {
    Op.AND: Op.OR,
    Op.OR: Op.AND,
    Op.EX: Op.AX,
    Op.AX: Op.EX,
    Op.EF: Op.AG,
    Op.AG: Op.EF,
    Op.EG: Op.AF,
    Op.AF: Op.EG,
    Op.EU: Op.AR,
    Op.AR: Op.EU,
    Op.AU: Op.ER,
    Op.ER: Op.AU,
}


def negation_normal_form(formula: Formula, negated: bool = False) -> Formula:
    """The formula (or its negation) with `!` in front of atoms only."""
    if formula.op is Op.NOT:
        return negation_normal_form(formula.args[0], not negated)
    if not formula.args:
        return not_(formula) if negated else formula
    args = tuple(negation_normal_form(arg, negated) for arg in formula.args)
    if not negated:
        return Formula(formula.op, args)
    if formula.op in (Op.EW, Op.AW):  # not (p W q) is !q U (!p && !q)
        return Formula(Op.AU if formula.op is Op.EW else Op.EU, (args[1], and_(*args)))
    return Formula(_DUALS[formula.op], args)
