"""The decision procedure behind the relations: tries all values of the few slots that matter.

Slots that decide something are given every value that the domains and the guards leave them, all others a symbol
(`terms.py`). What cannot be settled within the budget is answered "maybe", which every relation may say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from msgspec import Struct

from mule.model.closures import Closures, Function, UndefinedValue, Values, stored, wrapped
from mule.model.domains import Domains
from mule.model.expressions import Binary, Constant, Expression, Read, subexpressions
from mule.model.model import Assign, Model, Outcome, Receive, Send, Statement
from mule.model.value_sets import Domain, highest, lowest
from mule.model.variables import Channel
from mule.relations.accesses import Accesses, members
from mule.relations.shapes import Shapes
from mule.relations.terms import Terms, Unknown

COMBINATIONS = 1024
"""How many combinations of values one question may try."""
EFFORT = 150_000
"""What the questions for one relation may cost together, in microseconds or so: it bounds the time relations take."""
LARGE = 40
"""Parts of a guard that cost as much to evaluate as a value costs to try."""
ENUMERABLE = 256

Action = Callable[[Values], None]
Visit = Callable[[Values], bool]


class CompiledOutcome(Struct):
    condition: Function | None
    actions: list[Action]

    def possible(self, state: Values) -> bool:
        return self.condition is None or bool(self.condition(state))

    def run(self, state: Values) -> Values:
        after = state.copy()
        for action in self.actions:
            action(after)
        return after


class TooMany(Exception):  # noqa: N818 - an answer, not an error
    """All questions together have tried as many values as they may."""


class Decider:
    """Compiled guards and outcomes of one model, and the enumeration of its states' relevant parts."""

    def __init__(self, model: Model, domains: Domains, accesses: Accesses) -> None:
        self.model = model
        self.values = domains.values
        self.accesses = accesses
        self.closures: Closures = domains.evaluation.closures
        self.effort = EFFORT
        self.answers = domains.answers
        self.shapes = Shapes(model, accesses, domains.answers.setdefault("shapes", {}))
        self.terms = Terms()
        self._symbols: Values = [
            self.terms.slot(slot, lowest(values), highest(values)) for slot, values in enumerate(domains.values)
        ]
        self.evaluation = domains.evaluation
        self._actions: dict[int, Action] = {}
        self._outcomes: dict[int, list[CompiledOutcome]] = {}
        self._sizes: dict[int, int] = {}
        self.unary = [self._single_slot(tests) for tests in accesses.guard_tests]
        """For each guard the one slot it tests, -1 where it tests none or several."""
        self._truth: list[dict[int, bool]] = [{} for _ in model.guards]
        self.scratch: Values = [0] * model.slots
        self._channels = [
            (model.slot_of[channel.length], [(model.slot_of[field], field.size) for field in channel.fields])
            for channel in model.channels
            if _is_queue(model, channel)
        ]

    @staticmethod
    def _single_slot(tests: int) -> int:
        return tests.bit_length() - 1 if tests and tests & (tests - 1) == 0 else -1

    def guard(self, number: int) -> Function:
        return self.evaluation.profile(self.model.guards[number].expression).function

    def truth(self, guard: int, value: int) -> bool:
        """Whether a guard that tests one slot is true of a value; false where it is undefined."""
        known = self._truth[guard].get(value)
        if known is None:
            scratch = self.scratch
            scratch[self.unary[guard]] = value
            try:
                known = bool(self.guard(guard)(scratch))
            except UndefinedValue:
                known = False
            self._truth[guard][value] = known
        return known

    def true_values(self, guard: int, values: Collection[int]) -> set[int]:
        """The values of its slot, among these, for which a guard that tests one slot is true."""
        match self.model.guards[guard].expression:
            case Binary("==", Read(_, None | Constant()), Constant(value)):
                return {value} if value in values else set()
        return {value for value in values if self.truth(guard, value)}

    def outcomes(self, transition: int) -> list[CompiledOutcome]:
        known = self._outcomes.get(transition)
        if known is None:
            known = [self._compile(outcome) for outcome in self.model.transitions[transition].outcomes]
            self._outcomes[transition] = known
        return known

    def _compile(self, outcome: Outcome) -> CompiledOutcome:
        condition = None if outcome.condition is None else self.closures.function(outcome.condition)
        return CompiledOutcome(condition, [self._action(statement) for statement in outcome.statements])

    def _action(self, statement: Statement) -> Action:
        """Steps share statements: each is compiled once."""
        known = self._actions.get(id(statement))
        if known is None:
            known = self._actions[id(statement)] = self._compiled(statement)
        return known

    def _compiled(self, statement: Statement) -> Action:
        match statement:
            case Assign(target, value):
                return self._assignment(target, value)
            case Send():
                return self._send(statement)
            case Receive():
                return self._receive(statement)

    def _assignment(self, target: Read, value: Expression) -> Action:
        result = wrapped(*self.closures.bounded(value), target.variable.type)
        if target.index is None:
            slot = self.closures.static_slot(target)

            def assign(s: Values) -> None:
                s[slot] = result(s)

            return assign
        place = self.closures.slot(target)

        def assign_element(s: Values) -> None:
            new = result(s)
            s[place(s)] = new

        return assign_element

    def _send(self, statement: Send) -> Action:
        channel, slot_of = statement.channel, self.model.slot_of
        length = slot_of[channel.length]
        values = [
            wrapped(*self.closures.bounded(value), field.type)
            for value, field in zip(statement.values, channel.fields, strict=True)
        ]
        bases = [slot_of[field] for field in channel.fields]

        def send(s: Values) -> None:
            results = [value(s) for value in values]
            count = s[length]
            if count >= channel.capacity:
                raise UndefinedValue
            for base, result in zip(bases, results, strict=True):
                s[base + count] = result
            s[length] = count + 1

        return send

    def _receive(self, statement: Receive) -> Action:
        channel, slot_of = statement.channel, self.model.slot_of
        length = slot_of[channel.length]
        bases = [slot_of[field] for field in channel.fields]
        places = [
            None if target is None else (self.closures.slot(target), target.variable.type)
            for target in statement.targets
        ]

        def receive(s: Values) -> None:
            count = s[length]
            if count == 0:
                raise UndefinedValue
            heads = [s[base] for base in bases]
            for base in bases:
                s[base : base + count] = [*s[base + 1 : base + count], 0]
            s[length] = count - 1
            for place, head in zip(places, heads, strict=True):
                if place is not None:
                    s[place[0](s)] = stored(head, place[1])

        return receive

    # enumeration --------------------------------------------------------------------------------------------------

    def choose(self, groups: Iterable[int], domain: Callable[[int], Domain], limit: int = COMBINATIONS) -> list[int]:
        """The slots to try all values of: those of each group, the first groups first, as far as the limit allows.

        A group is chosen whole or not at all: part of what a guard tests does not decide it.
        """
        chosen: list[int] = []
        count, seen = 1, 0
        for bits in groups:
            fresh = bits & ~seen
            if not fresh:
                continue
            sizes = sorted([(len(domain(slot)), slot) for slot in members(fresh)])
            product = count
            for size, _ in sizes:
                product *= size
            if product <= limit and sizes[-1][0] <= ENUMERABLE:
                count, seen = product, seen | fresh
                chosen += [slot for _, slot in sizes]
        return chosen

    def symbolic_state(self, relevant: int, domain: Callable[[int], Domain]) -> Values:
        """A state in which every slot holds a symbol, the relevant ones with the bounds of their domain."""
        state = self._symbols.copy()
        for slot in members(relevant):
            values = domain(slot)
            state[slot] = self.terms.slot(slot, lowest(values), highest(values))
        return state

    def search(
        self,
        slots: list[int],
        domain: Callable[[int], Domain],
        guards: Iterable[int],
        state: Values,
        visit: Visit,
        cost: int,
    ) -> bool:
        """Try all values of the slots that the guards allow, until a visit answers True; whether one did.

        A guard is checked as soon as all the slots it tests have a value. The others are taken to be true. `cost` is
        what a visit costs, a value tried being 1, and more with large guards.
        """
        if self.effort < 0:
            raise TooMany
        position = {slot: depth for depth, slot in enumerate(slots)}
        checks: list[list[Function]] = [[] for _ in slots]
        weights = [1] * len(slots)
        tests = self.accesses.guard_tests
        for guard in guards:
            needed = [position.get(slot, -1) for slot in members(tests[guard])]
            if needed and min(needed) >= 0:
                checks[max(needed)].append(self.guard(guard))
                weights[max(needed)] += self._size(guard) // LARGE
        free = self._free_cells(position, checks, state)
        domains = [domain(slot) for slot in slots]
        depth_limit = len(slots)

        def descend(depth: int) -> bool:
            self.effort -= cost if depth == depth_limit else len(domains[depth]) * weights[depth]
            if self.effort < 0:
                raise TooMany
            if depth == depth_limit:
                for cell, symbol, index, length in free:
                    state[cell] = symbol if index < state[length] else 0
                return visit(state)
            slot, here = slots[depth], checks[depth]
            for value in domains[depth]:
                state[slot] = value
                for check in here:
                    if not holds(check, state):
                        break
                else:
                    if descend(depth + 1):
                        return True
            return False

        return descend(0)

    def _size(self, guard: int) -> int:
        if guard not in self._sizes:
            self._sizes[guard] = sum(1 for _ in subexpressions(self.model.guards[guard].expression))
        return self._sizes[guard]

    def _free_cells(
        self, position: dict[int, int], checks: list[list[Function]], state: Values
    ) -> list[tuple[int, Any, int, int]]:
        """The cells of a channel behind its last message are 0, in every state between steps.

        Where a cell is tried this becomes a check, else the cell is 0 or its symbol, as the length says.
        """
        free = []
        for length, fields in self._channels:
            if length not in position:
                continue
            for base, size in fields:
                for index in range(size):
                    cell = base + index
                    if cell in position:
                        checks[max(position[length], position[cell])].append(_free_cell_is_0(cell, index, length))
                    else:
                        free.append((cell, state[cell], index, length))
        return free


def _free_cell_is_0(cell: int, index: int, length: int) -> Function:
    return lambda s: index < s[length] or s[cell] == 0


def _is_queue(model: Model, channel: Channel) -> bool:
    """Whether nothing but sending and receiving touches the channel, so that its free cells are 0."""
    parts = {channel.length, *channel.fields}
    for transition in (*model.transitions, *model.property_transitions):
        for outcome in transition.outcomes:
            for statement in outcome.statements:
                targets = [statement.target] if isinstance(statement, Assign) else []
                if isinstance(statement, Receive):
                    targets = [target for target in statement.targets if target is not None]
                if any(target.variable in parts for target in targets):
                    return False
    count = channel.length.initial[0]
    return not any(any(field.initial[count:]) for field in channel.fields)


def holds(function: Function, state: Values) -> bool:
    """A guard in a state; Unknown passes through."""
    try:
        return bool(function(state))
    except UndefinedValue:
        return False


def holds_still(function: Function, tests: int, before: Values, after: Values) -> bool:
    """Whether a guard that is true before is true after, as far as can be told."""
    try:
        return bool(function(after))
    except UndefinedValue:
        return False
    except Unknown:
        return all(before[slot] is after[slot] for slot in members(tests))
