"""The network as variables of the model: no variable is shared by more than one sender and one receiver.

In an unordered network each type of message has a mailbox of its own for each pair of processes: how many messages
there are, and their fields, sorted, so that a multiset of messages has one representation. In a FIFO network each pair
has a queue. How much room they need is guessed: see `Model.wider`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mule.frontends.actors.messages import Message
from mule.frontends.actors.networks import Fifo, Network, Unordered
from mule.frontends.actors.processes import Process
from mule.frontends.actors.types import IntKind, Kind
from mule.model import Channel, IntegerType
from mule.model.builder import ModelBuilder
from mule.model.expressions import TRUE, Conditional, Constant, Expression, Read
from mule.model.simplify import binary, unary

Payload = tuple[Expression, ...]

FIRST_CAPACITY = 1


@dataclass(frozen=True, slots=True)
class Lane:
    """Messages of one type from one process to another: what receives one asks here."""

    message: type[Message]
    sender: int
    receiver: int


@dataclass(frozen=True, slots=True)
class Mailbox:
    """The variables of one lane of an unordered network."""

    channel: Channel
    kinds: tuple[Kind, ...]
    duplicating: bool
    lossy: bool

    def contents(self) -> Contents:
        """Before a step."""
        cells = [
            tuple(Read(field, Constant(position)) for field in self.channel.fields)
            for position in range(self.channel.capacity)
        ]
        return Contents(Read(self.channel.length), cells, self.empty)

    @property
    def empty(self) -> Payload:
        """What is in a cell without a message."""
        return tuple(Constant(field.initial[0]) for field in self.channel.fields)


@dataclass(frozen=True, slots=True)
class Queue:
    """The variables of one pair in a FIFO network; the first field tells the type of a message."""

    channel: Channel
    types: tuple[type[Message], ...]
    lossy: bool

    def head(self, size: int) -> Payload:
        return tuple(Read(field, Constant(0)) for field in self.channel.fields[1 : size + 1])

    def holds(self, message: type[Message]) -> Expression:
        """Whether the oldest message is of this type."""
        tag = Read(self.channel.fields[0], Constant(0))
        there = binary(">", Read(self.channel.length), Constant(0))
        return binary("and", there, binary("==", tag, Constant(self.types.index(message))))


@dataclass(frozen=True, slots=True)
class Contents:
    """A mailbox in the middle of a step: `count` messages in sorted cells, the others empty."""

    count: Expression
    cells: Sequence[Payload]
    empty: Payload

    def full(self) -> Expression:
        return self.more_than(len(self.cells) - 1)

    def more_than(self, number: int) -> Expression:
        if number == len(self.cells) - 1:
            return binary("==", self.count, Constant(number + 1))
        return binary(">", self.count, Constant(number))

    def holds(self, payload: Payload) -> Expression:
        result: Expression = Constant(0)
        for position, cell in enumerate(self.cells):
            there = self.more_than(position)
            result = binary("or", result, binary("and", there, _equal(cell, payload)))
        return result

    def with_message(self, payload: Payload, named: Callable[[Expression], Expression]) -> Contents:
        """Put in where it belongs; there must be room. `named` lets the cells share the results of comparisons."""
        count = binary("+", self.count, Constant(1))
        if len(self.cells) == 1:
            return replace(self, count=count, cells=[payload])
        cells: list[Payload] = []
        stays_before: Expression = TRUE
        for position, cell in enumerate(self.cells):
            there = self.more_than(position)
            stays = named(binary("and", there, _at_most(cell, payload)))
            before = self.empty if position == 0 else self.cells[position - 1]
            moved = _chosen(stays_before, payload, before)
            cells.append(_chosen(stays, cell, moved))
            stays_before = stays
        return replace(self, count=count, cells=cells)

    def without(self, position: int) -> Contents:
        """The message in a cell taken out."""
        kept = [*self.cells[:position], *self.cells[position + 1 :], self.empty]
        return replace(self, count=binary("-", self.count, Constant(1)), cells=kept)

    def takes(self, position: int) -> Expression:
        """Whether the message in this cell is there, and is not the same as the one before it."""
        there = self.more_than(position)
        if position == 0:
            return there
        return binary("and", there, unary("not", _equal(self.cells[position - 1], self.cells[position])))


def _chosen(condition: Expression, then: Payload, otherwise: Payload) -> Payload:
    if isinstance(condition, Constant):
        return then if condition.value else otherwise
    return tuple(a if a == b else Conditional(condition, a, b) for a, b in zip(then, otherwise, strict=True))


def _equal(left: Payload, right: Payload) -> Expression:
    result: Expression = TRUE
    for a, b in zip(left, right, strict=True):
        result = binary("and", result, binary("==", a, b))
    return result


def _at_most(left: Payload, right: Payload) -> Expression:
    """Whether the left payload comes first in the order, or is the same."""
    if not left:
        return TRUE
    less = binary("<", left[0], right[0])
    if len(left) == 1:
        return binary("<=", left[0], right[0])
    same = binary("==", left[0], right[0])
    return binary("or", less, binary("and", same, _at_most(left[1:], right[1:])))


class Post:
    """All mailboxes and queues, made as they are needed: a lane on which nothing is ever sent has none."""

    def __init__(
        self, builder: ModelBuilder, processes: Sequence[Process], capacities: Mapping[type[Message], int]
    ) -> None:
        self._builder = builder
        self._processes = processes
        self._capacities = capacities
        """How many messages of a type find room, where it is not one."""
        self.lanes: dict[Lane, Mailbox | Queue] = {}
        self._queues: dict[tuple[int, int, int], Queue] = {}

    def open(
        self,
        lane: Lane,
        network: Network,
        kinds: dict[type[Message], dict[str, Kind]],
    ) -> Mailbox | Queue:
        """The place for the messages of a lane. `kinds`: of all messages that the receiver handles in this network."""
        known = self.lanes.get(lane)
        if known is None:
            known = self.lanes[lane] = self._made(lane, network, kinds)
        return known

    def _made(self, lane: Lane, network: Network, kinds: dict[type[Message], dict[str, Kind]]) -> Mailbox | Queue:
        sender, receiver = self._processes[lane.sender].name, self._processes[lane.receiver].name
        if isinstance(network, Fifo):
            pair = (id(network), lane.sender, lane.receiver)
            if pair not in self._queues:
                self._queues[pair] = self._queue(f"{sender} to {receiver}", network, kinds)
            return self._queues[pair]
        assert isinstance(network, Unordered)
        own = tuple(kinds[lane.message].values())
        name = f"{lane.message.__name__} from {sender} to {receiver}"
        channel = self._builder.channel(
            name, self._capacity([lane.message]), [kind.integers for kind in own], told=True
        )
        return Mailbox(channel, own, network.duplicating, network.lossy)

    def _capacity(self, types: Iterable[type[Message]]) -> int:
        return max(self._capacities.get(each, FIRST_CAPACITY) for each in types)

    def _queue(self, name: str, network: Fifo, kinds: dict[type[Message], dict[str, Kind]]) -> Queue:
        types = tuple(kinds)
        names = tuple((number, cls.__name__) for number, cls in enumerate(types))
        slots = [IntegerType("message", 0, max(len(types) - 1, 0), names=names)]
        for position in range(max(len(each) for each in kinds.values())):
            here = [list(each.values())[position] for each in kinds.values() if len(each) > position]
            low, high = min(0, *(kind.low for kind in here)), max(0, *(kind.high for kind in here))
            slots.append(here[0].integers if len(here) == 1 and low == here[0].low else IntKind(low, high).integers)
        return Queue(self._builder.channel(name, self._capacity(types), slots, told=True), types, network.lossy)
