"""How firing a transition can change a predicate: what enabling, disabling, must-disable and visibility come from."""

from __future__ import annotations

from mule.model.closures import Function, Values
from mule.model.value_sets import Domain
from mule.relations.accesses import feeding, members, singletons, union
from mule.relations.decide import ENUMERABLE, CompiledOutcome, Decider, TooMany, holds
from mule.relations.diamond import perform
from mule.relations.terms import Unknown
from mule.relations.updates import Update, Updates

STAYS_FALSE, TURNS_TRUE, TURNS_FALSE, STAYS_TRUE = 1, 2, 4, 8
"""What may happen to a predicate: bit 2 * before + after."""
ANYTHING = 15
_BOTH = (True, True)
_COST = 6
_ENOUGH = TURNS_TRUE | TURNS_FALSE | STAYS_TRUE


Changing = list[tuple[int, int]]
"""What may happen to one guard: pairs of a set of transitions and the changes that each of them can bring about."""


class Changes:
    """Answers, for a transition and a predicate that reads what it writes, which changes are possible."""

    def __init__(self, decider: Decider, updates: Updates) -> None:
        self.decider = decider
        self.updates = updates
        self._singles: dict[tuple[int, int], int] = {}

    def table(self) -> list[Changing]:
        """For each guard the transitions that write a slot it tests."""
        accesses, updates = self.decider.accesses, self.updates
        writers: dict[int, int] = {}
        for transition, writes in enumerate(accesses.writes):
            if accesses.before[transition] is not None:
                for slot in members(writes):
                    writers[slot] = writers.get(slot, 0) | 1 << transition
        alike: dict[int, list[int]] = {}
        for slot, bits in writers.items():
            groups: dict[int, int] = {}
            for transition in members(bits):
                update = updates.of(transition, slot)
                number = -1 - transition if update is None else update.number
                groups[number] = groups.get(number, 0) | 1 << transition
            alike[slot] = list(groups.values())
        table = []
        for guard, tests in enumerate(accesses.guard_tests):
            if self.decider.unary[guard] >= 0:
                sets = alike.get(self.decider.unary[guard], [])
            else:
                sets = list(singletons(union(writers.get(slot, 0) for slot in members(tests))))
            table.append([(bits, self.of_guard(bits.bit_length() - 1, guard)) for bits in sets])
        return table

    def of_guard(self, transition: int, guard: int) -> int:
        """The possible changes of a guard; those that are missing are impossible."""
        slot = self.decider.unary[guard]
        if slot >= 0:
            update = self.updates.of(transition, slot)
            if update is not None:
                pair = (update.number, guard)
                single = self._singles.get(pair)
                if single is None:
                    single = self._singles[pair] = self._single(transition, guard, slot, update)
                return single
            quick = self._copied(transition, guard, slot)
            if quick is not None:
                return quick
        shapes, answers = self.decider.shapes, self.decider.answers
        first, second = shapes.transition(transition), shapes.guard(guard)
        # the location that the transition starts from may say more about the guard's slots than the guard's shape does
        domains = tuple([self.decider.accesses.domain(transition, slot) for slot in second.slots])
        key = ("change", first.number, second.number, first.alignment(second), domains)
        known: int | None = answers.get(key)
        if known is None:
            tests = self.decider.accesses.guard_tests[guard]
            known = self.of_predicate(transition, self.decider.guard(guard), tests)
            if self.decider.effort >= 0:
                answers[key] = known
        return known

    def _single(self, transition: int, guard: int, slot: int, update: Update) -> int:
        truth, found = self.decider.truth, 0
        for value in self.decider.accesses.domain(transition, slot):
            after = update(value)
            if after is not None:
                found |= 1 << (2 * truth(guard, value) + truth(guard, after))
        return found

    def _copied(self, transition: int, guard: int, slot: int) -> int | None:
        """Where the slot gets a value that does not hang on it; None where the guards may know more than that."""
        decider = self.decider
        image = self.updates.image(transition, slot)
        domain = decider.accesses.domain(transition, slot)
        if image is None or len(domain) > ENUMERABLE:
            return None
        before = [decider.truth(guard, value) for value in domain]
        after = [decider.truth(guard, value) for value in image[0]]
        found = _combined((not all(before), any(before)), (not all(after), any(after)))
        if not found & (TURNS_TRUE | TURNS_FALSE):
            return found
        tests = decider.accesses.guard_tests
        needed = (1 << slot) | image[1]
        for other in decider.model.transitions[transition].guards:
            if tests[other] & needed and decider.unary[other] < 0:
                return None
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
        outcomes = []
        for access, outcome in zip(accesses.outcomes[transition], decider.outcomes(transition), strict=True):
            kept = feeding(access.statements, writes)
            outcomes.append(CompiledOutcome(outcome.condition, [outcome.actions[position] for position in kept]))
            deciders |= access.condition
            for position in kept:
                sources |= access.statements[position].reads
                deciders |= access.statements[position].deciders
        guards = decider.model.transitions[transition].guards

        def possible(slots: list[int]) -> tuple[int, int]:
            """The changes found, and those that may only seem possible because a value was left open."""
            certain = open_ = 0

            def visit(state: Values) -> bool:
                nonlocal certain, open_
                before = _possible(function, state)
                for outcome in outcomes:
                    after = perform(outcome, state)
                    if not isinstance(after, str):
                        values = _possible(function, after)
                        if before != _BOTH and values != _BOTH:
                            certain |= _combined(before, values)
                        else:
                            open_ |= _combined(before, values)
                return (certain | open_) & _ENOUGH == _ENOUGH

            try:
                decider.search(slots, domain, guards, decider.symbolic_state(relevant, domain), visit, _COST)
            except (Unknown, TooMany):
                return 0, ANYTHING
            return certain, open_ & ~certain

        relevant = tests | sources | deciders
        groups = [*singletons(deciders), tests]
        slots = decider.choose(groups, domain)
        certain, open_ = possible(slots)
        groups += singletons(sources)
        more = decider.choose(groups, domain)
        if open_ and len(more) > len(slots):
            certain, open_ = possible(more)
        found = certain | open_
        if not found & (TURNS_TRUE | TURNS_FALSE):
            return found
        # guards that connect these slots with others may rule out what was found
        seen = sum(1 << slot for slot in more)
        groups += [accesses.guard_tests[guard] for guard in guards if accesses.guard_tests[guard] & seen]
        most = decider.choose(groups, domain)
        if len(most) > len(more):
            relevant |= sum(1 << slot for slot in most)
            certain, open_ = possible(most)
            found &= certain | open_
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
