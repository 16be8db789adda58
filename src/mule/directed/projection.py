"""A model seen through a few of its slots: what a step may ask of them, and what it may do to them.

Every step of the model is a step of the projection, or changes none of these slots. What a guard or an effect needs to
know of other slots is taken to be as it may be. So no path of the model is shorter than the projection says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

from mule.model import Model
from mule.model.closures import Closures, Function, UndefinedValue, stored
from mule.model.expressions import Constant, Expression, Read, conjuncts, subexpressions
from mule.model.model import Assign, Outcome, Receive, Send, Statement
from mule.model.variables import Variable
from mule.records import Record

MOST_CASES = 64
"""So many values of the slots that a transition asks about are told apart."""

Digits = list[tuple[int, int]]
Step = tuple[Digits, Digits, list[int]]
"""What is asked for, what holds afterwards, and which slots are written of which nothing is asked."""
State = list[Any]


class Slots:
    """Which slots expressions and statements speak of, and what expressions are of a state, for one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._closures = Closures(model.slot_of)
        self._reads: dict[int, tuple[Expression, frozenset[int]]] = {}
        self._functions: dict[int, tuple[Expression, Function]] = {}

    def of(self, variable: Variable) -> range:
        first = self.model.slot_of[variable]
        return range(first, first + variable.size)

    def read_by(self, expression: Expression) -> frozenset[int]:
        known = self._reads.get(id(expression))
        if known is None:
            found: set[int] = set()
            for part in subexpressions(expression):
                if isinstance(part, Read):
                    found.update(self._meant(part))
            known = self._reads[id(expression)] = expression, frozenset(found)
        return known[1]

    def _meant(self, read: Read) -> Iterable[int]:
        slots = self.of(read.variable)
        if isinstance(read.index, Constant):
            return [slots[read.index.value]] if 0 <= read.index.value < len(slots) else []
        return slots

    def written_by(self, statement: Statement) -> Iterator[int]:
        match statement:
            case Assign(target, _):
                yield from self._meant(target)
            case Send(channel, _) | Receive(channel, _):
                for variable in (channel.length, *channel.fields):
                    yield from self.of(variable)
                if isinstance(statement, Receive):
                    yield from (slot for each in statement.targets if each is not None for slot in self._meant(each))

    def needed_by(self, statement: Statement) -> Iterator[int]:
        """What must be known for what is written to be known."""
        match statement:
            case Assign(target, value):
                yield from self.read_by(value)
                yield from () if target.index is None else self.read_by(target.index)
            case Send(channel, values):
                yield from self.of(channel.length)
                yield from (slot for value in values for slot in self.read_by(value))
            case Receive(channel, _):
                yield from (slot for variable in (channel.length, *channel.fields) for slot in self.of(variable))

    def value(self, expression: Expression, state: State) -> int | None:
        """None where something of it is not known; raises UndefinedValue."""
        if any(state[slot] is None for slot in self.read_by(expression)):
            return None
        known = self._functions.get(id(expression))
        if known is None:
            known = self._functions[id(expression)] = expression, self._closures.function(expression)
        return int(known[1](state))

    def may_hold(self, expression: Expression, state: State) -> bool:
        try:
            return self.value(expression, state) != 0
        except UndefinedValue:
            return False

    def run(self, statement: Statement, state: State) -> None:
        """Raises UndefinedValue where the step has no meaning."""
        match statement:
            case Assign(target, value):
                self._assign(target, self.value(value, state), state)
            case Send(channel, values):
                sent = [self.value(value, state) for value in values]
                length = state[self.of(channel.length)[0]]
                if length is not None and length >= channel.capacity:
                    raise UndefinedValue
                for field, number in zip(channel.fields, sent, strict=True):
                    if length is None:
                        self._forget(self.of(field), state)
                    else:
                        state[self.of(field)[length]] = None if number is None else field.type.wrap(number)
                state[self.of(channel.length)[0]] = None if length is None else length + 1
            case Receive(channel, targets):
                length = state[self.of(channel.length)[0]]
                if length == 0:
                    raise UndefinedValue
                heads = [state[self.of(field)[0]] for field in channel.fields]
                for field in channel.fields:
                    cells = self.of(field)
                    state[cells.start : cells.stop] = [*state[cells.start + 1 : cells.stop], 0]
                state[self.of(channel.length)[0]] = None if length is None else length - 1
                for place, head in zip(targets, heads, strict=True):
                    if place is not None:
                        self._assign(place, head, state)

    def _assign(self, target: Read, value: int | None, state: State) -> None:
        slots = self.of(target.variable)
        index = 0 if target.index is None else self.value(target.index, state)
        if index is None:
            return self._forget(slots, state)
        if not 0 <= index < len(slots):
            raise UndefinedValue
        state[slots[index]] = None if value is None else stored(value, target.variable.type)
        return None

    @staticmethod
    def _forget(slots: Iterable[int], state: State) -> None:
        for slot in slots:
            state[slot] = None

    @cached_property
    def written(self) -> list[frozenset[int]]:
        """By each transition."""
        return [
            frozenset(
                slot
                for outcome in transition.outcomes
                for statement in outcome.statements
                for slot in self.written_by(statement)
            )
            for transition in self.model.transitions
        ]

    @cached_property
    def guards(self) -> list[list[Expression]]:
        """The conjuncts of the guards of each transition."""
        return [
            [part for guard in transition.guards for part in conjuncts(self.model.guards[guard].expression)]
            for transition in self.model.transitions
        ]

    @cached_property
    def asked(self) -> list[frozenset[int]]:
        """What each transition needs to know: its guards, and what it writes."""
        found = []
        for number, transition in enumerate(self.model.transitions):
            slots = {slot for guard in self.guards[number] for slot in self.read_by(guard)}
            for outcome in transition.outcomes:
                slots.update(() if outcome.condition is None else self.read_by(outcome.condition))
                slots.update(slot for statement in outcome.statements for slot in self.needed_by(statement))
            found.append(frozenset(slots))
        return found


