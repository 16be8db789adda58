"""Expressions evaluated over sets of values: what the value analysis and the relations compute with.

A domain is a frozenset where it is small, else a range. Small expressions are evaluated by trying all values, which
keeps what connects two reads of one slot; large ones are evaluated operator by operator.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from mule.model.closures import STRICT, Closures, Function, UndefinedValue, operator_bounds, wrap
from mule.model.definedness import undefined_where
from mule.model.expressions import (
    COMPARISONS,
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    Unary,
    Undefined,
    negation,
    subexpressions,
)
from mule.model.model import Model
from mule.model.variables import IntegerType

Domain = frozenset[int] | range
Overlay = dict[int, Domain]
"""Domains of some slots that replace the general ones."""

SMALL = 256
"""A domain with more values than this is kept as a range."""
_PRODUCT = 512
_PATIENCE = 24

EMPTY: Domain = frozenset()
_TRUTH: Domain = frozenset((0, 1))
_NO_OVERLAY: Overlay = {}


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


def lowest(domain: Domain) -> int:
    return domain[0] if isinstance(domain, range) else min(domain)


def highest(domain: Domain) -> int:
    return domain[-1] if isinstance(domain, range) else max(domain)


def wrap_domain(domain: Domain, kind: IntegerType) -> Domain:
    """What a variable of that type holds after one of the values is assigned to it."""
    if not domain or (kind.low <= lowest(domain) and highest(domain) <= kind.high):
        return domain
    if isinstance(domain, frozenset):
        return frozenset(kind.wrap(value) for value in domain)
    return hull(kind.low, kind.high)


class Profile:
    """What an expression depends on: slots known beforehand, or some that an index decides."""

    __slots__ = ("_results", "_seen", "_true", "defined", "dynamic", "expression", "function", "slots")

    def __init__(self, expression: Expression, function: Function, slots: tuple[int, ...], dynamic: bool) -> None:
        self.expression = expression
        self.function = function
        self.slots = slots
        self.dynamic = dynamic
        self.defined: Expression | None = None
        """For what is dynamic: where it is defined, if that can be said without another index."""
        self._results: dict[int, int | None] = {}
        self._seen: frozenset[int] = frozenset()
        self._true: frozenset[int] = frozenset()

    def satisfying(self, domain: frozenset[int], scratch: list[Any]) -> frozenset[int]:
        """The values of its one slot that make it true; each value is tried once for ever."""
        fresh = domain - self._seen
        if fresh:
            self._true |= {value for value in fresh if self._value(value, scratch)}
            self._seen |= fresh
        return domain & self._true

    def results(self, domain: frozenset[int], scratch: list[Any]) -> frozenset[int]:
        """What it can be, its one slot being in the domain."""
        found = {self._value(value, scratch) for value in domain}
        found.discard(None)
        return frozenset(found)  # type: ignore[arg-type]

    def _value(self, value: int, scratch: list[Any]) -> int | None:
        try:
            return self._results[value]
        except KeyError:
            scratch[self.slots[0]] = value
            try:
                result = int(self.function(scratch))
            except UndefinedValue:
                result = None
            self._results[value] = result
            return result


class Evaluation:
    """Evaluates expressions over domains instead of values; remembers what it computed for small ones."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.slot_of = model.slot_of
        self.closures = Closures(model.slot_of)
        self._profiles: dict[int, Profile] = {}
        self._images: dict[tuple[Any, ...], Domain] = {}
        self._filtered: dict[tuple[Any, ...], tuple[Domain, ...]] = {}
        self._scratch: list[Any] = [0] * model.slots
        self._kept: list[Expression] = []
        self._negations: dict[int, Expression] = {}

    def profile(self, expression: Expression) -> Profile:
        """Cached by identity: hashing a whole expression each time would cost more than the analysis."""
        known = self._profiles.get(id(expression))
        if known is not None:
            return known
        self._kept.append(expression)
        slots: dict[int, None] = {}
        dynamic = False
        read = undefined_where(expression.operand) if isinstance(expression, Undefined) else expression
        for part in subexpressions(read):
            if isinstance(part, Read):
                if part.index is None:
                    slots[self.slot_of[part.variable]] = None
                elif isinstance(part.index, Constant):
                    if 0 <= part.index.value < part.variable.size:
                        slots[self.slot_of[part.variable] + part.index.value] = None
                else:
                    dynamic = True
        found = Profile(expression, self.closures.function(expression), tuple(sorted(slots)), dynamic)
        self._profiles[id(expression)] = found
        if dynamic:
            defined = negation(undefined_where(expression))
            if not any(_has_index(part) for part in subexpressions(defined)):
                found.defined = defined
        return found

    def image(self, expression: Expression, values: Sequence[Domain], overlay: Mapping[int, Domain]) -> Domain:
        """All values that an expression can take; where it is undefined it has none."""
        if isinstance(expression, Constant):
            return frozenset((expression.value,))
        profile = self.profile(expression)
        if isinstance(expression, Read) and not profile.dynamic:
            if not profile.slots:
                return EMPTY
            slot = profile.slots[0]
            return overlay.get(slot) or values[slot]
        if not profile.dynamic:
            domains = tuple([overlay.get(slot) or values[slot] for slot in profile.slots])
            if _combinations(domains) <= _PRODUCT:
                return self._enumerate(profile, domains)
        return self._compose(expression, values, overlay)

    def _enumerate(self, profile: Profile, domains: tuple[Domain, ...]) -> Domain:
        if len(domains) == 1 and isinstance(domains[0], frozenset):
            return profile.results(domains[0], self._scratch)
        key = (id(profile.expression), domains)
        known = self._images.get(key)
        if known is not None:
            return known
        scratch, function, results = self._scratch, profile.function, set()
        for combination in product(*domains):
            for slot, value in zip(profile.slots, combination, strict=True):
                scratch[slot] = value
            try:
                results.add(function(scratch))
            except UndefinedValue:
                continue
        domain = frozenset(map(int, results))
        self._images[key] = domain
        return domain

    def _compose(self, expression: Expression, values: Sequence[Domain], overlay: Mapping[int, Domain]) -> Domain:
        match expression:
            case Read(variable, index):
                assert index is not None
                base, result = self.slot_of[variable], EMPTY
                for position in self.indices(expression, values, overlay):
                    result = join(result, overlay.get(base + position) or values[base + position])
                return result
            case Binary(name, left, right) if name in ("and", "or") or name in COMPARISONS:
                first = self.image(left, values, overlay)
                second = self.image(right, values, overlay)
                if name in COMPARISONS:
                    return _compare(name, first, second)
                return _TRUTH
            case Binary(name, left, right):
                return _arithmetic(name, self.image(left, values, overlay), self.image(right, values, overlay))
            case Unary("not", _) | Undefined():
                return _TRUTH
            case Unary("-", operand):
                return _arithmetic("-", frozenset((0,)), self.image(operand, values, overlay))
            case Unary(_, operand):
                return _arithmetic("-", frozenset((-1,)), self.image(operand, values, overlay))
            case Conditional(test, then, otherwise):
                decided = self.image(test, values, overlay)
                result = self.image(then, values, overlay) if decided != frozenset((0,)) else EMPTY
                return join(result, self.image(otherwise, values, overlay)) if 0 in decided else result
        raise TypeError(f"not an expression: {expression!r}")

    def indices(self, read: Read, values: Sequence[Domain], overlay: Mapping[int, Domain]) -> list[int]:
        """The indices in range that a read or an assignment can use."""
        if read.index is None:
            return [0]
        size = read.variable.size
        domain = self.image(read.index, values, overlay)
        if isinstance(domain, range):
            return list(range(max(domain[0], 0), min(domain[-1] + 1, size)))
        return sorted(position for position in domain if 0 <= position < size)

    def refine(self, expression: Expression, values: Sequence[Domain], overlay: Overlay) -> bool:
        """Narrow the overlay to where a predicate holds; False where it holds nowhere."""
        match expression:
            case Binary("and", left, right):
                return self.refine(left, values, overlay) and self.refine(right, values, overlay)
            case Unary("not", Binary("or", left, right)):
                first, second = self._negated(left), self._negated(right)
                return self.refine(first, values, overlay) and self.refine(second, values, overlay)
        profile = self.profile(expression)
        if profile.dynamic:
            defined = profile.defined
            if defined is not None and not self.refine(defined, values, overlay):
                return False
            return self.image(expression, values, overlay) not in (EMPTY, frozenset((0,)))
        slots = profile.slots
        if len(slots) == 1:
            domain = overlay.get(slots[0]) or values[slots[0]]
            if isinstance(domain, frozenset):
                kept = profile.satisfying(domain, self._scratch)
                if len(kept) != len(domain):
                    overlay[slots[0]] = kept
                return bool(kept)
        domains = tuple([overlay.get(slot) or values[slot] for slot in slots])
        if len(slots) <= 2 and _combinations(domains) <= _PRODUCT:
            filtered = self._filter(profile, domains)
            for slot, before, after in zip(slots, domains, filtered, strict=True):
                if not after:
                    return False
                if len(after) != len(before):
                    overlay[slot] = after
            if not slots:
                return self._enumerate(profile, ()) not in (EMPTY, frozenset((0,)))
            return True
        if len(slots) == 2 and isinstance(expression, Binary):
            return _refine_bounds(self, expression, values, overlay)
        if len(slots) == 1:
            return self._refine_large(expression, slots[0], domains[0], overlay)
        return True

    def _negated(self, expression: Expression) -> Expression:
        """Kept, because profiles are found again by the identity of the expression."""
        known = self._negations.get(id(expression))
        if known is None:
            known = self._negations[id(expression)] = negation(expression)
            self._kept.append(expression)
        return known

    def _filter(self, profile: Profile, domains: tuple[Domain, ...]) -> tuple[Domain, ...]:
        key = (id(profile.expression), domains)
        known = self._filtered.get(key)
        if known is not None:
            return known
        scratch, function, slots = self._scratch, profile.function, profile.slots
        kept: list[set[int]] = [set() for _ in slots]
        for combination in product(*domains):
            for slot, value in zip(slots, combination, strict=True):
                scratch[slot] = value
            try:
                if function(scratch):
                    for position, value in enumerate(combination):
                        kept[position].add(value)
            except UndefinedValue:
                continue
        result = tuple(frozenset(part) for part in kept)
        self._filtered[key] = result
        return result

    def _refine_large(self, expression: Expression, slot: int, domain: Domain, overlay: Overlay) -> bool:
        """`slot op constant` on a range."""
        if not (
            isinstance(expression, Binary)
            and isinstance(expression.left, Read)
            and isinstance(expression.right, Constant)
            and expression.operator in COMPARISONS
        ):
            return True
        return _cut(expression.operator, slot, domain, expression.right.value, expression.right.value, overlay)


