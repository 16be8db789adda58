"""Messages in the cells of a buffered channel.

Where messages are taken out of the middle, or put there, a small channel has a step for each position. A large one has
one step, which finds the position first (`find`) and then moves every cell or leaves it: what that takes grows with the
capacity, not with its square.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mule.frontends.promela.processes import MessageChannel
from mule.model import Assign, Statement, Variable
from mule.model.expressions import FALSE, TRUE, Binary, Conditional, Constant, Expression, Read
from mule.model.forward import chosen
from mule.model.simplify import binary, joined

LARGE = 16
"""A channel with room for more messages has one step for all positions."""


def append(channel: MessageChannel, values: Sequence[Expression]) -> Iterator[Statement]:
    assert channel.length is not None
    length = Read(channel.length)
    for cell, value in zip(channel.cells, values, strict=True):
        yield Assign(Read(cell, length), value)
    yield Assign(length, binary("+", length, Constant(1)))


def insert(channel: MessageChannel, at: Expression, values: Sequence[Expression]) -> Iterator[Statement]:
    """At a position, known or found."""
    assert channel.length is not None
    for cell, value in zip(channel.cells, values, strict=True):
        for index in range(channel.capacity - 1, 0, -1):
            yield from _moved(cell, index, binary("<", at, Constant(index)), Read(cell, Constant(index - 1)))
        yield Assign(Read(cell, at), value)
    length = Read(channel.length)
    yield Assign(length, binary("+", length, Constant(1)))


def remove(channel: MessageChannel, at: Expression) -> Iterator[Statement]:
    assert channel.length is not None
    for cell in channel.cells:
        for index in range(channel.capacity):
            last = index + 1 == channel.capacity
            following = Constant(0) if last else Read(cell, Constant(index + 1))
            yield from _moved(cell, index, binary("<=", at, Constant(index)), following)
    length = Read(channel.length)
    yield Assign(length, binary("-", length, Constant(1)))


def _moved(cell: Variable, index: int, test: Expression, neighbour: Expression) -> Iterator[Statement]:
    """A cell gets what is in its neighbour, if the test holds."""
    here = Read(cell, Constant(index))
    if test != FALSE:
        yield Assign(here, chosen(test, neighbour, here))


def is_large(channel: MessageChannel) -> bool:
    return channel.capacity > LARGE


def find(at: Variable, tests: Sequence[Expression]) -> Iterator[Statement]:
    """The first position for which a test holds; there must be one."""
    for index in reversed(range(len(tests))):
        yield Assign(Read(at), Conditional(tests[index], Constant(index), Read(at)))


def first_of(tests: Sequence[Expression], values: Sequence[Expression]) -> Expression:
    """The value that belongs to the first test that holds, the last one where none does; no deeper than it must be."""
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    return chosen(
        joined("or", tests[:half]), first_of(tests[:half], values[:half]), first_of(tests[half:], values[half:])
    )


def is_greater(channel: MessageChannel, position: int, values: Sequence[Expression]) -> Expression:
    result: Expression = FALSE
    for cell, value in reversed(list(zip(channel.cells, values, strict=True))):
        there = Read(cell, Constant(position))
        result = binary("or", binary(">", there, value), binary("and", binary("==", there, value), result))
    return result


def queried(function: str, channel: MessageChannel) -> Expression:
    """A rendezvous channel is never full, and always empty: so says SPIN's verifier."""
    length: Expression = Constant(0) if channel.length is None else Read(channel.length)
    capacity = Constant(max(channel.capacity, 1))
    match function:
        case "len":
            return length
        case "empty":
            return binary("==", length, Constant(0))
        case "nempty":
            return binary(">", length, Constant(0))
        case "full":
            return binary("==", length, capacity)
        case "nfull":
            return binary("<", length, capacity)
    raise ValueError(function)


def filled(channel: MessageChannel, position: int) -> Expression:
    """Whether there is a message at a position."""
    assert channel.length is not None
    return Binary(">", Read(channel.length), Constant(position))


def matches(channel: MessageChannel, position: int, wanted: Sequence[Expression | None]) -> Expression:
    result: Expression = TRUE
    for cell, value in zip(channel.cells, wanted, strict=False):
        if value is not None:
            result = binary("and", result, binary("==", Read(cell, Constant(position)), value))
    return result
