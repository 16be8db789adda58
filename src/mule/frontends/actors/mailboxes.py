"""Mailboxes and queues: what is on its way from one process to another, in cells.

A mailbox of an unordered network holds how many messages there are, and their fields, sorted, so that a multiset of
messages has one representation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mule.frontends.actors.messages import Message
from mule.frontends.actors.types import Kind
from mule.model import Channel
from mule.model.expressions import TRUE, Conditional, Constant, Expression, Read
from mule.model.simplify import binary, unary
from mule.records import replace

Payload = tuple[Expression, ...]

FIRST_CAPACITY = 1


@dataclass(frozen=True, slots=True)
class Lane:
    """Messages of one type from one process to another: what receives one asks here."""

    message: type[Message]
    sender: int
    receiver: int


@dataclass(frozen=True, slots=True)
class _InCells:
    channel: Channel

    @property
    def name(self) -> str:
        return self.channel.name

    @property
    def capacity(self) -> int:
        return self.channel.capacity


@dataclass(frozen=True, slots=True)
class Mailbox(_InCells):
    """The variables of one lane of an unordered network."""

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
class Queue(_InCells):
    """The variables of one pair in a FIFO network; the first field tells the type of a message."""

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
