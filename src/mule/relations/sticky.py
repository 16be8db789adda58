"""Sticky transitions: every cycle of the state space takes one of them (condition C3_static).

A cycle takes each process whose location it changes around a cycle of its control graph. The edges that close the
cycles of those graphs are sticky, and with them all transitions that no control graph tells anything about.
"""

from __future__ import annotations

from mule.model.expressions import Binary, Constant, Read
from mule.model.model import Assign, Model, Outcome, Receive, Transition
from mule.model.variables import Role, Variable

Steps = list[tuple[int, int, int]]
"""Of one process: (transition, from, to)."""


def sticky_transitions(model: Model, already: int = 0) -> int:
    """A set of sticky transitions; those of `already` are to be in it and may close cycles for nothing."""
    sticky = already
    graphs: dict[Variable, Steps] = {process.location: [] for process in model.processes}
    for number, transition in enumerate(model.transitions):
        moves = _moves(model, transition, graphs)
        if not moves:
            sticky |= 1 << number
        elif not sticky >> number & 1:
            for location, source, target in moves:
                graphs[location].append((number, source, target))
    for location, steps in graphs.items():
        sticky |= _closing(steps, location.initial[0], sticky)
    return sticky


def _moves(
    model: Model, transition: Transition, graphs: dict[Variable, Steps]
) -> list[tuple[Variable, int, int]] | None:
    """How a transition moves each location that it writes; None where that is not known."""
    sources = {}
    for guard in transition.guards:
        match model.guards[guard].expression:
            case Binary("==", Read(variable, None), Constant(value)) if variable in graphs:
                sources[variable] = value
    moves = []
    for outcome in transition.outcomes:
        targets = _targets(outcome)
        for location, target in targets.items():
            if target is None or location not in sources:
                return None
            moves.append((location, sources[location], target))
        if not targets:
            return None
    return moves


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
