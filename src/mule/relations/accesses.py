"""Test, read and write sets (guard-based POR, Definition 6), as bit sets over slots.

An index that is not a constant stands for every element that the domains allow where the transition is enabled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mule.model.abstraction import Evaluation
from mule.model.definedness import undefined_where
from mule.model.domains import Domains
from mule.model.expressions import Conditional, Constant, Expression, Read, Undefined, children, subexpressions
from mule.model.failures import advance
from mule.model.model import Assign, Model, Outcome, Receive, Send, Statement
from mule.model.value_sets import Domain, Overlay
from mule.model.variables import Channel

_NOTHING: Overlay = {}
_MANY = 24
"""Members of a bit set that are worth writing out its digits for."""


def members(bits: int) -> Iterator[int]:
    """The numbers in a bit set, in ascending order."""
    if bits.bit_count() > _MANY:  # each step of the loop below costs as much as the set is wide
        digits = bin(bits)[:1:-1]
        position = digits.find("1")
        while position >= 0:
            yield position
            position = digits.find("1", position + 1)
        return
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def union(sets: Iterable[int]) -> int:
    bits = 0
    for each in sets:
        bits |= each
    return bits


def singletons(bits: int) -> Iterator[int]:
    """The members of a bit set, each as a bit set of its own."""
    while bits:
        lowest = bits & -bits
        yield lowest
        bits ^= lowest


@dataclass(slots=True)
class StatementAccess:
    """The slots that one statement touches."""

    reads: int
    writes: int
    deciders: int
    """Those of `reads` that decide which slots it touches, or whether it works: indices, channel lengths, tests."""


@dataclass(slots=True)
class OutcomeAccess:
    condition: int
    statements: list[StatementAccess]

    @property
    def reads(self) -> int:
        bits = self.condition
        for statement in self.statements:
            bits |= statement.reads
        return bits

    @property
    def writes(self) -> int:
        bits = 0
        for statement in self.statements:
            bits |= statement.writes
        return bits

    @property
    def deciders(self) -> int:
        bits = self.condition
        for statement in self.statements:
            bits |= statement.deciders
        return bits


def feeding(statements: list[StatementAccess], wanted: int) -> list[int]:
    """The positions of the statements that what these slots hold in the end can hang on."""
    kept = []
    for position in range(len(statements) - 1, -1, -1):
        if statements[position].writes & wanted:
            wanted |= statements[position].reads
            kept.append(position)
    return kept[::-1]


def entangled(statements: list[StatementAccess], conflict: int) -> list[int]:
    """The positions of the statements that touch these slots, that see what such statements did, or that feed them."""
    marked = conflict
    kept = set()
    for position, statement in enumerate(statements):
        if (statement.reads | statement.writes) & marked:
            kept.add(position)
            marked |= statement.writes
    wanted = 0
    for position in range(len(statements) - 1, -1, -1):
        if position in kept or statements[position].writes & wanted:
            kept.add(position)
            # What it may or may not overwrite hangs on who wrote there before.
            wanted |= statements[position].reads | statements[position].writes
    return sorted(kept)


class Accesses:
    """All access sets of a model."""

    def __init__(self, model: Model, domains: Domains) -> None:
        self._evaluation: Evaluation = domains.evaluation
        self.values = domains.values
        self._known: dict[int, tuple[Statement, StatementAccess | None]] = {}
        """By identity, and kept alive: steps share statements."""
        self.guard_tests = [self.expression(guard.expression, _NOTHING) for guard in model.guards]
        self.before: list[Overlay | None] = []
        """For each transition what slots can hold where it is enabled; None: it never is."""
        self.outcomes: list[list[OutcomeAccess]] = []
        self.tests: list[int] = []
        self.reads: list[int] = []
        self.writes: list[int] = []
        for transition in model.transitions:
            before = domains.before(model, transition.guards)
            overlay = _NOTHING if before is None else before
            outcomes = [self._outcome(outcome, overlay) for outcome in transition.outcomes]
            tests = reads = writes = 0
            for guard in transition.guards:
                tests |= self._test(model.guards[guard].expression, guard, overlay)
            for outcome in outcomes:
                reads |= outcome.reads
                writes |= outcome.writes
            self.before.append(before)
            self.outcomes.append(outcomes)
            self.tests.append(tests)
            self.reads.append(reads)
            self.writes.append(writes)

    def domain(self, transition: int, slot: int) -> Domain:
        """What a slot can hold where the transition is enabled."""
        before = self.before[transition]
        return (before.get(slot) if before else None) or self.values[slot]

    def expression(self, expression: Expression, overlay: Mapping[int, Domain] = _NOTHING) -> int:
        """The slots that an expression may read."""
        if isinstance(expression, Constant):
            return 0
        if isinstance(expression, Read):
            bits = self.extent(expression, overlay)
            return bits if expression.index is None else bits | self.expression(expression.index, overlay)
        if isinstance(expression, Undefined):
            return self.expression(undefined_where(expression.operand), overlay)
        bits = 0
        for child in children(expression):
            bits |= self.expression(child, overlay)
        return bits

    def extent(self, read: Read, overlay: Mapping[int, Domain]) -> int:
        """The slots that a target or a read may mean."""
        base = self._evaluation.slot_of[read.variable]
        if read.index is None:
            return 1 << base
        if isinstance(read.index, Constant):
            return 1 << (base + read.index.value) if 0 <= read.index.value < read.variable.size else 0
        bits = 0
        for position in self._evaluation.indices(read, self.values, overlay):
            bits |= 1 << (base + position)
        return bits

    def _test(self, expression: Expression, guard: int, overlay: Overlay) -> int:
        """A guard's test set needs no second look where no index depends on what the other guards say."""
        if self._evaluation.profile(expression).dynamic:
            return self.expression(expression, overlay)
        return self.guard_tests[guard]

    def _deciders(self, expression: Expression, overlay: Overlay) -> int:
        bits = 0
        if isinstance(expression, Read) and expression.index is not None:
            bits |= self.expression(expression.index, overlay)
        elif isinstance(expression, Conditional):
            bits |= self.expression(expression.test, overlay)
        for child in children(expression):
            bits |= self._deciders(child, overlay)
        return bits

    def _outcome(self, outcome: Outcome, overlay: Overlay) -> OutcomeAccess:
        condition = 0 if outcome.condition is None else self.expression(outcome.condition, overlay)
        statements = []
        state = dict(overlay)
        static = [self._static(statement) for statement in outcome.statements]
        last = max((position for position, access in enumerate(static) if access is None), default=0)
        for position, (statement, access) in enumerate(zip(outcome.statements, static, strict=True)):
            statements.append(access or self._statement(statement, state))
            if position < last:
                advance(self._evaluation, statement, self.values, state)
        return OutcomeAccess(condition, statements)

    def _static(self, statement: Statement) -> StatementAccess | None:
        """What an assignment touches whatever the values are, found once; None where an index decides."""
        if not isinstance(statement, Assign):
            return None
        known = self._known.get(id(statement))
        if known is None:
            parts = (*subexpressions(statement.target), *subexpressions(statement.value))
            dynamic = any(isinstance(part, Undefined) or not _is_fixed(part) for part in parts)
            access = None if dynamic else self._statement(statement, _NOTHING)
            known = self._known[id(statement)] = statement, access
        return known[1]

    def _statement(self, statement: Statement, overlay: Overlay) -> StatementAccess:
        match statement:
            case Assign(target, value):
                reads = self.expression(value, overlay)
                deciders = self._deciders(value, overlay)
                if target.index is not None and not isinstance(target.index, Constant):
                    index = self.expression(target.index, overlay)
                    return StatementAccess(reads | index, self.extent(target, overlay), deciders | index)
                return StatementAccess(reads, self.extent(target, overlay), deciders)
            case Send(channel, values):
                length, cells = self._channel(channel)
                reads, deciders = length, length
                for value in values:
                    reads |= self.expression(value, overlay)
                    deciders |= self._deciders(value, overlay)
                return StatementAccess(reads, length | cells, deciders)
            case Receive(channel, targets):
                length, cells = self._channel(channel)
                reads, writes, deciders = length | cells, length | cells, length
                state = overlay
                for destination in targets:
                    if destination is not None:
                        if destination.index is not None and not isinstance(destination.index, Constant):
                            if state is overlay:
                                state = dict(overlay)
                                advance(self._evaluation, statement, self.values, state)
                            index = self.expression(destination.index, state)
                            reads |= index
                            deciders |= index
                        writes |= self.extent(destination, state)
                return StatementAccess(reads, writes, deciders)

    def _channel(self, channel: Channel) -> tuple[int, int]:
        cells = 0
        for field in channel.fields:
            base = self._evaluation.slot_of[field]
            cells |= ((1 << field.size) - 1) << base
        return 1 << self._evaluation.slot_of[channel.length], cells


def _is_fixed(part: Expression) -> bool:
    """Whether it is not an element that an index decides."""
    return not isinstance(part, Read) or part.index is None or isinstance(part.index, Constant)
