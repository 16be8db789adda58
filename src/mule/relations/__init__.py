"""What may interfere with what, computed from the model alone, once for all languages (guard-based POR, sections 3-5).

Every relation errs on the side of "may": each answer that was not proven is the one that reduces less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from mule.model.domains import Domains
from mule.model.model import Model
from mule.relations.accesses import Accesses, members
from mule.relations.accordance import Conflicts, do_not_accord
from mule.relations.changes import Changes
from mule.relations.coenabled import never_coenabled
from mule.relations.decide import EFFORT, Decider
from mule.relations.diamond import Diamonds
from mule.relations.disabling import necessary_disabling_sets
from mule.relations.enabling import necessary_enabling_sets
from mule.relations.left_accordance import do_not_left_accord
from mule.relations.must_disable import must_disable_sets
from mule.relations.updates import Updates


@dataclass(repr=False)
class Relations:
    """Bit sets as Python integers: over transitions, except `never_coenabled`, which is over guards."""

    do_not_accord: list[int]
    """For each transition those that may disable it, be disabled by it, or not commute with it; and itself."""
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
    left_accordance: Callable[[], list[int]] = field(repr=False)
    """Computes `do_not_left_accord`, which only weak stubborn sets ask for."""
    visible: int = 0
    """The transitions whose order the property can see."""

    @cached_property
    def do_not_left_accord(self) -> list[int]:
        """For each transition t those u for which "u then t" may not be replaceable by "t then u"; and itself."""
        return self.left_accordance()

    def __str__(self) -> str:
        from mule.report.plain import text_of
        from mule.report.relations_text import relations_text

        return text_of(lambda page: relations_text(self.model, self, page))

    def __repr__(self) -> str:
        model = self.model
        return f"<Relations of {model.name}: {len(model.guards)} guards, {len(model.transitions)} transitions>"


def derive(model: Model, domains: Domains) -> Relations:
    """All relations of a model."""
    accesses = Accesses(model, domains)
    decider = Decider(model, domains, accesses)
    updates = Updates(decider)
    changes = Changes(decider, updates)
    diamonds = Diamonds(decider)
    table = changes.table()
    excluded = never_coenabled(decider, domains)
    conflicts = Conflicts(diamonds)
    decider.effort = EFFORT
    enabling = necessary_enabling_sets(table)
    must_disable = must_disable_sets(model, table)
    dependent = do_not_accord(diamonds, updates, conflicts, excluded)

    def left_accordance() -> list[int]:
        decider.effort = EFFORT
        return do_not_left_accord(diamonds, updates, conflicts, dependent, enabling, must_disable)

    return Relations(
        do_not_accord=dependent,
        enabling=enabling,
        disabling=necessary_disabling_sets(table),
        never_coenabled=excluded,
        must_disable=must_disable,
        model=model,
        domains=domains,
        accesses=accesses,
        changes=changes,
        left_accordance=left_accordance,
    )


__all__ = ["Accesses", "Relations", "derive", "members"]
