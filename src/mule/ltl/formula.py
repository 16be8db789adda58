"""LTL formulas: an immutable tree in which equal formulas are the same object.

The constructors (`and_`, `until`, ...) do the trivial rewriting (constants, duplicates, `p && !p`); anything deeper is
in `mule.ltl.simplify`. Implication and equivalence are written with `!`, `&&` and `||` from the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Final
from weakref import WeakValueDictionary


class Op(IntEnum):
    """What stands at the root of a formula."""

    FALSE = 0
    TRUE = 1
    ATOM = 2
    NOT = 3
    AND = 4
    OR = 5
    NEXT = 6
    EVENTUALLY = 7
    ALWAYS = 8
    UNTIL = 9
    RELEASE = 10
    WEAK_UNTIL = 11
    STRONG_RELEASE = 12


TEMPORAL: Final = frozenset(op for op in Op if op >= Op.NEXT)
_WORDS: Final = {
    Op.NOT: "!",
    Op.AND: "&&",
    Op.OR: "||",
    Op.NEXT: "X",
    Op.EVENTUALLY: "F",
    Op.ALWAYS: "G",
    Op.UNTIL: "U",
    Op.RELEASE: "R",
    Op.WEAK_UNTIL: "W",
    Op.STRONG_RELEASE: "M",
}


class Formula:
    """A formula; build it with the functions of this module, compare it with `is`."""

    __slots__ = ("__weakref__", "args", "boolean", "name", "next_free", "op", "size", "text")

    op: Op
    name: str
    """The text of an atom, a boolean expression of the model's language; empty elsewhere."""
    args: tuple[Formula, ...]
    text: str
    """The formula in Spot's syntax, atoms quoted; formulas are ordered by it."""
    size: int
    """How many nodes the tree has."""
    boolean: bool
    """No temporal operator: it speaks about one state."""
    next_free: bool

    def __repr__(self) -> str:
        return self.text

    def __lt__(self, other: Formula) -> bool:
        return (self.size, self.text) < (other.size, other.text)

    def atoms(self) -> tuple[str, ...]:
        """The texts of its atoms, in the order of the formula's text."""
        found: dict[str, None] = {}
        for node in self.walk():
            if node.op is Op.ATOM:
                found.setdefault(node.name)
        return tuple(found)

    def walk(self) -> Iterator[Formula]:
        """The nodes of the tree, each before its operands."""
        yield self
        for arg in self.args:
            yield from arg.walk()


_KNOWN: WeakValueDictionary[tuple[Op, str, tuple[Formula, ...]], Formula] = WeakValueDictionary()


def _make(op: Op, args: tuple[Formula, ...] = (), name: str = "") -> Formula:
    key = (op, name, args)
    formula = _KNOWN.get(key)
    if formula is None:
        formula = Formula()
        formula.op, formula.name, formula.args = op, name, args
        formula.text = _text(op, name, args)
        formula.size = 1 + sum(arg.size for arg in args)
        formula.boolean = op not in TEMPORAL and all(arg.boolean for arg in args)
        formula.next_free = op is not Op.NEXT and all(arg.next_free for arg in args)
        _KNOWN[key] = formula
    return formula


def _text(op: Op, name: str, args: tuple[Formula, ...]) -> str:
    if op in (Op.TRUE, Op.FALSE):
        return "1" if op is Op.TRUE else "0"
    if op is Op.ATOM:
        return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if len(args) == 1:
        return f"{_WORDS[op]}{args[0].text}" if op is Op.NOT else f"{_WORDS[op]} {args[0].text}"
    return "(" + f" {_WORDS[op]} ".join(arg.text for arg in args) + ")"


TRUE: Final = _make(Op.TRUE)
FALSE: Final = _make(Op.FALSE)


def atom(text: str) -> Formula:
    """The proposition that the boolean expression `text` of the model holds."""
    return _make(Op.ATOM, name=text)


def not_(arg: Formula) -> Formula:
    if arg is TRUE or arg is FALSE:
        return FALSE if arg is TRUE else TRUE
    return arg.args[0] if arg.op is Op.NOT else _make(Op.NOT, (arg,))


def and_(*args: Formula) -> Formula:
    return _junction(Op.AND, args, neutral=TRUE, absorbing=FALSE)


def or_(*args: Formula) -> Formula:
    return _junction(Op.OR, args, neutral=FALSE, absorbing=TRUE)


