"""The relations of guard-based POR against their definitions (sections 3-5), in real states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from mule import _engine
from mule.engine import Engine
from mule.relations import Relations, members
from mule.validation.findings import Finding, Words, describe

_REMEMBERED = 20_000
"""The successors of at most so many states are kept."""


class RelationChecker:
    """Each relation against its definition, in given states and their successors."""

    def __init__(self, engine: Engine, relations: Relations) -> None:
        self.engine = engine
        self.relations = relations
        self.checks = 0
        self._moves: dict[Words, dict[int, set[Words]]] = {}
        self._true: dict[Words, int] = {}

    def check(self, states: Sequence[Words]) -> list[Finding]:
        """The first finding of each kind."""
        found: dict[str, Finding] = {}
        for state in states:
            for finding in self._findings(state):
                found.setdefault(finding.relation, finding)
            if len(self._moves) > _REMEMBERED:
                self._moves.clear()
                self._true.clear()
        return list(found.values())

    def moves(self, state: Words) -> dict[int, set[Words]]:
        """The successors of a state by transition; steps that fail have none."""
        known = self._moves.get(state)
        if known is None:
            known = defaultdict(set)
            for transition, _, failure, _, target in _engine.successors(self.engine.program, list(state)):
                if failure == 0:
                    known[transition].add(tuple(target))
            known = dict(known)
            self._moves[state] = known
        return known

    def true_guards(self, state: Words) -> int:
        known = self._true.get(state)
        if known is None:
            values = _engine.guards(self.engine.program, list(state))
            known = sum(1 << guard for guard, value in enumerate(values) if value)
            self._true[state] = known
        return known

    def _findings(self, state: Words) -> Iterator[Finding]:
        yield from self._coenabled(state)
        for transition, targets in self.moves(state).items():
            for target in targets:
                yield from self._changes(state, transition, target)
                yield from self._after(state, transition, target)
        yield from self._accords(state)

    def _coenabled(self, state: Words) -> Iterator[Finding]:
        true = self.true_guards(state)
        for guard in members(true):
            self.checks += 1
            for other in members(self.relations.never_coenabled[guard] & true):
                where = describe(self.engine, state)
                message = (
                    f"{self._guard(guard)} and {self._guard(other)} are said never to be true together, "
                    f"in {where} they are"
                )
                yield Finding("may be co-enabled", message)

    def _changes(self, state: Words, transition: int, target: Words) -> Iterator[Finding]:
        before, after = self.true_guards(state), self.true_guards(target)
        for name, changed, sets in (
            ("necessary enabling set", after & ~before, self.relations.enabling),
            ("necessary disabling set", before & ~after, self.relations.disabling),
        ):
            for guard in members(changed):
                self.checks += 1
                if not sets[guard] >> transition & 1:
                    value = "true" if after >> guard & 1 else "false"
                    message = (
                        f"{self._name(transition)} makes {self._guard(guard)} {value} in "
                        f"{describe(self.engine, state)}, and is not in its {name}"
                    )
                    yield Finding(name, message)

    def _after(self, state: Words, first: int, target: Words) -> Iterator[Finding]:
        """What must-disable and left accordance say of what can follow `first`."""
        for second, finals in self.moves(target).items():
            self.checks += 1
            if self.relations.must_disable[first] >> second & 1:
                where = describe(self.engine, state)
                yield Finding("must-disable", f"{self._name(second)} is enabled after {self._name(first)} in {where}")
            if self.relations.do_not_left_accord[second] >> first & 1 or first == second:
                continue
            swapped = {end for middle in self.moves(state).get(second, ()) for end in self.moves(middle).get(first, ())}
            if not finals <= swapped:
                message = (
                    f"{self._name(first)} then {self._name(second)} runs from {describe(self.engine, state)}, "
                    "but not the other way round to the same state"
                )
                yield Finding("left accordance", message)

    def _accords(self, state: Words) -> Iterator[Finding]:
        moves = self.moves(state)
        enabled = sorted(moves)
        for position, first in enumerate(enabled):
            for second in enabled[position + 1 :]:
                if self.relations.do_not_accord[first] >> second & 1:
                    continue
                self.checks += 1
                one_way = self._through(moves[first], second)
                other_way = self._through(moves[second], first)
                if one_way is None or other_way is None:
                    problem = "one disables the other"
                elif one_way != other_way:
                    problem = "they do not commute"
                else:
                    continue
                pair = f"{self._name(first)} and {self._name(second)}"
                where = describe(self.engine, state)
                yield Finding("accordance", f"{pair} are said to accord, but in {where} {problem}")

    def _through(self, middles: set[Words], transition: int) -> set[Words] | None:
        """Where `transition` leads from these states; None where it is disabled in one of them."""
        reached: set[Words] = set()
        for middle in middles:
            targets = self.moves(middle).get(transition)
            if targets is None:
                return None
            reached |= targets
        return reached

    def _name(self, transition: int) -> str:
        return self.engine.compiled.model.transitions[transition].name

    def _guard(self, guard: int) -> str:
        return f"`{self.engine.compiled.model.guards[guard].text}`"
