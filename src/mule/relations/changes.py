"""How firing a transition can change a predicate: what enabling, disabling, must-disable and visibility come from."""

from __future__ import annotations

from mule.model.abstraction import Domain
from mule.model.closures import Function, Values
from mule.relations.decide import Decider, TooMany, holds
from mule.relations.diamond import perform
from mule.relations.terms import Unknown
from mule.relations.updates import Updates

STAYS_FALSE, TURNS_TRUE, TURNS_FALSE, STAYS_TRUE = 1, 2, 4, 8
"""What may happen to a predicate: bit 2 * before + after."""
ANYTHING = 15
_ENOUGH = TURNS_TRUE | TURNS_FALSE | STAYS_TRUE


class Changes:
    """Answers, for a transition and a predicate that reads what it writes, which changes are possible."""

    def __init__(self, decider: Decider, updates: Updates) -> None:
        self.decider = decider
        self.updates = updates

    def of_guard(self, transition: int, guard: int) -> int:
        """The possible changes of a guard; those that are missing are impossible."""
        slot = self.decider.unary[guard]
        if slot >= 0:
            update = self.updates.of(transition, slot)
            if update is not None:
                return self._single(transition, guard, slot)
        shapes, answers = self.decider.shapes, self.decider.answers
        first, second = shapes.transition(transition), shapes.guard(guard)
        key = ("change", first.number, second.number, first.alignment(second))
        known: int | None = answers.get(key)
        if known is None:
            tests = self.decider.accesses.guard_tests[guard]
            known = self.of_predicate(transition, self.decider.guard(guard), tests)
            if self.decider.effort >= 0:
                answers[key] = known
        return known

    def _single(self, transition: int, guard: int, slot: int) -> int:
        update = self.updates.of(transition, slot)
        assert update is not None
        truth, found = self.decider.truth, 0
        for value in self.decider.accesses.domain(transition, slot):
            after = update(value)
            if after is not None:
                found |= 1 << (2 * truth(guard, value) + truth(guard, after))
        return found

    def of_predicate(self, transition: int, function: Function, tests: int) -> int:
        """The same for any predicate that tests these slots."""
        decider, accesses = self.decider, self.decider.accesses
        writes = tests & accesses.writes[transition]
        if not writes or accesses.before[transition] is None:
            return STAYS_FALSE | STAYS_TRUE if not writes else 0

        def domain(slot: int) -> Domain:
            return accesses.domain(transition, slot)

        sources = deciders = 0
        for outcome in accesses.outcomes[transition]:
            deciders |= outcome.deciders
            wanted = writes
            for statement in reversed(outcome.statements):
                if statement.writes & wanted:
                    sources |= statement.reads
                    wanted |= statement.reads
        guards = decider.model.transitions[transition].guards
        outcomes = decider.outcomes(transition)

        def possible(wanted: list[int]) -> int:
            found = 0

            def visit(state: Values) -> bool:
                nonlocal found
                before = _possible(function, state)
                for outcome in outcomes:
                    after = perform(outcome, state)
                    if not isinstance(after, str):
                        found |= _combined(before, _possible(function, after))
                return found & _ENOUGH == _ENOUGH

            slots = decider.choose(wanted, domain)
            try:
                decider.search(slots, domain, guards, decider.symbolic_state(relevant, domain), visit)
            except (Unknown, TooMany):
                return ANYTHING
            return found

        relevant = tests | sources | deciders
        found = possible([tests, deciders, sources])
        if not found & (TURNS_TRUE | TURNS_FALSE):
            return found
        # guards that connect these slots with others may rule out what was found
        linked = 0
        for guard in guards:
            test = accesses.guard_tests[guard]
            linked |= test if test & relevant else 0
        if linked & ~relevant:
            relevant |= linked
            found &= possible([tests, deciders, sources, linked])
        return found


def _possible(function: Function, state: Values) -> tuple[bool, bool]:
    """Whether a predicate can be false, and whether it can be true."""
    try:
        value = holds(function, state)
    except Unknown:
        return True, True
    return not value, value


def _combined(before: tuple[bool, bool], after: tuple[bool, bool]) -> int:
    bits = 0
    for old in (0, 1):
        for new in (0, 1):
            if before[old] and after[new]:
                bits |= 1 << (2 * old + new)
    return bits
