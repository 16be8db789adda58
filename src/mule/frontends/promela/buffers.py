"""Messages in the cells of a buffered channel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mule.frontends.promela.processes import MessageChannel
from mule.model import Assign, Statement
from mule.model.expressions import FALSE, Constant, Expression, Read
from mule.model.simplify import binary


def append(channel: MessageChannel, values: Sequence[Expression]) -> Iterator[Statement]:
    assert channel.length is not None
    length = Read(channel.length)
    for cell, value in zip(channel.cells, values, strict=True):
        yield Assign(Read(cell, length), value)
    yield Assign(length, binary("+", length, Constant(1)))


def insert(channel: MessageChannel, position: int, values: Sequence[Expression]) -> Iterator[Statement]:
    assert channel.length is not None
    for cell, value in zip(channel.cells, values, strict=True):
        for index in range(channel.capacity - 1, position, -1):
            yield Assign(Read(cell, Constant(index)), Read(cell, Constant(index - 1)))
        yield Assign(Read(cell, Constant(position)), value)
    length = Read(channel.length)
    yield Assign(length, binary("+", length, Constant(1)))


def remove(channel: MessageChannel, position: int) -> Iterator[Statement]:
    assert channel.length is not None
    for cell in channel.cells:
        for index in range(position, channel.capacity):
            last = index + 1 == channel.capacity
            yield Assign(Read(cell, Constant(index)), Constant(0) if last else Read(cell, Constant(index + 1)))
    length = Read(channel.length)
    yield Assign(length, binary("-", length, Constant(1)))


def is_greater(channel: MessageChannel, position: int, values: Sequence[Expression]) -> Expression:
    result: Expression = FALSE
    for cell, value in reversed(list(zip(channel.cells, values, strict=True))):
        there = Read(cell, Constant(position))
        result = binary("or", binary(">", there, value), binary("and", binary("==", there, value), result))
    return result
