"""Transitions split on the values of their array indices: `a[k] := 0` becomes `k == 2 and a[2] := 0` and so on.

The instances of a transition are disjoint and together the transition itself, so that states and steps stay the same,
but each touches one element only, where the transition might touch all. A slot that others change in accord with the
transition (the fill level of a buffer, say) is no slot to split on: its instances would disable each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from mule.model.domains import Domains, pinned
from mule.model.expressions import EXACT, Binary, Constant, Expression, Read, children, conjuncts
from mule.model.model import Assign, Guard, Kind, Model, Outcome, Receive, Send, Statement, Transition
from mule.model.printer import format_expression, locations_of
from mule.model.simplify import compute
from mule.model.substitution import Substitution
from mule.model.value_sets import Domain
from mule.records import replace
from mule.relations.accesses import Accesses, members
from mule.relations.accordance import accord
from mule.relations.decide import Decider
from mule.relations.diamond import Diamonds
from mule.relations.updates import Updates

INSTANCES = 32
"""More instances of one transition than this cost more than they bring."""
TOTAL = 1500


class _Instance(Struct):
    pins: dict[int, int]
    guards: list[Expression]
    outcomes: tuple[Outcome, ...]


class _TooMany(Exception):  # noqa: N818 - an answer, not an error
    pass


def split_on_indices(model: Model, domains: Domains, limit: int = INSTANCES, total: int = TOTAL) -> Model:
    """The model with its array accesses made static where few values of an index are possible."""
    if not _has_dynamic_reads(model):
        return model
    splitter = _Splitter(model, domains, limit)
    split: dict[int, list[_Instance]] = {}
    for number, transition in enumerate(model.transitions):
        if transition.kind is Kind.STEP and _is_dynamic(model, transition):
            instances = splitter.instances(number)
            if instances is not None:
                split[number] = instances
    _stay_within(split, total - len(model.transitions))
    return _assembled(model, domains, split) if split else model


def _stay_within(split: dict[int, list[_Instance]], room: int) -> None:
    """Give up the largest splits until the rest fits."""
    by_size = sorted(split, key=lambda number: len(split[number]))
    while by_size and sum(len(instances) - 1 for instances in split.values()) > room:
        del split[by_size.pop()]


class _Splitter:
    def __init__(self, model: Model, domains: Domains, limit: int) -> None:
        self.model = model
        self.domains = domains
        self.limit = limit
        self.expressions = [guard.expression for guard in model.guards]
        self._contended: dict[tuple[int, int], bool] = {}
        self._writers: dict[int, int] | None = None

    def instances(self, number: int) -> list[_Instance] | None:
        """None where there would be too many, or nothing to split on."""
        transition = self.model.transitions[number]
        guards = [self.expressions[guard] for guard in transition.guards]
        before = self.domains.given(guards)
        if before is None:
            return None
        found: list[_Instance] = []
        try:
            self._expand(number, guards, transition.outcomes, {}, before, found)
        except _TooMany:
            return None
        if len(found) == 1 and not found[0].pins:
            return None
        return found

    def _expand(
        self,
        number: int,
        guards: list[Expression],
        outcomes: tuple[Outcome, ...],
        pins: dict[int, int],
        before: dict[int, Domain],
        found: list[_Instance],
    ) -> None:
        slot = self._next_slot(number, guards, outcomes, pins)
        if slot is None:
            if len(found) >= self.limit:
                raise _TooMany
            found.append(_Instance(pins, guards, outcomes))
            return
        values = before.get(slot) or self.domains.values[slot]
        if len(values) > 256:
            raise _TooMany
        for value in sorted(values):
            # Folding one index can bring a slot to light that was pinned before: all pins are put in each time.
            known = {**pins, slot: value}
            substitution = Substitution(self.model.slot_of, known)
            narrowed = _folded(substitution, guards)
            if narrowed is not None:
                changed = tuple(substitution.outcome(outcome) for outcome in outcomes)
                self._expand(number, narrowed, changed, known, before, found)

    def _next_slot(
        self, number: int, guards: list[Expression], outcomes: tuple[Outcome, ...], pins: dict[int, int]
    ) -> int | None:
        """A slot, not pinned yet, whose value brings some index nearer to a constant."""
        for slots in _candidates(self.model, guards, outcomes):
            fresh = [slot for slot in slots if slot not in pins]
            if fresh and not any(self._is_contended(number, slot) for slot in slots):
                return fresh[0]
        return None

    def _is_contended(self, number: int, slot: int) -> bool:
        """Whether somebody else writes the slot and yet accords with this transition."""
        key = (number, slot)
        known = self._contended.get(key)
        if known is None:
            known = any(self._may_accord(number, other) for other in members(self._writers_of(slot)) if other != number)
            self._contended[key] = known
        return known

    def _writers_of(self, slot: int) -> int:
        if self._writers is None:
            self._accesses = Accesses(self.model, self.domains)
            self._decider = Decider(self.model, self.domains, self._accesses)
            self._updates, self._diamonds = Updates(self._decider), Diamonds(self._decider)
            self._writers = {}
            for transition, writes in enumerate(self._accesses.writes):
                for each in members(writes):
                    self._writers[each] = self._writers.get(each, 0) | 1 << transition
        return self._writers.get(slot, 0)

    def _may_accord(self, number: int, other: int) -> bool:
        """Whether the two can be enabled together and accord; not so for the branches of one process."""
        mine, theirs = self._places(number), self._places(other)
        for location, value in mine.items():
            if location in theirs:
                moved = self._updates.of(number, location), self._updates.of(other, location)
                if theirs[location] != value or any(m is not None and m(value) != value for m in moved):
                    return False
        return accord(self._diamonds, self._updates, number, other)

    def _places(self, number: int) -> dict[int, int]:
        guards = self.model.transitions[number].guards
        return dict(pinned(self.domains.evaluation, (self.expressions[guard] for guard in guards)))


def _folded(substitution: Substitution, guards: Iterable[Expression]) -> list[Expression] | None:
    """The guards with the values put in; None where one of them is false or undefined."""
    result = []
    for guard in guards:
        narrowed = substitution.expression(guard)
        if narrowed is guard:
            result.append(guard)
            continue
        for part in conjuncts(narrowed):
            if isinstance(part, Constant):
                if not part.value:
                    return None
            elif _always_undefined(part):
                return None
            else:
                result.append(part)
    return result


def _always_undefined(expression: Expression) -> bool:
    """Whether evaluation cannot avoid a constant index that is out of range, a division by a constant zero or a
    number that does not fit."""
    match expression:
        case Read(variable, Constant(value)) if not 0 <= value < variable.size:
            return True
        case Binary("/" | "%" | "/!", _, Constant(0)):
            return True
        case Binary(name, Constant(left), Constant(right)) if name in EXACT and compute(name, left, right) is None:
            return True
        case Binary("and" | "or", left, _):
            return _always_undefined(left)
        case Binary() | Read():
            return any(_always_undefined(child) for child in children(expression))
    return False


# where the indices are ------------------------------------------------------------------------------------------------


def _has_dynamic_reads(model: Model) -> bool:
    """Steps share statements: each is looked at once."""
    guards = {guard for transition in model.transitions for guard in transition.guards}
    outcomes = [outcome for transition in model.transitions for outcome in transition.outcomes]
    statements = {id(statement): statement for outcome in outcomes for statement in outcome.statements}
    return (
        any(_dynamic_reads(model.guards[guard].expression) for guard in guards)
        or any(outcome.condition is not None and _dynamic_reads(outcome.condition) for outcome in outcomes)
        or any(_dynamic_reads(part) for statement in statements.values() for part in _statement_parts(statement))
    )


def _is_dynamic(model: Model, transition: Transition) -> bool:
    return any(
        _dynamic_reads(expression)
        for expression in (
            *(model.guards[guard].expression for guard in transition.guards),
            *(part for outcome in transition.outcomes for part in _parts(outcome)),
        )
    )


def _parts(outcome: Outcome) -> Iterator[Expression]:
    """What an outcome evaluates, and its targets."""
    if outcome.condition is not None:
        yield outcome.condition
    for statement in outcome.statements:
        yield from _statement_parts(statement)


def _statement_parts(statement: Statement) -> Iterator[Expression]:
    match statement:
        case Assign(target, value):
            yield value
            yield target
        case Send(_, values):
            yield from values
        case Receive(_, targets):
            yield from (target for target in targets if target is not None)


def _dynamic_reads(expression: Expression) -> list[Read]:
    """The accesses whose index is no constant, the innermost first."""
    found = []
    for child in children(expression):
        found += _dynamic_reads(child)
    if isinstance(expression, Read) and expression.index is not None and not isinstance(expression.index, Constant):
        found.append(expression)
    return found


def _candidates(model: Model, guards: list[Expression], outcomes: tuple[Outcome, ...]) -> Iterator[list[int]]:
    """For each index that could become a constant the slots it reads."""
    for guard in guards:
        yield from (_slots(model, read, set()) for read in _dynamic_reads(guard))
    for outcome in outcomes:
        if outcome.condition is not None:
            yield from (_slots(model, read, set()) for read in _dynamic_reads(outcome.condition))
        assigned: set[int] = set()
        for statement in outcome.statements:
            for part in _statement_parts(statement):
                yield from (_slots(model, read, assigned) for read in _dynamic_reads(part))
            assigned |= _assigned(model, statement)


def _slots(model: Model, read: Read, assigned: set[int]) -> list[int]:
    """What an index reads; nothing where it hangs on another index, or on what the outcome has already changed."""
    assert read.index is not None
    slots: list[int] = []
    stack = [read.index]
    while stack:
        part = stack.pop()
        if isinstance(part, Read):
            base = model.slot_of[part.variable]
            if part.index is None:
                slots.append(base)
            elif isinstance(part.index, Constant) and 0 <= part.index.value < part.variable.size:
                slots.append(base + part.index.value)
            else:
                return []
        stack.extend(children(part))
    return [] if assigned.intersection(slots) else slots


def _assigned(model: Model, statement: Statement) -> set[int]:
    targets: list[Read] = []
    slots: set[int] = set()
    match statement:
        case Assign(target, _):
            targets = [target]
        case Send(channel, _) | Receive(channel, _):
            for variable in (channel.length, *channel.fields):
                slots |= set(range(model.slot_of[variable], model.slot_of[variable] + variable.size))
            if isinstance(statement, Receive):
                targets = [target for target in statement.targets if target is not None]
    for target in targets:
        base = model.slot_of[target.variable]
        if isinstance(target.index, Constant) and 0 <= target.index.value < target.variable.size:
            slots.add(base + target.index.value)
        else:
            slots |= set(range(base, base + target.variable.size))
    return slots


# the new model --------------------------------------------------------------------------------------------------------


def _assembled(model: Model, domains: Domains, split: dict[int, list[_Instance]]) -> Model:
    guards: list[Guard] = []
    numbers: dict[Expression, int] = {}

    def interned(guard: Guard) -> int:
        number = numbers.setdefault(guard.expression, len(guards))
        if number == len(guards):
            guards.append(guard)
        return number

    locations = locations_of(model.processes)
    transitions = []
    for number, transition in enumerate(model.transitions):
        origins = transition.origins or (number,)
        if number not in split:
            kept = tuple(interned(model.guards[guard]) for guard in transition.guards)
            transitions.append(replace(transition, guards=kept, origins=origins))
            continue
        text = {model.guards[guard].expression: model.guards[guard] for guard in transition.guards}
        places = pinned(domains.evaluation, text)
        for instance in split[number]:
            tests = []
            for slot, value in instance.pins.items():
                if _can_vary(domains, places, slot):
                    variable, index = model.slot_variables[slot]
                    read = Read(variable, None if index is None else Constant(index))
                    name = f"{model.slot_name(slot)} == {value}"
                    tests.append(Guard(Binary("==", read, Constant(value)), name))
            rest = [text.get(guard) or Guard(guard, format_expression(guard, locations)) for guard in instance.guards]
            ahead = len(places)
            ordered = tuple(dict.fromkeys(interned(guard) for guard in (*rest[:ahead], *tests, *rest[ahead:])))
            label = ", ".join(f"{model.slot_name(slot)} = {value}" for slot, value in instance.pins.items())
            transitions.append(
                replace(
                    transition,
                    name=f"{transition.name} [{label}]",
                    guards=ordered,
                    outcomes=instance.outcomes,
                    origins=origins,
                )
            )
    observed = tuple(
        replace(each, guards=tuple(interned(model.guards[guard]) for guard in each.guards))
        for each in model.property_transitions
    )
    return replace(model, guards=tuple(guards), transitions=tuple(transitions), property_transitions=observed)


def _can_vary(domains: Domains, places: list[tuple[int, int]], slot: int) -> bool:
    """Whether the slot has more than one value at these locations, so that the instance must ask for it."""
    for place in places:
        local = domains.local.get(place, {}).get(slot)
        if local is not None:
            return len(local) > 1
    return len(domains.values[slot]) > 1
