"""Formulas as boolean combinations of smaller ones (Peled, section 3.1, and C3 there).

Where runs that differ in the order of independent steps must agree on a formula, it is enough that they agree on each
formula that it is a combination of: fewer steps must keep their order. And a conjunction is checked part by part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from mule.ltl.formula import Formula, Op, always, and_, build, eventually, negation_normal_form, or_

MOST_PARTS = 64
"""A formula that would fall apart into more is left whole."""


def split(formula: Formula) -> Formula:
    """An equivalent formula in which temporal operators stand as deep inside as the rules below take them."""
    return _split(negation_normal_form(formula))


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """Formulas that hold on all runs of a system if and only if the given one does."""
    return formula.args if formula.op is Op.AND else (formula,)


def components(formula: Formula) -> tuple[Formula, ...]:
    """The temporal formulas that it is a boolean combination of. What speaks about the first state alone is left out:
    all runs have that in common."""
    if formula.boolean:
        return ()
    if formula.op in (Op.NOT, Op.AND, Op.OR):
        return tuple(dict.fromkeys(part for arg in formula.args for part in components(arg)))
    return (formula,)


def _split(formula: Formula) -> Formula:
    if formula.boolean:
        return formula
    args = [_split(arg) for arg in formula.args]
    match formula.op, args:
        case ((Op.AND | Op.OR), _):
            return build(formula.op, *args)
        case Op.ALWAYS, [arg]:
            return and_(*(_always(part) for part in _clauses(arg)))
        case Op.EVENTUALLY, [arg]:
            return or_(*(_eventually(part) for part in _cubes(arg)))
        case ((Op.UNTIL | Op.WEAK_UNTIL), [left, right]):
            return _both(formula.op, and_, _clauses(left), or_, _cubes(right))
        case ((Op.RELEASE | Op.STRONG_RELEASE), [left, right]):
            return _both(formula.op, or_, _cubes(left), and_, _clauses(right))
    return build(formula.op, *args)


Join = Callable[..., Formula]


def _both(op: Op, join_left: Join, lefts: Sequence[Formula], join_right: Join, rights: Sequence[Formula]) -> Formula:
    """`(a && b) U (c || d)` is `(a U c || a U d) && (b U c || b U d)`."""
    if len(lefts) * len(rights) > MOST_PARTS:
        return build(op, join_left(*lefts), join_right(*rights))
    return join_left(*(join_right(*(build(op, left, right) for right in rights)) for left in lefts))


def _always(clause: Formula) -> Formula:
    """`[](<>a || <>b)` is `[]<>a || []<>b`."""
    if clause.op is Op.OR and all(arg.op is Op.EVENTUALLY for arg in clause.args):
        return or_(*(always(arg) for arg in clause.args))
    return always(clause)


def _eventually(cube: Formula) -> Formula:
    """`<>([]a && []b)` is `<>[]a && <>[]b`."""
    if cube.op is Op.AND and all(arg.op is Op.ALWAYS for arg in cube.args):
        return and_(*(eventually(arg) for arg in cube.args))
    return eventually(cube)


def _clauses(formula: Formula) -> tuple[Formula, ...]:
    """The formula as a conjunction, disjunctions multiplied out."""
    return _normal(formula, Op.AND, Op.OR, or_)


def _cubes(formula: Formula) -> tuple[Formula, ...]:
    """The formula as a disjunction."""
    return _normal(formula, Op.OR, Op.AND, and_)


def _normal(formula: Formula, outer: Op, inner: Op, join: Join) -> tuple[Formula, ...]:
    if formula.op is outer:
        parts = tuple(dict.fromkeys(part for arg in formula.args for part in _normal(arg, outer, inner, join)))
        return parts if len(parts) <= MOST_PARTS else (formula,)
    if formula.op is not inner:
        return (formula,)
    factors = [_normal(arg, outer, inner, join) for arg in formula.args]
    count = 1
    for factor in factors:
        count *= len(factor)
    if count > MOST_PARTS:
        return (formula,)
    return tuple(dict.fromkeys(join(*choice) for choice in product(*factors)))
