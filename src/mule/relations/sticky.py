"""Sticky transitions: every cycle of the state space takes one of them (condition C3_static).

A cycle takes each process whose location it changes around a cycle of its control graph. The edges that close the
cycles of those graphs are sticky, and with them all transitions that no control graph tells anything about.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain

from mule.model.expressions import Binary, Constant, Read
from mule.model.model import Assign, Model, Outcome, Receive, Transition
from mule.model.variables import Role, Variable
from mule.relations.counters import counters
from mule.tarjan import strongly_connected

Steps = list[tuple[int, int, int]]
"""Of one process: (transition, from, to)."""
Moves = list[tuple[Variable, int, int]]
"""(location, from, to)."""


MOST_COUNTERS = 64
"""So many variables are looked at."""


def sticky_transitions(model: Model, already: int = 0, bounds: Sequence[tuple[int, int]] | None = None) -> int:
    """A set of sticky transitions; those of `already` are to be in it and may close cycles for nothing. With the bounds
    of all slots it is known which variables are only raised and lowered: where what lowers one is sticky, what raises
    it closes no cycle."""
    control = _Control(model)
    best, free = control.closing(already, 0), 0
    for counter in [] if bounds is None else counters(model, bounds)[:MOST_COUNTERS]:
        for kept_out, freed in ((counter.may_lower, counter.raises), (counter.may_raise, counter.lowers)):
            wanted = already | kept_out & control.repeated
            found = control.closing(wanted, free | freed)
            if found.bit_count() < best.bit_count():
                best, free, already = found, free | freed, wanted
    return best


class _Control:
    """The control graphs of the processes of a model."""

    def __init__(self, model: Model) -> None:
        self.unknown = 0
        """The transitions that they tell nothing about."""
        self.graphs: dict[Variable, Steps] = {process.location: [] for process in model.processes}
        self._moves: dict[int, list[Moves] | None] = {}
        for number, transition in enumerate(model.transitions):
            moves = self._moves[number] = _moves(model, transition, self.graphs)
            if moves is None:
                self.unknown |= 1 << number
                continue
            for location, source, target in chain.from_iterable(moves):
                self.graphs[location].append((number, source, target))

    def closing(self, sticky: int, free: int) -> int:
        """The sticky transitions, and those that close the other cycles; no cycle without a sticky transition takes one
        of `free`."""
        sticky |= self.unknown & ~free
        for location, steps in self.graphs.items():
            sticky |= _closing(steps, location.initial[0], sticky | free)
        return sticky

    @cached_property
    def repeated(self) -> int:
        """The transitions that can be taken again and again, as far as the locations of the processes go."""
        component: dict[tuple[Variable, int], int] = {}
        for location, steps in self.graphs.items():
            places = list(dict.fromkeys(place for _, *ends in steps for place in ends))
            numbers = {place: number for number, place in enumerate(places)}
            after: list[list[int]] = [[] for _ in places]
            for _, source, target in steps:
                after[numbers[source]].append(numbers[target])
            for group, members in enumerate(strongly_connected(after)):
                component.update(((location, places[member]), group) for member in members)

        def comes_back(moves: Moves) -> bool:
            return all(component[location, source] == component[location, to] for location, source, to in moves)

        found = self.unknown
        for number, outcomes in self._moves.items():
            found |= any(comes_back(moves) for moves in outcomes or ()) << number
        return found


def _moves(model: Model, transition: Transition, graphs: dict[Variable, Steps]) -> list[Moves] | None:
    """How each outcome of a transition moves the locations that it writes; None where that is not known. An error
    has no outcome: nothing follows it."""
    sources = {}
    for guard in transition.guards:
        match model.guards[guard].expression:
            case Binary("==", Read(variable, None), Constant(value)) if variable in graphs:
                sources[variable] = value
    outcomes: list[Moves] = []
    for outcome in transition.outcomes:
        targets = _targets(outcome)
        if not targets:
            return None
        moves: Moves = []
        for location, target in targets.items():
            if target is None or location not in sources:
                return None
            moves.append((location, sources[location], target))
        outcomes.append(moves)
    return outcomes


def _targets(outcome: Outcome) -> dict[Variable, int | None]:
    """The locations that an outcome writes, and what to; None where that is not a constant."""
    targets: dict[Variable, int | None] = {}
    for statement in outcome.statements:
        match statement:
            case Assign(Read(variable, _), value) if variable.role is Role.LOCATION:
                targets[variable] = value.value if isinstance(value, Constant) else None
            case Receive(_, places):
                for place in places:
                    if place is not None and place.variable.role is Role.LOCATION:
                        targets[place.variable] = None
    return targets


def _closing(steps: Steps, initial: int, free: int) -> int:
    """The transitions whose edges lead back to a location on the depth-first stack, those of `free` left out."""
    after: dict[int, list[tuple[int, int]]] = {}
    for number, source, target in steps:
        if not free >> number & 1:
            after.setdefault(source, []).append((number, target))
    closing = 0
    open_, done = set[int](), set[int]()
    for root in (initial, *after):
        if root in done:
            continue
        stack = [(root, iter(after.get(root, ())))]
        open_.add(root)
        while stack:
            location, pending = stack[-1]
            for number, target in pending:
                if target in open_:
                    closing |= 1 << number
                elif target not in done:
                    open_.add(target)
                    stack.append((target, iter(after.get(target, ()))))
                    break
            else:
                stack.pop()
                open_.discard(location)
                done.add(location)
    return closing
