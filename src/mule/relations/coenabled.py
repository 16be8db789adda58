"""Guards that can never be true together (guard-based POR, Definition 11, the complement of may-be-co-enabled)."""

from __future__ import annotations

from mule.model.closures import Values
from mule.model.domains import Domains, pinned
from mule.model.value_sets import Domain
from mule.relations.accesses import members, union
from mule.relations.decide import ENUMERABLE, Decider, TooMany

_LIMIT = 1024


def never_coenabled(decider: Decider, domains: Domains) -> list[int]:
    """For each guard the guards that are false wherever it is true, as a bit set."""
    model, tests, unary = decider.model, decider.accesses.guard_tests, decider.unary
    count = len(model.guards)
    excluded = [0] * count
    true_at = [_true_at(decider, guard) for guard in range(count)]
    at_slot: dict[int, list[int]] = {}
    for guard in range(count):
        for slot in members(tests[guard]):
            at_slot.setdefault(slot, []).append(guard)
    for slot, guards in at_slot.items():
        single = {guard: true for guard in guards if unary[guard] == slot and (true := true_at[guard]) is not None}
        together: dict[int, int] = {}
        for guard, true in single.items():
            for value in true:
                together[value] = together.get(value, 0) | 1 << guard
        for guard, true in single.items():
            excluded[guard] |= union(1 << other for other in single) & ~union(together[value] for value in true)
            excluded[guard] &= ~(1 << guard)
    settled = [unary[guard] >= 0 and true_at[guard] is not None for guard in range(count)]
    small = [_few_combinations(decider, guard) for guard in range(count)]
    for guard in range(count):
        if settled[guard] or not small[guard]:
            continue
        near = {other for slot in members(tests[guard]) for other in at_slot[slot] if small[other]}
        for other in near:
            if other != guard and (settled[other] or other > guard) and _exclude(decider, guard, other):
                excluded[guard] |= 1 << other
                excluded[other] |= 1 << guard
    _exclude_by_location(decider, domains, at_slot, excluded)
    everything = (1 << count) - 1
    for guard in range(count):
        if true_at[guard] == set():
            excluded[guard] = everything
            for other in range(count):
                excluded[other] |= 1 << guard
    return excluded


def _true_at(decider: Decider, guard: int) -> set[int] | None:
    """The values of its slot that make a single-slot guard true."""
    slot = decider.unary[guard]
    if slot < 0 or len(decider.values[slot]) > ENUMERABLE:
        return None
    return decider.true_values(guard, decider.values[slot])


def _few_combinations(decider: Decider, guard: int) -> bool:
    """Whether all values that a guard tests can be tried."""
    combinations = 1
    for slot in members(decider.accesses.guard_tests[guard]):
        combinations *= len(decider.values[slot])
        if combinations > _LIMIT:
            return False
    return True


def _exclude(decider: Decider, guard: int, other: int) -> bool:
    """Whether trying all values finds no state with both true."""
    tests = decider.accesses.guard_tests

    def domain(slot: int) -> Domain:
        return decider.values[slot]

    slots = decider.choose((tests[guard] & tests[other], tests[guard] ^ tests[other]), domain, _LIMIT)
    if sum(1 << slot for slot in slots) != tests[guard] | tests[other]:
        return False

    def visit(state: Values) -> bool:
        return True

    try:
        return not decider.search(slots, domain, (guard, other), decider.symbolic_state(0, domain), visit, 1)
    except TooMany:
        return False


def _exclude_by_location(
    decider: Decider, domains: Domains, at_slot: dict[int, list[int]], excluded: list[int]
) -> None:
    """A location test and a guard on a variable of that process that is false whenever the process is there."""
    for guard, description in enumerate(decider.model.guards):
        for place in pinned(domains.evaluation, (description.expression,)):
            for slot, values in domains.local.get(place, {}).items():
                if len(values) > ENUMERABLE:
                    continue
                for other in at_slot.get(slot, ()):
                    if decider.unary[other] == slot and not any(decider.truth(other, value) for value in values):
                        excluded[guard] |= 1 << other
                        excluded[other] |= 1 << guard
