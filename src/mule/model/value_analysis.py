"""Which values each slot can ever have: a sound value analysis of a model.

Variables that only one process writes are tracked apart for each of its control locations, all others with one
domain for the whole run. Guards refine what a transition can see; assignments wrap into the target's type; what keeps
growing is widened to the next constant of the model, and narrowed once at the end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from heapq import heappop, heappush

from mule.model.abstraction import Evaluation
from mule.model.counters import counter_bounds
from mule.model.domains import Domains, Place, at
from mule.model.expressions import Constant, Read
from mule.model.footprint import Footprint
from mule.model.model import Assign, Model, Receive, Send, Statement
from mule.model.value_sets import EMPTY, Domain, Overlay, intersection, join, wrap_domain
from mule.model.variables import Variable
from mule.model.widening import Widening

_FAIR_TURNS = 5_000, 8
"""How many times transitions are looked at in turn, and then process by process: so often, and so often for each."""

_UNKNOWN = (-1, EMPTY)


def compute_domains(model: Model) -> Domains:
    analysis = _Analysis(model)
    analysis.run()
    if analysis.widened:
        analysis.narrow()
    return Domains(analysis.values, analysis.assigned, analysis.local, analysis.control, analysis.evaluation)


class _Analysis:
    def __init__(self, model: Model) -> None:
        self.evaluation = Evaluation(model)
        self.slot_of = model.slot_of
        footprint = Footprint(model)
        self.steps, self.predicates, self.places = footprint.steps, footprint.predicates, footprint.places
        self._pins = footprint.pins
        self.locations, self.control, self.dependents = footprint.locations, footprint.control, footprint.dependents
        self._readers, self._starting = footprint.readers, footprint.starting
        self.initial = model.initial_state
        self.sent: dict[Variable, Domain] = {}
        for channel in model.channels:
            count = self.initial[self.slot_of[channel.length]]
            for field in channel.fields:
                first = self.slot_of[field]
                self.sent[field] = frozenset(self.initial[first : first + count])
        self._constants: dict[int, tuple[int, Domain] | None] = {}
        self.values: list[Domain] = [frozenset((value,)) for value in self.initial]
        self.assigned = list(self.values)
        self.local: dict[Place, Overlay] = {
            (location, self.initial[location]): {slot: self.values[slot] for slot in slots}
            for location, slots in self.dependents.items()
        }
        self.widened = self.narrowing = False
        self._widening = Widening(model, footprint.guards())
        self._queue: deque[int] = deque()
        self._queued: set[int] = set()
        self._proven = {
            self.slot_of[variable] + offset: variable.bounds
            for variable in model.variables
            if variable.bounds is not None
            for offset in range(variable.size)
        }
        self._bounds = counter_bounds(self.steps, self.places, self.slot_of, self.initial) | self._proven

    def run(self) -> None:
        """First come, first served, which is fair: no domain grows so often that it is widened before others had their
        turn. Where that takes long, the steps of one process after the other, which takes fewer turns. Where it takes
        long again, since the first process is gone through anew for each value that a later one sends it, in rounds: a
        step has no second turn before those behind it had theirs."""
        self._wake(range(len(self.steps)))
        turns = _FAIR_TURNS[0] + _FAIR_TURNS[1] * len(self.steps)
        for _ in range(turns):
            if not self._queue:
                return
            number = self._queue.popleft()
            self._queued.discard(number)
            self._fire(number)
        waiting, next_round = sorted(self._queue), list[int]()
        while waiting:
            turns -= 1
            number = heappop(waiting)
            self._queue.clear()
            self._queued.discard(number)
            self._fire(number)
            for woken in self._queue:
                if woken > number or turns > 0:
                    heappush(waiting, woken)
                else:
                    next_round.append(woken)
            if not waiting:
                waiting, next_round = sorted(next_round), []

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
            if (fresh.values, fresh.local) == (values, local):
                return

    def _fire(self, number: int, source: tuple[list[Domain], dict[Place, Overlay]] | None = None) -> None:
        transition = self.steps[number]
        values, local = source or (self.values, self.local)
        places = self.places[number]
        for location, value in places.items():
            if value not in values[location]:
                return
            if location in self.dependents and (location, value) not in local:
                return
        before = at(self.evaluation, values, local, self.predicates[number], self._pins[number])
        if before is None:
            return
        for outcome in transition.outcomes:
            after = dict(before)
            if outcome.condition is not None and not self.evaluation.refine(outcome.condition, values, after):
                continue
            written: set[int] = set()
            for statement in outcome.statements:
                constant = self._constant(statement)
                if constant is not None:
                    self._put(*constant, values, after, written, False)
                elif not self._run(statement, values, after, written):
                    break
            else:
                self._join(places, values, local, after, written)

    def _constant(self, statement: Statement) -> tuple[int, Domain] | None:
        """The slot and the value of an assignment that is the same in all states; steps share statements."""
        known = self._constants.get(id(statement), _UNKNOWN)
        if known is _UNKNOWN:
            known = None
            if isinstance(statement, Assign) and isinstance(statement.value, Constant):
                place, kind = statement.target, statement.target.variable.type
                stored = wrap_domain(frozenset((statement.value.value,)), kind)
                if stored and (place.index is None or isinstance(place.index, Constant)):
                    positions = self.evaluation.indices(place, (), {})
                    known = (self.slot_of[place.variable] + positions[0], stored) if positions else None
            self._constants[id(statement)] = known
        return known

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
        if _within_small(domain, old):
            return
        new = join(old, self._within(slot, domain))
        if new is old or new == old:
            return
        self.values[slot] = self._widen(slot, -1, old, new)
        self._wake(self._readers.get(slot, ()))
        if slot in self.locations:
            for value in self.values[slot]:
                if value not in old:
                    self._wake(self._starting.get((slot, value), ()))

    def _grow_local(self, place: Place, slot: int, domain: Domain) -> None:
        there = self.local[place]
        old = there.get(slot, EMPTY)
        new = join(old, self._within(slot, domain))
        if new is old or new == old:
            return
        there[slot] = self._widen(slot, place[1], old, new)
        self._wake(self._starting.get(place, ()))
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

    def _widen(self, slot: int, place: int, old: Domain, new: Domain) -> Domain:
        if self.narrowing or not old or slot in self.locations:
            return new
        wider = self._widening.wider(slot, place, old, new)
        if wider is None:
            return new
        self.widened = True
        return self._within(slot, wider)


def _within_small(domain: Domain, old: Domain) -> bool:
    """Whether a small domain adds nothing; `issubset` would write a range out."""
    if not isinstance(domain, frozenset):
        return False
    return domain.issubset(old) if isinstance(old, frozenset) else all(value in old for value in domain)
