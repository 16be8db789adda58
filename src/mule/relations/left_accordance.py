"""Do-not-left-accord (guard-based POR, Definition 8): not symmetric, and its direction matters (Lemma 1)."""

from __future__ import annotations

from mule.model.value_sets import Domain, intersection
from mule.relations.accesses import members
from mule.relations.accordance import NEVER, Conflicts, slot_by_slot
from mule.relations.diamond import Diamonds
from mule.relations.updates import Update, Updates


def do_not_left_accord(
    diamonds: Diamonds,
    updates: Updates,
    conflicts: Conflicts,
    do_not_accord: list[int],
    enabling: list[int],
    must_disable: list[int],
) -> list[int]:
    """For each transition t those u such that t after u can not be proven to be possible before u as well.

    t left-accords with u where u never leaves t enabled, or where they accord and u cannot enable t; the rest is tried.
    """
    model = diamonds.decider.model
    matrix = []
    for number, transition in enumerate(model.transitions):
        enablers = 0
        for guard in transition.guards:
            enablers |= enabling[guard]
        rivals = conflicts.of[number] & (do_not_accord[number] | enablers)
        bits = 1 << number
        for other in members(rivals):
            if not must_disable[other] >> number & 1 and not left_accord(diamonds, updates, number, other):
                bits |= 1 << other
        matrix.append(bits)
    return matrix


def left_accord(diamonds: Diamonds, updates: Updates, t: int, u: int) -> bool:
    """Whether u then t is proven to be replaceable by t then u."""
    verdict = slot_by_slot(diamonds, updates, t, u, "left", _left_accord_on)
    return diamonds.moves_left(t, u) if verdict is None else verdict


def _left_accord_on(
    updates: Updates, later: Update, earlier: Update, enabled: Domain, before: Domain
) -> bool | str | None:
    if earlier.identity:
        before = intersection(before, enabled)
    runs: list[tuple[int, int]] = []
    moved_by_t = moved_by_u = False
    for value in before:
        middle = earlier(value)
        if middle is None:
            return None
        if middle in enabled and updates.truth(later, middle):
            end = later(middle)
            if end is None:
                return None
            runs.append((value, middle))
            moved_by_u = moved_by_u or middle != value
            moved_by_t = moved_by_t or end != middle or later(value) != value
    if not runs:
        return NEVER
    if (moved_by_u and (later.mixed or later.elsewhere)) or (moved_by_t and (earlier.mixed or earlier.elsewhere)):
        return None
    for value, middle in runs:
        other = later(value)
        if other is None:
            return None
        if not updates.truth(later, value) or not updates.truth(earlier, other):
            return False
        if earlier(other) != later(middle):
            return False
    return True
