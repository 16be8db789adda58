"""Priorities: a process waits for those that are more important and can move, in the middle of an `atomic` too."""

from __future__ import annotations

from collections.abc import Iterator

from mule.frontends.promela import syntax
from mule.frontends.promela.graph import Graph, Location, run_of
from mule.frontends.promela.meanings import Meanings
from mule.frontends.promela.processes import Instance
from mule.frontends.promela.scopes import nodes_of
from mule.frontends.promela.system import System
from mule.model.expressions import Binary, Expression, Read
from mule.model.simplify import binary, unary


def has_priorities(units: tuple[syntax.Node, ...]) -> bool:
    """Whether some process speaks of them."""
    processes = [unit for unit in units if isinstance(unit, syntax.ProcessDeclaration | syntax.InitDeclaration)]
    return any(unit.priority is not None or any(map(_speaks_of_them, nodes_of(unit))) for unit in processes)


def _speaks_of_them(node: syntax.Node) -> bool:
    match node:
        case syntax.SetPriority() | syntax.ProcessQuery(_, "get_priority") | syntax.Part(_, "_priority"):
            return True
        case syntax.Run(_, _, _, priority):
            return priority is not None
    return False


def watched_places(graph: Graph, interruptible: bool) -> frozenset[int]:
    """The places inside steps where it matters what other processes can do: where a statement asks whether one is
    enabled, and, if a more important one interrupts an `atomic`, everywhere outside of `d_step`."""
    kept = {edge.target for location in graph.locations for edge in location.edges if edge.keeps}
    return frozenset(place for place in kept if _is_watched(graph.locations[place], interruptible))


def _is_watched(location: Location, interruptible: bool) -> bool:
    return (interruptible and location.step is None) or any(asks_others(edge.action) for edge in location.edges)


def asks_others(node: object) -> bool:
    return any(isinstance(each, syntax.ProcessQuery) and each.function == "enabled" for each in nodes_of(node))


class Urgency:
    """Who may have to wait for whom."""

    def __init__(self, system: System, meanings: Meanings) -> None:
        self.system = system
        self.meanings = meanings
        self.possible = possible_priorities(system)
        self._waits: dict[tuple[Instance, bool], tuple[Expression, ...]] = {}

    def nobody_more_urgent(self, instance: Instance, timed: bool) -> tuple[Expression, ...]:
        """All steps of a process ask the same."""
        if (instance, timed) not in self._waits:
            self._waits[(instance, timed)] = tuple(self._others_wait(instance, timed))
        return self._waits[(instance, timed)]

    def _others_wait(self, instance: Instance, timed: bool) -> Iterator[Expression]:
        priorities, own = self.system.priorities, self.possible.get(instance, set())
        for other in self.system.instances if own else ():
            if other is instance or max(self.possible[other]) <= min(own):
                continue
            waits = unary("not", self.meanings.can_move(other, timed))
            less = Binary("<=", Read(priorities[other]), Read(priorities[instance]))
            yield waits if min(self.possible[other]) > max(own) else binary("or", less, waits)


def possible_priorities(system: System) -> dict[Instance, set[int]]:
    """The priorities that each process can have while it lives, and 0 where nothing starts it."""
    found = {instance: {*variable.initial} - {0} for instance, variable in system.priorities.items()}
    for instance in found:
        for edge in (edge for location in instance.type.graph.locations for edge in location.edges):
            run = run_of(edge)
            if run is not None:
                given = 1 if run.priority is None else system.scope.constant(run.priority) or 1
                for child in (each for each in found if each.type.name == run.process):
                    found[child].add(given)
            match edge.action:
                case syntax.SetPriority(_, process, priority):
                    for other in (each for each in found if _may_mean(process, instance, each)):
                        found[other] |= _values(priority)
                case syntax.OwnPriority(_, priority):
                    found[instance] |= _values(priority)
    return {instance: values or {0} for instance, values in found.items()}


def _may_mean(process: syntax.Tree, instance: Instance, other: Instance) -> bool:
    match process:
        case syntax.Number(_, pid):
            return other.pid == pid
        case syntax.Reference(_, (syntax.Part(_, "_pid"),)):
            return other is instance
    return True


def _values(priority: syntax.Tree) -> set[int]:
    return {priority.value & 255} if isinstance(priority, syntax.Number) else {*range(256)}
