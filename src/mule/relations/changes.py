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
        accesses = self.decider.accesses
        writers: dict[int, int] = {}
        for transition, writes in enumerate(accesses.writes):
            if accesses.before[transition] is not None:
                for slot in members(writes):
                    writers[slot] = writers.get(slot, 0) | 1 << transition
        moves: dict[int, Moves] = {}
        table = []
        for guard, tests in enumerate(accesses.guard_tests):
            slot = self.decider.unary[guard]
            if slot >= 0:
                if slot not in moves:
                    moves[slot] = Moves(self.updates, slot, writers.get(slot, 0))
                row = moves[slot].of_guard(guard)
                sets = moves[slot].others
            else:
                row = []
                sets = list(singletons(union(writers.get(slot, 0) for slot in members(tests))))
            row += [(bits, self.of_guard(bits.bit_length() - 1, guard)) for bits in sets]
            table.append(row)
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


class Moves:
    """From which value to which the transitions take a slot, where that hangs on nothing else."""

    def __init__(self, updates: Updates, slot: int, writers: int) -> None:
        self._decider = updates.decider
        self.others: list[int] = []
        """The transitions of which more is to be asked, each as a bit set."""
        alike: dict[int, tuple[int, int, Update]] = {}
        for transition in members(writers):
            update = updates.of(transition, slot)
            if update is None:
                self.others.append(1 << transition)
            else:
                bits, _, _ = alike.get(update.number, (0, 0, update))
                alike[update.number] = (bits | 1 << transition, transition, update)
        self._all = 0
        self._groups: list[tuple[int, list[tuple[int, int]]]] = []
        self._touching: dict[int, list[int]] = {}
        for bits, transition, update in alike.values():
            domain = self._decider.accesses.domain(transition, slot)
            pairs = [(value, after) for value in domain if (after := update(value)) is not None]
            for value in {value for pair in pairs for value in pair}:
                self._touching.setdefault(value, []).append(len(self._groups))
            self._all |= bits
            self._groups.append((bits, pairs))
        self._never = [number for number, (_, pairs) in enumerate(self._groups) if not pairs]

    def of_guard(self, guard: int) -> Changing:
        """What may happen to a guard that tests the slot: looks only at the values on which it is the exception."""
        values = self._touching
        true = self._decider.true_values(guard, values.keys())
        rare, otherwise = true, STAYS_FALSE
        if 2 * len(true) > len(values):
            rare, otherwise = values.keys() - true, STAYS_TRUE
        found: dict[int, int] = {}
        rest = self._all
        for number in {*self._never, *(number for value in rare for number in values[value])}:
            bits, pairs = self._groups[number]
            possible = 0
            for value, after in pairs:
                possible |= 1 << (2 * (value in true) + (after in true))
            found[possible] = found.get(possible, 0) | bits
            rest &= ~bits
        if rest:
            found[otherwise] = found.get(otherwise, 0) | rest
        return [(bits, possible) for possible, bits in found.items()]


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
