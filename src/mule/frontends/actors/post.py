"""The network as variables of the model: no variable is shared by more than one sender and one receiver.

In an unordered network each type of message has a mailbox of its own for each pair of processes; in a FIFO network each
pair has a queue. How much room they need is guessed: see `Model.wider`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mule.frontends.actors.faults import Byzantine
from mule.frontends.actors.mailboxes import Lane, Mailbox, Queue
from mule.frontends.actors.messages import Message
from mule.frontends.actors.networks import Fifo, Network, Unordered
from mule.frontends.actors.processes import Process
from mule.frontends.actors.tallies import Room, Tally
from mule.frontends.actors.types import IntKind, Kind
from mule.model import Bag, IntegerType, Role, Variable
from mule.model.builder import ModelBuilder

Place = Mailbox | Tally | Queue


class Post:
    """All mailboxes and queues, made as they are needed: a lane on which nothing is ever sent has none."""

    def __init__(
        self, builder: ModelBuilder, processes: Sequence[Process], rooms: Mapping[type[Message], Room]
    ) -> None:
        self._builder = builder
        self._processes = processes
        self._rooms = rooms
        """Where there is room for more than one message of a type."""
        self.lanes: dict[Lane, Place] = {}
        self._queues: dict[tuple[int, int, int], Queue] = {}

    def open(
        self,
        lane: Lane,
        network: Network,
        kinds: dict[type[Message], dict[str, Kind]],
    ) -> Place:
        """The place for the messages of a lane. `kinds`: of all messages that the receiver handles in this network."""
        known = self.lanes.get(lane)
        if known is None:
            known = self.lanes[lane] = self._made(lane, network, kinds)
        return known

    def _made(self, lane: Lane, network: Network, kinds: dict[type[Message], dict[str, Kind]]) -> Place:
        sender, receiver = self._processes[lane.sender].name, self._processes[lane.receiver].name
        if isinstance(network, Fifo):
            pair = (id(network), lane.sender, lane.receiver)
            if pair not in self._queues:
                self._queues[pair] = self._queue(f"{sender} to {receiver}", network, kinds)
            return self._queues[pair]
        assert isinstance(network, Unordered)
        name = f"{lane.message.__name__} from {sender} to {receiver}"
        # A Byzantine process waits until its last message of a type has been taken.
        room = Room() if isinstance(self._processes[lane.sender], Byzantine) else self._room(lane.message)
        if room.foreseen is not None:
            known = room.foreseen.get(lane, frozenset())
            capacity = 1 if network.duplicating else room.capacity
            own = kinds[lane.message]
            return Tally(lane, name, own, capacity, network.duplicating, network.lossy, known, self._count)
        slots = tuple(kinds[lane.message].values())
        channel = self._builder.channel(name, room.capacity, [kind.integers for kind in slots], told=True)
        return Mailbox(channel, slots, network.duplicating, network.lossy)

    def bags(self) -> tuple[Bag, ...]:
        return tuple(place.bag() for place in self.lanes.values() if isinstance(place, Tally))

    def boxes(self) -> dict[Lane, Mailbox]:
        return {lane: place for lane, place in self.lanes.items() if isinstance(place, Mailbox)}

    def _count(self, name: str, capacity: int) -> Variable:
        return self._builder.variable(name, IntegerType(f"0..{capacity}", 0, capacity), role=Role.CHANNEL)

    def _room(self, message: type[Message]) -> Room:
        return self._rooms.get(message, Room())

    def _queue(self, name: str, network: Fifo, kinds: dict[type[Message], dict[str, Kind]]) -> Queue:
        types = tuple(kinds)
        names = tuple((number, cls.__name__) for number, cls in enumerate(types))
        slots = [IntegerType("message", 0, max(len(types) - 1, 0), names=names)]
        for position in range(max(len(each) for each in kinds.values())):
            here = [list(each.values())[position] for each in kinds.values() if len(each) > position]
            low, high = min(0, *(kind.low for kind in here)), max(0, *(kind.high for kind in here))
            slots.append(here[0].integers if len(here) == 1 and low == here[0].low else IntKind(low, high).integers)
        return Queue(
            self._builder.channel(name, max(self._room(each).capacity for each in types), slots, told=True),
            types,
            network.lossy,
        )
