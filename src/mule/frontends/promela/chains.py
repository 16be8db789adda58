"""Whole steps: what a process does from one stored state to the next.

Outside of `atomic` and `d_step` a step is one statement. Inside, it is a way through the graph: up to where the process
gives up control, or up to where it cannot go on. Each way is a transition of its own, with the conditions along it
expressed over the state in which the step begins. Where there are too many ways (loops of unknown length), a step is
cut in pieces: between these no other process moves, and the states between them are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mule.errors import Place
from mule.frontends.promela import syntax
from mule.frontends.promela.control import Edge, Finish, Graph
from mule.frontends.promela.effects import Effect
from mule.frontends.promela.printing import statement_text
from mule.frontends.promela.processes import Instance, Proctype
from mule.frontends.promela.steps import Steps
from mule.frontends.promela.system import System
from mule.model import Action, Assign, Statement
from mule.model.expressions import FALSE, TRUE, Constant, Expression, Read, subexpressions
from mule.model.forward import Forward
from mule.model.simplify import binary, unary

WAYS = 80
"""More ways from one place than this, and steps are cut."""
LENGTH = 100
"""Statements of the program in one step."""
SIZE = 5000
"""Parts of one condition."""


class TooManyWays(Exception):  # noqa: N818 - an answer, not an error
    pass


@dataclass(frozen=True, slots=True)
class Taken:
    """A statement on the way, and how many effects have run after it."""

    instance: Instance
    edge: Edge
    effect: Effect
    done: int


@dataclass(slots=True)
class Way:
    """One step of the system."""

    conditions: list[Expression]
    statements: list[Statement]
    moves: dict[Instance, tuple[int, int]]
    """For each process that takes part its location before and after, the one that starts the step first."""
    taken: list[Taken]
    state: Forward
    failure: str = ""
    asserts: bool = False
    blocked: bool = False
    place: Place | None = None

    def copy(self) -> Way:
        return Way(list(self.conditions), list(self.statements), dict(self.moves), list(self.taken), self.state)


@dataclass(slots=True)
class _Option:
    edge: Edge
    effect: Effect
    condition: Expression


@dataclass(slots=True)
class Chains:
    steps: Steps
    limit: int = WAYS
    ways: int = 0
    _options: dict[tuple[int, int], tuple[list[_Option], Expression]] = field(default_factory=dict)

    def all_from(self, instance: Instance, location: int, middle: bool) -> list[Way]:
        """All steps that begin at a place; `middle`: where a step was cut."""
        source = instance.within(location) if middle else instance.at(location)
        start = Way([], [], {instance: (source, source)}, [], Forward())
        self.ways = 0
        return list(self.extend(start, instance, location, middle))

    def extend(self, way: Way, instance: Instance, location: int, middle: bool) -> Iterator[Way]:
        options, blocked = self.options(instance, location)
        for option in options:
            condition = way.state.expression(self.timed(option.condition, middle))
            if condition == FALSE:
                continue
            yield from self.take(way, instance, option, condition)
        if middle:
            condition = way.state.expression(self.timed(blocked, middle))
            if condition != FALSE:
                yield self.stopped(way, instance, location, condition)

    def timed(self, condition: Expression, middle: bool) -> Expression:
        """Time runs out only between steps."""
        timeout = self.steps.system.timeout
        if not middle or not self.steps.system.mentions_timeout:
            return condition
        return Forward(None, "write", timeout, None, Constant(0)).expression(condition)

    def take(self, way: Way, instance: Instance, option: _Option, condition: Expression) -> Iterator[Way]:
        edge, effect = option.edge, option.effect
        following = way.copy()
        if condition != TRUE:
            following.conditions.append(condition)
            if way.taken and sum(1 for _ in subexpressions(condition)) > SIZE:
                raise TooManyWays
        following.statements += effect.statements
        if len(following.taken) > LENGTH:
            raise TooManyWays
        following.state = way.state.after(effect.statements)
        following.taken.append(Taken(instance, edge, effect, len(following.statements)))
        if effect.failure:
            following.failure, following.asserts = effect.failure, effect.asserts
            yield self.counted(following)
            return
        if effect.started is not None:
            child = effect.started
            following.moves[child] = (0, child.at(child.type.graph.start))
        if effect.partner is not None:
            receiver, its_edge = effect.partner
            self.go(following, instance, instance.at(edge.target))
            following.moves.setdefault(receiver, (receiver.at(its_edge.source), receiver.at(its_edge.source)))
            yield from self.goes_on(following, receiver, its_edge)
        else:
            yield from self.goes_on(following, instance, edge)

    def goes_on(self, way: Way, instance: Instance, edge: Edge) -> Iterator[Way]:
        if not edge.keeps:
            self.go(way, instance, 0 if isinstance(edge.action, Finish) else instance.at(edge.target))
            yield self.counted(way)
        elif edge.target in instance.type.cuts:
            self.go(way, instance, instance.within(edge.target))
            yield self.counted(way)
        else:
            yield from self.extend(way, instance, edge.target, True)

    def stopped(self, way: Way, instance: Instance, location: int, condition: Expression) -> Way:
        """The process cannot go on: it waits there, and others have their chance."""
        result = way.copy()
        if condition != TRUE:
            result.conditions.append(condition)
            if sum(1 for _ in subexpressions(condition)) > SIZE:
                raise TooManyWays
        graph = instance.type.graph
        result.blocked = True
        if graph.locations[location].step is not None:
            result.failure = "a d_step cannot go on inside"
            result.place = self.steps.system.scope.place(graph.locations[location].at)
        else:
            self.go(result, instance, instance.at(location))
        return self.counted(result)

    def counted(self, way: Way) -> Way:
        self.ways += 1
        if self.ways > self.limit:
            raise TooManyWays
        return way

    def go(self, way: Way, instance: Instance, target: int) -> None:
        source, _ = way.moves[instance]
        way.moves[instance] = (source, target)
        statement = Assign(Read(self.steps.system.location(instance)), Constant(target))
        if source != target or any(statement.target == s.target for s in way.statements if isinstance(s, Assign)):
            way.statements.append(statement)
            way.state = way.state.after((statement,))

    # what can be executed at a place --------------------------------------------------------------------------------

    def options(self, instance: Instance, location: int) -> tuple[list[_Option], Expression]:
        """All ways to execute a statement at a place, and the condition under which there is none."""
        key = (id(instance), location)
        if key not in self._options:
            self._options[key] = self._find_options(instance, location)
        return self._options[key]

    def _find_options(self, instance: Instance, location: int) -> tuple[list[_Option], Expression]:
        provided = self.steps.provided(instance)
        found: list[_Option] = []
        earlier: list[tuple[Edge, Expression]] = []
        any_enabled: Expression = FALSE
        for edge in instance.type.graph.locations[location].edges:
            extra = provided
            is_else = isinstance(edge.action, syntax.Else)
            for other, enabled in earlier:
                outranked = other.rank > 0 and other.rank != edge.rank
                same_step = edge.step is not None and other.step == edge.step
                if is_else or outranked or same_step:
                    extra = binary("and", extra, unary("not", enabled))
            enabled = FALSE
            for effect in self.steps.effects(instance, edge):
                condition = binary("and", extra, effect.condition)
                found.append(_Option(edge, effect, condition))
                if not effect.failure:
                    enabled = binary("or", enabled, effect.condition)
            earlier.append((edge, binary("and", extra, enabled)))
            any_enabled = binary("or", any_enabled, binary("and", provided, TRUE if is_else else enabled))
        return found, unary("not", any_enabled)


def grow_cuts(type: Proctype) -> bool:
    """Cut steps at more places: at the heads of loops, then where ways join, then everywhere."""
    graph = type.graph
    for candidates in (_loop_heads(graph), _joins(graph), _all_kept(graph)):
        if not candidates <= type.cuts:
            type.cuts |= candidates
            return True
    return False


def _kept_edges(graph: Graph) -> Iterator[Edge]:
    for location in graph.locations:
        for edge in location.edges:
            if edge.keeps:
                yield edge


def _all_kept(graph: Graph) -> set[int]:
    return {edge.target for edge in _kept_edges(graph)}


def _joins(graph: Graph) -> set[int]:
    counts: dict[int, int] = {}
    for edge in _kept_edges(graph):
        counts[edge.target] = counts.get(edge.target, 0) + 1
    return {target for target, count in counts.items() if count > 1}


def _loop_heads(graph: Graph) -> set[int]:
    """Places that a way through an atomic step comes back to."""
    following: dict[int, list[int]] = {}
    for edge in _kept_edges(graph):
        following.setdefault(edge.source, []).append(edge.target)
    heads: set[int] = set()
    done: set[int] = set()
    for root in following:
        stack: list[tuple[int, Iterator[int]]] = [(root, iter(following[root]))]
        on_stack = {root}
        if root in done:
            continue
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


def actions_of(way: Way, system: System) -> Iterator[Action]:
    """The statements of a step as a trail shows them; a rendezvous is two of them."""
    for taken in way.taken:
        both = [(taken.instance, taken.edge, taken.effect.output)]
        if taken.effect.partner is not None:
            both.append((*taken.effect.partner, ()))
        for instance, edge, output in both:
            place = system.scope.place(edge.action.at)
            yield Action(instance.process, statement_text(edge.action), place, taken.done, output)
