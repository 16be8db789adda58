"""Slots that nobody reads again before they are assigned get their initial value back.

A slot belongs to a process if all transitions that touch it ask for a control location of that process; then it is
live or dead at each location, by the usual data flow, backwards. All other slots are live everywhere or nowhere. An
assignment to what is dead reads nothing (strong liveness: `x = x + 1` alone does not keep x alive), unless it can
fail: errors of the model stay.

Why it is sound: forgetting what is dead is a bisimulation. Two states that agree on what is live at their locations
enable the same transitions, which fail alike and lead to states that agree again; and they agree on everything that is
observed, which is live everywhere. The new model visits exactly one state of each such class, the one in which what is
dead has its initial value: each transition sees to it for the location that it leads to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from mule.model.domains import Domains, Place, pinned
from mule.model.expressions import Constant, Expression, Read
from mule.model.failures import effects_may_fail
from mule.model.model import Assign, Kind, Model, Outcome, Receive, Send, Statement, Transition
from mule.model.simplify import is_total
from mule.model.variables import Role, Variable
from mule.records import replace
from mule.relations.accesses import members
from mule.transform.assembly import Rule, Slots, assembled, is_static, rules, watched

LARGEST_RESET = 8
"""A longer array of a process is kept as it is: resetting it would cost more than it brings."""


def reset_dead_variables(model: Model, domains: Domains, observed: Sequence[Expression]) -> Model:
    if not any(variable.role is Role.DATA for variable in model.variables):
        return model
    liveness = _Liveness(model, domains, observed)
    liveness.solve()
    before = rules(model)
    after = [liveness.rewritten(number, rule) for number, rule in enumerate(before)]
    unchanged = all(new is old for new, old in zip(after, before, strict=True))
    return model if unchanged else assembled(model, after)


class _Facts(Struct):
    """What one statement touches, found once: steps share statements."""

    statement: Statement
    """Kept alive: it is known by its identity."""
    touches: int
    writes: int
    moves: tuple[tuple[int, int | None], ...]
    """The location variables that it sets, and to what; None: that is not known."""
    clears: int
    """Of an assignment: what is certainly overwritten."""
    reads: int
    """And what it reads, the index of its target included."""


class _Flow(Struct):
    """What liveness needs to know of a transition."""

    transition: Transition
    places: dict[int, int]
    """The control locations that it asks for, by the slot of the location variable."""
    tests: int
    targets: list[dict[int, int]]
    """For each outcome where those locations are afterwards."""
    may_fail: bool
    known: list[tuple[int, int, list[Statement]] | None]
    """For each outcome what was found last: what is live after it, what before it, the statements that it needs."""


class _Liveness:
    def __init__(self, model: Model, domains: Domains, observed: Sequence[Expression]) -> None:
        self.model = model
        self.domains = domains
        self.slots = Slots(model.slot_of)
        self._facts: dict[int, _Facts] = {}
        self._vary: dict[Place, int] = {}
        self.flows = [self._flow(transition) for transition in model.transitions]
        outside = self.slots.read_by_all(watched(model, observed))
        for variable in model.variables:
            if variable.role is not Role.DATA:
                outside |= self.slots.whole(variable)
        self.home = self._homes(outside)
        self.own: dict[int, int] = {}
        """For each location variable the slots that belong to its process."""
        for slot, location in self.home.items():
            self.own[location] = self.own.get(location, 0) | 1 << slot
        self.everywhere = outside
        """What is live whatever the locations: what is observed and, as it is found, what belongs to nobody."""
        self.at: dict[Place, int] = {}

    def _flow(self, transition: Transition) -> _Flow:
        tests = [self.model.guards[guard].expression for guard in transition.guards]
        places = dict(pinned(self.domains.evaluation, tests))
        return _Flow(
            transition,
            places,
            self.slots.read_by_all(tests),
            [self._targets(places, outcome) for outcome in transition.outcomes],
            transition.kind is Kind.STEP and effects_may_fail(self.model, transition, self.domains),
            [None] * len(transition.outcomes),
        )

    def _targets(self, places: dict[int, int], outcome: Outcome) -> dict[int, int]:
        targets = dict(places)
        for statement in outcome.statements:
            targets.update((slot, value) for slot, value in self._facts_of(statement).moves if value is not None)
        return targets

    def _facts_of(self, statement: Statement) -> _Facts:
        known = self._facts.get(id(statement))
        if known is None:
            known = self._facts[id(statement)] = self._find_facts(statement)
        return known

    def _find_facts(self, statement: Statement) -> _Facts:
        reads = self._reads(statement)
        touches, writes, clears = reads, 0, 0
        moves: list[tuple[int, int | None]] = []
        for place, value in _stores(statement):
            extent = self.slots.extent(place)
            touches |= self.slots.read_by(place)
            writes |= extent
            clears |= extent if is_static(place) else 0
            if place.variable.role is Role.LOCATION:
                target = value.value if isinstance(value, Constant) and place.index is None else None
                moves.append((self.model.slot_of[place.variable], target))
        return _Facts(statement, touches, writes, tuple(moves), clears, reads)

    # whose is it ----------------------------------------------------------------------------------------------------

    def _homes(self, outside: int) -> dict[int, int]:
        """The slots that belong to a process, each with the slot of its location variable."""
        shared = self._untraceable()
        common: dict[int, set[int]] = {}
        for flow in self.flows:
            for slot in members(self._touched(flow) & ~outside):
                known = common.get(slot)
                common[slot] = set(flow.places) - shared if known is None else known & flow.places.keys()
        homes = {}
        for variable in self.model.variables:
            base = self.model.slot_of[variable]
            if variable.role is Role.DATA and variable.size <= LARGEST_RESET:
                for slot in range(base, base + variable.size):
                    if candidates := common.get(slot):
                        homes[slot] = self._preferred(variable, candidates)
        return homes

    def _preferred(self, variable: Variable, candidates: set[int]) -> int:
        if variable.process is not None:
            own = self.model.slot_of[self.model.processes[variable.process].location]
            if own in candidates:
                return own
        return min(candidates)

    def _untraceable(self) -> set[int]:
        """The location variables that some transition sets without knowing them, or to what is no constant."""
        found = set()
        for flow in self.flows:
            for outcome in flow.transition.outcomes:
                for statement in outcome.statements:
                    for slot, value in self._facts_of(statement).moves:
                        if value is None or slot not in flow.places:
                            found.add(slot)
        return found

    def _touched(self, flow: _Flow) -> int:
        bits = flow.tests
        for outcome in flow.transition.outcomes:
            if outcome.condition is not None:
                bits |= self.slots.read_by(outcome.condition)
            for statement in outcome.statements:
                bits |= self._facts_of(statement).touches
        return bits

    def _reads(self, statement: Statement) -> int:
        match statement:
            case Assign(target, value):
                return self.slots.read_by(value) | self._index(target)
            case Send(_, values):
                return self.slots.read_by_all(values)
            case Receive(_, targets):
                bits = 0
                for place in targets:
                    bits |= 0 if place is None else self._index(place)
                return bits

    def _index(self, place: Read) -> int:
        return 0 if place.index is None else self.slots.read_by(place.index)

    # the data flow --------------------------------------------------------------------------------------------------

    def solve(self) -> None:
        changed = True
        while changed:
            changed = False
            for flow in reversed(self.flows):
                needed = flow.tests
                for position in range(len(flow.targets)):
                    needed |= self._before(flow, position)[0]
                changed |= self._note(flow, needed)

    def _note(self, flow: _Flow, needed: int) -> bool:
        """Add what is live before a transition; whether that is news."""
        fresh = False
        mine = 0
        for location, value in flow.places.items():
            own = self.own.get(location, 0)
            mine |= own
            there = self.at.get((location, value), 0)
            if own & needed & ~there:
                self.at[location, value] = there | own & needed
                fresh = True
        rest = needed & ~mine & ~self.everywhere
        self.everywhere |= rest
        return fresh or rest != 0

    def _after(self, targets: dict[int, int]) -> int:
        live = self.everywhere
        for place in targets.items():
            live |= self.at.get(place, 0)
        return live

    def _before(self, flow: _Flow, position: int) -> tuple[int, list[Statement]]:
        """What is live before an outcome, and the statements that what is live after it needs."""
        after = self._after(flow.targets[position])
        known = flow.known[position]
        if known is None or known[0] != after:
            known = flow.known[position] = after, *self._needed(flow, flow.transition.outcomes[position], after)
        return known[1:]

    def _needed(self, flow: _Flow, outcome: Outcome, live: int) -> tuple[int, list[Statement]]:
        kept: list[Statement] = []
        for statement in reversed(outcome.statements):
            needed: Statement | None = statement
            match statement:
                case Assign(target, value):
                    facts = self._facts_of(statement)
                    if not facts.writes & live and self._useless(flow, live, target, value):
                        needed = None
                    else:
                        live = live & ~facts.clears | facts.reads
                case Send(_, values):
                    live |= self.slots.read_by_all(values)
                case Receive(channel, destinations):
                    places: list[Read | None] = []
                    for place in reversed(destinations):
                        if place is None or self._useless(flow, live, place):
                            places.append(None)
                        else:
                            places.append(place)
                            live = self._assigned(live, place)
                    if tuple(places[::-1]) != destinations:
                        needed = Receive(channel, tuple(places[::-1]))
            if needed is not None:
                kept.append(needed)
        if outcome.condition is not None:
            live |= self.slots.read_by(outcome.condition)
        return live, kept[::-1]

    def _assigned(self, live: int, target: Read) -> int:
        """What is live before an assignment, if the value that is assigned needs nothing."""
        if is_static(target):
            live &= ~self.slots.extent(target)
        return live | self._index(target)

    def _useless(self, flow: _Flow, live: int, target: Read, value: Expression | None = None) -> bool:
        if self.slots.extent(target) & live:
            return False
        if not flow.may_fail:
            return True
        return not target.variable.type.checked and is_total(target) and (value is None or is_total(value))

    # the new transitions --------------------------------------------------------------------------------------------

    def rewritten(self, number: int, rule: Rule) -> Rule:
        """The same object where nothing changes."""
        flow = self.flows[number]
        outcomes = tuple(
            self._outcome(flow, position, outcome) for position, outcome in enumerate(flow.transition.outcomes)
        )
        if all(new is old for new, old in zip(outcomes, flow.transition.outcomes, strict=True)):
            return rule
        return replace(rule, transition=replace(rule.transition, outcomes=outcomes, actions=()))

    def _outcome(self, flow: _Flow, position: int, outcome: Outcome) -> Outcome:
        _, kept = self._before(flow, position)
        written = 0
        for statement in kept:
            written |= self._facts_of(statement).writes
        live = self._after(flow.targets[position])
        stale = written & ~live
        for location, value in flow.places.items():
            was_live = self.at.get((location, value), 0) & ~live
            stale |= was_live & self.own.get(location, 0) & self._varying((location, value))
        whole = (*kept, *(self._reset(slot) for slot in members(stale)))
        return outcome if whole == outcome.statements else Outcome(whole, outcome.condition)

    def _varying(self, place: Place) -> int:
        """The slots that can have another than their initial value at a location."""
        known = self._vary.get(place)
        if known is not None:
            return known
        bits = 0
        local = self.domains.local.get(place, {})
        for slot in members(self.own.get(place[0], 0)):
            values = local.get(slot) or self.domains.values[slot]
            if len(values) > 1 or self.model.initial_state[slot] not in values:
                bits |= 1 << slot
        self._vary[place] = bits
        return bits

    def _reset(self, slot: int) -> Assign:
        variable, index = self.model.slot_variables[slot]
        return Assign(
            Read(variable, None if index is None else Constant(index)), Constant(self.model.initial_state[slot])
        )


def _stores(statement: Statement) -> Iterable[tuple[Read, Expression | None]]:
    """The places that a statement assigns to, channels apart, with the value where it is at hand."""
    match statement:
        case Assign(target, value):
            yield target, value
        case Receive(_, targets):
            yield from ((target, None) for target in targets if target is not None)