class Case(Record, frozen=True):
    """What a step may do, seen through some slots."""

    before: dict[int, int]
    """What it asks for."""
    after: dict[int, int]
    """What holds afterwards, of the slots that it writes or asks about."""
    lost: tuple[int, ...]
    """What it writes, and asks nothing about."""


class Cases:
    """What the transitions of a model do to slots. Patterns share what they have in common."""

    def __init__(self, slots: Slots, bounds: Sequence[tuple[int, int]]) -> None:
        self.slots = slots
        self.bounds = bounds
        self.tried = 0
        """How many cases were looked at."""
        self._known: dict[tuple[int, frozenset[int]], list[Case]] = {}

    def of(self, number: int, pattern: frozenset[int]) -> list[Case]:
        seen = pattern & (self.slots.asked[number] | self.slots.written[number])
        known = self._known.get((number, seen))
        if known is None:
            known = self._known[number, seen] = list(self._cases(number, seen))
        return known

    def _cases(self, number: int, pattern: frozenset[int]) -> Iterator[Case]:
        state: State = [None] * len(self.bounds)
        choices = self._choices(number, pattern, state)
        for values in product(*choices.values()):
            self.tried += 1
            before = dict(zip(choices, values, strict=True))
            for slot, value in before.items():
                state[slot] = value
            if not all(self.slots.may_hold(guard, state) for guard in self.slots.guards[number]):
                continue
            for outcome in self.slots.model.transitions[number].outcomes:
                yield from self._outcome(outcome, pattern, before, state)

    def _choices(self, number: int, pattern: frozenset[int], state: State) -> dict[int, Sequence[int]]:
        """The values of the slots that are asked about: those that guards about one of them alone leave over. What
        would make too many cases is left out."""
        choices: dict[int, Sequence[int]] = {}
        for slot in sorted(pattern & self.slots.asked[number]):
            low, high = self.bounds[slot]
            choices[slot] = range(low, high + 1)
        for guard in self.slots.guards[number]:
            read = self.slots.read_by(guard)
            if len(read) == 1 and (slot := next(iter(read))) in choices:
                choices[slot] = [value for value in choices[slot] if self._holds_for(guard, slot, value, state)]
        while prod(map(len, choices.values())) > MOST_CASES:
            del choices[max(choices, key=lambda slot: len(choices[slot]))]
        return choices

    def _holds_for(self, guard: Expression, slot: int, value: int, state: State) -> bool:
        state[slot] = value
        holds = self.slots.may_hold(guard, state)
        state[slot] = None
        return holds

    def _outcome(
        self, outcome: Outcome, pattern: frozenset[int], before: dict[int, int], state: State
    ) -> Iterator[Case]:
        """Nothing where it is not possible, changes nothing here, or leads to a value that no state has."""
        if outcome.condition is not None and not self.slots.may_hold(outcome.condition, state):
            return
        after = list(state)
        try:
            for statement in outcome.statements:
                self.slots.run(statement, after)
        except UndefinedValue:
            return
        written = pattern & {slot for statement in outcome.statements for slot in self.slots.written_by(statement)}
        known = {slot: after[slot] for slot in sorted(written | before.keys()) if after[slot] is not None}
        if written and all(self.bounds[slot][0] <= value <= self.bounds[slot][1] for slot, value in known.items()):
            yield Case(before, known, tuple(sorted(written - before.keys())))


class Projection:
    """The steps of a model, seen through some of its slots."""

    def __init__(self, cases: Cases, pattern: Sequence[int]) -> None:
        self.cases = cases
        self.pattern = frozenset(pattern)
        self.lows = {slot: cases.bounds[slot][0] for slot in pattern}
        self.sizes = [cases.bounds[slot][1] - cases.bounds[slot][0] + 1 for slot in pattern]
        self._digit_of = {slot: digit for digit, slot in enumerate(pattern)}

    def steps(self) -> Iterator[Step]:
        for number, written in enumerate(self.cases.slots.written):
            if not written.isdisjoint(self.pattern):
                for case in self.cases.of(number, self.pattern):
                    yield (
                        self._digits(case.before),
                        self._digits(case.after),
                        [self._digit_of[slot] for slot in case.lost],
                    )

    def _digits(self, values: dict[int, int]) -> Digits:
        return [(self._digit_of[slot], value - self.lows[slot]) for slot, value in values.items()]
