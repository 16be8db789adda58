"""Which values each slot can ever have: a sound value analysis of a model.

Variables that only one process writes are tracked apart for each of its control locations, all others with one
domain for the whole run. Guards refine what a transition can see; assignments wrap into the target's type; what keeps
growing is widened to the next constant of the model, and narrowed once at the end.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from mule.model.abstraction import Evaluation
from mule.model.counters import counter_bounds
from mule.model.expressions import Binary, Constant, Expression, Read, location_test, subexpressions
from mule.model.model import Assign, Kind, Model, Outcome, Receive, Send, Statement
from mule.model.value_sets import EMPTY, Domain, Overlay, highest, hull, intersection, join, lowest, wrap_domain
from mule.model.variables import Role, Variable

_PATIENCE = 20
"""How often a domain may grow before it is widened."""
_COUNTING = 5
"""Growing by the next number counts for more: that is a counter, which ends at some constant or not at all."""
_FAIR_TURNS = 5_000, 8
"""How many times transitions are looked at in turn: so often, and so often for each of them."""

_TRACKED = 250_000
"""How many domains may be kept apart by control location for one process; beyond that, long arrays have one domain an
element for the whole run."""
_LONG = 16
"""Arrays of more elements are long."""

_ENDURANCE = _PATIENCE + 8 * _COUNTING
"""How often it may be widened to the next constant; then more and more of them are leapt over."""

Place = tuple[int, int]
"""A control location: the slot of a location variable and its value."""


@dataclass
class Domains:
    """The result. It speaks of slots and locations only, so it stays true of a model whose transitions were split."""

    values: list[Domain]
    """For each slot everything that it can hold in a reachable state."""
    assigned: list[Domain]
    """The same, and what it can hold for a moment between two statements of one step."""
    local: dict[Place, Overlay]
    """For each control location what the variables that its process alone writes can hold there."""
    control: dict[int, int]
    """For each slot of `local` the slot of the location variable it goes by."""
    evaluation: Evaluation
    answers: dict[Any, Any] = dataclasses.field(default_factory=dict, repr=False)
    """What was derived from these domains, for a model and for the model after its transitions were split."""

    def before(self, model: Model, guards: Iterable[int]) -> Overlay | None:
        """What slots can hold where all these guards are true, as far as it is less than `values`; None: never."""
        return _environment(self.evaluation, self.values, self.local, [model.guards[g].expression for g in guards])

    def given(self, predicates: Iterable[Expression]) -> Overlay | None:
        """The same for predicates that are no guards of the model."""
        return _environment(self.evaluation, self.values, self.local, list(predicates))


def _environment(
    evaluation: Evaluation, values: Sequence[Domain], local: dict[Place, Overlay], predicates: list[Expression]
) -> Overlay | None:
    overlay: Overlay = {}
    for place in pinned(evaluation, predicates):
        at_place = local.get(place)
        if at_place is None:
            if place[1] not in values[place[0]]:
                return None
        else:
            overlay.update(at_place)
    for predicate in predicates:
        if not evaluation.refine(predicate, values, overlay):
            return None
    return overlay


def pinned(evaluation: Evaluation, predicates: Iterable[Expression]) -> list[Place]:
    """The control locations that some of the predicates ask for."""
    tests = filter(None, map(location_test, predicates))
    return [(evaluation.slot_of[variable], value) for variable, value in tests]


def compute_domains(model: Model) -> Domains:
    analysis = _Analysis(model)
    analysis.run()
    if analysis.widened:
        analysis.narrow()
    return Domains(analysis.values, analysis.assigned, analysis.local, analysis.control, analysis.evaluation)


class _Analysis:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.evaluation = Evaluation(model)
        self.slot_of = model.slot_of
        everything = (*model.transitions, *model.property_transitions)
        self.steps = [t for t in everything if t.kind is Kind.STEP]
        self.predicates = [[model.guards[g].expression for g in t.guards] for t in self.steps]
        self.places = [dict(pinned(self.evaluation, predicates)) for predicates in self.predicates]
        self.locations = {self.slot_of[v] for v in model.variables if v.role is Role.LOCATION}
        self.control = self._controls()
        self.dependents: dict[int, list[int]] = {}
        for slot, location in self.control.items():
            self.dependents.setdefault(location, []).append(slot)
        self.initial = model.initial_state
        self.sent: dict[Variable, Domain] = {}
        for channel in model.channels:
            count = self.initial[self.slot_of[channel.length]]
            for field in channel.fields:
                first = self.slot_of[field]
                self.sent[field] = frozenset(self.initial[first : first + count])
        self.values: list[Domain] = [frozenset((value,)) for value in self.initial]
        self.assigned = list(self.values)
        self.local: dict[Place, Overlay] = {
            (location, self.initial[location]): {slot: self.values[slot] for slot in slots}
            for location, slots in self.dependents.items()
        }
        self.widened = self.narrowing = False
        self._growth: dict[tuple[int, int], int] = {}
        self._thresholds = self._constants()
        self._queue: deque[int] = deque()
        self._queued: set[int] = set()
        self._readers, self._at = self._index()
        self._proven = {
            self.slot_of[variable] + offset: variable.bounds
            for variable in model.variables
            if variable.bounds is not None
            for offset in range(variable.size)
        }
        self._bounds = counter_bounds(self.steps, self.places, self.slot_of, self.initial) | self._proven

    # what the transitions touch -----------------------------------------------------------------------------------

    def _written(self, statement: Statement) -> Iterable[int]:
        match statement:
            case Assign(target, _):
                yield from self._extent(target)
            case Send(channel, _):
                yield from self._channel(channel.length, channel.fields)
            case Receive(channel, targets):
                yield from self._channel(channel.length, channel.fields)
                for destination in targets:
                    if destination is not None:
                        yield from self._extent(destination)

    def _channel(self, length: Variable, fields: tuple[Variable, ...]) -> Iterable[int]:
        yield self.slot_of[length]
        for field in fields:
            yield from range(self.slot_of[field], self.slot_of[field] + field.size)

    def _extent(self, read: Read) -> Iterable[int]:
        base = self.slot_of[read.variable]
        if isinstance(read.index, Constant):
            return (base + read.index.value,) if 0 <= read.index.value < read.variable.size else ()
        return range(base, base + read.variable.size)

    def _controls(self) -> dict[int, int]:
        """The slots all of whose writers ask for a location of one process, each with that location variable."""
        common: dict[int, set[int]] = {}
        for transition, places in zip(self.steps, self.places, strict=True):
            written = {
                slot
                for outcome in transition.outcomes
                for statement in outcome.statements
                for slot in self._written(statement)
            }
            for slot in written - self.locations:
                known = common.get(slot)
                common[slot] = set(places) if known is None else known & places.keys()
        owner = {
            self.slot_of[variable] + offset: variable.process
            for variable in self.model.variables
            for offset in range(variable.size)
        }
        home = {number: self.slot_of[process.location] for number, process in enumerate(self.model.processes)}
        control = {}
        for slot, candidates in common.items():
            if candidates:
                process = owner[slot]
                own = None if process is None else home.get(process)
                control[slot] = own if own is not None and own in candidates else min(candidates)
        return self._without_long(control)

    def _without_long(self, control: dict[int, int]) -> dict[int, int]:
        """Without the elements of long arrays, where the locations are too many to follow these through all of them."""
        values: dict[int, set[int]] = {}
        for places in self.places:
            for location, value in places.items():
                values.setdefault(location, set()).add(value)
        counts = Counter(control.values())
        crowded = {location for location, count in counts.items() if count * len(values[location]) > _TRACKED}
        if not crowded:
            return control
        variables = self.model.slot_variables
        return {
            slot: location
            for slot, location in control.items()
            if location not in crowded or variables[slot][0].size <= _LONG
        }

    def _index(self) -> tuple[dict[int, list[int]], dict[Place, list[int]]]:
        """Whom to wake: for each slot those that read it, for each location those that start there."""
        readers: dict[int, list[int]] = {}
        at: dict[Place, list[int]] = {}
        asked = {guard: self._read([self.model.guards[guard].expression]) for guard in self._guards()}
        for number, (transition, places) in enumerate(zip(self.steps, self.places, strict=True)):
            read = set().union(*(asked[guard] for guard in transition.guards))
            for outcome in transition.outcomes:
                read |= self._read(outcome_expressions(outcome))
                for statement in outcome.statements:
                    if not isinstance(statement, Assign):
                        read.update(self._channel(statement.channel.length, statement.channel.fields))
            for slot in read:
                if self.control.get(slot) not in places and slot not in places:
                    readers.setdefault(slot, []).append(number)
            for place in places.items():
                at.setdefault(place, []).append(number)
        return readers, at

    def _guards(self) -> set[int]:
        return {guard for transition in self.steps for guard in transition.guards}

    def _read(self, expressions: Iterable[Expression]) -> set[int]:
        parts = (part for expression in expressions for part in subexpressions(expression))
        return {slot for part in parts if isinstance(part, Read) for slot in self._extent(part)}

    def _constants(self) -> list[int]:
        """Where widening stops: what guards compare with, control locations apart, and the ends of types and arrays."""
        compared: Counter[int] = Counter()
        for guard in self._guards():
            for part in subexpressions(self.model.guards[guard].expression):
                if isinstance(part, Constant):
                    compared[part.value] += 1
                elif isinstance(part, Binary) and _is_location(part.left) and isinstance(part.right, Constant):
                    compared[part.right.value] -= 1
        found = {value + step for value, times in compared.items() if times > 0 for step in (-1, 0, 1)}
        for variable in self.model.variables:
            if variable.role is not Role.LOCATION:
                found.update((variable.type.low, variable.type.high, variable.size - 1, variable.size))
        return sorted(found)

    # the fixpoint -------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """First come, first served, which is fair: no domain grows so often that it is widened before others had their
        turn. Where that takes long, the steps of one process after the other, which takes fewer turns."""
        self._wake(range(len(self.steps)))
        turns = _FAIR_TURNS[0] + _FAIR_TURNS[1] * len(self.steps)
        while self._queue and turns:
            turns -= 1
            number = self._queue.popleft()
            self._queued.discard(number)
            self._fire(number)
        waiting = sorted(self._queue)
        while waiting:
            number = heappop(waiting)
            self._queue.clear()
            self._queued.discard(number)
            self._fire(number)
            for woken in self._queue:
                heappush(waiting, woken)

    def narrow(self) -> None:
        """One more round from scratch, over the domains found: what widening overshot falls away."""
        for _ in range(2):
            values, local = self.values, self.local
            fresh = _Analysis.__new__(_Analysis)
            fresh.__dict__.update(self.__dict__, narrowing=True)
            fresh.values = [frozenset((value,)) for value in self.initial]
            fresh.assigned = list(fresh.values)
            fresh.local = {
                (location, self.initial[location]): {slot: fresh.values[slot] for slot in slots}
                for location, slots in self.dependents.items()
            }
            for number in range(len(self.steps)):
                fresh._fire(number, source=(values, local))
            fresh._queue.clear()
            fresh._queued.clear()
            self.values, self.assigned, self.local = fresh.values, fresh.assigned, fresh.local

    def _fire(self, number: int, source: tuple[list[Domain], dict[Place, Overlay]] | None = None) -> None:
        transition = self.steps[number]
        values, local = source or (self.values, self.local)
        places = self.places[number]
        for location, value in places.items():
            if value not in values[location]:
                return
            if location in self.dependents and (location, value) not in local:
                return
        before = _environment(self.evaluation, values, local, self.predicates[number])
        if before is None:
            return
        for outcome in transition.outcomes:
            after = dict(before)
            if outcome.condition is not None and not self.evaluation.refine(outcome.condition, values, after):
                continue
            written: set[int] = set()
            if all(self._run(statement, values, after, written) for statement in outcome.statements):
                self._join(places, values, local, after, written)

    def _run(self, statement: Statement, values: list[Domain], state: Overlay, written: set[int]) -> bool:
        """Update the state; False where the statement cannot succeed."""
        match statement:
            case Assign(target, value):
                return self._assign(target, self.evaluation.image(value, values, state), values, state, written)
            case Send(channel, messages):
                length = self.slot_of[channel.length]
                counts = state.get(length) or values[length]
                room = frozenset(count for count in counts if 0 <= count < channel.capacity)
                images = [self.evaluation.image(message, values, state) for message in messages]
                if not room or not all(images):
                    return False
                for field, image in zip(channel.fields, images, strict=True):
                    message = wrap_domain(image, field.type)
                    if not message:
                        return False
                    self._note_sent(field, message)
                    for count in room:
                        self._put(self.slot_of[field] + count, message, values, state, written, len(room) > 1)
                self._put(length, frozenset(count + 1 for count in room), values, state, written, False)
            case Receive(channel, targets):
                length = self.slot_of[channel.length]
                counts = frozenset(count for count in state.get(length) or values[length] if count > 0)
                if not counts:
                    return False
                heads = []
                for field in channel.fields:
                    base = self.slot_of[field]
                    first = state.get(base) or values[base]
                    sent = self.sent[field]
                    both_small = isinstance(first, frozenset) and isinstance(sent, frozenset)
                    heads.append(first & sent if both_small else sent)  # type: ignore[operator]
                    for index in range(field.size):
                        shifted: Domain = frozenset((0,))
                        if index + 1 < field.size:
                            shifted = join(shifted, state.get(base + index + 1) or values[base + index + 1])
                        self._put(base + index, shifted, values, state, written, True)
                self._put(length, frozenset(count - 1 for count in counts), values, state, written, False)
                for destination, head in zip(targets, heads, strict=True):
                    if destination is not None and not self._assign(destination, head, values, state, written):
                        return False
        return True

    def _note_sent(self, field: Variable, message: Domain) -> None:
        """Heads of a channel are what was sent; whoever receives must look again."""
        both = join(self.sent[field], message)
        if both != self.sent[field]:
            self.sent[field] = both
            self._wake(self._readers.get(self.slot_of[field], ()))

    def _assign(self, target: Read, image: Domain, values: list[Domain], state: Overlay, written: set[int]) -> bool:
        positions = self.evaluation.indices(target, values, state)
        if not image or not positions:
            return False
        stored = wrap_domain(image, target.variable.type)
        if not stored:
            return False
        base = self.slot_of[target.variable]
        for position in positions:
            self._put(base + position, stored, values, state, written, len(positions) > 1)
        return True

    def _put(
        self, slot: int, domain: Domain, values: list[Domain], state: Overlay, written: set[int], maybe: bool
    ) -> None:
        state[slot] = join(state.get(slot) or values[slot], domain) if maybe else domain
        if slot in self._proven:
            domain = self._within(slot, domain)
        self.assigned[slot] = join(self.assigned[slot], domain)
        written.add(slot)

    def _join(
        self,
        places: dict[int, int],
        values: list[Domain],
        local: dict[Place, Overlay],
        after: Overlay,
        written: set[int],
    ) -> None:
        """Add the state after an outcome to what is known."""
        for slot in written:
            if slot not in self.control:
                self._grow(slot, after[slot])
        for location in {*places, *(written & self.locations)}:
            slots = self.dependents.get(location, ())
            if location in written:
                targets: Iterable[int] = after[location]
            elif written.isdisjoint(slots):
                continue
            else:
                targets = (places[location],)
            known = after
            if location not in places:
                known = {}
                for value in values[location]:
                    for slot, domain in local.get((location, value), {}).items():
                        known[slot] = join(known.get(slot, EMPTY), domain)
                known.update((slot, after[slot]) for slot in slots if slot in written)
            for target in targets:
                there = self.local.setdefault((location, target), {})
                for slot in slots:
                    domain, old = known[slot], there.get(slot, EMPTY)
                    if domain is not old and not _within_small(domain, old):
                        self._grow_local((location, target), slot, domain)

    def _grow(self, slot: int, domain: Domain) -> None:
        old = self.values[slot]
        new = join(old, self._within(slot, domain))
        if new is old or new == old:
            return
        self.values[slot] = self._widen((slot, -1), old, new)
        self._wake(self._readers.get(slot, ()))
        if slot in self.locations:
            for value in self.values[slot]:
                if value not in old:
                    self._wake(self._at.get((slot, value), ()))

    def _grow_local(self, place: Place, slot: int, domain: Domain) -> None:
        there = self.local[place]
        old = there.get(slot, EMPTY)
        new = join(old, self._within(slot, domain))
        if new is old or new == old:
            return
        there[slot] = self._widen((slot, place[1]), old, new)
        self._wake(self._at.get(place, ()))
        everywhere = join(self.values[slot], there[slot])
        if everywhere != self.values[slot]:
            self.values[slot] = everywhere
            self._wake(self._readers.get(slot, ()))

    def _within(self, slot: int, domain: Domain) -> Domain:
        bounds = self._bounds.get(slot)
        return domain if bounds is None else intersection(domain, range(bounds[0], bounds[1] + 1))

    def _wake(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if number not in self._queued:
                self._queued.add(number)
                self._queue.append(number)

    def _widen(self, key: tuple[int, int], old: Domain, new: Domain) -> Domain:
        if self.narrowing or not old or key[0] in self.locations:
            return new
        counting = len(new) == len(old) + 1 and (highest(new) == highest(old) + 1 or lowest(new) == lowest(old) - 1)
        count = self._growth.get(key, 0) + (_COUNTING if counting else 1)
        self._growth[key] = count
        if count <= _PATIENCE:
            return new
        self.widened = True
        low, high, thresholds = lowest(new), highest(new), self._thresholds
        leap = (1 << max(0, count - _ENDURANCE)) - 1 if count < _ENDURANCE + len(thresholds) else len(thresholds)
        if low < lowest(old):
            low = thresholds[max(bisect_right(thresholds, low) - 1 - leap, 0)]
        if high > highest(old):
            high = thresholds[min(bisect_left(thresholds, high) + leap, len(thresholds) - 1)]
        kind = self.model.slot_variables[key[0]][0].type
        return self._within(key[0], hull(max(low, kind.low), min(high, kind.high)))


def outcome_expressions(outcome: Outcome) -> Iterable[Expression]:
    """Everything that an outcome reads, the indices of its targets included."""
    if outcome.condition is not None:
        yield outcome.condition
    for statement in outcome.statements:
        match statement:
            case Assign(target, value):
                yield value
                if target.index is not None:
                    yield target.index
            case Send(_, messages):
                yield from messages
            case Receive(_, targets):
                for destination in targets:
                    if destination is not None and destination.index is not None:
                        yield destination.index


def _is_location(expression: Expression) -> bool:
    return isinstance(expression, Read) and expression.variable.role is Role.LOCATION


def _within_small(domain: Domain, old: Domain) -> bool:
    """Whether a small domain adds nothing; `issubset` would write a range out."""
    if not isinstance(domain, frozenset):
        return False
    return domain.issubset(old) if isinstance(old, frozenset) else all(value in old for value in domain)
