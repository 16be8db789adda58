"""Must-disable sets (guard-based POR, section 4.4)."""

from __future__ import annotations

from collections.abc import Iterator

from mule.model.model import Model
from mule.relations.accesses import members, union
from mule.relations.changes import STAYS_TRUE, TURNS_TRUE, Changing


def must_disable_sets(model: Model, table: list[Changing]) -> list[int]:
    """For each transition those that are disabled whenever it has just run, whether or not they were enabled before."""
    using = [0] * len(model.guards)
    for number, transition in enumerate(model.transitions):
        for guard in transition.guards:
            using[guard] |= 1 << number
    disabled = [0] * len(model.transitions)
    alike: dict[int, list[tuple[int, int]]] = {}
    for guard, row in enumerate(table):
        changing = union(bits for bits, _ in row)
        may_be_true = union(bits for bits, possible in row if possible & (TURNS_TRUE | STAYS_TRUE))
        alike.setdefault(changing, []).append((using[guard], may_be_true))
    for changing, guards in alike.items():
        for number, users in _users_of_false(changing, guards):
            disabled[number] |= users
    return disabled


def _users_of_false(changing: int, guards: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """For each transition that changes these guards (each given by its users, and by the transitions after which it may
    be true) the users of those that are false after it: mostly all but one, which says where the process is then."""
    true_after: dict[int, list[int]] = {}
    for position, (_, may_be_true) in enumerate(guards):
        for number in members(may_be_true):
            true_after.setdefault(number, []).append(position)
    before, behind = [0], [0]
    for users, _ in guards:
        before.append(before[-1] | users)
    for users, _ in reversed(guards):
        behind.append(behind[-1] | users)
    for number in members(changing):
        kept = true_after.get(number)
        if kept is None:
            yield number, before[-1]
            continue
        first, last = kept[0], kept[-1]
        between = union(guards[position][0] for position in range(first + 1, last) if position not in kept)
        yield number, before[first] | between | behind[len(guards) - 1 - last]
