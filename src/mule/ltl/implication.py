"""Implications between formulas that can be seen from their syntax.

Somenzi and Bloem, "Efficient Büchi automata from LTL formulae" (CAV 2000); Etessami and Holzmann, "Optimizing Büchi
automata" (CONCUR 2000), for the eventual and the universal formulas. All formulas are in negation normal form.
"""

from __future__ import annotations

from functools import lru_cache

from mule.ltl.formula import FALSE, TRUE, Formula, Op, negation_normal_form


@lru_cache(maxsize=100_000)
def eventual(formula: Formula) -> bool:
    """If it holds on a suffix of a word it holds on the word."""
    op, args = formula.op, formula.args
    if op in (Op.TRUE, Op.FALSE, Op.EVENTUALLY):
        return True
    if op is Op.UNTIL:
        return eventual(args[1])
    return op not in (Op.ATOM, Op.NOT) and all(eventual(arg) for arg in args)


@lru_cache(maxsize=100_000)
def universal(formula: Formula) -> bool:
    """If it holds on a word it holds on each of its suffixes."""
    op, args = formula.op, formula.args
    if op in (Op.TRUE, Op.FALSE, Op.ALWAYS):
        return True
    if op is Op.RELEASE:
        return universal(args[1])
    return op not in (Op.ATOM, Op.NOT) and all(universal(arg) for arg in args)


def tail_only(formula: Formula) -> bool:
    """Its truth does not change along a word, as that of `G F p`."""
    return eventual(formula) and universal(formula)


@lru_cache(maxsize=200_000)
def entails(left: Formula, right: Formula) -> bool:
    """Does each word of `left` satisfy `right`? False where the syntax does not show it."""
    if left is right or left is FALSE or right is TRUE:
        return True
    if left is TRUE or right is FALSE:
        return False
    if left.op is Op.OR:
        return all(entails(arg, right) for arg in left.args)
    if right.op is Op.AND:
        return all(entails(left, arg) for arg in right.args)
    return (
        (left.op is Op.AND and any(entails(arg, right) for arg in left.args))
        or (right.op is Op.OR and any(entails(left, arg) for arg in right.args))
        or _left_unfolded(left, right)
        or _right_unfolded(left, right)
        or _pairwise(left, right)
    )


def excludes(left: Formula, right: Formula) -> bool:
    """Can no word satisfy both? False where the syntax does not show it."""
    return entails(left, _negation(right)) or entails(right, _negation(left))


def covers(left: Formula, right: Formula) -> bool:
    """Does each word satisfy one of them? False where the syntax does not show it."""
    return entails(_negation(left), right) or entails(_negation(right), left)


@lru_cache(maxsize=100_000)
def _negation(formula: Formula) -> Formula:
    return negation_normal_form(formula, negated=True)


def _left_unfolded(left: Formula, right: Formula) -> bool:
    """What must hold now, or at some time if `right` is eventual, is enough."""
    op, args = left.op, left.args
    if op is Op.NEXT:
        return eventual(right) and entails(args[0], right)
    if op is Op.EVENTUALLY:
        return eventual(right) and entails(args[0], right)
    if op is Op.UNTIL:
        return entails(args[1], right) and (eventual(right) or entails(args[0], right))
    if op is Op.WEAK_UNTIL:
        return entails(args[1], right) and entails(args[0], right)
    if op is Op.STRONG_RELEASE:
        return entails(args[1], right) or (eventual(right) and entails(args[0], right))
    if op in (Op.ALWAYS, Op.RELEASE):
        return entails(args[-1], right)
    return False


def _right_unfolded(left: Formula, right: Formula) -> bool:
    """The dual: `right` is implied by what holds now, or at all times if `left` is universal."""
    op, args = right.op, right.args
    if op in (Op.NEXT, Op.ALWAYS):
        return universal(left) and entails(left, args[0])
    if op is Op.RELEASE:
        return entails(left, args[1]) and (universal(left) or entails(left, args[0]))
    if op is Op.STRONG_RELEASE:
        return entails(left, args[1]) and entails(left, args[0])
    if op is Op.WEAK_UNTIL:
        return entails(left, args[1]) or (universal(left) and entails(left, args[0]))
    if op in (Op.EVENTUALLY, Op.UNTIL):
        return entails(left, args[-1])
    return False


def _pairwise(left: Formula, right: Formula) -> bool:
    """Two temporal operators of which one implies the other when their operands do."""
    if left.op is Op.NEXT and right.op is Op.NEXT:
        return entails(left.args[0], right.args[0])
    held = _held_until(left)
    kept = _held_until(right)
    if held is None or kept is None:
        return False
    before, last, bounded = held
    before_too, last_too, bounded_too = kept
    if bounded_too and not bounded:
        return False
    if not all(_any_entails(before, goal) for goal in before_too):
        return False
    return all(_any_entails(last, goal) for goal in last_too) or _any_entails(last, right)


def _any_entails(facts: tuple[Formula, ...], goal: Formula) -> bool:
    return any(entails(fact, goal) for fact in facts)


def _held_until(formula: Formula) -> tuple[tuple[Formula, ...], tuple[Formula, ...], bool] | None:
    """(what holds before a last moment, what holds in it, whether that moment must come)."""
    op, args = formula.op, formula.args
    if op is Op.ALWAYS:
        return args, (FALSE,), False
    if op is Op.EVENTUALLY:
        return (TRUE,), args, True
    if op in (Op.UNTIL, Op.WEAK_UNTIL):
        return args[:1], args[1:], op is Op.UNTIL
    if op in (Op.RELEASE, Op.STRONG_RELEASE):
        return args[1:], args, op is Op.STRONG_RELEASE
    return None


_STRONG = (Op.EVENTUALLY, Op.UNTIL, Op.STRONG_RELEASE)


@lru_cache(maxsize=100_000)
def _promises_nothing(formula: Formula) -> bool:
    return formula.op not in _STRONG and all(_promises_nothing(arg) for arg in formula.args)


@lru_cache(maxsize=100_000)
def carries(left: Formula, right: Formula) -> bool:
    """Does `left` imply `right` and, step by step, make each promise that `right` makes?

    Implication alone is not enough to leave `right` out of a state of the tableau: (X F p) W p implies F p, but nothing
    promises p when F p is left out again and again in favour of a formula that only generates it.
    """
    if left is right or (_promises_nothing(right) and entails(left, right)):
        return True
    if left.op is Op.OR:
        return all(carries(arg, right) for arg in left.args)
    if right.op is Op.OR:
        return any(carries(left, arg) for arg in right.args)
    if left.op is Op.ALWAYS and carries(left.args[0], right):
        return True
    return _carries_pairwise(left, right)


def _carries_pairwise(left: Formula, right: Formula) -> bool:
    if left.op is Op.STRONG_RELEASE and right.op is Op.EVENTUALLY:
        return left.args[0] is right.args[0]
    if left.op is Op.UNTIL and right.op is Op.EVENTUALLY:
        return left.args[1] is right.args[0]
    if left.op is not right.op or not left.args:
        return False
    if left.op is Op.UNTIL:
        return left.args[1] is right.args[1] and carries(left.args[0], right.args[0])
    if left.op is Op.STRONG_RELEASE:
        return left.args[0] is right.args[0] and carries(left.args[1], right.args[1])
    if left.op in (Op.NEXT, Op.ALWAYS, Op.WEAK_UNTIL, Op.RELEASE):
        return all(carries(arg, other) for arg, other in zip(left.args, right.args, strict=True))
    return False
