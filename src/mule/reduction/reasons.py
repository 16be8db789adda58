"""Why a stubborn set has the members it has: for each the one that pulled it in, and by which relation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from mule import _engine
from mule.engine import Algorithm, rows_of
from mule.model import Kind, Model
from mule.model.interpreter import Interpreter, State
from mule.records import Record
from mule.relations import Relations, members

Because = Literal["begins", "interferes", "enables", "disables"]
"""`begins`: the set is built from it. `interferes`: its cause is enabled, and the two do not accord. `enables`: its
cause is disabled, because `guard` is false, and it may make that true. `disables`: its cause is disabled as long as
`guard` is true, and it may make that false."""


class Reason(Record, frozen=True):
    because: Because
    cause: int | None = None
    """The member that pulled it in; None for one that begins the set."""
    guard: int | None = None


class ChosenSet(Record, frozen=True):
    """What a reduction would explore in a state. Its members are closed: what one of them asks for is one, too."""

    enabled: tuple[int, ...]
    explored: tuple[int, ...]
    """The enabled members."""
    reasons: dict[int, Reason]
    """For each member, enabled or not, in the order in which they come in."""

    def chain(self, member: int) -> list[int]:
        """From the transition that begins the set to this one."""
        found = [member]
        while (cause := self.reasons[found[-1]].cause) is not None:
            found.append(cause)
        return found[::-1]


class Reasons:
    """Strong stubborn sets by one algorithm, explained."""

    def __init__(self, model: Model, relations: Relations, algorithm: Algorithm) -> None:
        """`model`: the one that the relations speak of."""
        self.model, self.relations, self.algorithm = model, relations, algorithm
        self.interpreter = Interpreter(model)
        count = len(model.transitions)
        self._sets = _engine.StubbornSets(
            transitions=count,
            guards=len(model.guards),
            guards_of=[list(transition.guards) for transition in model.transitions],
            do_not_accord=rows_of(relations.do_not_accord, count),
            do_not_left_accord=b"",
            enabling=rows_of(relations.enabling, count),
            disabling=rows_of(relations.disabling, count),
            never_coenabled=rows_of(relations.never_coenabled, len(model.guards)),
            algorithm=algorithm.name,
            nds=algorithm.nds,
        )

    def choose(self, state: State) -> ChosenSet:
        values = [self.interpreter.holds(guard, state) for guard in range(len(self.model.guards))]
        enabled = [
            number
            for number, transition in enumerate(self.model.transitions)
            if transition.kind is Kind.STEP and all(values[guard] for guard in transition.guards)
        ]
        if not enabled:
            return ChosenSet((), (), {})
        chosen, explored, keys = self._sets.choose(enabled, values)
        reasons = self._explained(set(chosen), set(explored), [*keys, *explored], values)
        return ChosenSet(tuple(enabled), tuple(each for each in explored if each in reasons), reasons)

    def _explained(
        self, chosen: set[int], explored: set[int], first: Sequence[int], values: Sequence[bool]
    ) -> dict[int, Reason]:
        """What follows from the first, then from what that leaves over. All enabled members have a reason in the end;
        of the disabled ones those that are of use."""
        reasons: dict[int, Reason] = {}
        for start in first:
            if start in reasons:
                continue
            reasons[start] = Reason("begins")
            work = [start]
            for member in work:
                because, guard, wanted = self._asks_for(member, member in explored, chosen, reasons, values)
                for each in sorted(wanted):
                    if each not in reasons:
                        reasons[each] = Reason(because, member, guard)
                        work.append(each)
        return reasons

    def _asks_for(
        self, member: int, is_enabled: bool, chosen: set[int], known: dict[int, Reason], values: Sequence[bool]
    ) -> tuple[Because, int | None, set[int]]:
        """An enabled member asks for all that it does not accord with, a disabled one for a necessary set: of those
        that the algorithm may have taken the one that adds least."""
        if is_enabled:
            return "interferes", None, set(members(self.relations.do_not_accord[member]))
        options: list[tuple[int, int, Because, int, set[int]]] = []
        for guard in self.model.transitions[member].guards:
            if not values[guard]:
                self._add(options, "enables", guard, self.relations.enabling[guard], chosen, known)
        if self.algorithm.nds:
            own = sum(1 << guard for guard in set(self.model.transitions[member].guards))
            for guard, value in enumerate(values):
                if value and self.relations.never_coenabled[guard] & own:
                    self._add(options, "disables", guard, self.relations.disabling[guard], chosen, known)
        if not options:
            # It is there because another of its kind is: nothing is asked for.
            return "enables", None, set()
        _, _, because, guard, wanted = min(options, key=lambda option: option[:2])
        return because, guard, wanted

    def _add(
        self,
        options: list[tuple[int, int, Because, int, set[int]]],
        because: Because,
        guard: int,
        row: int,
        chosen: set[int],
        known: dict[int, Reason],
    ) -> None:
        wanted = set(members(row))
        if wanted <= chosen:
            options.append((len(wanted - known.keys()), len(options), because, guard, wanted))
