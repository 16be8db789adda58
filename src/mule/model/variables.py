"""Typed variables; arrays and channels are flattened into consecutive slots of the state vector."""

from __future__ import annotations

from enum import Enum

from mule.records import Record


class IntegerType(Record, frozen=True):
    """The values low..high. What is assigned from outside wraps around, as a C cast would; where the type is
    `checked`, such an assignment is an error of the model instead."""

    name: str
    low: int
    high: int
    checked: bool = False
    names: tuple[tuple[int, str], ...] = ()
    """What its values are called, where they have names."""

    def wrap(self, value: int) -> int:
        return (value - self.low) % (self.high - self.low + 1) + self.low


BOOL = IntegerType("bool", 0, 1)
BYTE = IntegerType("byte", 0, 255)
SHORT = IntegerType("short", -(2**15), 2**15 - 1)
INT = IntegerType("int", -(2**31), 2**31 - 1)


class Role(Enum):
    """What a variable is for; relations and reports treat locations and channels specially."""

    DATA = "data"
    LOCATION = "location"
    CHANNEL = "channel"
    SCRATCH = "scratch"
    """0 between steps: nobody needs to see it."""


Shape = tuple[tuple[str, int | None], ...]
"""How the elements of an array inside structures are written: `a[2].x[3]` is (("a", 2), (".x", 3))."""


class Variable(Record, frozen=True, eq=False):
    """A scalar (`length` is None) or an array; two variables are equal only if they are the same object."""

    name: str
    type: IntegerType
    initial: tuple[int, ...]
    length: int | None = None
    process: int | None = None
    """The index of the process that owns it; None: shared."""
    role: Role = Role.DATA
    bounds: tuple[int, int] | None = None
    """The least and the greatest value that it holds in any run, during a step too, where the front end has proven that
    it is less than what the type allows."""
    shape: Shape = ()
    """Where `name[index]` is not what the author writes for an element."""

    @property
    def size(self) -> int:
        """How many slots it takes."""
        return 1 if self.length is None else self.length

    @property
    def parts(self) -> tuple[tuple[str, int, int | None], ...]:
        """What it is made of as the author writes it: the name, the first index and the length of each array, or None
        for the length of a scalar."""
        if not self.shape:
            return ((self.name, 0, self.length),)
        *outer, (word, length) = self.shape
        whole = (*outer, (word, None))
        step = 1 if length is None else length
        return tuple(
            (element_name(self.name, whole, number), number * step, length) for number in range(self.size // step)
        )

    def element(self, index: int) -> str:
        """An element of an array as the author writes it."""
        return element_name(self.name, self.shape, index)

    def __repr__(self) -> str:
        return f"<{self.type.name} {self.name}{'' if self.length is None else f'[{self.length}]'}>"


def element_name(name: str, shape: Shape, index: int) -> str:
    """`a[1].x[0]`, or `name[index]` for an array that is in no structure."""
    words: list[str] = []
    for word, length in reversed(shape or ((name, index + 1),)):
        if length is None:
            words.append(word)
        else:
            index, own = divmod(index, length)
            words.append(f"{word}[{own}]")
    return "".join(reversed(words))


class Channel(Record, frozen=True, eq=False):
    """A FIFO buffer: `length` counts the messages, `fields` hold them, the oldest at index 0; free cells are 0."""

    name: str
    capacity: int
    length: Variable
    fields: tuple[Variable, ...]
    told: bool = False
    """Whether the actions of the model say themselves what they put in and take out."""


class Bag(Record, frozen=True, eq=False):
    """Messages in no order: for each message that can be among them, a variable that counts it, and how it is written.
    The actions of the model say themselves what they put in and take out."""

    name: str
    counts: tuple[tuple[Variable, tuple[int | str, ...]], ...]
