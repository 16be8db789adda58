"""Expressions evaluated over sets of values: what the value analysis and the relations compute with.

A domain is a frozenset where it is small, else a range. Small expressions are evaluated by trying all values, which
keeps what connects two reads of one slot; large ones are evaluated operator by operator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from mule.model.closures import Closures, Function, UndefinedValue
from mule.model.definedness import undefined_where
from mule.model.expressions import (
    COMPARISONS,
    MIRRORED,
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
from mule.model.value_sets import (
    EMPTY,
    PRODUCT,
    TRUTH,
    Domain,
    Overlay,
    arithmetic,
    combinations,
    compare,
    cut,
    highest,
    intersection,
    join,
    lowest,
)

__all__ = ["Evaluation", "Profile", "highest", "lowest"]


class Profile:
    """What an expression depends on: slots known beforehand, or some that an index decides."""

    __slots__ = (
        "_last",
        "_results",
        "_seen",
        "_true",
        "defined",
        "dynamic",
        "expression",
        "function",
        "reads",
        "slots",
    )

    def __init__(self, expression: Expression, function: Function, slots: tuple[int, ...], dynamic: bool) -> None:
        self.expression = expression
        self.function = function
        self.slots = slots
        self.dynamic = dynamic
        self.reads = isinstance(expression, Binary) and _compares_reads(expression)
        """Whether it compares two slots and does nothing else."""
        self.defined: Expression | None = None
        """For what is dynamic: where it is defined, if that can be said without another index."""
        self._results: dict[int, int | None] = {}
        self._last: tuple[Domain, frozenset[int]] = (EMPTY, frozenset())
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
        if domain is self._last[0]:
            return self._last[1]
        known = self._results
        fresh = domain - known.keys()
        if fresh:
            for value in fresh:
                self._value(value, scratch)
        found = frozenset([known[value] for value in domain])
        if None in found:
            found -= {None}
        self._last = (domain, found)  # type: ignore[assignment]
        return found  # type: ignore[return-value]

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
            if combinations(domains) <= PRODUCT:
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
                    return compare(name, first, second)
                return TRUTH
            case Binary(name, left, right):
                return arithmetic(name, self.image(left, values, overlay), self.image(right, values, overlay))
            case Unary("not", _) | Undefined():
                return TRUTH
            case Unary("-", operand):
                return arithmetic("-", frozenset((0,)), self.image(operand, values, overlay))
            case Unary(_, operand):
                return arithmetic("-", frozenset((-1,)), self.image(operand, values, overlay))
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
        if len(slots) == 2 and profile.reads:
            return self._refine_pair(expression, values, overlay)
        domains = tuple([overlay.get(slot) or values[slot] for slot in slots])
        if len(slots) <= 2 and combinations(domains) <= PRODUCT:
            filtered = self._filter(profile, domains)
            for slot, before, after in zip(slots, domains, filtered, strict=True):
                if not after:
                    return False
                if len(after) != len(before):
                    overlay[slot] = after
            if not slots:
                return self._enumerate(profile, ()) not in (EMPTY, frozenset((0,)))
            return True
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

    def _refine_pair(self, expression: Expression, values: Sequence[Domain], overlay: Overlay) -> bool:
        """A comparison of two slots: each is cut to what the bounds of the other allow."""
        assert isinstance(expression, Binary)
        first, second = self.profile(expression.left).slots[0], self.profile(expression.right).slots[0]
        a, b = overlay.get(first) or values[first], overlay.get(second) or values[second]
        if expression.operator == "==":
            both = intersection(a, b)
            overlay[first] = overlay[second] = both
            return bool(both)
        if expression.operator == "!=" and (len(a) == 1 or len(b) == 1):
            return self._differ(first, a, b, overlay) and self._differ(second, b, a, overlay)
        mirrored = MIRRORED[expression.operator]
        return cut(expression.operator, first, a, lowest(b), highest(b), overlay) and cut(
            mirrored, second, b, lowest(a), highest(a), overlay
        )

    @staticmethod
    def _differ(slot: int, domain: Domain, other: Domain, overlay: Overlay) -> bool:
        """Take away from a small domain the only value that the other slot can have."""
        if len(other) == 1 and isinstance(domain, frozenset):
            kept = domain.difference(other)
            if len(kept) != len(domain):
                overlay[slot] = kept
            return bool(kept)
        return True

    def _refine_large(self, expression: Expression, slot: int, domain: Domain, overlay: Overlay) -> bool:
        """`slot op constant` on a range."""
        if not (
            isinstance(expression, Binary)
            and isinstance(expression.left, Read)
            and isinstance(expression.right, Constant)
            and expression.operator in COMPARISONS
        ):
            return True
        return cut(expression.operator, slot, domain, expression.right.value, expression.right.value, overlay)


def _compares_reads(expression: Binary) -> bool:
    sides = (expression.left, expression.right)
    return expression.operator in COMPARISONS and all(isinstance(side, Read) and not _has_index(side) for side in sides)


def _has_index(part: Expression) -> bool:
    return isinstance(part, Read) and part.index is not None and not isinstance(part.index, Constant)
