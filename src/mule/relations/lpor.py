"""The relations that LPOR asks for, found from the model: dependency and can-enable (LPOR, Definitions 1 and 2).

Necessary enabling sets need no derivation: those of the guards that are false in a state are necessary in that state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mule.lpor import Facts, MessagePassing
from mule.records import Record
from mule.relations import Relations
from mule.relations.accesses import members


class LocalRelations(Record, frozen=True):
    """Rows of bit sets over transitions."""

    dependent_on: list[int]
    """For each transition those that it is dependent on: (u, t) is in dep where bit u of row t is set."""
    can_enable: list[int]
    """For each transition those that it can enable: (t, u) is in ce where bit u of row t is set."""


NO_LOCAL_RELATIONS = LocalRelations([], [])

EnablingSets = Callable[[Sequence[int], int], Sequence[Sequence[int]]]
"""What is necessary in a packed state for a transition that is disabled there: of each set one member must run."""


def derive_local(relations: Relations) -> LocalRelations:
    """A transition t is dependent on u if they do not accord, and u can disable t or cannot be put after it."""
    model = relations.model
    enabled_by = [_by_guards(relations, relations.enabling, t) for t in range(len(model.transitions))]
    disabled_by = [_by_guards(relations, relations.disabling, t) for t in range(len(model.transitions))]
    dependent_on = [
        relations.do_not_accord[t] & (disabled_by[t] | relations.do_not_left_accord[t]) & ~(1 << t)
        for t in range(len(model.transitions))
    ]
    can_enable = [0] * len(model.transitions)
    for t, others in enumerate(enabled_by):
        for u in members(others & ~(1 << t)):
            can_enable[u] |= 1 << t
    return LocalRelations(dependent_on, can_enable)


def sharpen(relations: Relations, local: LocalRelations, facts: Sequence[Facts | None]) -> LocalRelations:
    """The same where a front end knows the messages that each transition sends and receives (None: it does not): what
    both ways of finding out rule out is ruled out. What is visible stays dependent."""
    known = [each for each in facts if each is not None]
    says = MessagePassing(known)
    dependent_on, can_enable = list(local.dependent_on), list(local.can_enable)
    for t, own in enumerate(facts):
        if own is None:
            continue
        for u, other in enumerate(facts):
            if other is None or u == t:
                continue
            seen = relations.visible >> t & relations.visible >> u & 1
            if not seen and not says.dep(other, own):
                dependent_on[t] &= ~(1 << u)
            if not says.can_enable(own, other):
                can_enable[t] &= ~(1 << u)
    return LocalRelations(dependent_on, can_enable)


def _by_guards(relations: Relations, changing: list[int], t: int) -> int:
    """Who can change whether t is enabled by way of one of its guards, or of the conditions of its outcomes."""
    bits = 0
    for guard in relations.model.transitions[t].guards:
        bits |= changing[guard]
    accesses = relations.accesses
    conditions = [outcome.condition for outcome in accesses.outcomes[t]]
    if conditions and all(outcome.condition is not None for outcome in relations.model.transitions[t].outcomes):
        read = 0
        for condition in conditions:
            read |= condition
        bits |= sum(1 << u for u, writes in enumerate(accesses.writes) if writes & read)
    return bits
