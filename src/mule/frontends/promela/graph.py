"""Control graphs: the places of a process and the statements between them, as `control` finds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mule.frontends.promela import syntax
from mule.frontends.promela.scopes import Scope, trees_of
from mule.records import Record


class Finish(Record, frozen=True):
    """The end of a process: it dies."""

    at: int


class Declare(Record, frozen=True):
    """A declaration that is not at the top of a body sets its variable, as an assignment does."""

    at: int
    variable: syntax.Variable


class Join(Record, frozen=True):
    """The end of an `if` or `unless` inside an `atomic`; no escape holds there."""

    at: int


Action: TypeAlias = syntax.Statement | Finish | Declare | Join
"""What an edge does: a statement without statements inside; `Goto`, `Break` and `Join` do nothing."""


@dataclass(slots=True)
class Edge:
    source: int
    target: int
    action: Action
    scope: Scope
    keeps: bool
    """Whether the process goes on without giving others a chance."""
    rank: int = 0
    """Of an escape: edges of other ranks that come later in the list are out of the question where this one is not."""
    step: int | None = None
    """The number of the `d_step` it is a part of."""


@dataclass(slots=True)
class Location:
    at: int
    inside: bool = False
    """Inside an `atomic`, past its first statement."""
    step: int | None = None
    """Inside this `d_step`."""
    labels: list[str] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)


@dataclass(slots=True)
class Graph:
    locations: list[Location]
    start: int
    end: int
    labels: dict[str, int]
    """The place of each label."""
    statements: tuple[Action, ...] = ()
    """As written, also where control never comes to; without jumps."""


def run_of(edge: Edge) -> syntax.Run | None:
    return next((tree for tree in trees_of(edge.action) if isinstance(tree, syntax.Run)), None)


def loop_heads(following: Mapping[int, Sequence[int]]) -> set[int]:
    """Places that a way comes back to; without them there are no loops."""
    heads: set[int] = set()
    done: set[int] = set()
    for root in following:
        if root in done:
            continue
        stack: list[tuple[int, Iterator[int]]] = [(root, iter(following[root]))]
        on_stack = {root}
        while stack:
            number, successors = stack[-1]
            target = next(successors, None)
            if target is None:
                stack.pop()
                on_stack.discard(number)
                done.add(number)
            elif target in on_stack:
                heads.add(target)
            elif target not in done:
                on_stack.add(target)
                stack.append((target, iter(following.get(target, ()))))
    return heads
