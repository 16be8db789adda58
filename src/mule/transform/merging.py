"""A step that nobody else can see is joined to the step before it: path compression.

Take a location m of a process p, all of whose steps from m are p's alone, cannot fail, and touch only what no
transition that can run while p is at m touches (no such transition writes what they read, or reads or writes what they
write, p's location among it); one of them is always enabled at m; none changes an observed expression. Then in every
state with p at m those steps are a persistent set: whatever the others do meanwhile, the same steps stay enabled and
commute with it. So it is enough to run one of them at once, whenever p comes to m. That is what joining each step into
m with each step out of it does.

- Deadlocks: persistent sets preserve them, and no state with p at m is one. That holds whether or not m is an end
  location, for the same reason.
- Invariants, assertions, errors: the joined steps are invisible, so that what was to be seen with p at m is to be seen
  after them. No ERROR transition can be enabled by p's being at m, for it would be a step from m. Nothing is ignored
  for ever: a step out of m does not lead to m, hence each cycle of the new model goes through states in which all
  transitions are tried. Locations are merged one after the other, each in the model that the last one left, so the
  argument is the same for each; on a cycle of locations the last one becomes a loop of its own, and is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from msgspec import Struct

from mule.model.domains import Domains, pinned
from mule.model.expressions import Binary, Constant, Expression, Read, conjuncts, negation
from mule.model.failures import effects_may_fail
from mule.model.model import Assign, Guard, Kind, Model, Move, Outcome, Statement
from mule.model.printer import format_expression, locations_of
from mule.model.substitution import Substitution
from mule.records import replace
from mule.relations.accesses import Accesses, members
from mule.transform.assembly import Rule, Slots, assembled, rules, watched
from mule.transform.preconditions import Effect, Unknown

MOST_COMBINATIONS = 16
"""How many ways for all steps from a location to be disabled are looked at."""


def merge_local_steps(model: Model, domains: Domains, observed: Sequence[Expression]) -> Model:
    candidates = [number for number in range(len(model.processes)) if number != model.property_process]
    merger = _Merger(model, domains, observed)
    merged = False
    for process in candidates:
        merged |= merger.merge(process)
    return assembled(model, merger.rules()) if merged else model


class _Part(Struct):
    """A transition on its way, and the slots it touches."""

    rule: Rule
    places: dict[int, int]
    tests: int
    reads: int
    writes: int
    goes: dict[int, set[int | None]]
    """The location variables that it sets, by slot, and to what in its outcomes; None: that is not known."""

    def target(self, location: int) -> int | None:
        """Where the process of that location variable is afterwards, if there is but one answer."""
        found = self.goes.get(location, set())
        return next(iter(found)) if len(found) == 1 else None


class _Merger:
    def __init__(self, model: Model, domains: Domains, observed: Sequence[Expression]) -> None:
        self.model = model
        self.domains = domains
        self.slots = Slots(model.slot_of)
        self.names = locations_of(model.processes)
        self.location_of = {model.slot_of[process.location]: process.location for process in model.processes}
        self.watching = list(watched(model, observed))
        self.watched = self.slots.read_by_all(self.watching)
        self.parts: dict[int, _Part] = {}
        self._locations: dict[int, tuple[Statement, list[int]]] = {}
        """For each statement, by identity, the location variables that it sets."""
        self._may_fail: dict[int, bool] = {}
        self._false_at: dict[tuple[int, int, int], tuple[Expression, bool]] = {}
        """Tests (by identity, and kept alive) at values of locations."""
        self._touching: dict[int, set[int]] = {}
        """For each slot the parts that read or write it."""
        self._there: dict[tuple[int, int], set[int]] = {}
        """For each control location the parts that ask for it."""
        self._pinned: dict[int, set[int]] = {}
        """For each location variable the parts that ask for one of its values."""
        self._coming: dict[tuple[int, int | None], set[int]] = {}
        """For each location variable and value the parts that set it so."""
        accesses = Accesses(model, domains)
        for number, rule in enumerate(rules(model)):
            places = dict(self._pins(*rule.tests))
            reads, writes = accesses.reads[number], accesses.writes[number]
            self._add(number, _Part(rule, places, accesses.tests[number], reads, writes, self._goes(rule)))
        self._next = len(self.parts)

    def rules(self) -> list[Rule]:
        """In the order of the first transition that each stands for."""
        return [part.rule for part in sorted(self.parts.values(), key=lambda part: part.rule.transition.origins)]

    def _goes(self, rule: Rule) -> dict[int, set[int | None]]:
        goes: dict[int, set[int | None]] = {}
        for outcome in rule.transition.outcomes:
            last: dict[int, int | None] = {}
            for statement in outcome.statements:
                for slot in self._locations_set(statement):
                    value = statement.value if isinstance(statement, Assign) else None
                    twice = slot in last
                    last[slot] = value.value if isinstance(value, Constant) and not twice else None
            for slot, target in last.items():
                goes.setdefault(slot, set()).add(target)
        return goes

    def _locations_set(self, statement: Statement) -> list[int]:
        """Found once: steps share statements."""
        known = self._locations.get(id(statement))
        if known is None:
            if isinstance(statement, Assign):
                targets: tuple[Read | None, ...] = (statement.target,)
            else:
                targets = getattr(statement, "targets", ())
            slots = [self.model.slot_of[target.variable] for target in targets if target is not None]
            known = statement, [slot for slot in slots if slot in self.location_of]
            self._locations[id(statement)] = known
        return known[1]

    def _add(self, number: int, part: _Part) -> None:
        self.parts[number] = part
        for slot in members(part.tests | part.reads | part.writes):
            self._touching.setdefault(slot, set()).add(number)
        for place in part.places.items():
            self._there.setdefault(place, set()).add(number)
            self._pinned.setdefault(place[0], set()).add(number)
        for slot, values in part.goes.items():
            for value in values:
                self._coming.setdefault((slot, value), set()).add(number)

    def _remove(self, number: int) -> None:
        part = self.parts.pop(number)
        for slot in members(part.tests | part.reads | part.writes):
            self._touching[slot].discard(number)
        for place in part.places.items():
            self._there[place].discard(number)
            self._pinned[place[0]].discard(number)
        for slot, values in part.goes.items():
            for value in values:
                self._coming[slot, value].discard(number)

    # which locations ------------------------------------------------------------------------------------------------

    def merge(self, number: int) -> bool:
        """Merge what can be merged of one process; whether there was any."""
        process = self.model.processes[number]
        location = self.model.slot_of[process.location]
        kept = {self.model.initial_state[self.model.slot_of[process.location]], *process.accepting, *process.progress}
        merged = False
        for middle in range(len(process.locations)):
            if middle not in kept and self._merge_at(number, location, middle):
                merged = True
        return merged

    def _merge_at(self, process: int, location: int, middle: int) -> bool:
        if self._coming.get((location, None)):
            return False
        entering = sorted(self._coming.get((location, middle), ()))
        leaving = sorted(self._there.get((location, middle), ()))
        if not entering or not leaving or len(entering) * len(leaving) > len(entering) + len(leaving) + 1:
            return False
        if not all(self._is_way_in(each, process, location, middle) for each in entering):
            return False
        if not all(self._is_way_out(each, process, location, middle) for each in leaving):
            return False
        if self._is_seen(leaving, location, middle) or self._interferes(leaving, location, middle):
            return False
        if not self._never_blocks(leaving, location, middle):
            return False
        try:
            joined = [self._joined(first, second, process, location) for first in entering for second in leaving]
        except Unknown:
            return False
        for each in (*entering, *leaving):
            self._remove(each)
        for part in joined:
            if part is not None:
                self._add(self._next, part)
                self._next += 1
        return True

    def _is_plain(self, number: int, location: int) -> bool:
        """One outcome, always possible, that cannot fail and does not look at the location."""
        part = self.parts[number]
        transition = part.rule.transition
        return (
            transition.kind is Kind.STEP
            and len(transition.outcomes) == 1
            and transition.outcomes[0].condition is None
            and not part.reads >> location & 1
            and part.target(location) is not None
            and not self._fails(number)
        )

    def _fails(self, number: int) -> bool:
        """What is made of two steps that cannot fail cannot fail."""
        known = self._may_fail.get(number)
        if known is None:
            made = number >= len(self.model.transitions)
            known = not made and effects_may_fail(self.model, self.model.transitions[number], self.domains)
            self._may_fail[number] = known
        return known

    def _is_way_in(self, number: int, process: int, location: int, middle: int) -> bool:
        part = self.parts[number]
        source = part.places.get(location, middle)
        moves = [move for move in part.rule.transition.moves if move.process == process]
        return source != middle and moves == [Move(process, source, middle)] and self._is_plain(number, location)

    def _is_way_out(self, number: int, process: int, location: int, middle: int) -> bool:
        part = self.parts[number]
        target = part.target(location)
        if not self._is_plain(number, location) or target is None or target == middle:
            return False
        return part.rule.transition.moves == (Move(process, middle, target),)

    def _is_seen(self, leaving: list[int], location: int, middle: int) -> bool:
        for number in leaving:
            part = self.parts[number]
            if part.writes & self.watched & ~(1 << location):
                return True
            if self.watched >> location & 1:
                here = Substitution(self.model.slot_of, {location: middle})
                there = Substitution(self.model.slot_of, {location: self._target(part, location)})
                if any(here.expression(each) != there.expression(each) for each in self._watching(location)):
                    return True
        return False

    @staticmethod
    def _target(part: _Part, location: int) -> int:
        target = part.target(location)
        assert target is not None
        return target

    def _watching(self, slot: int) -> Iterator[Expression]:
        return (each for each in self.watching if self.slots.read_by(each) >> slot & 1)

    def _interferes(self, leaving: list[int], location: int, middle: int) -> bool:
        """Whether a transition that can run at the location touches what the steps from it touch."""
        read = written = 0
        for number in leaving:
            part = self.parts[number]
            read |= part.tests | part.reads
            written |= part.writes
        suspects: set[int] = set()
        for slot in members(written):
            suspects |= self._touching[slot]
        for slot in members(read & ~written):
            suspects |= {each for each in self._touching[slot] if self.parts[each].writes >> slot & 1}
        elsewhere = self._pinned.get(location, set()) - self._there.get((location, middle), set())
        suspects -= elsewhere
        return any(self._can_run_at(each, location, middle) for each in suspects.difference(leaving))

    def _can_run_at(self, number: int, location: int, value: int) -> bool:
        part = self.parts[number]
        if part.places.get(location, value) != value:
            return False
        asking = (test for test in part.rule.tests if self.slots.read_by(test) >> location & 1)
        return not any(self._is_false_at(test, location, value) for test in asking)

    def _is_false_at(self, test: Expression, location: int, value: int) -> bool:
        key = id(test), location, value
        if key not in self._false_at:
            decided = Substitution(self.model.slot_of, {location: value}).expression(test)
            self._false_at[key] = test, decided == Constant(0)
        return self._false_at[key][1]

    def _never_blocks(self, leaving: list[int], location: int, middle: int) -> bool:
        """Whether one of the steps is always enabled at the location."""
        needed = [self._conditions(number, location) for number in leaving]
        if not all(needed):
            return True
        count = 1
        for each in needed:
            count *= len(each)
        if count > MOST_COMBINATIONS:
            return False
        here = Binary("==", Read(self.location_of[location]), Constant(middle))
        return all(self._impossible(here, [negation(test) for test in choice]) for choice in product(*needed))

    def _impossible(self, here: Expression, tests: list[Expression]) -> bool:
        complements = {negation(test) for test in tests}
        return any(test in complements for test in tests) or self.domains.given([here, *tests]) is None

    def _conditions(self, number: int, location: int) -> list[Expression]:
        """The guards besides the test of the location."""
        part = self.parts[number]
        return [test for test in part.rule.tests if (location, part.places[location]) not in self._pins(test)]

    def _pins(self, *tests: Expression) -> list[tuple[int, int]]:
        return pinned(self.domains.evaluation, tests)

    # two steps in one -----------------------------------------------------------------------------------------------

    def _joined(self, first: int, second: int, process: int, location: int) -> _Part | None:
        """Both steps, one after the other; None where they never follow each other."""
        one, two = self.parts[first], self.parts[second]
        added = self._added_guards(one, second, process, location)
        if added is None:
            return None
        [start], [end] = one.rule.transition.outcomes, two.rule.transition.outcomes
        target = self._target(two, location)
        statements = (*self._without_move(start, location), *end.statements)
        outcome = Outcome(statements)
        if one.reads | two.reads:
            outcome = Substitution(self.model.slot_of, {}).outcome(outcome)
        rule = Rule(
            replace(
                one.rule.transition,
                name=f"{one.rule.transition.name}; {two.rule.transition.name}",
                outcomes=(outcome,),
                moves=tuple(
                    replace(move, target=target) if move.process == process else move
                    for move in one.rule.transition.moves
                ),
                text="; ".join(filter(None, (one.rule.transition.text, two.rule.transition.text))),
                origins=one.rule.transition.origins + two.rule.transition.origins,
                actions=(),
            ),
            (*one.rule.guards, *added),
        )
        places, tests = one.places, one.tests
        if added:
            if self.domains.given(rule.tests) is None:
                return None
            places = dict(self._pins(*rule.tests))
            tests |= self.slots.read_by_all(guard.expression for guard in added)
        return _Part(rule, places, tests, one.reads | two.reads, one.writes | two.writes, self._goes(rule))

    def _added_guards(self, one: _Part, second: int, process: int, location: int) -> list[Guard] | None:
        """What the second step asks for besides its location, before the first; None where it can never hold there."""
        added: list[Guard] = []
        asked = self._conditions(second, location)
        if not asked:
            return added
        before = self.domains.given(one.rule.tests)
        if before is None:
            return None
        effect = Effect(self.domains, before, one.rule.transition.outcomes[0].statements)
        for test in asked:
            for condition in conjuncts(effect.precondition(test)):
                if isinstance(condition, Constant):
                    if condition.value == 0:
                        return None
                else:
                    added.append(Guard(condition, format_expression(condition, self.names)))
        if self._hangs_on_others(self.slots.read_by_all(guard.expression for guard in added) & ~one.tests, process):
            raise Unknown
        return added

    def _hangs_on_others(self, tested: int, process: int) -> bool:
        """Whether others write some of these slots: a guard on them would make the joined step depend on more than
        its parts do, which costs a partial-order reduction more than the joining brings."""
        return any(
            self.parts[each].writes >> slot & 1 and all(move.process != process for move in self._moves(each))
            for slot in members(tested)
            for each in self._touching.get(slot, ())
        )

    def _moves(self, number: int) -> tuple[Move, ...]:
        return self.parts[number].rule.transition.moves

    def _without_move(self, outcome: Outcome, location: int) -> Iterator[Statement]:
        return (each for each in outcome.statements if location not in self._locations_set(each))
