"""Whole steps: what a process does from one stored state to the next.

Outside of `atomic` and `d_step` a step is one statement. Inside, it is a way through the graph: up to where the process
gives up control, or up to where it cannot go on. Each way is a transition of its own, with the conditions along it
expressed over the state in which the step begins. Where there are too many ways (loops of unknown length), a step is
cut in pieces: between these no other process moves, and the states between them are not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from mule.errors import Place
from mule.frontends.promela import syntax
from mule.frontends.promela.effects import Effect, Event
from mule.frontends.promela.graph import Edge, Finish
from mule.frontends.promela.processes import Instance
from mule.frontends.promela.scopes import CHAN
from mule.frontends.promela.steps import Steps
from mule.frontends.promela.system import System
from mule.model import Action, Assign, Message, Printed, Statement
from mule.model.expressions import FALSE, TRUE, Constant, Expression, Read, children, conjuncts, negation
from mule.model.forward import Forward, is_impossible
from mule.model.simplify import binary, boolean, joined, unary
from mule.records import Record, replace

WAYS = 150
"""More ways from one place than this, and steps are cut."""
WORK = 3_000
"""Statements to execute, over all ways from one place."""
SIZE, DEPTH = 5_000, 200
"""Parts of one condition, and how deep they may lie."""


class TooManyWays(Exception):  # noqa: N818 - an answer, not an error
    def __init__(self, visits: Counter[tuple[Instance, int]] | None = None) -> None:
        super().__init__()
        self.visits = Counter() if visits is None else visits
        """How often each place was come to."""


class _Unwieldy(Exception):  # noqa: N818 - an answer, not an error
    """A condition has grown too large."""


class Taken(Record, frozen=True):
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
    limit: bool = False
    blocked: bool = False
    interrupted: bool = False
    """By a process that is more important."""
    place: Place | None = None

    known: frozenset[Expression] = frozenset()
    """The parts of the conditions so far."""
    moved_last: Instance | None = None
    """Whose number `_last` was set to on the way."""
    provided: Expression = TRUE
    """What else must hold where the step begins, which `enabled` does not ask."""

    def copy(self) -> Way:
        return replace(
            self,
            conditions=list(self.conditions),
            statements=list(self.statements),
            moves=dict(self.moves),
            taken=list(self.taken),
        )

    def require(self, condition: Expression) -> bool:
        """Add a condition on the state in which the step begins; False if it contradicts those before it."""
        if self.taken and is_unwieldy(condition):
            raise _Unwieldy
        for part in map(boolean, conjuncts(condition)):
            if part == FALSE or negation(part) in self.known or is_impossible(part):
                return False
            if part != TRUE and part not in self.known:
                self.conditions.append(part)
                self.known |= {part}
        return True


@dataclass(slots=True)
class _Option:
    edge: Edge
    effect: Effect
    condition: Expression


class _Unfinished(Record, frozen=True):
    """A step up to a place where its process still has control."""

    way: Way
    instance: Instance
    location: int
    middle: bool


@dataclass(slots=True)
class Chains:
    steps: Steps
    limit: int = WAYS
    _options: dict[tuple[int, int], tuple[list[_Option], Expression]] = field(default_factory=dict)
    _moves: dict[tuple[int, int], Assign] = field(default_factory=dict)

    def all_from(self, instance: Instance, location: int, middle: bool) -> list[Way]:
        """All steps that begin at a place; `middle`: where a step was cut."""
        source = instance.within(location) if middle else instance.at(location)
        start = Way([], [], {instance: (source, source)}, [], Forward())
        start.provided = TRUE if middle else self.provided(instance, location)
        found = list(self.interruptions(start, instance, location) if middle else self.asks(start, instance, location))
        waiting: list[_Unfinished] = [_Unfinished(start, instance, location, middle)]
        visits: Counter[tuple[Instance, int]] = Counter()
        while waiting:
            current = waiting.pop()
            visits[current.instance, current.location] += 1
            if len(found) > self.limit or visits.total() > WORK:
                raise TooManyWays(visits)
            going_on = []
            try:
                for following in self.extend(current):
                    if isinstance(following, Way):
                        found.append(following)
                    else:
                        going_on.append(following)
            except _Unwieldy:
                raise TooManyWays(visits) from None
            waiting += reversed(going_on)
        return found

    def interruptions(self, start: Way, instance: Instance, location: int) -> Iterator[Way]:
        if self.steps.system.priorities and instance.type.graph.locations[location].step is None:
            way = self.stopped(start.copy(), instance, location)
            way.interrupted = True
            yield way

    def asks(self, way: Way, instance: Instance, location: int) -> Iterator[Way]:
        """What goes wrong in the question that `provided` is."""
        for condition, text in self.steps.hazards_of_provided(instance, location):
            following = way.copy()
            following.provided = way.provided if way.taken else TRUE
            if following.require(way.state.expression(condition)):
                following.failure = text
                following.place = following.place or self.steps.system.scope.place(instance.type.declaration.at)
                yield following

    def extend(self, current: _Unfinished) -> Iterator[Way | _Unfinished]:
        way, instance, middle = current.way, current.instance, current.middle
        options, any_enabled = self.options(instance, current.location)
        provided = self.provided(instance, current.location) if middle else TRUE
        if middle:
            yield from self.asks(way, instance, current.location)
        for option in options:
            condition = way.state.expression(self.timed(binary("and", provided, option.condition), middle))
            if condition != FALSE:
                following = way.copy()
                if following.require(condition):
                    yield self.take(following, instance, option)
        if middle:
            blocked = unary("not", binary("and", provided, any_enabled))
            condition = way.state.expression(self.timed(blocked, middle))
            if condition != FALSE:
                following = way.copy()
                if following.require(condition):
                    yield self.stopped(following, instance, current.location)

    def timed(self, condition: Expression, middle: bool) -> Expression:
        """Time runs out only between steps."""
        timeout = self.steps.system.timeout
        if not middle or not self.steps.system.mentions_timeout:
            return condition
        return Forward(None, "write", timeout, None, Constant(0)).expression(condition)

    def take(self, way: Way, instance: Instance, option: _Option) -> Way | _Unfinished:
        """Execute a statement; the answer is a whole step, or one that goes on."""
        edge, effect = option.edge, option.effect
        statements = (*effect.statements, *self.moved_last(way, instance, edge, effect))
        way.statements += statements
        way.state = way.state.after(statements)
        way.taken.append(Taken(instance, edge, effect, len(way.statements)))
        if effect.failure:
            way.failure, way.asserts, way.limit = effect.failure, effect.asserts, effect.limit
            return way
        if effect.started is not None:
            child = effect.started
            way.moves[child] = (0, child.at(child.type.graph.start))
        if effect.partner is None:
            return self.goes_on(way, instance, edge)
        receiver, its_edge = effect.partner
        self.go(way, instance, instance.at(edge.target))
        way.moves.setdefault(receiver, (receiver.at(its_edge.source), receiver.at(its_edge.source)))
        return self.goes_on(way, receiver, its_edge)

    def moved_last(self, way: Way, instance: Instance, edge: Edge, effect: Effect) -> Iterator[Statement]:
        """`_last` after a statement: in a rendezvous it is the receiver, and a `d_step` is one statement."""
        last = self.steps.system.last
        inside = edge.step is not None and instance.type.graph.locations[edge.target].step == edge.step
        mover = effect.partner[0] if effect.partner is not None else instance
        if last is not None and not inside and mover is not way.moved_last:
            way.moved_last = mover
            yield Assign(Read(last), Constant(mover.pid))

    def goes_on(self, way: Way, instance: Instance, edge: Edge) -> Way | _Unfinished:
        if not edge.keeps:
            self.go(way, instance, 0 if isinstance(edge.action, Finish) else instance.at(edge.target))
        elif edge.target in instance.type.cuts:
            self.go(way, instance, instance.within(edge.target))
        elif self.turns_in_circles(way, instance, edge):
            way.failure = "an atomic step never ends"
        else:
            return _Unfinished(way, instance, edge.target, True)
        return way

    def turns_in_circles(self, way: Way, instance: Instance, edge: Edge) -> bool:
        """Whether the process was here before and nothing has changed since."""
        for taken in reversed(way.taken):
            if taken.done != len(way.statements) or taken.instance is not instance:
                return False
            if taken.edge.source == edge.target:
                before = way.taken.index(taken)
                return before > 0 and way.taken[before - 1].done == len(way.statements)
        return False

    def stopped(self, way: Way, instance: Instance, location: int) -> Way:
        """The process cannot go on: it waits there, and others have their chance."""
        graph = instance.type.graph
        way.blocked = True
        if graph.locations[location].step is not None:
            way.failure = "a d_step cannot go on inside"
            way.place = self.steps.system.scope.place(graph.locations[location].at)
        else:
            self.go(way, instance, instance.at(location))
        return way

    def go(self, way: Way, instance: Instance, target: int) -> None:
        source, _ = way.moves[instance]
        way.moves[instance] = (source, target)
        statement = self._move(instance, target)
        if source != target or any(statement.target == s.target for s in way.statements if isinstance(s, Assign)):
            way.statements.append(statement)
            way.state = way.state.after((statement,))

    def _move(self, instance: Instance, target: int) -> Assign:
        """The same object for all ways that lead there: whatever walks over statements knows it again."""
        key = id(instance), target
        if key not in self._moves:
            self._moves[key] = Assign(Read(self.steps.system.location(instance)), Constant(target))
        return self._moves[key]

    # what can be executed at a place --------------------------------------------------------------------------------

    def options(self, instance: Instance, location: int) -> tuple[list[_Option], Expression]:
        """All ways to execute a statement at a place, and the condition under which there is one."""
        key = (id(instance), location)
        if key not in self._options:
            self._options[key] = self._find_options(instance, location)
        return self._options[key]

    def _find_options(self, instance: Instance, location: int) -> tuple[list[_Option], Expression]:
        found: list[_Option] = []
        earlier: list[tuple[Edge, Expression]] = []
        ranked: list[tuple[Edge, Expression]] = []
        any_enabled: list[Expression] = []
        for edge in instance.type.graph.locations[location].edges:
            is_else = isinstance(edge.action, syntax.Else)
            first: list[Expression] = []
            # There may be very many options, and most have nothing to do with each other.
            for other, enabled in earlier if is_else or edge.step is not None else ranked:
                outranked = other.rank > 0 and other.rank != edge.rank
                same_step = other.step == edge.step
                if outranked or (same_step if edge.step is not None else is_else):
                    first.append(unary("not", enabled))
            extra = joined("and", first)
            executable: list[Expression] = []
            for effect in self.steps.effects(instance, edge):
                condition = binary("and", extra, effect.condition)
                found.append(_Option(edge, effect, condition))
                if not effect.failure:
                    executable.append(effect.condition)
            earlier.append((edge, joined("or", executable)))
            if edge.rank > 0:
                ranked.append(earlier[-1])
            any_enabled.append(TRUE if is_else else earlier[-1][1])
        return found, joined("or", any_enabled)

    def provided(self, instance: Instance, location: int) -> Expression:
        in_a_step = instance.type.graph.locations[location].step is not None
        return TRUE if in_a_step else self.steps.provided(instance)


def is_unwieldy(condition: Expression) -> bool:
    level: list[Expression] = [condition]
    size = depth = 0
    while level:
        size, depth = size + len(level), depth + 1
        if size > SIZE or depth > DEPTH:
            return True
        level = [child for part in level for child in children(part)]
    return False


def actions_of(way: Way, system: System) -> Iterator[Action]:
    """The statements of a step as a trail shows them; a rendezvous is two of them, with the effects of the receiver."""
    begun, done = Forward(), 0
    for taken in way.taken:
        messages = [_message(event, system) for event in taken.effect.events]
        both = [(taken.instance, taken.edge, taken.effect.output)]
        if taken.effect.partner is not None:
            both.append((*taken.effect.partner, ()))
        for (instance, edge, output), message in zip_longest(both, messages[: len(both)]):
            text, place = system.shown(edge)
            ran = done if taken.effect.partner is not None and instance is taken.instance else taken.done
            action = Action(instance.process, text, place, ran, output, message)
            yield _from_the_start(action, begun) if way.failure else action
        if way.failure:
            begun = begun.after(tuple(way.statements[done : taken.done]))
        done = taken.done


def _message(event: Event, system: System) -> Message:
    values = []
    for value, type in zip(event.values, event.channel.fields, strict=False):
        names = type.names
        if type is CHAN:
            names = tuple((number, channel.name) for number, channel in system.channels.items())
        values.append(Printed("e" if names else "d", value, names))
    return Message(event.sends, event.channel.name, tuple(values), stays=event.stays)


def _from_the_start(action: Action, begun: Forward) -> Action:
    """An action of a step that fails has no effects before it to show: what it tells is of the state in which the step
    begins."""
    output = tuple(part if isinstance(part, str) else _printed(part, begun) for part in action.output)
    message = action.message
    if message is not None:
        message = replace(message, values=tuple(_printed(part, begun) for part in message.values))
    return replace(action, done=0, output=output, message=message)


def _printed(part: Printed, begun: Forward) -> Printed:
    return replace(part, value=begun.expression(part.value))