def _has_index(part: Expression) -> bool:
    return isinstance(part, Read) and part.index is not None and not isinstance(part.index, Constant)


def _combinations(domains: Iterable[Domain]) -> int:
    count = 1
    for domain in domains:
        count *= len(domain)
    return count


def _cut(name: str, slot: int, domain: Domain, low: int, high: int, overlay: Overlay) -> bool:
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


def _refine_bounds(evaluation: Evaluation, expression: Binary, values: Sequence[Domain], overlay: Overlay) -> bool:
    left, right = expression.left, expression.right
    if expression.operator not in COMPARISONS or not isinstance(left, Read) or not isinstance(right, Read):
        return True
    first, second = evaluation.profile(left).slots, evaluation.profile(right).slots
    if len(first) != 1 or len(second) != 1:
        return True
    a = overlay.get(first[0]) or values[first[0]]
    b = overlay.get(second[0]) or values[second[0]]
    mirrored = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}[expression.operator]
    return _cut(expression.operator, first[0], a, lowest(b), highest(b), overlay) and _cut(
        mirrored, second[0], b, lowest(a), highest(a), overlay
    )


def _compare(name: str, left: Domain, right: Domain) -> Domain:
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
    return frozenset((1,)) if always else frozenset((0,)) if never else _TRUTH


def _disjoint(left: Domain, right: Domain) -> bool:
    if isinstance(left, frozenset):
        return left.isdisjoint(right) if isinstance(right, frozenset) else not any(x in right for x in left)
    return not any(x in left for x in right) if isinstance(right, frozenset) else False


def _arithmetic(name: str, left: Domain, right: Domain) -> Domain:
    if not left or not right:
        return EMPTY
    if isinstance(left, frozenset) and isinstance(right, frozenset) and len(left) * len(right) <= _PRODUCT:
        apply, results = STRICT[name], set()
        for a in left:
            for b in right:
                try:
                    results.add(wrap(apply(a, b), -(2**31), 2**31 - 1))
                except UndefinedValue:
                    continue
        return frozenset(results) if len(results) <= SMALL else range(min(results), max(results) + 1)
    low, high = operator_bounds(name, (lowest(left), highest(left)), (lowest(right), highest(right)))
    if low < -(2**31) or high > 2**31 - 1:
        return range(-(2**31), 2**31)
    return hull(low, high)
