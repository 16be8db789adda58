"""One step of one process: what it has done so far, on one path."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from mule.errors import MuleError
from mule.frontends.actors.facts import Flow, TransitionFacts
from mule.frontends.actors.faults import Byzantine
from mule.frontends.actors.frames import NotHere
from mule.frontends.actors.layout import FieldPlace, Layout, handled
from mule.frontends.actors.mailboxes import Contents, Lane, Mailbox, Payload, Queue
from mule.frontends.actors.messages import Message
from mule.frontends.actors.networks import Fifo
from mule.frontends.actors.paths import Path
from mule.frontends.actors.post import Place, Post
from mule.frontends.actors.processes import Process
from mule.frontends.actors.shapes import Shape, codes_in, value_in
from mule.frontends.actors.sources import Sources
from mule.frontends.actors.tallies import Offer, Tally, Values
from mule.frontends.actors.types import Kind
from mule.frontends.actors.values import FieldDict, FieldList, FieldSet, Record, Symbol
from mule.model import Assign, Receive, Send, Statement
from mule.model.expressions import TRUE, Constant, Expression, Read, subexpressions
from mule.model.simplify import binary, unary
from mule.records import replace


class TooNarrow(Exception):  # noqa: N818 - becomes a transition of its own
    """A mailbox has no room on this path: only a bound of the translation, nothing is wrong."""

    def __init__(self, lane: Lane, unforeseen: bool = False) -> None:
        super().__init__()
        self.lane = lane
        self.unforeseen = unforeseen
        """Whether it is the value of the message that there is no place for."""


@dataclass(frozen=True, slots=True)
class Sent:
    to: int
    message: Record


class _LaidOut:
    """What everybody knows of the processes and messages of a system."""

    __slots__ = ()

    layout: Layout

    @property
    def sources(self) -> Sources:
        return self.layout.sources

    @property
    def begun(self) -> dict[int, str]:
        return self.layout.begun

    def message_kinds(self, cls: type[Message]) -> dict[str, Kind]:
        return self.layout.message_kinds(cls)

    def message_shapes(self, cls: type[Message]) -> dict[str, Shape]:
        return self.layout.message_shapes(cls)

    def is_field(self, process: Process, name: str) -> bool:
        number = self.layout.index(process)
        if number is None:
            raise NotHere(f"{process!r} is not among the processes of the system")
        return (number, name) in self.layout.fields


@dataclass(slots=True)
class Observer(_LaidOut):
    """What a predicate sees: every field of every process, and nothing that it could change."""

    layout: Layout
    files: frozenset[str]

    def read(self, process: Process, name: str) -> Any:
        return self.layout.initially(self.layout.index(process) or 0, name)

    def kind(self, process: Process, name: str) -> Any:
        raise NotHere("a predicate cannot assign to a field")

    def write(self, process: Process, name: str, value: Any) -> None:
        raise NotHere("a predicate cannot assign to a field")

    def send(self, to: Process, message: Record) -> None:
        raise NotHere("a predicate cannot send messages")


@dataclass(slots=True)
class Execution(_LaidOut):
    """What a handler sees and changes: its own fields, and the network."""

    layout: Layout
    post: Post
    path: Path
    process: int
    files: frozenset[str]
    spare: Callable[[int], Read]
    """Variables of the process that are 0 between steps."""
    tests: list[Expression] = field(default_factory=list)
    """What the first of them hold during this step."""
    fields: dict[tuple[int, str], Any] = field(default_factory=dict)
    """By the number of the object and the name."""
    boxes: dict[Lane, Contents] = field(default_factory=dict)
    shifts: dict[Read, int] = field(default_factory=dict)
    """By how much counts of messages have changed."""
    settled: dict[Read, int] = field(default_factory=dict)
    """What they are now, in a network that duplicates."""
    offers: list[Offer] = field(default_factory=list)
    received: list[Queue] = field(default_factory=list)
    queued: list[tuple[Queue, tuple[Expression, ...]]] = field(default_factory=list)
    inputs: list[Lane] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)

    # fields -----------------------------------------------------------------------------------------------------------

    def read(self, process: Process, name: str) -> Any:
        if self.layout.owner(process) != self.process:
            raise NotHere(f"{name} is a field of another process: a process sees only its own. Send it in a message")
        key = self._key(process, name)
        if key not in self.fields:
            self.fields[key] = self.layout.initially(*key)
        return self.fields[key]

    def _key(self, process: Process, name: str) -> tuple[int, str]:
        number = self.layout.index(process)
        assert number is not None
        return number, name

    def kind(self, process: Process, name: str) -> Any:
        if self.layout.owner(process) != self.process:
            raise NotHere(f"{name} is a field of another process: a process changes only its own. Send a message")
        place = self.layout.fields.get(self._key(process, name))
        if place is None:
            raise NotHere(f"{type(process).__name__} has no field {name}: declare it in the class, with a type")
        return place.kind

    def write(self, process: Process, name: str, value: Any) -> None:
        self.fields[self._key(process, name)] = value

    # messages ---------------------------------------------------------------------------------------------------------

    def receive(self, lane: Lane, which: int | Values, keeps: bool) -> Record:
        """Take the message in a cell of its mailbox, or one with these values, or the oldest one of its queue."""
        kinds = self.message_kinds(lane.message)
        sender = self.layout.system.processes[lane.sender]
        place = self.post.lanes[lane]
        if isinstance(place, Mailbox):
            assert isinstance(which, int)
            contents = self._contents(lane, place)
            self.path.assume(contents.takes(which))
            payload = contents.cells[which]
            if not keeps:
                self.boxes[lane] = self._counted(contents).without(which)
        elif isinstance(place, Tally):
            assert isinstance(which, tuple)
            count = place.count(which)
            self.path.assume(binary(">", count, Constant(0)))
            payload = tuple(map(Constant, which))
            if not keeps:
                self._count(place, count, -1)
        else:
            self.path.assume(place.holds(lane.message))
            payload = place.head(len(kinds))
            self.received.append(place)
        self.inputs.append(lane)
        codes = iter(payload)
        shapes = self.message_shapes(lane.message)
        values = {name: value_in(shape, lambda kind: Symbol(next(codes), kind)) for name, shape in shapes.items()}
        return Record(lane.message, values, sender)

    def send(self, to: Process, message: Record) -> None:
        receiver = self.layout.index(to)
        if receiver is None:
            raise NotHere(f"{to!r} is not among the processes of the system")
        self.sent.append(Sent(receiver, message))
        if isinstance(to, Byzantine) or issubclass(message.cls, tuple(type(to).ignores)):
            return
        if message.cls not in handled(type(to)):
            name = type(to).__name__
            hint = f"add a handler, or `ignores = ({message.cls.__name__},)`"
            raise NotHere(f"{name} has no handler for {message.cls.__name__}: {hint}")
        lane = Lane(message.cls, self.process, receiver)
        place = self.open(lane)
        shapes = self.message_shapes(message.cls)
        payload = tuple(code for name, shape in shapes.items() for code in codes_in(shape, message.fields[name], _code))
        self.offers.append(Offer(lane, payload, self.path.conditions))
        if isinstance(place, Mailbox):
            self._put(lane, place, payload)
        elif isinstance(place, Tally):
            self._tally(lane, place, payload)
        else:
            self._append(lane, place, payload)

    def open(self, lane: Lane) -> Place:
        system = self.layout.system
        network = system.network_of(lane.message)
        wanted = {lane.message}
        if isinstance(network, Fifo):
            types = handled(type(system.processes[lane.receiver]))
            wanted = {each for each in types if system.network_of(each) is network}
        ordered = sorted(wanted, key=lambda each: each.__qualname__)
        return self.post.open(lane, network, {each: self.message_kinds(each) for each in ordered})

    def _contents(self, lane: Lane, place: Mailbox) -> Contents:
        if lane not in self.boxes:
            self.boxes[lane] = place.contents()
        return self.boxes[lane]

    def _put(self, lane: Lane, place: Mailbox, payload: Payload) -> None:
        contents = self._contents(lane, place)
        if place.duplicating and self.path.decide(contents.holds(payload)):
            return
        if self.path.decide(contents.full()):
            raise TooNarrow(lane)
        # What is in the box is asked again only where the network duplicates.
        named = (lambda test: test) if place.duplicating else self._named
        self.boxes[lane] = self._counted(contents).with_message(payload, named)

    def _tally(self, lane: Lane, place: Tally, payload: Payload) -> None:
        count = place.count(self._values(lane, place, payload))
        if not place.duplicating:
            room = place.capacity - self.shifts.get(count, 0)
            if self.path.decide(binary(">=", count, Constant(room))):
                raise TooNarrow(lane)
        self._count(place, count, 1)

    def _count(self, place: Tally, count: Read, by: int) -> None:
        if place.duplicating:
            self.settled[count] = max(by, 0)
        else:
            self.shifts[count] = self.shifts.get(count, 0) + by

    def _values(self, lane: Lane, place: Tally, payload: Payload) -> Values:
        """The fields of a message as numbers: on a path of its own for each of those that are foreseen."""
        bounds = [self.path.bounds(code) for code in payload]
        if all(low == high for low, high in bounds):
            return tuple(low for low, _ in bounds)
        possible = [(values, test) for values in sorted(place.foreseen) if (test := self._are(payload, values))]
        taken = self.path.choose(len(possible) + 1)
        if taken < len(possible):
            values, test = possible[taken]
            self.path.assume(test)
            return values
        for _, test in possible:
            self.path.assume(unary("not", test))
        raise TooNarrow(lane, unforeseen=True)

    def _are(self, payload: Payload, values: Values) -> Expression | None:
        """The condition that the fields have these values; None where it cannot hold."""
        result: Expression = TRUE
        for code, value in zip(payload, values, strict=True):
            test = binary("==", code, Constant(value))
            known = self.path.truth(test)
            if known is False:
                return None
            result = result if known else binary("and", result, test)
        return result

    def _counted(self, contents: Contents) -> Contents:
        """With the number of messages in place of an expression for it, where this path knows it."""
        low, high = self.path.bounds(contents.count)
        return replace(contents, count=Constant(low)) if low == high else contents

    def _named(self, test: Expression) -> Expression:
        """A condition that several assignments need."""
        if isinstance(test, Constant):
            return test
        self.tests.append(test)
        return self.spare(len(self.tests) - 1)

    def _append(self, lane: Lane, place: Queue, payload: Payload) -> None:
        before = sum(queue is place for queue, _ in self.queued)
        room = place.channel.capacity - before
        if room <= 0 or self.path.decide(binary(">=", Read(place.channel.length), Constant(room))):
            raise TooNarrow(lane)
        unused = len(place.channel.fields) - 1 - len(payload)
        tag = Constant(place.types.index(lane.message))
        self.queued.append((place, (tag, *payload, *[Constant(0)] * unused)))

    # the result -------------------------------------------------------------------------------------------------------

    def assignments(self) -> dict[Read, Expression]:
        """What is different afterwards, in terms of the state before."""
        found: dict[Read, Expression] = {}
        require_apart(self.fields.values())
        for key, value in self.fields.items():
            found |= written(self.layout.fields[key], value)
        for lane, contents in self.boxes.items():
            mailbox = self.post.lanes[lane]
            assert isinstance(mailbox, Mailbox)
            found[Read(mailbox.channel.length)] = contents.count
            for position, cell in enumerate(contents.cells):
                for variable, code in zip(mailbox.channel.fields, cell, strict=True):
                    found[Read(variable, Constant(position))] = code
        found |= {
            count: binary("+" if by > 0 else "-", count, Constant(abs(by))) for count, by in self.shifts.items() if by
        }
        found |= {count: Constant(now) for count, now in self.settled.items()}
        return {target: value for target, value in found.items() if target != value}

    def statements(self) -> list[Statement]:
        """Sends see the state before; then come assignments, each before what it reads is overwritten; a message leaves
        its queue when all that hangs on it is done."""
        tests: list[Statement] = [Assign(self.spare(number), test) for number, test in enumerate(self.tests)]
        cleared: list[Statement] = [Assign(self.spare(number), Constant(0)) for number in range(len(self.tests))]
        sends: list[Statement] = [Send(queue.channel, values) for queue, values in self.queued]
        receives: list[Statement] = [
            Receive(queue.channel, (None,) * len(queue.channel.fields)) for queue in self.received
        ]
        assigned = in_order(self.assignments(), lambda number: self.spare(len(self.tests) + number))
        return [*sends, *tests, *assigned, *cleared, *receives]

    def facts(self, statements: Sequence[Statement]) -> TransitionFacts:
        """What the transition of this path reads, writes, consumes and sends."""
        own = {
            variable
            for (number, _), place in self.layout.fields.items()
            if self.layout.owners[number] == self.process
            for variable in place.variables
        }
        values = [each.value for each in statements if isinstance(each, Assign)]
        sent = [value for each in statements if isinstance(each, Send) for value in each.values]
        read = {
            part.variable.name
            for expression in (*self.path.conditions, *values, *sent)
            for part in subexpressions(expression)
            if isinstance(part, Read) and part.variable in own
        }
        written = {
            each.target.variable.name for each in statements if isinstance(each, Assign) and each.target.variable in own
        }
        outputs = [Lane(each.message.cls, self.process, each.to) for each in self.sent]
        inputs = flows_of(self.inputs)
        return TransitionFacts(
            self.process, inputs, flows_of(outputs), frozenset(read), frozenset(written), bool(inputs)
        )


def flows_of(lanes: Sequence[Lane]) -> tuple[Flow, ...]:
    return tuple(dict.fromkeys(Flow(lane.message.__name__, lane.sender, lane.receiver) for lane in lanes))


def require_apart(values: Collection[Any]) -> None:
    """No two fields hold one list or one set when a step is over: in the model each has its own."""
    seen: dict[int, FieldList | FieldSet | FieldDict] = {}
    for each in values:
        if not isinstance(each, FieldList | FieldSet | FieldDict):
            continue
        one = id(each.elements) if isinstance(each, FieldList) else id(each)
        other = seen.pop(one, None)
        seen[one] = each
        if other is not None:
            what = "list" if isinstance(each, FieldList) else "dict" if isinstance(each, FieldDict) else "set"
            message = f"two fields would share one {what}: write {what}(…) for a copy"
            raise MuleError(message, each.stored or other.stored)


def written(place: FieldPlace, value: Any) -> dict[Read, Expression]:
    """What the slots of a field hold when it has this value."""
    match value:
        case FieldList(_, kind, elements):
            found = {Read(place.variable, Constant(n)): _code(each, kind) for n, each in enumerate(elements)}
            if place.length is None or value.length is not None:
                return found
            unused = range(len(elements), place.variable.size)
            found |= {Read(place.variable, Constant(n)): Constant(kind.unused) for n in unused}
            return found | {Read(place.length): Constant(len(elements))}
        case FieldSet(mask):
            return {Read(place.variable): mask}
        case FieldDict(_, dict_kind, there, values):
            assert place.length is not None
            codes = [_code(each, dict_kind.value) for each in values]
            found = {Read(place.variable, Constant(n)): code for n, code in enumerate(codes)}
            return found | {Read(place.length, Constant(n)): each for n, each in enumerate(there)}
    assert isinstance(place.kind, Kind)
    return {Read(place.variable): _code(value, place.kind)}


def _code(value: Any, kind: Kind) -> Expression:
    if isinstance(value, Symbol):
        return value.expression
    code = kind.encode(value)
    assert code is not None
    return Constant(code)


def in_order(assignments: dict[Read, Expression], scratch: Callable[[int], Read]) -> list[Statement]:
    """Assignments that happen at once as statements that happen one after the other. Where two need each other's old
    value, one is kept aside in `scratch`."""
    pending = {
        target: (value, {part for part in subexpressions(value) if isinstance(part, Read)})
        for target, value in assignments.items()
    }
    statements: list[Statement] = []
    aside: list[tuple[Read, Read]] = []
    while pending:
        free = [
            target
            for target in pending
            if not any(target in reads for other, (_, reads) in pending.items() if other != target)
        ]
        if free:
            for target in free:
                value, _ = pending.pop(target)
                statements.append(Assign(target, value))
            continue
        target, (value, _) = next(iter(pending.items()))
        del pending[target]
        spare = scratch(len(aside))
        statements.append(Assign(spare, value))
        aside.append((target, spare))
    statements += [Assign(target, spare) for target, spare in aside]
    return [*statements, *(Assign(spare, Constant(0)) for _, spare in aside)]
