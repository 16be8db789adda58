"""All relations of a model, from the model alone."""

from __future__ import annotations

from mule.model.domains import Domains
from mule.model.model import Model
from mule.relations import Relations
from mule.relations.accesses import Accesses
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


def derive(model: Model, domains: Domains) -> Relations:
    accesses = Accesses(model, domains)
    decider = Decider(model, domains, accesses)
    updates = Updates(decider)
    changes = Changes(decider, updates)
    diamonds = Diamonds(decider)
    table = changes.table()
    decider.effort = EFFORT  # each table has its own: a costly one must not make the next one vague
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
