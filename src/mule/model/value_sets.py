"""Sets of values, and what operators make of them: frozensets where they are small, else ranges."""

from __future__ import annotations

from collections.abc import Iterable

from mule.model.closures import STRICT, UndefinedValue, exact_bounds, operator_bounds, wrap
from mule.model.expressions import EXACT, HIGHEST, LEAST, LOWEST
from mule.model.variables import IntegerType

Domain = frozenset[int] | range
Overlay = dict[int, Domain]
"""Domains of some slots that replace the general ones."""

SMALL = 256
"""A domain with more values than this is kept as a range."""
PRODUCT = 512
"""How many combinations are worth trying one by one."""

EMPTY: Domain = frozenset()
TRUTH: Domain = frozenset((0, 1))


def hull(low: int, high: int) -> Domain:
    return frozenset(range(low, high + 1)) if high - low < SMALL else range(low, high + 1)


def join(left: Domain, right: Domain) -> Domain:
    """The union, or a range around it where that is large."""
    if isinstance(left, frozenset) and isinstance(right, frozenset):
        if right <= left:
            return left
        both = left | right
        if len(both) <= SMALL:
            return both
        return range(min(both), max(both) + 1)
    if not left or not right:
        return left or right
    low, high = min(lowest(left), lowest(right)), max(highest(left), highest(right))
    return left if isinstance(left, range) and (low, high) == (left[0], left[-1]) else hull(low, high)


def intersection(left: Domain, right: Domain) -> Domain:
    if left is right:
        return left
    if isinstance(left, frozenset):
        return left & right if isinstance(right, frozenset) else frozenset(x for x in left if x in right)
    if isinstance(right, frozenset):
        return frozenset(x for x in right if x in left)
    return range(max(left[0], right[0]), min(left[-1], right[-1]) + 1)


def lowest(domain: Domain) -> int:
    return domain[0] if isinstance(domain, range) else min(domain)


def highest(domain: Domain) -> int:
    return domain[-1] if isinstance(domain, range) else max(domain)


def wrap_domain(domain: Domain, kind: IntegerType) -> Domain:
    """What a variable of that type holds after one of the values is assigned to it; where it fails, nothing."""
    if not outside(domain, kind):
        return domain
    if isinstance(domain, frozenset):
        if kind.checked:
            return frozenset(value for value in domain if kind.low <= value <= kind.high)
        low, high = kind.low, kind.high
        return frozenset([value if low <= value <= high else kind.wrap(value) for value in domain])
    if kind.checked:
        return hull(max(domain[0], kind.low), min(domain[-1], kind.high))
    return hull(kind.low, kind.high)


def outside(domain: Domain, kind: IntegerType) -> bool:
    """Whether some of the values do not fit the type."""
    return bool(domain) and not (kind.low <= lowest(domain) and highest(domain) <= kind.high)


def combinations(domains: Iterable[Domain]) -> int:
    count = 1
    for domain in domains:
        count *= len(domain)
    return count


def cut(name: str, slot: int, domain: Domain, low: int, high: int, overlay: Overlay) -> bool:
    """Keep what can satisfy `slot op y` for some y in low..high."""
    first, last = lowest(domain), highest(domain)
    match name:
        case "<":
            last = min(last, high - 1)
        case "<=":
            last = min(last, high)
        case ">":
            first = max(first, low + 1)
        case ">=":
            first = max(first, low)
        case "==":
            first, last = max(first, low), min(last, high)
        case _:
            return True
    if first > last:
        return False
    if isinstance(domain, range):
        overlay[slot] = hull(first, last)
    else:
        kept = frozenset(value for value in domain if first <= value <= last)
        if not kept:
            return False
        overlay[slot] = kept
    return True


def compare(name: str, left: Domain, right: Domain) -> Domain:
    if not left or not right:
        return EMPTY
    a, b, c, d = lowest(left), highest(left), lowest(right), highest(right)
    always = never = False
    match name:
        case "<":
            always, never = b < c, a >= d
        case "<=":
            always, never = b <= c, a > d
        case ">":
            always, never = a > d, b <= c
        case ">=":
            always, never = a >= d, b < c
        case "==" | "!=":
            always, never = a == b == c == d, b < c or d < a or _disjoint(left, right)
            if name == "!=":
                always, never = never, always
    return frozenset((1,)) if always else frozenset((0,)) if never else TRUTH


def _disjoint(left: Domain, right: Domain) -> bool:
    if isinstance(left, frozenset):
        return left.isdisjoint(right) if isinstance(right, frozenset) else not any(x in right for x in left)
    return not any(x in left for x in right) if isinstance(right, frozenset) else False


def _all_results(name: str, left: frozenset[int], right: frozenset[int]) -> set[int]:
    apply = STRICT[name]
    if name in EXACT:
        return _exact_results(name, left, right)
    if name in ("/", "%"):
        right = right - {0}
    results = {apply(a, b) for a in left for b in right}
    if results and (min(results) < LOWEST or max(results) > HIGHEST):
        return {wrap(result, LOWEST, HIGHEST) for result in results}
    return results


def _exact_results(name: str, left: frozenset[int], right: frozenset[int]) -> set[int]:
    apply, results = STRICT[name], set()
    for a in left:
        for b in right:
            try:
                results.add(apply(a, b))
            except UndefinedValue:
                continue
    return results


def arithmetic(name: str, left: Domain, right: Domain) -> Domain:
    if not left or not right:
        return EMPTY
    if isinstance(left, frozenset) and isinstance(right, frozenset) and len(left) * len(right) <= PRODUCT:
        results = _all_results(name, left, right)
        return frozenset(results) if len(results) <= SMALL else hull(min(results), max(results))
    sides = (lowest(left), highest(left)), (lowest(right), highest(right))
    if name in EXACT:
        low, high = exact_bounds(name, *sides)
        return hull(max(low, LEAST), min(high, HIGHEST)) if low <= HIGHEST and high >= LEAST else EMPTY
    low, high = operator_bounds(name, *sides)
    if low < LOWEST or high > HIGHEST:
        return range(LOWEST, HIGHEST + 1)
    return hull(low, high)
