"""Proctypes to control graphs: the states of a process as SPIN numbers them, and the statements between them.

Which places in a body are states decides what is counted, so this follows SPIN's own construction (`pan -d` shows it):

- Every statement that can be reached from elsewhere has a place of its own, the one before it. The first statements of
  the options of an `if` or `do`, of a block and of an `atomic` belong to the place of the whole.
- `goto`, `break` and the ends of `if`, `do` and `unless` take no step, except as the first statement of an option, and
  except where they lead out of an `atomic`: behind a statement that can end a process's turn they are places too.
- A process keeps control after a statement of an `atomic` if this leads to a place inside an `atomic`, other than by
  passing its end.
- The escapes of an `unless` hold at every place of its body, the outermost first, but not inside a `d_step`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from mule.errors import MuleError
from mule.frontends.promela import syntax
from mule.frontends.promela.scopes import Scope


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a process: it dies."""

    at: int


@dataclass(frozen=True, slots=True)
class Declare:
    """A declaration that is not at the top of a body sets its variable, as an assignment does."""

    at: int
    variable: syntax.Variable


@dataclass(frozen=True, slots=True)
class Join:
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


def control_graph(
    body: syntax.Sequence, scope: Scope, at: int, observed: frozenset[str] = frozenset(), interruptible: bool = False
) -> Graph:
    """`observed` are the labels that others ask for: a `goto` behind one is a place too. `interruptible`: a condition,
    or a process that is more important, can stop this one wherever it is."""
    return _Construction(scope, at, observed, interruptible).graph(body)


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around a statement."""

    scope: Scope
    labels: _Labels
    atomic: bool = False
    step: int | None = None
    step_in_atomic: bool = False
    escapes: tuple[_Escape, ...] = ()
    leave: _Next | None = None
    """Where a `break` leads."""


@dataclass(slots=True)
class _Labels:
    """The labels of a process, or of one expansion of an inline."""

    outer: _Labels | None
    found: dict[str, _Fragment] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Next:
    fragment: _Fragment
    left: bool = False
    """Leads past the end of an `atomic`."""


class _Fragment:
    """A statement in its place; `emit` puts its first edges at some location."""

    location: int | None = None
    is_last = False
    """Of an `atomic`."""

    def __init__(self, at: int, around: _Around) -> None:
        self.at = at
        self.around = around
        self.labels: list[str] = []

    def emit(self, build: _Construction, source: int) -> None:
        raise NotImplementedError

    def hunted(self, build: _Construction, pauses: bool) -> _Fragment:
        """Where control really comes to rest when it comes here; `pauses`: at a jump that leads out of an `atomic`."""
        return self


class _Simple(_Fragment):
    def __init__(self, action: Action, around: _Around, following: _Next) -> None:
        super().__init__(action.at, around)
        self.action = action
        self.following = following

    def emit(self, build: _Construction, source: int) -> None:
        build.edge(source, self.action, self.around, self.following)


class _Jump(_Simple):
    def __init__(self, action: Action, around: _Around, following: _Next | None) -> None:
        super().__init__(action, around, following or _Next(self))

    def destination(self, build: _Construction) -> _Next:
        if isinstance(self.action, syntax.Goto):
            return _Next(build.labelled(self.action, self.around.labels))
        return self.following

    def emit(self, build: _Construction, source: int) -> None:
        build.edge(source, self.action, self.around, self.destination(build))

    def hunted(self, build: _Construction, pauses: bool) -> _Fragment:
        fragment: _Fragment = self
        seen = set()
        while isinstance(fragment, _Jump):
            if id(fragment) in seen:
                raise MuleError("this `goto` leads nowhere but to itself", build.scope.place(self.at))
            seen.add(id(fragment))
            following = fragment.destination(build).fragment
            if pauses and fragment.around.step is None and (following.is_last or not following.around.atomic):
                return fragment
            fragment = following
        return fragment.hunted(build, pauses)


class _Choice(_Fragment):
    options: tuple[_Fragment, ...] = ()

    def emit(self, build: _Construction, source: int) -> None:
        for option in self.options:
            option.emit(build, source)


class _Guarded(_Fragment):
    """The body of an `unless`: it has no place of its own."""

    def __init__(self, at: int, around: _Around, body: _Fragment) -> None:
        super().__init__(at, around)
        self.body = body

    def emit(self, build: _Construction, source: int) -> None:
        self.body.emit(build, source)

    def hunted(self, build: _Construction, pauses: bool) -> _Fragment:
        return self.body.hunted(build, pauses)


class _Escape:
    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.fragment: _Fragment | None = None
        self.body: _Fragment | None = None
        """What it can leave, if that has a place which SPIN makes late."""

    def is_ready(self, fragment: _Fragment) -> bool:
        """Whether SPIN makes the place of the fragment, where this escape holds, after those of the escape."""
        return fragment is self.body or self not in fragment.around.escapes


class _Construction:
    def __init__(self, scope: Scope, at: int, observed: frozenset[str], interruptible: bool) -> None:
        self.scope = scope
        self.at = at
        self.observed = observed
        self.interruptible = interruptible
        self.locations: list[Location] = []
        self.waiting: list[_Fragment] = []
        self.steps = 0
        self.ranks = 0
        self.found: list[tuple[Edge, tuple[_Escape, ...]]] = []
        self.jumps: list[_Jump] = []
        self.steps_at: set[_Fragment] = set()
        """The places of whole `d_step`s."""
        self.all_labels: dict[str, _Fragment] = {}

    def graph(self, body: syntax.Sequence) -> Graph:
        around = _Around(self.scope, _Labels(None))
        end = _Simple(Finish(self.at), around, None)  # type: ignore[arg-type]
        end.following = _Next(end)
        first = self.sequence(body, around, _Next(end), top=True)
        self.check_jumps()
        start = self.place(first)
        finish = self.place(end)
        while self.waiting:
            self.fill(self.waiting.pop())
        labels = {name: self.place(fragment) for name, fragment in self.all_labels.items()}
        while self.waiting:
            self.fill(self.waiting.pop())
        for name, number in labels.items():
            self.locations[number].labels.append(name)
        return Graph(self.locations, start, finish, labels)

    def check_jumps(self) -> None:
        for jump in self.jumps:
            target = jump.destination(self).fragment
            if target.around.step != jump.around.step or target in self.steps_at:
                raise MuleError("no jump can lead into a d_step, or out of one", self.scope.place(jump.at))

    # places and edges -----------------------------------------------------------------------------------------------

    def place(self, fragment: _Fragment, pauses: bool = False) -> int:
        """The location of a fragment; it is made when it is first asked for."""
        target = fragment.hunted(self, pauses)
        if target.location is None:
            target.location = len(self.locations)
            around = target.around
            self.locations.append(Location(target.at, around.atomic, around.step))
            self.waiting.append(target)
        return target.location

    def fill(self, fragment: _Fragment) -> None:
        assert fragment.location is not None
        self.locations[fragment.location].edges = self.listed(fragment, fragment.location)

    def listed(self, fragment: _Fragment, source: int) -> list[Edge]:
        """The first edges of a fragment, behind those of the escapes around them: of nested ones the outermost comes
        first. SPIN puts places in order one by one, those of a body before its escape; a place that comes later (see
        `_Escape.is_ready`) finds the escape with the edges of outer ones in front already, and takes them all for its
        own."""
        found = self.emitted(fragment, source)
        edges = [edge for edge, _ in found]
        known = {_identity(edge) for edge in edges}
        for _, escapes in found:
            for escape in reversed(escapes):
                assert escape.fragment is not None
                if escape.is_ready(fragment):
                    first = self.listed(escape.fragment, source)
                else:
                    first = [edge for edge, _ in self.emitted(escape.fragment, source)]
                for edge in first:
                    if _identity(edge) not in known:
                        known.add(_identity(edge))
                        edges.insert(0, replace(edge, rank=escape.rank))
        return edges

    def emitted(self, fragment: _Fragment, source: int) -> list[tuple[Edge, tuple[_Escape, ...]]]:
        """The first edges of a fragment, each with the escapes around it."""
        outer, self.found = self.found, []
        fragment.emit(self, source)
        result, self.found = self.found, outer
        return result

    def edge(self, source: int, action: Action, around: _Around, following: _Next) -> None:
        escapes = around.escapes
        if isinstance(action, Join) or self.locations[source].step is not None:
            escapes = ()
        interrupted = self.interruptible or bool(around.escapes) or isinstance(action, syntax.Send)
        atomic = around.atomic or around.step_in_atomic
        target = self.place(following.fragment, interrupted and atomic and not following.left)
        there = self.locations[target]
        if around.step is not None:
            keeps = there.step == around.step
            if not keeps and around.step_in_atomic:
                keeps = there.inside and not following.left
        else:
            keeps = around.atomic and there.inside and not following.left
        self.found.append((Edge(source, target, action, around.scope, keeps, step=around.step), escapes))

    def labelled(self, jump: syntax.Goto, labels: _Labels) -> _Fragment:
        scope: _Labels | None = labels
        while scope is not None:
            if jump.label in scope.found:
                return scope.found[jump.label]
            scope = scope.outer
        if jump.label in self.all_labels:
            return self.all_labels[jump.label]
        raise MuleError(f"there is no label `{jump.label}` in this process", self.scope.place(jump.at))

    # statements -----------------------------------------------------------------------------------------------------

    def sequence(self, steps: syntax.Sequence, around: _Around, following: _Next, top: bool = False) -> _Fragment:
        """The first statement of a sequence. Built from the end, but declared from the beginning."""
        flat = list(_flat(steps, top))
        at_start = top
        for step in steps:
            if isinstance(step, syntax.VariableDeclaration):
                around.scope.declare_all(step, at_start)
            elif isinstance(step, syntax.Statement):
                at_start = False
        if not flat:
            return following.fragment
        for action in reversed(flat):
            fragment = self.statement(action, around, following)
            fragment.is_last |= following.left and not isinstance(_unlabelled(action), _JOINED)
            following = _Next(fragment)
        return fragment

    def statement(self, step: Action, around: _Around, following: _Next) -> _Fragment:
        inner = replace(around, scope=around.scope.inner()) if isinstance(step, _SCOPED) else around
        match step:
            case syntax.Labelled(_, label, statement):
                seen = label in self.observed or label.startswith(_MEANINGFUL)
                if seen and isinstance(statement, syntax.Goto | syntax.Break):
                    jump = self.statement(statement, around, following)
                    statement, following = syntax.Condition(statement.at, syntax.Number(statement.at, 1)), _Next(jump)
                fragment = self.statement(statement, around, following)
                if isinstance(fragment, _Simple) and isinstance(statement, syntax.For | syntax.ForEach | syntax.Select):
                    # SPIN puts the label of such a statement on its loop: who jumps there does not set the variable.
                    around.labels.found[label] = fragment.following.fragment
                    self.all_labels.setdefault(label, fragment.following.fragment)
                    return fragment
                around.labels.found[label] = fragment
                self.all_labels.setdefault(label, fragment)
                return fragment
            case syntax.Goto():
                jump = _Jump(step, around, None)
                self.jumps.append(jump)
                return jump
            case syntax.Break():
                if around.leave is None:
                    raise MuleError("`break` stands in no loop", self.scope.place(step.at))
                return _Jump(step, around, around.leave)
            case syntax.If(at, options):
                choice = _Choice(at, around)
                following = self.join(Join(at), around, following)
                choice.options = tuple(self.sequence(option, around, following) for option in _ordered(options))
                return choice
            case syntax.Do(at, options):
                choice = _Choice(at, around)
                within = replace(around, leave=self.join(syntax.Break(at), around, following))
                choice.options = tuple(self.sequence(option, within, _Next(choice)) for option in _ordered(options))
                return choice
            case syntax.Block(at, body):
                return self.block(at, body, around, inner, following)
            case syntax.InlineCall(at, _, _, _, syntax.Block(_, body)):
                return self.block(at, body, around, replace(inner, labels=_Labels(around.labels)), following)
            case syntax.Atomic(at, body):
                if around.atomic or around.step is not None:
                    return self.block(at, body, around, inner, following)
                last = _Next(following.fragment, left=True)
                return self.block(at, body, around, replace(inner, atomic=True), last)
            case syntax.DStep(at, body):
                if around.step is not None:
                    return self.block(at, body, around, inner, following)
                self.steps += 1
                within = replace(inner, atomic=False, step=self.steps, step_in_atomic=around.atomic, leave=None)
                fragment = self.block(at, body, around, within, following)
                self.steps_at.add(fragment)
                return fragment
            case syntax.Unless(at, body, escape):
                self.ranks += 1
                following = self.join(Join(at), around, following)
                attached = _Escape(self.ranks)
                guarded = replace(around, escapes=(*around.escapes, attached))
                inside = self.unbraced(body, guarded, following)
                attached.body = inside if _is_late(body) else None
                fragment = _Guarded(at, around, inside)
                attached.fragment = self.unbraced(escape, around, following)
                return fragment
            case syntax.For() | syntax.ForEach() | syntax.Select():
                return self.sequence(inner.scope.spelled_out(step), inner, following)
            case syntax.Assignment(at, syntax.Reference(_, (syntax.Part(_, "_priority"),)), value):
                step = syntax.OwnPriority(at, value)
        return _Simple(step, around, following)

    def join(self, action: Action, around: _Around, following: _Next) -> _Next:
        """What comes after the last statement of an option, or after `break`."""
        if not around.atomic:
            return following
        join = _Jump(action, around, following)
        join.is_last = following.left
        return _Next(join)

    def block(self, at: int, body: syntax.Sequence, around: _Around, inner: _Around, following: _Next) -> _Fragment:
        choice = _Choice(at, around)
        choice.options = (self.sequence(body, inner, following),)
        return choice

    def unbraced(self, statement: syntax.Statement, around: _Around, following: _Next) -> _Fragment:
        """What stands left or right of `unless`: its braces are no block."""
        if isinstance(statement, syntax.Block):
            return self.sequence(statement.body, replace(around, scope=around.scope.inner()), following)
        return self.statement(statement, around, following)


_MEANINGFUL = ("end", "progress", "accept")
"""Labels that begin like this say something about their place, so there must be one."""
_SCOPED = (syntax.Block, syntax.InlineCall, syntax.Atomic, syntax.DStep, syntax.For, syntax.ForEach, syntax.Select)
_JOINED = (
    *(syntax.If, syntax.Do, syntax.Unless, syntax.Block, syntax.InlineCall),
    *(syntax.For, syntax.ForEach, syntax.Select),
)
"""Not themselves the last statement of an `atomic`: what ends them is."""


def _is_late(body: syntax.Statement) -> bool:
    """Whether SPIN makes the place of what an escape can leave after those of the escape: that of a statement without
    braces, and that of labelled braces."""
    if isinstance(_unlabelled(body), syntax.For | syntax.ForEach | syntax.InlineCall):
        return False
    return not isinstance(body, syntax.Block)


def _identity(edge: Edge) -> tuple[int, int, int]:
    """Tells the statement it is: two expansions of an inline have scopes of their own."""
    return id(edge.action), id(edge.scope), edge.target


def _unlabelled(action: Action) -> Action:
    while isinstance(action, syntax.Labelled):
        action = action.statement
    return action


def _flat(steps: syntax.Sequence, top: bool) -> Iterator[Action]:
    """The statements of a sequence; declarations at the top of a body are none, others are one for each variable."""
    for step in steps:
        if isinstance(step, syntax.VariableDeclaration):
            if not top:
                for variable in step.variables:
                    yield Declare(variable.at, variable)
        elif isinstance(step, syntax.Statement):
            top = False
            yield step


def _ordered(options: tuple[syntax.Sequence, ...]) -> list[syntax.Sequence]:
    """`else` is the last resort, wherever it stands."""
    return sorted(options, key=lambda option: isinstance(option[0], syntax.Else))
