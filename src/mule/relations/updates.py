"""What a transition does to one slot, where that hangs on nothing but the slot itself.

Most transitions touch most slots in this way (control locations, flags, counters), so that most questions about two
transitions fall apart into questions about single slots, answered here without any enumeration of states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mule.model.closures import UndefinedValue
from mule.model.model import Assign
from mule.model.value_sets import Domain, wrap_domain
from mule.relations.accesses import members
from mule.relations.decide import ENUMERABLE, Decider


class Update:
    """The new value of a slot as a function of the old one."""

    __slots__ = ("_function", "_results", "constant", "elsewhere", "form", "guards", "identity", "mixed", "number")

    def __init__(self, function: Callable[[int], int | None] | None, constant: int | None, form: Any = None) -> None:
        self._function = function
        self._results: dict[int, int | None] = {}
        self.constant = constant
        self.identity = function is None and constant is None
        self.form = form
        """The expression behind the function, up to the name of the slot."""
        self.number = -1
        """Updates with the same number do the same to the same slot, under the same conditions."""
        self.elsewhere = False
        """Whether the transition's effect also uses the slot for something else."""
        self.guards: list[int] = []
        """The transition's guards that test this slot and no other."""
        self.mixed = False
        """Whether some guard of the transition tests this slot together with others."""

    def __call__(self, value: int) -> int | None:
        """None where the effect is undefined."""
        if self._function is None:
            return value if self.constant is None else self.constant
        if value not in self._results:
            self._results[value] = self._function(value)
        return self._results[value]


class Updates:
    """Finds and remembers the updates of all transitions."""

    def __init__(self, decider: Decider) -> None:
        self.decider = decider
        self._known: dict[tuple[int, int], Update | None] = {}
        self._all: dict[int, dict[int, Update | None]] = {}
        self._images: dict[tuple[int, int], tuple[Domain, int] | None] = {}
        self._numbers: dict[Any, int] = {}
        self._constants: dict[int, int | None] = {}
        """What assignments that read nothing assign; by identity, since steps share statements."""
        self.answers: dict[tuple[str, int, int], bool | str | None] = {}
        """What accordance found out about two updates of one slot, by their numbers."""
        self.verdicts: dict[tuple[str, int, int], bool | None] = {}
        """What it found out about two transitions, by what they do to the slots they share."""

    def of(self, transition: int, slot: int) -> Update | None:
        """None where the new value hangs on more than the slot, or where there are too many values to try."""
        key = (transition, slot)
        if key in self._known:
            return self._known[key]
        update = self._find(transition, slot)
        if update is not None:
            accesses = self.decider.accesses
            for guard in self.decider.model.transitions[transition].guards:
                if self.decider.unary[guard] == slot:
                    update.guards.append(guard)
                elif accesses.guard_tests[guard] >> slot & 1:
                    update.mixed = True
            update.number = self._numbered(update, slot, accesses.domain(transition, slot))
        self._known[key] = update
        return update

    def all_of(self, transition: int) -> dict[int, Update | None]:
        """Those of every slot that a transition touches."""
        found = self._all.get(transition)
        if found is None:
            accesses = self.decider.accesses
            touched = accesses.tests[transition] | accesses.reads[transition] | accesses.writes[transition]
            found = self._all[transition] = {slot: self.of(transition, slot) for slot in members(touched)}
        return found

    def image(self, transition: int, slot: int) -> tuple[Domain, int] | None:
        """All values that a transition can give to a slot, and the slots that they hang on.

        None where these include the slot itself or one that the effect has changed, or where it may stay unwritten.
        """
        key = (transition, slot)
        if key not in self._images:
            self._images[key] = self._image(transition, slot)
        return self._images[key]

    def _image(self, transition: int, slot: int) -> tuple[Domain, int] | None:
        accesses = self.decider.accesses
        outcomes, before = self.decider.model.transitions[transition].outcomes, accesses.before[transition]
        if len(outcomes) != 1 or outcomes[0].condition is not None or before is None:
            return None
        found: Domain | None = None
        written = reads = 0
        for statement, access in zip(outcomes[0].statements, accesses.outcomes[transition][0].statements, strict=True):
            if access.writes >> slot & 1:
                own = written | 1 << slot
                if found is not None or not isinstance(statement, Assign) or access.writes & (access.writes - 1):
                    return None
                if access.reads & own:
                    return None
                image = self.decider.evaluation.image(statement.value, accesses.values, before)
                found, reads = wrap_domain(image, statement.target.variable.type), access.reads
            written |= access.writes
        return (found, reads) if found is not None and len(found) <= ENUMERABLE else None

    def _numbered(self, update: Update, slot: int, domain: Domain) -> int:
        facts = (slot, update.constant, update.form, tuple(update.guards), domain, update.mixed, update.elsewhere)
        return self._numbers.setdefault(facts, len(self._numbers))

    def _find(self, transition: int, slot: int) -> Update | None:
        accesses = self.decider.accesses
        if len(accesses.domain(transition, slot)) > ENUMERABLE:
            return None
        if not accesses.writes[transition] >> slot & 1:
            update = Update(None, None)
            update.elsewhere = bool(accesses.reads[transition] >> slot & 1)
            return update
        outcomes = self.decider.model.transitions[transition].outcomes
        if len(outcomes) != 1 or outcomes[0].condition is not None:
            return None
        found: Update | None = None
        elsewhere = False
        for position, access in enumerate(accesses.outcomes[transition][0].statements):
            if not access.writes >> slot & 1:
                elsewhere = elsewhere or bool(access.reads >> slot & 1)
                continue
            statement = outcomes[0].statements[position]
            single = access.writes & (access.writes - 1) == 0
            if found is not None or not isinstance(statement, Assign) or not single or access.reads & ~(1 << slot):
                return None
            if access.deciders:
                return None
            found = self._single(transition, position, slot, bool(access.reads))
        if found is not None:
            found.elsewhere = elsewhere
        return found

    def _single(self, transition: int, position: int, slot: int, reads: bool) -> Update | None:
        decider = self.decider
        statement = decider.model.transitions[transition].outcomes[0].statements[position]
        if not reads and id(statement) in self._constants:
            constant = self._constants[id(statement)]
            return None if constant is None else Update(None, constant)
        action = decider.outcomes(transition)[0].actions[position]
        scratch = decider.scratch

        def function(value: int) -> int | None:
            scratch[slot] = value
            try:
                action(scratch)
            except UndefinedValue:
                return None
            return int(scratch[slot])

        if reads:
            assert isinstance(statement, Assign)
            return Update(function, None, decider.shapes.form(statement.value))
        constant = self._constants[id(statement)] = function(0)
        return None if constant is None else Update(None, constant)

    def truth(self, update: Update, value: int) -> bool:
        """Whether the transition's guards on this slot alone are true of the value."""
        return all(self.decider.truth(guard, value) for guard in update.guards)
