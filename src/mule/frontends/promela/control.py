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

from mule.errors import MuleError
from mule.frontends.promela import syntax
from mule.frontends.promela.fragments import Around, Choice, Escape, Fragment, Guarded, Jump, Labels, Next, Simple
from mule.frontends.promela.graph import Action, Declare, Edge, Finish, Graph, Join, Location
from mule.frontends.promela.scopes import Scope
from mule.records import replace


def control_graph(
    body: syntax.Sequence, scope: Scope, at: int, observed: frozenset[str] = frozenset(), interruptible: bool = False
) -> Graph:
    """`at` is where the body ends. `observed` are the labels that others ask for: a `goto` behind one is a place too.
    `interruptible`: a condition, or a process that is more important, can stop this one wherever it is."""
    return _Construction(scope, at, observed, interruptible).graph(body)


class _Construction:
    def __init__(self, scope: Scope, at: int, observed: frozenset[str], interruptible: bool) -> None:
        self.scope = scope
        self.at = at
        self.observed = observed
        self.interruptible = interruptible
        self.locations: list[Location] = []
        self.statements: list[Action] = []
        self.waiting: list[Fragment] = []
        self.steps = 0
        self.ranks = 0
        self.found: list[tuple[Edge, tuple[Escape, ...]]] = []
        self.jumps: list[Jump] = []
        self.steps_at: set[Fragment] = set()
        """The places of whole `d_step`s."""
        self.all_labels: dict[str, Fragment] = {}

    def graph(self, body: syntax.Sequence) -> Graph:
        around = Around(self.scope, Labels(None))
        end = Simple(Finish(self.at), around, None)  # type: ignore[arg-type]
        end.following = Next(end)
        first = self.sequence(body, around, Next(end), top=True)
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
        return Graph(self.locations, start, finish, labels, tuple(self.statements))

    def check_jumps(self) -> None:
        for jump in self.jumps:
            target = jump.destination(self).fragment
            if target.around.step != jump.around.step or target in self.steps_at:
                raise MuleError("no jump can lead into a d_step, or out of one", self.scope.place(jump.at))

    # places and edges -----------------------------------------------------------------------------------------------

    def place(self, fragment: Fragment, pauses: bool = False) -> int:
        """The location of a fragment; it is made when it is first asked for."""
        target = fragment.hunted(self, pauses)
        if target.location is None:
            target.location = len(self.locations)
            around = target.around
            self.locations.append(Location(target.at, around.atomic, around.step))
            self.waiting.append(target)
        return target.location

    def fill(self, fragment: Fragment) -> None:
        assert fragment.location is not None
        self.locations[fragment.location].edges = self.listed(fragment, fragment.location)

    def listed(self, fragment: Fragment, source: int) -> list[Edge]:
        """The first edges of a fragment, behind those of the escapes around them: of nested ones the outermost comes
        first. SPIN puts places in order one by one, those of a body before its escape; a place that comes later (see
        `Escape.is_ready`) finds the escape with the edges of outer ones in front already, and takes them all for its
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

    def emitted(self, fragment: Fragment, source: int) -> list[tuple[Edge, tuple[Escape, ...]]]:
        """The first edges of a fragment, each with the escapes around it."""
        outer, self.found = self.found, []
        fragment.emit(self, source)
        result, self.found = self.found, outer
        return result

    def edge(self, source: int, action: Action, around: Around, following: Next) -> None:
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
        # An `else` that a `d_step` begins with is one of the `if` around it.
        step = None if isinstance(action, syntax.Else) and not around.in_choice else around.step
        self.found.append((Edge(source, target, action, around.scope, keeps, step=step), escapes))

    def labelled(self, jump: syntax.Goto, labels: Labels) -> Fragment:
        scope: Labels | None = labels
        while scope is not None:
            if jump.label in scope.found:
                return scope.found[jump.label]
            scope = scope.outer
        if jump.label in self.all_labels:
            return self.all_labels[jump.label]
        raise MuleError(f"there is no label `{jump.label}` in this process", self.scope.place(jump.at))

    # statements -----------------------------------------------------------------------------------------------------

    def sequence(self, steps: syntax.Sequence, around: Around, following: Next, top: bool = False) -> Fragment:
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
            following = Next(fragment)
        return fragment

    def statement(self, step: Action, around: Around, following: Next) -> Fragment:
        inner = replace(around, scope=around.scope.inner()) if isinstance(step, _SCOPED) else around
        match step:
            case syntax.Labelled(_, label, statement):
                seen = label in self.observed or label.startswith(syntax.MEANINGFUL_LABELS)
                if seen and isinstance(statement, syntax.Goto | syntax.Break):
                    jump = self.statement(statement, around, following)
                    statement, following = (
                        syntax.Condition(statement.at, syntax.Number(statement.at, 1, "skip")),
                        Next(jump),
                    )
                fragment = self.statement(statement, around, following)
                if isinstance(fragment, Simple) and isinstance(statement, syntax.For | syntax.ForEach | syntax.Select):
                    # SPIN puts the label of such a statement on its loop: who jumps there does not set the variable.
                    around.labels.found[label] = fragment.following.fragment
                    self.all_labels.setdefault(label, fragment.following.fragment)
                    return fragment
                around.labels.found[label] = fragment
                self.all_labels.setdefault(label, fragment)
                return fragment
            case syntax.Goto():
                jump = Jump(step, around, None)
                self.jumps.append(jump)
                return jump
            case syntax.Break():
                if around.leave is None:
                    raise MuleError("`break` stands in no loop", self.scope.place(step.at))
                return Jump(step, around, around.leave)
            case syntax.If(at, options):
                choice = Choice(at, around)
                following = self.join(Join(at), around, following)
                within = replace(around, in_choice=True)
                choice.options = tuple(self.sequence(option, within, following) for option in _ordered(options))
                return choice
            case syntax.Do(at, options):
                choice = Choice(at, around)
                within = replace(around, in_choice=True, leave=self.join(syntax.Break(at), around, following))
                choice.options = tuple(self.sequence(option, within, Next(choice)) for option in _ordered(options))
                return choice
            case syntax.Block(at, body):
                return self.block(at, body, around, inner, following)
            case syntax.InlineCall(at, _, _, _, syntax.Block(_, body)):
                return self.block(at, body, around, replace(inner, labels=Labels(around.labels)), following)
            case syntax.Atomic(at, body):
                if around.atomic or around.step is not None:
                    return self.block(at, body, around, inner, following)
                last = Next(following.fragment, left=True)
                return self.block(at, body, around, replace(inner, atomic=True), last)
            case syntax.DStep(at, body):
                if around.step is not None:
                    return self.block(at, body, around, inner, following)
                self.steps += 1
                within = replace(
                    inner, atomic=False, step=self.steps, step_in_atomic=around.atomic, in_choice=False, leave=None
                )
                fragment = self.block(at, body, around, within, following)
                self.steps_at.add(fragment)
                return fragment
            case syntax.Unless(at, syntax.For() | syntax.ForEach() as loop, escape):
                # SPIN sets the variable before: only the loop can be left.
                within = replace(around, scope=around.scope.inner())
                first, rest = within.scope.spelled_out(loop)
                assert isinstance(rest, syntax.Statement)
                return self.sequence((first, syntax.Unless(at, rest, escape)), within, following)
            case syntax.Unless(at, body, escape):
                self.ranks += 1
                following = self.join(Join(at), around, following)
                attached = Escape(self.ranks)
                guarded = replace(around, escapes=(*around.escapes, attached))
                inside = self.unbraced(body, guarded, following)
                attached.body = inside if _is_late(body) else None
                fragment = Guarded(at, around, inside)
                attached.fragment = self.unbraced(escape, around, following)
                return fragment
            case syntax.For() | syntax.ForEach() | syntax.Select():
                return self.sequence(inner.scope.spelled_out(step), inner, following)
            case syntax.Assignment(at, syntax.Reference(_, (syntax.Part(_, "_priority"),)), value):
                step = syntax.OwnPriority(at, value)
        self.statements.append(step)
        return Simple(step, around, following)

    def join(self, action: Action, around: Around, following: Next) -> Next:
        """What comes after the last statement of an option, or after `break`."""
        if not around.atomic:
            return following
        join = Jump(action, around, following)
        join.is_last = following.left
        return Next(join)

    def block(self, at: int, body: syntax.Sequence, around: Around, inner: Around, following: Next) -> Fragment:
        choice = Choice(at, around)
        choice.options = (self.sequence(body, inner, following),)
        return choice

    def unbraced(self, statement: syntax.Statement, around: Around, following: Next) -> Fragment:
        """What stands left or right of `unless`: its braces are no block."""
        if isinstance(statement, syntax.Block):
            return self.sequence(statement.body, replace(around, scope=around.scope.inner()), following)
        return self.statement(statement, around, following)


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
