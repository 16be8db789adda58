"""Do-not-accord (guard-based POR, Definition 8): who may disable whom, or not commute, where both are enabled."""

from __future__ import annotations

from collections.abc import Callable

from mule.model.expressions import Unary, conjuncts, disjuncts
from mule.model.model import Model
from mule.model.value_sets import Domain, intersection
from mule.relations.accesses import members
from mule.relations.diamond import Diamonds
from mule.relations.updates import Update, Updates


class Conflicts:
    """Which transitions share a slot that one of them writes: all others accord by the first criterion."""

    def __init__(self, diamonds: Diamonds) -> None:
        accesses = diamonds.decider.accesses
        count = len(accesses.writes)
        touching: dict[int, int] = {}
        writing: dict[int, int] = {}
        for transition in range(count):
            if accesses.before[transition] is None:
                continue
            bit = 1 << transition
            for slot in members(diamonds.touched[transition]):
                touching[slot] = touching.get(slot, 0) | bit
            for slot in members(accesses.writes[transition]):
                writing[slot] = writing.get(slot, 0) | bit
        self.of = [0] * count
        for transition in range(count):
            if accesses.before[transition] is None:
                continue
            bits = 0
            for slot in members(diamonds.touched[transition]):
                bits |= writing.get(slot, 0)
            for slot in members(accesses.writes[transition]):
                bits |= touching.get(slot, 0)
            self.of[transition] = bits & ~(1 << transition)


def do_not_accord(diamonds: Diamonds, updates: Updates, conflicts: Conflicts, never_coenabled: list[int]) -> list[int]:
    """For each transition those that do not accord with it, and itself; symmetric."""
    model = diamonds.decider.model
    using = [0] * len(model.guards)
    for number, transition in enumerate(model.transitions):
        for guard in transition.guards:
            using[guard] |= 1 << number
    excluded_by = []
    for others in never_coenabled:
        bits = 0
        for other in members(others):
            bits |= using[other]
        excluded_by.append(bits)
    denied = _denied(model, using)
    matrix = [1 << number for number in range(len(model.transitions))]
    for number, transition in enumerate(model.transitions):
        rivals = conflicts.of[number] >> (number + 1) << (number + 1) & ~denied[number]
        for guard in transition.guards:
            rivals &= ~excluded_by[guard]
        for other in members(rivals):
            if not accord(diamonds, updates, number, other):
                matrix[number] |= 1 << other
                matrix[other] |= 1 << number
    return matrix


def _denied(model: Model, using: list[int]) -> list[int]:
    """For each transition those that are not enabled with it because a guard of one, as a timeout's, negates what the
    other needs: all the conditions of something that the guard negates are among the other's guards. Symmetric."""
    numbers = {guard.expression: number for number, guard in enumerate(model.guards)}
    everything = (1 << len(model.transitions)) - 1
    apart = [0] * len(model.transitions)
    for number, guard in enumerate(model.guards):
        if not (isinstance(guard.expression, Unary) and guard.expression.operator == "not"):
            continue
        denied = 0
        for negated in disjuncts(guard.expression.operand):
            movable = everything
            for condition in conjuncts(negated):
                movable &= using[numbers[condition]] if condition in numbers else 0
            denied |= movable
        for transition in members(using[number]):
            apart[transition] |= denied
        for transition in members(denied):
            apart[transition] |= using[number]
    return apart


def accord(diamonds: Diamonds, updates: Updates, t: int, u: int) -> bool:
    """Whether two transitions are proven to accord."""
    verdict = slot_by_slot(diamonds, updates, t, u, "together", _accord_on)
    if verdict is False:
        return diamonds.never_together(t, u)
    return diamonds.closes(t, u) if verdict is None else True


NEVER = "never"
"""What is asked about one slot cannot come up at all, whatever the other slots say."""

Judge = Callable[[Updates, Update, Update, Domain, Domain], bool | str | None]


def slot_by_slot(diamonds: Diamonds, updates: Updates, t: int, u: int, question: str, judge: Judge) -> bool | None:
    """A question about two transitions, judged on each slot that one writes and the other touches: True and False are
    proven, None hangs on more than single slots."""
    pair = diamonds.alike(updates).pair(t, u)
    if pair is None:
        return _slot_by_slot(diamonds, updates, t, u, question, judge)
    key = (question, *pair)
    if key not in updates.verdicts:
        updates.verdicts[key] = _slot_by_slot(diamonds, updates, t, u, question, judge)
    return updates.verdicts[key]


def _slot_by_slot(diamonds: Diamonds, updates: Updates, t: int, u: int, question: str, judge: Judge) -> bool | None:
    accesses = diamonds.decider.accesses
    conflict = (diamonds.touched[t] & accesses.writes[u]) | (diamonds.touched[u] & accesses.writes[t])
    verdict: bool | None = True
    violated = False
    of_t, of_u = updates.all_of(t), updates.all_of(u)
    for slot in members(conflict):
        first = of_t[slot] if slot in of_t else updates.of(t, slot)
        second = of_u[slot] if slot in of_u else updates.of(u, slot)
        if first is None or second is None:
            verdict = None
            continue
        key = (question, first.number, second.number)
        if key not in updates.answers:
            updates.answers[key] = judge(updates, first, second, accesses.domain(t, slot), accesses.domain(u, slot))
        here = updates.answers[key]
        if here is NEVER:
            return True
        if here is None:
            verdict = None
        elif here is False:
            violated = True
    return False if violated else verdict


def _accord_on(
    updates: Updates, first: Update, second: Update, enabled_t: Domain, enabled_u: Domain
) -> bool | str | None:
    shared = intersection(enabled_t, enabled_u)
    if not shared:
        return NEVER
    moved_by_t = moved_by_u = False
    for value in shared:
        one, other = first(value), second(value)
        if one is None or other is None:
            return None
        moved_by_t = moved_by_t or one != value
        moved_by_u = moved_by_u or other != value
    if (moved_by_u and (first.mixed or first.elsewhere)) or (moved_by_t and (second.mixed or second.elsewhere)):
        return None
    for value in shared:
        one, other = first(value), second(value)
        if one is None or other is None:
            return None
        if not updates.truth(second, one) or not updates.truth(first, other) or second(one) != first(other):
            return False
    return True
