"""`trace` and `notrace`: an automaton that moves along with the sends and receives that it mentions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mule.frontends.promela import syntax
from mule.frontends.promela.control import control_graph
from mule.frontends.promela.effects import Effect, Event
from mule.frontends.promela.expressions import Expressions, View
from mule.frontends.promela.graph import Edge
from mule.frontends.promela.scopes import Scope
from mule.frontends.promela.system import System
from mule.model import Assign, IntegerType
from mule.model.expressions import FALSE, TRUE, Binary, Constant, Expression, Read
from mule.model.simplify import binary, unary
from mule.records import Record, replace


class _Pattern(Record, frozen=True):
    target: int
    sends: bool
    channels: frozenset[int]
    values: tuple[Expression | None, ...]


class Trace:
    def __init__(self, system: System, declaration: syntax.TraceAssertion) -> None:
        self.negated = declaration.negated
        scope = Scope(system.program, system.scope, "trace")
        graph = control_graph(declaration.body, scope, declaration.at)
        view, expressions = View(scope, None), Expressions(system)
        self.patterns = [
            [_pattern(edge, view, expressions) for edge in location.edges if number != graph.end]
            for number, location in enumerate(graph.locations)
        ]
        self.end = graph.end
        type = IntegerType("location", 0, len(graph.locations) - 1)
        self.variable = system.builder.variable("trace", type, (graph.start,))
        every = [pattern for patterns in self.patterns for pattern in patterns]
        self.observed = {(pattern.sends, channel) for pattern in every for channel in pattern.channels}

    def followed(self, effect: Effect) -> list[Effect]:
        """An effect together with the moves of the automaton."""
        ways = [effect]
        for event in effect.events:
            if (event.sends, event.channel.number) in self.observed and not event.stays:
                ways = [moved for way in ways for moved in ([way] if way.failure else self.moves(way, event))]
        return ways

    def moves(self, effect: Effect, event: Event) -> Iterator[Effect]:
        for number, patterns in enumerate(self.patterns):
            here = binary("and", effect.condition, Binary("==", Read(self.variable), Constant(number)))
            for pattern in patterns:
                fits = matched(pattern, event)
                if fits == FALSE:
                    continue
                yield from self.move(effect, binary("and", here, fits), pattern.target)
                here = binary("and", here, unary("not", fits))
            if here != FALSE:
                yield from self.missed(effect, here, number)

    def move(self, effect: Effect, condition: Expression, target: int) -> Iterator[Effect]:
        if self.negated and target == self.end:
            yield replace(effect, condition=condition, failure="all events of the notrace happened", asserts=True)
        yield self.to(effect, condition, target)

    def missed(self, effect: Effect, condition: Expression, number: int) -> Iterator[Effect]:
        """Of a `notrace` only the first try counts."""
        if self.negated:
            yield self.to(effect, condition, self.end)
        else:
            yield replace(effect, condition=condition, failure="this event does not fit the trace", asserts=True)
            yield self.to(effect, condition, number)

    def to(self, effect: Effect, condition: Expression, target: int) -> Effect:
        moved = Assign(Read(self.variable), Constant(target))
        return replace(effect, condition=condition, statements=(*effect.statements, moved))


def _pattern(edge: Edge, view: View, expressions: Expressions) -> _Pattern:
    match edge.action:
        case syntax.Send(_, channel, arguments, _):
            wildcards = tuple(
                None if isinstance(tree, syntax.Reference) else expressions.translate(tree, view) for tree in arguments
            )
            return _Pattern(edge.target, True, _numbers(channel, view, expressions), wildcards)
        case syntax.Receive(_, channel, patterns, _, _):
            values = tuple(expressions.wanted(patterns, view))
            return _Pattern(edge.target, False, _numbers(channel, view, expressions), values)
    view.fail("a trace is made of sends and receives only", edge.action.at)


def _numbers(channel: syntax.Reference, view: View, expressions: Expressions) -> frozenset[int]:
    return frozenset(each.number for _, each in expressions.channels(channel, view))


def matched(pattern: _Pattern, event: Event) -> Expression:
    if pattern.sends != event.sends or event.channel.number not in pattern.channels:
        return FALSE
    return all_equal(event.values, pattern.values)


def all_equal(values: Sequence[Expression], wanted: Sequence[Expression | None]) -> Expression:
    result: Expression = TRUE
    for value, pattern in zip(values, wanted, strict=False):
        if pattern is not None:
            result = binary("and", result, binary("==", value, pattern))
    return result