def implies(left: Formula, right: Formula) -> Formula:
    return or_(not_(left), right)


def equivalent(left: Formula, right: Formula) -> Formula:
    return or_(and_(left, right), and_(not_(left), not_(right)))


def _junction(op: Op, args: Iterable[Formula], neutral: Formula, absorbing: Formula) -> Formula:
    parts: set[Formula] = set()
    for arg in args:
        parts.update(arg.args if arg.op is op else (arg,))
    parts.discard(neutral)
    if absorbing in parts or any(part.op is Op.NOT and part.args[0] in parts for part in parts):
        return absorbing
    if len(parts) < 2:
        return parts.pop() if parts else neutral
    return _make(op, tuple(sorted(parts)))


def next_(arg: Formula) -> Formula:
    return arg if arg is TRUE or arg is FALSE else _make(Op.NEXT, (arg,))


def eventually(arg: Formula) -> Formula:
    return arg if arg.op in (Op.TRUE, Op.FALSE, Op.EVENTUALLY) else _make(Op.EVENTUALLY, (arg,))


def always(arg: Formula) -> Formula:
    return arg if arg.op in (Op.TRUE, Op.FALSE, Op.ALWAYS) else _make(Op.ALWAYS, (arg,))


def until(left: Formula, right: Formula) -> Formula:
    """`right` holds at some time, and `left` at each time before it."""
    if right is TRUE or right is FALSE or left is FALSE or left is right:
        return right
    return eventually(right) if left is TRUE else _make(Op.UNTIL, (left, right))


def release(left: Formula, right: Formula) -> Formula:
    """`right` holds up to and including the first time at which `left` holds (for ever if there is none)."""
    if right is TRUE or right is FALSE or left is TRUE or left is right:
        return right
    return always(right) if left is FALSE else _make(Op.RELEASE, (left, right))


def weak_until(left: Formula, right: Formula) -> Formula:
    """`until`, or `left` for ever."""
    if left is TRUE or right is TRUE:
        return TRUE
    if left is FALSE or left is right:
        return right
    return always(left) if right is FALSE else _make(Op.WEAK_UNTIL, (left, right))


def strong_release(left: Formula, right: Formula) -> Formula:
    """`release`, and `left` holds at some time."""
    if left is FALSE or right is FALSE:
        return FALSE
    if left is TRUE or left is right:
        return right
    return eventually(left) if right is TRUE else _make(Op.STRONG_RELEASE, (left, right))


_BUILDERS: Final = {
    Op.NOT: not_,
    Op.AND: and_,
    Op.OR: or_,
    Op.NEXT: next_,
    Op.EVENTUALLY: eventually,
    Op.ALWAYS: always,
    Op.UNTIL: until,
    Op.RELEASE: release,
    Op.WEAK_UNTIL: weak_until,
    Op.STRONG_RELEASE: strong_release,
}


def build(op: Op, *args: Formula) -> Formula:
    """The formula with `op` at its root, by the constructor of that name."""
    builder = _BUILDERS[op]
    return builder(*args)  # type: ignore[operator, no-any-return]


def with_constants(formula: Formula, known: Mapping[str, bool]) -> Formula:
    """The formula where some atoms are always true, or always false."""
    if formula.op is Op.ATOM and formula.name in known:
        return TRUE if known[formula.name] else FALSE
    if not formula.args:
        return formula
    return build(formula.op, *(with_constants(arg, known) for arg in formula.args))


_DUALS: Final = {
    Op.AND: Op.OR,
    Op.OR: Op.AND,
    Op.NEXT: Op.NEXT,
    Op.EVENTUALLY: Op.ALWAYS,
    Op.ALWAYS: Op.EVENTUALLY,
    Op.UNTIL: Op.RELEASE,
    Op.RELEASE: Op.UNTIL,
    Op.WEAK_UNTIL: Op.STRONG_RELEASE,
    Op.STRONG_RELEASE: Op.WEAK_UNTIL,
}


def negation_normal_form(formula: Formula, negated: bool = False) -> Formula:
    """The formula (or its negation) with `!` in front of atoms only."""
    if formula.op is Op.NOT:
        return negation_normal_form(formula.args[0], not negated)
    if formula.op in (Op.TRUE, Op.FALSE, Op.ATOM):
        return not_(formula) if negated else formula
    op = _DUALS[formula.op] if negated else formula.op
    return build(op, *(negation_normal_form(arg, negated) for arg in formula.args))
