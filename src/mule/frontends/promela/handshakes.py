"""Rendezvous: who can take a message that is handed over, each a step of sender and receiver together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from mule.frontends.promela import syntax
from mule.frontends.promela.effects import Effect, Event
from mule.frontends.promela.expressions import Expressions, View
from mule.frontends.promela.graph import Edge
from mule.frontends.promela.presence import stands_at
from mule.frontends.promela.processes import Instance, MessageChannel
from mule.frontends.promela.system import System
from mule.frontends.promela.trace import all_equal
from mule.model import Assign, Statement, Variable
from mule.model.expressions import TRUE, Constant, Expression, Read, variables_read
from mule.model.forward import wrapped
from mule.model.simplify import binary, is_total, unary
from mule.records import Record

Receiving = tuple[Instance, int, Edge]
Wanted = Sequence[Expression | None]


class _Receiver(Record, frozen=True):
    """A place where a process can receive from a channel, translated once for all who send there."""

    instance: Instance
    edge: Edge
    here: Expression
    """The process is at that place."""
    condition: Expression
    """It is this channel that the statement means."""
    wanted: Wanted
    targets: Sequence[Read | None]
    provided: Expression
    cannot_fail: bool
    """To ask whether the process is there, and whether it means this channel."""
    escapes: Sequence[tuple[Expression, Wanted]]
    """What would take a message before this statement does: under which condition, and which message."""


class Handshakes:
    def __init__(self, system: System, expressions: Expressions) -> None:
        self.system = system
        self.expressions = expressions
        self._receiving: list[Receiving] | None = None
        self._receivers: dict[int, list[_Receiver]] | None = None
        self._stored: dict[Assign, Assign] = {}
        """What pairs of a sender and a receiver have in common: whatever walks over statements knows it again."""

    def receiving(self) -> list[Receiving]:
        """All places with a receive statement, of whatever channel."""
        if self._receiving is None:
            self._receiving = [
                (instance, number, edge)
                for instance in self.system.instances
                for number, location in enumerate(instance.type.graph.locations)
                for edge in location.edges
                if isinstance(edge.action, syntax.Receive) and not edge.action.keep
            ]
        return self._receiving

    def effects(
        self, condition: Expression, channel: MessageChannel, values: Sequence[Expression], sender: Instance
    ) -> Iterator[Effect]:
        """One for each statement of another process that can take the message."""
        cut = [wrapped(type, value) for type, value in zip(channel.fields, values, strict=True)]
        events = (Event(True, channel, tuple(cut)), Event(False, channel, tuple(cut)))
        cannot_fail = is_total(condition)
        for receiver in self._of(channel):
            if receiver.instance.pid == sender.pid:
                continue
            if cannot_fail and receiver.cannot_fail and _never_fits(cut, receiver.wanted):
                continue
            there = condition
            for its_condition, wanted in receiver.escapes:
                if len(wanted) == len(cut):
                    takes = binary("and", its_condition, all_equal(cut, wanted))
                    there = binary("and", there, unary("not", takes))
            there = binary("and", binary("and", there, receiver.here), receiver.condition)
            if len(receiver.wanted) != len(cut):
                text = f"a message of {channel.name} has {len(cut)} fields, not {len(receiver.wanted)}"
                yield Effect(there, failure=text)
                continue
            there = binary("and", binary("and", there, all_equal(cut, receiver.wanted)), receiver.provided)
            statements = tuple(self._passed(cut, receiver.targets))
            yield Effect(there, statements, partner=(receiver.instance, receiver.edge), events=events)

    def provided(self, instance: Instance) -> Expression:
        tree = instance.type.provided
        return TRUE if tree is None else self.expressions.condition(tree, View(instance.type.scope, instance))

    def _of(self, channel: MessageChannel) -> list[_Receiver]:
        """Those of one channel; asked for only when it is known which channels variables can hold."""
        if self._receivers is None:
            self._receivers = {}
            for receiving in self.receiving():
                for number, receiver in self._translated(receiving):
                    self._receivers.setdefault(number, []).append(receiver)
        return self._receivers.get(channel.number, [])

    def _translated(self, receiving: Receiving) -> Iterator[tuple[int, _Receiver]]:
        instance, location, edge = receiving
        view, receive = View(edge.scope, instance), edge.action
        assert isinstance(receive, syntax.Receive)
        possible = [each for each in self.expressions.channels(receive.channel, view) if each[1].is_rendezvous]
        if not possible:
            return
        here, provided = stands_at(self.system, instance, location), self.provided(instance)
        wanted = self.expressions.wanted(receive.patterns, view)
        targets = self.expressions.targets(receive.patterns, view)
        for condition, channel in possible:
            escapes = list(self._escapes(channel, receiving))
            cannot_fail = is_total(condition) and not escapes
            yield (
                channel.number,
                _Receiver(instance, edge, here, condition, wanted, targets, provided, cannot_fail, escapes),
            )

    def _escapes(self, channel: MessageChannel, receiving: Receiving) -> Iterator[tuple[Expression, Wanted]]:
        instance, location, edge = receiving
        for other in takewhile(lambda other: other is not edge, instance.type.graph.locations[location].edges):
            receive, view = other.action, View(other.scope, instance)
            if other.rank in (0, edge.rank) or not isinstance(receive, syntax.Receive):
                continue
            for condition, its_channel in self.expressions.channels(receive.channel, view):
                if its_channel is channel:
                    yield condition, self.expressions.wanted(receive.patterns, view)

    def _passed(self, values: Sequence[Expression], targets: Sequence[Read | None]) -> Iterator[Statement]:
        """All values are taken before any is stored."""
        pairs = [(value, target) for value, target in zip(values, targets, strict=True) if target is not None]
        written: set[Variable] = set()
        direct = True
        for value, target in pairs:
            direct = direct and not (written and variables_read(value) & written)
            written.add(target.variable)
        if direct:
            for value, target in pairs:
                stored = Assign(target, value)
                yield self._stored.setdefault(stored, stored)
            return
        passing = [Read(self.system.passing(position)) for position in range(len(pairs))]
        yield from (Assign(place, value) for place, (value, _) in zip(passing, pairs, strict=True))
        yield from (Assign(target, place) for place, (_, target) in zip(passing, pairs, strict=True))
        yield from (Assign(place, Constant(0)) for place in passing)


def _never_fits(values: Sequence[Expression], wanted: Wanted) -> bool:
    """Whether a constant of the message is not the one that is waited for, with nothing before it that can fail; not
    where the numbers of fields differ, which is an error of its own."""
    if len(values) != len(wanted):
        return False
    for value, asked in zip(values, wanted, strict=True):
        if isinstance(value, Constant) and isinstance(asked, Constant):
            if value.value != asked.value:
                return True
        elif asked is not None and not (is_total(value) and is_total(asked)):
            return False
    return False
