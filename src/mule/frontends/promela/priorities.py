"""Priorities: a process waits for those that are more important and can move, in the middle of an `atomic` too."""

from __future__ import annotations

from collections.abc import Iterator

from mule.frontends.promela import syntax
from mule.frontends.promela.control import Graph, Location
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


def nobody_more_urgent(system: System, meanings: Meanings, instance: Instance, timed: bool) -> Iterator[Expression]:
    for other in system.instances if instance in system.priorities else ():
        if other is not instance:
            less = Binary("<=", Read(system.priorities[other]), Read(system.priorities[instance]))
            yield binary("or", less, unary("not", meanings.can_move(other, timed)))
