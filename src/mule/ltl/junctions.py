"""Rewriting of conjunctions and disjunctions: what is implied goes, what can be merged is merged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
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
    next_,
    or_,
    release,
    strong_release,
    until,
    weak_until,
)
from mule.ltl.implication import covers, entails, excludes, tail_only


def merge_conjuncts(formula: Formula) -> Formula:
    """An equivalent of a conjunction whose operands are simplified."""
    parts = strongest(formula.args)
    if any(excludes(left, right) for index, left in enumerate(parts) for right in parts[:index]):
        return FALSE
    parts = _unary_merged(parts, Op.ALWAYS, lambda group: always(and_(*group)))
    parts = _unary_merged(parts, Op.NEXT, lambda group: next_(and_(*group)))
    parts = _double_merged(parts, Op.EVENTUALLY, Op.ALWAYS, lambda group: eventually(always(and_(*group))))
    parts = _pair_merged(parts, _CONJUNCT_PAIRS)
    parts = [_without_excluded(part, parts) for part in parts]
    return and_(*parts)


def merge_disjuncts(formula: Formula) -> Formula:
    """An equivalent of a disjunction whose operands are simplified."""
    parts = weakest(formula.args)
    if any(covers(left, right) for index, left in enumerate(parts) for right in parts[:index]):
        return TRUE
    parts = _unary_merged(parts, Op.EVENTUALLY, lambda group: eventually(or_(*group)))
    parts = _unary_merged(parts, Op.NEXT, lambda group: next_(or_(*group)))
    parts = _double_merged(parts, Op.ALWAYS, Op.EVENTUALLY, lambda group: always(eventually(or_(*group))))
    parts = _pair_merged(parts, _DISJUNCT_PAIRS)
    parts = [_without_covered(part, parts) for part in parts]
    return or_(*parts)


def postponed(formula: Formula) -> Formula:
    """F G a || G F b = F (G a || G F b): the choice is left open while the word is read, in the state that waits."""
    if not formula.args or formula.boolean:
        return formula
    parts = [postponed(arg) for arg in formula.args]
    if formula.op is Op.OR:
        waiting = [part for part in parts if part.op is Op.EVENTUALLY and not part.args[0].boolean]
        fixed = [part for part in parts if part not in waiting and tail_only(part)]
        if waiting and fixed:
            rest = [part for part in parts if part not in waiting and part not in fixed]
            return or_(*rest, eventually(or_(*(part.args[0] for part in waiting), *fixed)))
    return build(formula.op, *parts)


def strongest(parts: Iterable[Formula]) -> list[Formula]:
    """The conjuncts that no other one implies; of two that imply each other the smaller stays."""
    kept: list[Formula] = []
    for part in sorted(parts):
        if not any(entails(other, part) for other in kept):
            kept = [other for other in kept if not entails(part, other)]
            kept.append(part)
    return kept


def weakest(parts: Iterable[Formula]) -> list[Formula]:
    """The disjuncts that imply no other one; of two that imply each other the smaller stays."""
    kept: list[Formula] = []
    for part in sorted(parts):
        if not any(entails(part, other) for other in kept):
            kept = [other for other in kept if not entails(other, part)]
            kept.append(part)
    return kept


_Merger = Callable[[list[Formula]], Formula]


def _unary_merged(parts: list[Formula], op: Op, merge: _Merger) -> list[Formula]:
    """G a && G b = G (a && b), and the like; G F a stays for itself."""
    group = [part for part in parts if part.op is op and (op is not Op.ALWAYS or part.args[0].op is not Op.EVENTUALLY)]
    if len(group) < 2:
        return parts
    return [part for part in parts if part not in group] + [merge([part.args[0] for part in group])]


def _double_merged(parts: list[Formula], outer: Op, inner: Op, merge: _Merger) -> list[Formula]:
    """F G a && F G b = F G (a && b), and G F a || G F b = G F (a || b)."""
    group = [part for part in parts if part.op is outer and part.args[0].op is inner]
    if len(group) < 2:
        return parts
    return [part for part in parts if part not in group] + [merge([part.args[0].args[0] for part in group])]


_Pairs = dict[Op, tuple[int, Callable[[Iterable[Formula]], Formula], Callable[[Formula, Formula], Formula]]]
"""For an operator: which operand must be the same, how the others are joined, and the constructor."""

_CONJUNCT_PAIRS: Final[_Pairs] = {
    Op.UNTIL: (1, lambda parts: and_(*parts), until),
    Op.WEAK_UNTIL: (1, lambda parts: and_(*parts), weak_until),
    Op.RELEASE: (0, lambda parts: and_(*parts), release),
    Op.STRONG_RELEASE: (0, lambda parts: and_(*parts), strong_release),
}
_DISJUNCT_PAIRS: Final[_Pairs] = {
    Op.UNTIL: (0, lambda parts: or_(*parts), until),
    Op.WEAK_UNTIL: (0, lambda parts: or_(*parts), weak_until),
    Op.RELEASE: (1, lambda parts: or_(*parts), release),
    Op.STRONG_RELEASE: (1, lambda parts: or_(*parts), strong_release),
}


def _pair_merged(parts: list[Formula], pairs: _Pairs) -> list[Formula]:
    """a U c && b U c = (a && b) U c, and the like."""
    groups: dict[tuple[Op, Formula], list[Formula]] = defaultdict(list)
    result = []
    for part in parts:
        if part.op in pairs:
            groups[part.op, part.args[pairs[part.op][0]]].append(part)
        else:
            result.append(part)
    for (op, shared), group in groups.items():
        position, join, make = pairs[op]
        other = join([part.args[1 - position] for part in group])
        result.append(make(shared, other) if position == 0 else make(other, shared))
    return _with_sides(result, pairs is _CONJUNCT_PAIRS)


def _with_sides(parts: list[Formula], conjunction: bool) -> list[Formula]:
    """F b && (a W b) = a U b, F a && (a R b) = a M b; dually with G."""
    side = Op.EVENTUALLY if conjunction else Op.ALWAYS
    table: dict[Op, tuple[int, Callable[[Formula, Formula], Formula]]] = (
        {Op.WEAK_UNTIL: (1, until), Op.RELEASE: (0, strong_release)}
        if conjunction
        else {Op.UNTIL: (0, weak_until), Op.STRONG_RELEASE: (1, release)}
    )
    sides = {part.args[0]: part for part in parts if part.op is side}
    used: set[Formula] = set()
    result = []
    for part in parts:
        index, make = table.get(part.op, (0, None))
        if make and part.args[index] in sides:
            used.add(sides[part.args[index]])
            part = make(*part.args)
        result.append(part)
    return [part for part in result if part not in used]


def _without_excluded(part: Formula, context: list[Formula]) -> Formula:
    """a && (b || c) = a && b where a excludes c."""
    if part.op is not Op.OR:
        return part
    return or_(*(arg for arg in part.args if not any(excludes(arg, other) for other in context if other is not part)))


def _without_covered(part: Formula, context: list[Formula]) -> Formula:
    """a || (b && c) = a || b where !a implies c."""
    if part.op is not Op.AND:
        return part
    return and_(*(arg for arg in part.args if not any(covers(arg, other) for other in context if other is not part)))
