"""Rewriting of formulas to smaller ones, and to ones with smaller automata.

Rules of Somenzi and Bloem (CAV 2000), Etessami and Holzmann (CONCUR 2000) and Babiak, Křetínský, Řehák, Strejček
("LTL to Büchi automata translation: fast and more deterministic", TACAS 2012). In the comments e is an eventual
formula, u a universal one, t one that is both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from mule.ltl.formula import (
    FALSE,
    TRUE,
    Formula,
    Op,
    always,
    and_,
    build,
    eventually,
    negation_normal_form,
    next_,
    or_,
    release,
    strong_release,
    until,
    weak_until,
)
from mule.ltl.implication import covers, entails, eventual, excludes, tail_only, universal
from mule.ltl.junctions import merge_conjuncts, merge_disjuncts


def simplify(formula: Formula) -> Formula:
    """An equivalent formula in negation normal form, usually smaller."""
    return _simplified(negation_normal_form(formula))


@lru_cache(maxsize=50_000)
def _simplified(formula: Formula) -> Formula:
    if not formula.args or formula.op is Op.NOT:
        return formula
    result = build(formula.op, *(_simplified(arg) for arg in formula.args))
    rule = _RULES.get(result.op)
    rewritten = rule(result) if rule else result
    return rewritten if rewritten is formula else _simplified(rewritten)


def _next(formula: Formula) -> Formula:
    (arg,) = formula.args
    if tail_only(arg):  # X t = t
        return arg
    if arg.op in (Op.AND, Op.OR):  # X (a && t) = X a && t
        fixed, rest = _parted(arg, tail_only)
        if fixed:
            return build(arg.op, next_(build(arg.op, *rest)), *fixed)
    return formula


def _eventually(formula: Formula) -> Formula:
    (arg,) = formula.args
    if eventual(arg):  # F e = e
        return arg
    if arg.op is Op.NEXT:
        return next_(eventually(arg.args[0]))
    if arg.op is Op.UNTIL:  # F (a U b) = F b
        return eventually(arg.args[1])
    if arg.op is Op.STRONG_RELEASE:
        return eventually(and_(*arg.args))
    if arg.op is Op.OR:  # F (a || e) = F a || e
        return _pulled_out(formula, Op.OR, eventual)
    if arg.op is Op.AND:  # F (a && t) = F a && t
        return _eventually_and(formula)
    if arg.op is Op.ALWAYS and _has_next(arg.args[0], Op.AND):  # F G (a && X b) = F G (a && b)
        return eventually(always(_without_next(arg.args[0])))
    return formula


def _eventually_and(formula: Formula) -> Formula:
    pulled = _pulled_out(formula, Op.AND, tail_only)
    if pulled is not formula:
        return pulled
    (arg,) = formula.args
    if all(universal(part) for part in arg.args):  # F (u && v) = F u && F v
        return and_(*(eventually(part) for part in arg.args))
    return formula


def _always(formula: Formula) -> Formula:
    (arg,) = formula.args
    if universal(arg):  # G u = u
        return arg
    if arg.op is Op.NEXT:
        return next_(always(arg.args[0]))
    if arg.op is Op.RELEASE:  # G (a R b) = G b
        return always(arg.args[1])
    if arg.op is Op.WEAK_UNTIL:
        return always(or_(*arg.args))
    if arg.op is Op.STRONG_RELEASE:
        return and_(always(arg.args[1]), always(eventually(arg.args[0])))
    if arg.op is Op.UNTIL:
        return and_(always(or_(*arg.args)), always(eventually(arg.args[1])))
    if arg.op is Op.AND:
        return _always_and(formula)
    if arg.op is Op.OR:
        return _always_or(formula)
    return _always_eventually(arg.args[0], formula) if arg.op is Op.EVENTUALLY else formula


def _always_and(formula: Formula) -> Formula:
    pulled = _pulled_out(formula, Op.AND, universal)  # G (a && u) = G a && u
    if pulled is not formula:
        return pulled
    goals, rest = _parted(formula.args[0], _later)
    if goals:  # G (a && X F b) = G a && G F b
        return and_(always(and_(*rest)), *(always(goal) for goal in goals))
    return formula


def _later(formula: Formula) -> bool:
    while formula.op is Op.NEXT:
        formula = formula.args[0]
    return formula.op is Op.EVENTUALLY


def _always_eventually(arg: Formula, formula: Formula) -> Formula:
    if _has_next(arg, Op.OR):  # G F (a || X b) = G F (a || b)
        return always(eventually(_without_next(arg)))
    if arg.op in (Op.WEAK_UNTIL, Op.RELEASE):  # G F (a W b) = F G a || G F b
        for_ever, last = (arg.args[0], arg.args[1]) if arg.op is Op.WEAK_UNTIL else (arg.args[1], and_(*arg.args))
        parted = _simplified(or_(eventually(always(for_ever)), always(eventually(last))))
        return formula if parted.op is Op.OR else parted
    return formula


def _has_next(formula: Formula, op: Op) -> bool:
    return formula.op is op and any(part.op is Op.NEXT for part in formula.args)


def _without_next(formula: Formula) -> Formula:
    return build(formula.op, *(part.args[0] if part.op is Op.NEXT else part for part in formula.args))


def _always_or(formula: Formula) -> Formula:
    pulled = _pulled_out(formula, Op.OR, tail_only)
    if pulled is not formula:
        return pulled
    (arg,) = formula.args
    if all(eventual(part) for part in arg.args):
        return or_(*(always(part) for part in arg.args))
    return formula


def _pulled_out(formula: Formula, op: Op, movable: Callable[[Formula], bool]) -> Formula:
    moved, rest = _parted(formula.args[0], movable)
    return build(op, build(formula.op, build(op, *rest)), *moved) if moved else formula


def _parted(formula: Formula, movable: Callable[[Formula], bool]) -> tuple[list[Formula], list[Formula]]:
    moved = [arg for arg in formula.args if movable(arg)]
    return moved, [arg for arg in formula.args if arg not in moved]


def _until(formula: Formula) -> Formula:
    left, right = formula.args
    if eventual(right) or entails(left, right):
        return right
    if covers(left, right):
        return eventually(right)
    if left.op is Op.NEXT and right.op is Op.NEXT:
        return next_(until(left.args[0], right.args[0]))
    if right.op in (Op.UNTIL, Op.WEAK_UNTIL) and entails(left, right.args[0]):  # a U (a U b) = a U b
        return right
    if left.op in (Op.UNTIL, Op.WEAK_UNTIL) and left.args[1] is right:  # (a U b) U b = a U b
        return until(left.args[0], right)
    if right.op is Op.OR:
        return _until_or(left, right, formula)
    if right.op is Op.AND:  # a U (b && t) = (a U b) && t
        fixed, rest = _parted(right, tail_only)
        if fixed:
            return and_(until(left, and_(*rest)), *fixed)
        if left in right.args:  # a U (a && b) = b M a
            return strong_release(and_(*(part for part in right.args if part is not left)), left)
    return formula


def _until_or(left: Formula, right: Formula, formula: Formula) -> Formula:
    moved, rest = _parted(right, eventual)
    if moved:  # a U (b || e) = a U b || e
        return or_(until(left, or_(*rest)), *moved)
    implied = [part for part in rest if entails(part, left) and part.op is Op.ALWAYS and entails(left, part.args[0])]
    if implied:  # a U (b || G a) = a W b
        return weak_until(left, or_(*(part for part in rest if part not in implied)))
    return formula


def _weak_until(formula: Formula) -> Formula:
    left, right = formula.args
    if covers(left, right):
        return TRUE
    if entails(left, right):
        return right
    if universal(left):
        return or_(left, right)
    if tail_only(right):
        return or_(always(left), right)
    if universal(right) and entails(right, left):  # a W G a = G a
        return always(left)
    if left.op is Op.NEXT and right.op is Op.NEXT:
        return next_(weak_until(left.args[0], right.args[0]))
    if right.op is Op.WEAK_UNTIL and entails(left, right.args[0]):
        return right
    if left.op in (Op.UNTIL, Op.WEAK_UNTIL) and left.args[1] is right:
        return left
    if right.op is Op.AND and left in right.args:  # a W (a && b) = b R a
        return release(and_(*(part for part in right.args if part is not left)), left)
    return formula


def _release(formula: Formula) -> Formula:
    left, right = formula.args
    if universal(right) or entails(right, left):
        return right
    if excludes(left, right):
        return always(right)
    if left.op is Op.NEXT and right.op is Op.NEXT:
        return next_(release(left.args[0], right.args[0]))
    if right.op in (Op.RELEASE, Op.STRONG_RELEASE) and entails(right.args[0], left):
        return right
    if right.op is Op.AND:  # a R (b && u) = a R b && u
        fixed, rest = _parted(right, universal)
        if fixed:
            return and_(release(left, and_(*rest)), *fixed)
    if right.op is Op.OR:
        fixed, rest = _parted(right, tail_only)
        if fixed:
            return or_(release(left, or_(*rest)), *fixed)
        if left in right.args:  # a R (a || b) = b W a
            return weak_until(or_(*(part for part in right.args if part is not left)), left)
    return _without_left_parts(formula, release)


def _strong_release(formula: Formula) -> Formula:
    left, right = formula.args
    if excludes(left, right):
        return FALSE
    if entails(right, left):
        return right
    if universal(right):
        return and_(eventually(left), right)
    if eventual(left):
        return and_(left, right)
    if eventual(right) and entails(left, right):
        return eventually(left)
    if left.op is Op.NEXT and right.op is Op.NEXT:
        return next_(strong_release(left.args[0], right.args[0]))
    if right.op is Op.STRONG_RELEASE and entails(right.args[0], left):
        return right
    if right.op is Op.OR and left in right.args:
        return until(or_(*(part for part in right.args if part is not left)), left)
    return _without_left_parts(formula, strong_release)


def _without_left_parts(formula: Formula, builder: Callable[[Formula, Formula], Formula]) -> Formula:
    """(a && b) R b = a R b."""
    left, right = formula.args
    if left.op is Op.AND:
        rest = [part for part in left.args if not entails(right, part)]
        if len(rest) < len(left.args):
            return builder(and_(*rest), right)
    return formula


_RULES: Final = {
    Op.NEXT: _next,
    Op.EVENTUALLY: _eventually,
    Op.ALWAYS: _always,
    Op.UNTIL: _until,
    Op.WEAK_UNTIL: _weak_until,
    Op.RELEASE: _release,
    Op.STRONG_RELEASE: _strong_release,
    Op.AND: merge_conjuncts,
    Op.OR: merge_disjuncts,
}
