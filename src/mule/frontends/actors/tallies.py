"""Mailboxes whose messages are counted, by value: sending one and taking another then do not get into each other's way.

Which values can be sent is guessed by an analysis of the model in which there is room for one message only; a value
that it did not foresee is a limit of the translation, as is a count that gets too high (see `Model.wider`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from mule.frontends.actors.mailboxes import FIRST_CAPACITY, Lane, Mailbox, Payload
from mule.frontends.actors.messages import Message
from mule.frontends.actors.types import Kind
from mule.model import Bag, Model, Variable
from mule.model.domains import Domains
from mule.model.expressions import Expression, Read
from mule.model.value_analysis import compute_domains
from mule.model.value_sets import EMPTY, Domain, Overlay, combinations, intersection, join

MOST_VALUES = 64
"""A lane with more different messages than this has a list of them."""
MOST_WAYS = 2000
"""A handler with more ways than this to take its messages has them from lists."""

Values = tuple[int, ...]
"""The fields of a message, as codes of their kinds."""
Foreseen = Mapping[Lane, frozenset[Values]]


@dataclass(frozen=True, slots=True)
class Room:
    """How the messages of one type are kept in an unordered network, and how many find room: in the whole mailbox, or
    of each value where they are counted."""

    capacity: int = FIRST_CAPACITY
    foreseen: Foreseen | None = None
    """Where they are counted: what can be sent on each lane, as far as is known."""


class TooMany(Exception):  # noqa: N818 - becomes another translation
    """Messages of these types cannot be counted: there are too many values, or ways to combine them."""

    def __init__(self, messages: Iterable[type[Message]]) -> None:
        super().__init__()
        self.messages = frozenset(messages)


@dataclass(slots=True, eq=False)
class Tally:
    """The variables of one lane of an unordered network, one for each message that is ever sent there."""

    lane: Lane
    name: str
    kinds: Mapping[str, Kind]
    capacity: int
    duplicating: bool
    lossy: bool
    foreseen: frozenset[Values]
    declare: Callable[[str, int], Variable]
    counts: dict[Values, Variable] = field(default_factory=dict)

    def count(self, values: Values) -> Read:
        """How many messages with these fields there are."""
        known = self.counts.get(values)
        if known is None:
            if len(self.counts) >= MOST_VALUES:
                raise TooMany([self.lane.message])
            text = ", ".join(map(str, self.shown(values)))
            known = self.counts[values] = self.declare(f"{self.name} ({text})", self.capacity)
        return Read(known)

    def shown(self, values: Values) -> tuple[int | str, ...]:
        return tuple(dict(kind.names()).get(code, code) for kind, code in zip(self.kinds.values(), values, strict=True))

    def bag(self) -> Bag:
        return Bag(self.name, tuple((self.counts[values], self.shown(values)) for values in sorted(self.counts)))


@dataclass(frozen=True, slots=True)
class Offer:
    """A message that some path sends, and under which conditions."""

    lane: Lane
    payload: Payload
    conditions: Sequence[Expression]


def foreseen(
    model: Model, offers: Sequence[Offer], boxes: Mapping[Lane, Mailbox], message: type[Message]
) -> Foreseen | None:
    """What can be sent on the lanes of a type, by the values that variables can have; None: too much.

    Of a message that is handed on, only values that were sent count, not what is in a cell without a message."""
    domains = compute_domains(model)
    overlays = [domains.given(offer.conditions) for offer in offers]
    cells = {lane: [_slots(model, box, number) for number in range(len(box.kinds))] for lane, box in boxes.items()}
    sent = {slot: EMPTY for fields in cells.values() for slots in fields for slot in slots}
    before = None
    while before != sent:
        before = dict(sent)
        found: dict[Lane, set[Values]] = {}
        for offer, overlay in zip(offers, overlays, strict=True):
            images = None if overlay is None else _images(domains, offer.payload, overlay, sent)
            if images is None:
                continue
            for slots, image in zip(cells.get(offer.lane, ()), images, strict=False):
                sent |= {slot: join(sent[slot], image) for slot in slots}
            if offer.lane.message is message:
                if combinations(images) > MOST_VALUES:
                    return None
                found.setdefault(offer.lane, set()).update(product(*images))
    if any(len(values) > MOST_VALUES for values in found.values()):
        return None
    return {lane: frozenset(values) for lane, values in found.items()}


def _slots(model: Model, box: Mailbox, number: int) -> range:
    first = model.slot_of[box.channel.fields[number]]
    return range(first, first + box.capacity)


def _images(domains: Domains, payload: Payload, overlay: Overlay, sent: Overlay) -> list[Domain] | None:
    """The values of each field; None where it hands on a message that is not known to be sent."""
    narrowed = dict(overlay)
    for code in payload:
        for slot in domains.evaluation.profile(code).slots:
            if slot in sent:
                narrowed[slot] = intersection(overlay.get(slot) or domains.values[slot], sent[slot])
                if not narrowed[slot]:
                    return None
    return [domains.evaluation.image(code, domains.values, narrowed) for code in payload]


def wider(room: Room, foresee: Callable[[], Foreseen | None], unforeseen: bool) -> Room:
    """Room for messages of a type for which there was too little, or for which a value was not foreseen."""
    listed = Room(more_than(room.capacity))
    if room.foreseen is None:
        if room.capacity > FIRST_CAPACITY:
            return listed
        known = foresee()
        return listed if known is None else Room(FIRST_CAPACITY, known)
    if not unforeseen:
        return Room(more_than(room.capacity), room.foreseen)
    known = foresee() or {}
    nothing: frozenset[Values] = frozenset()
    union = {lane: room.foreseen.get(lane, nothing) | known.get(lane, nothing) for lane in {*room.foreseen, *known}}
    if union == room.foreseen or any(len(values) > MOST_VALUES for values in union.values()):
        return listed
    return Room(room.capacity, union)


def more_than(capacity: int) -> int:
    """A little more at first: every cell of a mailbox costs transitions."""
    return capacity + 1 if capacity < 4 else 2 * capacity
