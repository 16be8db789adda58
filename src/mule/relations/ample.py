"""Which control locations give ample sets: the labels of on-the-fly POR, section 6, read off the relations.

All transitions of one process together are a stubborn set (guard-based POR, Lemma 1) in a state where each of them

- is enabled, accords with all transitions of others, and is invisible (condition C2); or
- is disabled, and transitions of others alone cannot enable it.

What of this is known of a location once and for all makes it *safe* or *not safe*; the rest is left to be looked up in
the state: *safe under conditions*. A receive, for one, that only this process does from its channel has one condition,
that it is enabled: then the channel is not empty, and senders do not get in its way.
"""

from __future__ import annotations

from collections.abc import Iterator

from mule.model.expressions import Binary, Unary
from mule.records import Record
from mule.relations import Relations
from mule.relations.accesses import members
from mule.relations.changes import TURNS_TRUE
from mule.relations.decide import EFFORT


class Block(Record, frozen=True):
    """As long as `guard` is false, others cannot make it true: never, or not while the guard `given`, which they cannot
    make false, is true."""

    guard: int
    given: int | None = None


class Condition(Record, frozen=True):
    """One of the blocks must keep the transition disabled; or it must be enabled, where it may be."""

    transition: int
    may_be_enabled: bool
    blocks: tuple[Block, ...]


class AmpleLocation(Record, frozen=True):
    """A location of a process at which its enabled transitions are an ample set, if all conditions hold."""

    process: int
    location: int
    conditions: tuple[Condition, ...]


class AmpleLabels(Record, frozen=True):
    transitions_of: list[int]
    """For each process those in which it takes part, as a bit set."""
    locations: list[AmpleLocation]
    """Those that are safe, or may be; the others are not."""
    starts: list[list[int]]
    """For each transition the places in `locations` of those where it starts, one for each process it moves."""


NO_LABELS = AmpleLabels([], [], [])


def label_locations(relations: Relations) -> AmpleLabels:
    """The labels of all control locations."""
    return _Labelling(relations).labels


class _Labelling:
    def __init__(self, relations: Relations) -> None:
        self.relations = relations
        self.model = relations.model
        self.decider = relations.changes.decider
        self.decider.effort = EFFORT
        self._answers: dict[tuple[int, int, int], bool] = {}
        transitions_of = [0] * len(self.model.processes)
        for number, transition in enumerate(self.model.transitions):
            for move in transition.moves:
                transitions_of[move.process] |= 1 << number
        self.labels = AmpleLabels(transitions_of, [], [[] for _ in self.model.transitions])
        for process in range(len(self.model.processes)):
            self._label(process)

    def _label(self, process: int) -> None:
        slot = self.model.slot_of[self.model.processes[process].location]
        own = self.labels.transitions_of[process]
        places = {number: self._possible_at(number, slot) for number in members(own) if self._counts(number)}
        for location in self.decider.values[slot]:
            here = [number for number, at in places.items() if location in at]
            conditions = self._conditions(here, slot, own)
            if conditions is None:
                continue
            for number in here:
                if len(places[number]) == 1:
                    self.labels.starts[number].append(len(self.labels.locations))
            self.labels.locations.append(AmpleLocation(process, location, conditions))

    def _counts(self, transition: int) -> bool:
        """Not where it was taken out of the relations, or can never be enabled."""
        taken_out = not self.relations.do_not_accord[transition] >> transition & 1
        return not taken_out and self.relations.accesses.before[transition] is not None

    def _possible_at(self, transition: int, slot: int) -> list[int]:
        """The locations that it may start from. While the process is at one at which something enabled accords with all
        that others do, others do not move it away."""
        tests = [g for g in self.model.transitions[transition].guards if self.decider.unary[g] == slot]
        truth = self.decider.truth
        return [value for value in self.decider.values[slot] if all(truth(guard, value) for guard in tests)]

    def _conditions(self, here: list[int], slot: int, own: int) -> tuple[Condition, ...] | None:
        """None: the location is not safe."""
        conditions = []
        movable = False
        for number in here:
            accords = not self.relations.do_not_accord[number] & ~own
            may_be_enabled = accords and not self.relations.visible >> number & 1
            movable |= may_be_enabled
            guards = [guard for guard in self.model.transitions[number].guards if self.decider.unary[guard] != slot]
            foreign = [guard for guard in guards if self.relations.enabling[guard] & ~own]
            if may_be_enabled and not foreign:
                continue
            blocks = [Block(guard) for guard in guards if guard not in foreign]
            blocks += [Block(guard, given) for guard in foreign for given in self._shields(number, guard, own)]
            if not may_be_enabled and not blocks:
                return None
            conditions.append(Condition(number, may_be_enabled, tuple(blocks)))
        return tuple(conditions) if movable else None

    def _shields(self, transition: int, guard: int, own: int) -> Iterator[int]:
        """Guards that others cannot make false, and while they are true cannot make this one true: the first message
        of a channel stays what it is while there is one, if nobody else receives."""
        others = self.relations.enabling[guard] & ~own
        for given in self.model.transitions[transition].guards:
            if given == guard or self.relations.disabling[given] & ~own:
                continue
            if all(self._shielded(guard, given, other) for other in members(others)):
                yield given

    def _shielded(self, guard: int, given: int, other: int) -> bool:
        """Whether a transition cannot make the guard true where `given` is true."""
        accesses = self.relations.accesses
        tested = accesses.guard_tests[given]
        if not tested & (accesses.tests[other] | accesses.reads[other] | accesses.guard_tests[guard]):
            return False
        key = (guard, given, other)
        if key not in self._answers:
            parts = [self.model.guards[number].expression for number in (given, guard)]
            function = self.decider.closures.function(Binary("or", Unary("not", parts[0]), parts[1]))
            changes = self.relations.changes.of_predicate(other, function, tested | accesses.guard_tests[guard])
            self._answers[key] = not changes & TURNS_TRUE
        return self._answers[key]
