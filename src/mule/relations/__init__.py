"""What may interfere with what, computed from the model alone, once for all languages (guard-based POR, sections 3-5).

Every relation errs on the side of "may": each answer that was not proven is the one that reduces less.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mule.model.domains import Domains
from mule.model.model import Model
from mule.relations.accesses import Accesses, members
from mule.relations.accordance import Conflicts, do_not_accord
from mule.relations.changes import Changes
from mule.relations.coenabled import never_coenabled
from mule.relations.decide import Decider
from mule.relations.diamond import Diamonds
from mule.relations.disabling import necessary_disabling_sets
from mule.relations.enabling import necessary_enabling_sets
from mule.relations.left_accordance import do_not_left_accord
from mule.relations.must_disable import must_disable_sets
from mule.relations.updates import Updates


@dataclass
class Relations:
    """Bit sets as Python integers: over transitions, except `never_coenabled`, which is over guards."""

    do_not_accord: list[int]
    """For each transition those that may disable it, be disabled by it, or not commute with it; and itself."""
    do_not_left_accord: list[int]
    """For each transition t those u for which "u then t" may not be replaceable by "t then u"; and itself."""
    enabling: list[int]
    """For each guard a necessary enabling set."""
    disabling: list[int]
    """For each guard a necessary disabling set."""
    never_coenabled: list[int]
    """For each guard the guards that are false wherever it is true."""
    must_disable: list[int]
    """For each transition those that are surely disabled when it has run."""
    model: Model = field(repr=False)
    domains: Domains = field(repr=False)
    accesses: Accesses = field(repr=False)
    changes: Changes = field(repr=False)


def derive(model: Model, domains: Domains) -> Relations:
    """All relations of a model."""
    accesses = Accesses(model, domains)
    decider = Decider(model, domains, accesses)
    updates = Updates(decider)
    changes = Changes(decider, updates)
    diamonds = Diamonds(decider)
    table = _table_of_changes(changes)
    excluded = never_coenabled(decider, domains)
    conflicts = Conflicts(diamonds)
    enabling = necessary_enabling_sets(table)
    must_disable = must_disable_sets(model, table)
    dependent = do_not_accord(diamonds, updates, conflicts, excluded)
    return Relations(
        do_not_accord=dependent,
        do_not_left_accord=do_not_left_accord(diamonds, updates, conflicts, dependent, enabling, must_disable),
        enabling=enabling,
        disabling=necessary_disabling_sets(table),
        never_coenabled=excluded,
        must_disable=must_disable,
        model=model,
        domains=domains,
        accesses=accesses,
        changes=changes,
    )


def _table_of_changes(changes: Changes) -> list[dict[int, int]]:
    """For each guard what each transition that writes a slot it tests can do to it."""
    accesses = changes.decider.accesses
    writers: dict[int, int] = {}
    for transition, writes in enumerate(accesses.writes):
        if accesses.before[transition] is not None:
            for slot in members(writes):
                writers[slot] = writers.get(slot, 0) | 1 << transition
    table = []
    for guard, tests in enumerate(accesses.guard_tests):
        candidates = 0
        for slot in members(tests):
            candidates |= writers.get(slot, 0)
        table.append({transition: changes.of_guard(transition, guard) for transition in members(candidates)})
    return table


__all__ = ["Accesses", "Relations", "derive", "members"]
