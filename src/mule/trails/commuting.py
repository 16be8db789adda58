"""Steps of a trail that its end does not need, taken out without any search.

A step on which no later step depends, and whose effect the violation does not look at, can be put off: it commutes with
all that comes after it, until it stands behind the end of the trail. What a step depends on is told by the slots that
it reads and writes in the very state in which it is taken, which is sharper than what holds in all states (Lluch-
Lafuente, Edelkamp and Leue, "Partial order reduction in directed model checking", leave this to future work).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mule.model import Kind, Model
from mule.model.expressions import FALSE, Expression, Read, subexpressions
from mule.model.interpreter import Failure, Interpreter, State, Step
from mule.model.model import Assign, Outcome, Receive, Send, Statement
from mule.records import Record

Slots = frozenset[int]
NONE: Slots = frozenset()


class Access(Record, frozen=True):
    """The slots that one step reads, and those that it writes, in the state in which it is taken."""

    reads: Slots
    writes: Slots
    """It may write these."""
    sets: Slots
    """It does write these, whatever they were before."""


class Accesses:
    """What the steps of a model touch."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.interpreter = Interpreter(model)
        self._slot_of = model.slot_of

    def of_step(self, step: Step, state: State) -> Access:
        transition = self.model.transitions[step.transition]
        reads = set(self.of_all((self.model.guards[guard].expression for guard in transition.guards), state))
        writes: set[int] = set()
        sets: set[int] = set()
        if transition.kind is Kind.STEP:
            outcome = transition.outcomes[step.outcome]
            if outcome.condition is not None:
                reads |= self.of(outcome.condition, state)
            for statement in outcome.statements:
                # What the step itself has written before is nothing that it depends on.
                reads |= self._read(statement, state) - sets
                written, certain = self._written(statement, state)
                writes |= written
                sets |= certain
                try:
                    state = self.interpreter.run(Outcome((statement,)), state)
                except Failure:
                    break
        return Access(frozenset(reads), frozenset(writes), frozenset(sets))

    def of_all(self, expressions: Iterable[Expression], state: State) -> Slots:
        return NONE.union(*(self.of(each, state) for each in expressions))

    def of(self, expression: Expression, state: State) -> Slots:
        """The slots that an expression speaks of, whether or not all of its parts are evaluated."""
        reads = (part for part in subexpressions(expression) if isinstance(part, Read))
        return NONE.union(*(self._extent(read, state) for read in reads))

    def _extent(self, read: Read, state: State) -> Slots:
        try:
            return frozenset({self.interpreter.slot(read, state)})
        except Failure:
            return self._whole(read)

    def _whole(self, read: Read) -> Slots:
        base = self._slot_of[read.variable]
        return frozenset(range(base, base + read.variable.size))

    def _read(self, statement: Statement, state: State) -> Slots:
        match statement:
            case Assign(target, value):
                return self.of(value, state) | self._index(target, state)
            case Send(channel, messages):
                return self.of_all(messages, state) | {self._slot_of[channel.length]}
            case Receive(_, targets):
                indices = (self._index(each, state) for each in targets if each is not None)
                return self._contents(statement).union(*indices)

    def _index(self, target: Read, state: State) -> Slots:
        return NONE if target.index is None else self.of(target.index, state)

    def _written(self, statement: Statement, state: State) -> tuple[Slots, Slots]:
        """What it may write, and what it does write."""
        match statement:
            case Assign(target, _):
                written = self._extent(target, state)
                return written, written if len(written) == 1 else NONE
            case Send(channel, _):
                length = self._slot_of[channel.length]
                here = state[length]
                written = frozenset({length, *(self._slot_of[field] + here for field in channel.fields)})
                return written, written
            case Receive(_, targets):
                # The index of a target may be what another field of the message sets.
                places = [each for each in targets if each is not None]
                plain = NONE.union(*(self._whole(each) for each in places if each.index is None))
                contents = self._contents(statement)
                return contents.union(*map(self._whole, places)), contents | plain

    def _contents(self, statement: Receive) -> Slots:
        channel = statement.channel
        fields = ((self._slot_of[field], field.size) for field in channel.fields)
        slots = (slot for base, size in fields for slot in range(base, base + size))
        return frozenset({self._slot_of[channel.length], *slots})


def without_loops(states: Sequence[State], steps: Sequence[Step]) -> list[Step]:
    """The steps without those between two visits of the same state. The last step may lead nowhere."""
    last = {state: position for position, state in enumerate(states)}
    kept: list[Step] = []
    position = 0
    while position < len(steps):
        position = last[states[position]]
        if position < len(steps):
            kept.append(steps[position])
        position += 1
    return kept


def needed(model: Model, states: Sequence[State], steps: Sequence[Step], looked_at: Slots) -> list[Step]:
    """The steps without those on which neither the others nor the slots `looked_at` in the last state depend. A last
    step that fails is what all is about."""
    accesses = Accesses(model)
    kept: list[Step] = []
    wanted = set(looked_at)
    for position in range(len(steps) - 1, -1, -1):
        step = steps[position]
        access = accesses.of_step(step, states[position])
        if step.failure is None and wanted.isdisjoint(access.writes):
            continue
        wanted -= access.sets
        wanted |= access.reads
        kept.append(step)
    return kept[::-1]


def looked_at_by_deadlock(model: Model, state: State) -> Slots:
    """What keeps each transition from being enabled, and the processes from being where they may stop."""
    accesses, interpreter = Accesses(model), Interpreter(model)
    found = NONE if model.end_states == FALSE else accesses.of(model.end_states, state)
    for transition in model.transitions:
        false = next((guard for guard in transition.guards if not interpreter.holds(guard, state)), None)
        if false is not None:
            found |= accesses.of(model.guards[false].expression, state)
        else:  # no outcome is possible
            conditions = [each.condition for each in transition.outcomes if each.condition is not None]
            found |= accesses.of_all(conditions, state)
    return found
