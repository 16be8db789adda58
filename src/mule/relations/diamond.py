"""Whether two steps can change places: the general check behind accordance and left accordance.

All outcomes of nondeterministic transitions are considered. An outcome that fails ends the run there; so that no
failure is lost, it has to fail as well when the other transition goes first, and the other way round.
"""

from __future__ import annotations

from collections.abc import Callable

from mule.model.closures import Function, UndefinedValue, Values
from mule.model.value_sets import Domain, intersection
from mule.relations.accesses import entangled, singletons
from mule.relations.alike import Alike
from mule.relations.decide import CompiledOutcome, Decider, TooMany, Visit, holds, holds_still
from mule.relations.terms import Unknown
from mule.relations.updates import Updates

FAILED = "failed"
IMPOSSIBLE = "impossible"

_COST = 20

Guards = list[tuple[Function, int]]
"""Guards with their test sets."""


def perform(outcome: CompiledOutcome, state: Values) -> Values | str:
    """The state after an outcome, or why there is none."""
    try:
        return outcome.run(state) if outcome.possible(state) else IMPOSSIBLE
    except UndefinedValue:
        return FAILED


class Diamonds:
    """Tries all relevant states for a pair of transitions."""

    def __init__(self, decider: Decider) -> None:
        self.decider = decider
        self._alike: Alike | None = None
        accesses = decider.accesses
        self.touched = [
            test | read | write
            for test, read, write in zip(accesses.tests, accesses.reads, accesses.writes, strict=True)
        ]

    def alike(self, updates: Updates) -> Alike:
        if self._alike is None:
            self._alike = Alike(updates, self.touched)
        assert self._alike.updates is updates, "the classes are those of one table of updates"
        return self._alike

    def closes(self, first: int, second: int) -> bool:
        """Wherever both are enabled they accord."""
        return self._remembered(first, second, together=True)

    def moves_left(self, later: int, earlier: int) -> bool:
        """Wherever `earlier` then `later` can run, `later` then `earlier` can, to the same state."""
        return self._remembered(later, earlier, together=False)

    def never_together(self, first: int, second: int) -> bool:
        """Whether all their guards can never be true at once; sharper than looking at two guards at a time."""
        decider, tests = self.decider, self.decider.accesses.guard_tests
        guards = [*decider.model.transitions[first].guards, *decider.model.transitions[second].guards]
        several = [tests[guard] for guard in guards if tests[guard] & (tests[guard] - 1)]
        if not several:
            return False
        shapes, answers = decider.shapes, decider.answers
        one, other = shapes.transition(first), shapes.transition(second)
        key = ("both", one.number, other.number, one.alignment(other))
        known: bool | None = answers.get(key)
        if known is None:
            if decider.effort < 0:
                return False
            domain = self._common_domain(first, second, 0)
            slots = decider.choose(sorted(several, key=int.bit_count), domain)
            state = decider.symbolic_state(0, domain)
            try:
                known = not decider.search(slots, domain, guards, state, lambda _: True, 1)
            except TooMany:
                return False
            answers[key] = known
        return known

    def _common_domain(self, t: int, u: int, hidden: int) -> Callable[[int], Domain]:
        """What a slot can hold where u is enabled, and t as well as far as the slot is not hidden."""
        accesses, domains = self.decider.accesses, dict[int, Domain]()

        def domain(slot: int) -> Domain:
            known = domains.get(slot)
            if known is None:
                known = accesses.values[slot]
                if self.touched[u] >> slot & 1:
                    known = accesses.domain(u, slot)
                if self.touched[t] >> slot & 1 and not hidden >> slot & 1:
                    known = intersection(known, accesses.domain(t, slot))
                domains[slot] = known
            return known

        return domain

    def _remembered(self, t: int, u: int, together: bool) -> bool:
        shapes, answers = self.decider.shapes, self.decider.answers
        first, second = shapes.transition(t), shapes.transition(u)
        key = (together, first.number, second.number, first.alignment(second))
        known: bool | None = answers.get(key)
        if known is None:
            known = self._decide(t, u, together)
            if self.decider.effort >= 0:
                answers[key] = known
        return known

    def _decide(self, t: int, u: int, together: bool) -> bool:
        decider, accesses = self.decider, self.decider.accesses
        tests, writes_t, writes_u = accesses.guard_tests, accesses.writes[t], accesses.writes[u]
        guards_t, guards_u = decider.model.transitions[t].guards, decider.model.transitions[u].guards
        # where u runs first, t is only known to be enabled after it: by guards and domains that u does not touch
        hidden = 0 if together else writes_u
        if self._apart(t, u, hidden):
            return True
        if decider.effort < 0:
            return False
        domain = self._common_domain(t, u, hidden)
        relevant = self.touched[t] | self.touched[u]
        affected = [tests[guard] for guard in guards_t if tests[guard] & writes_u]
        affected += [tests[guard] for guard in guards_u if tests[guard] & writes_t]
        conflict = (self.touched[t] & writes_u) | (self.touched[u] & writes_t)
        outcomes_t, deciders_t = self._slice(t, conflict)
        outcomes_u, deciders_u = self._slice(u, conflict)
        deciders = deciders_t | deciders_u
        known_guards = [*guards_u, *(guard for guard in guards_t if not tests[guard] & hidden)]
        diamond = self._open_diamond if together else self._stuck_diamond
        violated = diamond(t, u, outcomes_t, outcomes_u)

        def proven(slots: list[int]) -> bool:
            state = decider.symbolic_state(relevant, domain)
            try:
                return not decider.search(slots, domain, known_guards, state, violated, _COST)
            except (Unknown, TooMany):
                return False

        # symbols prove at once what does not hang on values, such as the two ends of a buffer
        groups = [*singletons(deciders), *affected]
        slots = decider.choose(groups, domain)
        if proven(slots):
            return True
        groups += singletons(conflict)
        more = decider.choose(groups, domain)
        if len(more) > len(slots) and proven(more):
            return True
        # guards that connect these slots with others may rule out what was found
        seen = sum(1 << slot for slot in more)
        groups += [tests[guard] for guard in known_guards if tests[guard] & seen]
        most = decider.choose(groups, domain)
        return len(most) > len(more) and proven(most)

    def _apart(self, t: int, u: int, hidden: int) -> bool:
        """Whether some slot that both touch and that is not hidden has no value with which both are enabled."""
        one, other = self.decider.accesses.before[t], self.decider.accesses.before[u]
        if one is None or other is None:
            return True
        shared = self.touched[t] & self.touched[u] & ~hidden
        if len(other) < len(one):
            one, other = other, one
        return any(
            shared >> slot & 1 and slot in other and not intersection(values, other[slot])
            for slot, values in one.items()
        )

    def _slice(self, transition: int, conflict: int) -> tuple[list[CompiledOutcome], int]:
        """The outcomes without the statements that the other transition has nothing to do with, and their deciders.

        Such a statement does the same in either order. Where it fails it ends the run in either order too, which asks
        less of the other transition than if it did not.
        """
        sliced, deciders = [], 0
        accesses = self.decider.accesses.outcomes[transition]
        for access, outcome in zip(accesses, self.decider.outcomes(transition), strict=True):
            kept = entangled(access.statements, conflict)
            sliced.append(CompiledOutcome(outcome.condition, [outcome.actions[position] for position in kept]))
            deciders |= access.condition
            for position in kept:
                deciders |= access.statements[position].deciders
        return sliced, deciders

    def _open_diamond(self, t: int, u: int, first: list[CompiledOutcome], second: list[CompiledOutcome]) -> Visit:
        still_t, still_u = self._guards(t, u), self._guards(u, t)

        def violated(state: Values) -> bool:
            after_t = [perform(outcome, state) for outcome in first]
            after_u = [perform(outcome, state) for outcome in second]
            if not all(_enabled_still(still_u, state, after) for after in after_t):
                return True
            if not all(_enabled_still(still_t, state, after) for after in after_u):
                return True
            return not all(
                _meets(first[i], second[j], one, other)
                for i, one in enumerate(after_t)
                for j, other in enumerate(after_u)
            )

        return violated

    def _stuck_diamond(self, t: int, u: int, later: list[CompiledOutcome], earlier: list[CompiledOutcome]) -> Visit:
        tests = self.decider.accesses.guard_tests
        guards_t = [(self.decider.guard(g), tests[g]) for g in self.decider.model.transitions[t].guards]
        affected_t, affected_u = self._guards(t, u), self._guards(u, t)

        def stuck(outcome_t: CompiledOutcome, outcome_u: CompiledOutcome, state: Values, middle: Values) -> bool:
            end = perform(outcome_t, middle)
            if end is IMPOSSIBLE:
                return False
            other = perform(outcome_t, state)
            if isinstance(end, str):
                return other is not FAILED
            if isinstance(other, str) or not _enabled_still(affected_u, state, other):
                return True
            end_too = perform(outcome_u, other)
            return isinstance(end_too, str) or end != end_too

        def violated(state: Values) -> bool:
            for outcome_u in earlier:
                middle = perform(outcome_u, state)
                if isinstance(middle, str) or not _may_be_enabled(guards_t, middle):
                    continue
                if not _enabled_still(affected_t, middle, state):
                    return True
                if any(stuck(outcome_t, outcome_u, state, middle) for outcome_t in later):
                    return True
            return False

        return violated

    def _guards(self, of: int, after: int) -> Guards:
        """The guards of one transition that the other may change."""
        tests, writes = self.decider.accesses.guard_tests, self.decider.accesses.writes[after]
        return [
            (self.decider.guard(guard), tests[guard])
            for guard in self.decider.model.transitions[of].guards
            if tests[guard] & writes
        ]


def _enabled_still(guards: Guards, before: Values, after: Values | str) -> bool:
    """Whether guards that are true before are true after; where there is no state after, nothing is asked."""
    return isinstance(after, str) or all(holds_still(function, tests, before, after) for function, tests in guards)


def _may_be_enabled(guards: Guards, state: Values) -> bool:
    for function, _ in guards:
        try:
            if not holds(function, state):
                return False
        except Unknown:
            continue
    return True


def _meets(first: CompiledOutcome, second: CompiledOutcome, one: Values | str, other: Values | str) -> bool:
    """Whether two outcomes stay what they are, and meet, when the other one came before."""
    if isinstance(one, str):
        return isinstance(other, str) or perform(first, other) == one
    then = perform(second, one)
    if isinstance(other, str):
        return then == other
    return not isinstance(then, str) and then == perform(first, other)
