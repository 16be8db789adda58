"""Statements in their places: what is between a syntax tree and a control graph."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Protocol

from mule.errors import MuleError
from mule.frontends.promela import syntax
from mule.frontends.promela.graph import Action, Location
from mule.frontends.promela.scopes import Scope
from mule.records import Record


class Construction(Protocol):
    """Takes the edges of fragments, and knows where labels are."""

    scope: Scope
    locations: list[Location]

    def edge(self, source: int, action: Action, around: Around, following: Next) -> None: ...

    def labelled(self, jump: syntax.Goto, labels: Labels) -> Fragment: ...


class Around(Record, frozen=True):
    """What stands around a statement."""

    scope: Scope
    labels: Labels
    atomic: bool = False
    step: int | None = None
    step_in_atomic: bool = False
    in_choice: bool = False
    """In an `if` or `do` of the `d_step`."""
    escapes: tuple[Escape, ...] = ()
    leave: Next | None = None
    """Where a `break` leads."""


@dataclass(slots=True)
class Labels:
    """The labels of a process, or of one expansion of an inline."""

    outer: Labels | None
    found: dict[str, Fragment] = field(default_factory=dict)


class Next(Record, frozen=True):
    fragment: Fragment
    left: bool = False
    """Leads past the end of an `atomic`."""


class Fragment(ABC):
    """A statement in its place; `emit` puts its first edges at some location."""

    location: int | None = None
    is_last = False
    """Of an `atomic`."""

    def __init__(self, at: int, around: Around) -> None:
        self.at = at
        self.around = around

    @abstractmethod
    def emit(self, build: Construction, source: int) -> None: ...

    def hunted(self, build: Construction, pauses: bool) -> Fragment:
        """Where control really comes to rest when it comes here; `pauses`: at a jump that leads out of an `atomic`."""
        return self


class Simple(Fragment):
    def __init__(self, action: Action, around: Around, following: Next) -> None:
        super().__init__(action.at, around)
        self.action = action
        self.following = following

    def emit(self, build: Construction, source: int) -> None:
        build.edge(source, self.action, self.around, self.following)


class Jump(Simple):
    def __init__(self, action: Action, around: Around, following: Next | None) -> None:
        super().__init__(action, around, following or Next(self))
        self.rests: dict[bool, Fragment] = {}
        """What came out of `hunted`: there may be thousands of jumps, each to the next."""

    def destination(self, build: Construction) -> Next:
        if isinstance(self.action, syntax.Goto):
            return Next(build.labelled(self.action, self.around.labels))
        return self.following

    def emit(self, build: Construction, source: int) -> None:
        build.edge(source, self.action, self.around, self.destination(build))

    def hunted(self, build: Construction, pauses: bool) -> Fragment:
        fragment: Fragment = self
        passed: dict[int, Jump] = {}
        while isinstance(fragment, Jump) and pauses not in fragment.rests:
            if id(fragment) in passed:
                raise MuleError("this `goto` leads nowhere but to itself", build.scope.place(self.at))
            passed[id(fragment)] = fragment
            following = fragment.destination(build).fragment
            leaves = fragment.around.atomic and (following.is_last or not following.around.atomic)
            if pauses and leaves and fragment.around.step is None:
                break
            fragment = following
        else:
            fragment = fragment.rests[pauses] if isinstance(fragment, Jump) else fragment.hunted(build, pauses)
        for each in passed.values():
            each.rests[pauses] = fragment
        return fragment


class Choice(Fragment):
    options: tuple[Fragment, ...] = ()

    def emit(self, build: Construction, source: int) -> None:
        """Inside a `d_step`, SPIN's verifier goes into an option that begins with braces, `if` or `do` without a look
        at what stands there, so that the options behind it are never tried."""
        tried_in_order = build.locations[source].step is not None
        for option in self.options:
            option.emit(build, source)
            if tried_in_order and isinstance(option, Choice):
                return


class Guarded(Fragment):
    """The body of an `unless`: it has no place of its own."""

    def __init__(self, at: int, around: Around, body: Fragment) -> None:
        super().__init__(at, around)
        self.body = body

    def emit(self, build: Construction, source: int) -> None:
        self.body.emit(build, source)

    def hunted(self, build: Construction, pauses: bool) -> Fragment:
        return self.body.hunted(build, pauses)


class Escape:
    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.fragment: Fragment | None = None
        self.body: Fragment | None = None
        """What it can leave, if that has a place which SPIN makes late."""

    def is_ready(self, fragment: Fragment) -> bool:
        """Whether SPIN makes the place of the fragment, where this escape holds, after those of the escape."""
        return fragment is self.body or self not in fragment.around.escapes
