"""What a Promela system is made of: proctypes, their instances, channels."""

from __future__ import annotations

from dataclasses import dataclass, field

from mule.frontends.promela import syntax
from mule.frontends.promela.graph import Graph
from mule.frontends.promela.scopes import Scope, Symbol
from mule.model import Channel, IntegerType, Variable


@dataclass(slots=True, eq=False)
class Proctype:
    name: str
    scope: Scope
    parameters: list[Symbol]
    graph: Graph
    declaration: syntax.ProcessDeclaration | syntax.InitDeclaration
    watched: frozenset[int] = frozenset()
    """Places inside atomic steps where it matters what other processes can do, so that steps are always cut there."""
    cuts: set[int] = field(default_factory=set)
    """Places inside atomic steps where a step is cut in two: those, and more where it has too many ways to go on."""

    def __post_init__(self) -> None:
        self.cuts |= self.watched

    @property
    def provided(self) -> syntax.Tree | None:
        return None if isinstance(self.declaration, syntax.InitDeclaration) else self.declaration.provided


@dataclass(slots=True, eq=False)
class Instance:
    """A proctype that runs, or may run, as process number `pid`."""

    pid: int
    type: Proctype
    process: int
    """Its number in the model."""
    variables: dict[tuple[Symbol, tuple[str, ...]], Variable] = field(default_factory=dict)
    channels: list[MessageChannel] = field(default_factory=list)

    def at(self, location: int) -> int:
        """The value of its location variable; 0 means that there is no such process."""
        return location + 1

    def within(self, location: int) -> int:
        """The same in the middle of an atomic step."""
        return location + 1 + len(self.type.graph.locations)

    def place(self, value: int) -> tuple[int, bool] | None:
        """What a value of its location variable means: a place in the graph, and whether that is inside a step."""
        if value == 0:
            return None
        count = len(self.type.graph.locations)
        return (value - 1) % count, value > count


@dataclass(slots=True, eq=False)
class MessageChannel:
    """A channel with the number by which variables know it."""

    number: int
    name: str
    capacity: int
    fields: tuple[IntegerType, ...]
    buffer: Channel | None = None
    """Where it is used first in, first out, and lives as long as the system."""
    length: Variable | None = None
    cells: tuple[Variable, ...] = ()
    position: Variable | None = None
    """Of a large channel that is not only used first in, first out (see `buffers`)."""

    @property
    def is_rendezvous(self) -> bool:
        return self.capacity == 0
