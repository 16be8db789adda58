"""What a program is made of, as far as its statements must know it."""

from __future__ import annotations

from dataclasses import dataclass, field

Lines = list[str]

NUMERIC = ("bit", "bool", "byte", "pid", "unsigned")
SIGNED = ("short", "int")
ARGUMENT = "argument"
"""The type of what an inline gets a variable for: any, so it is too narrow for some messages."""
COUNTING = ("byte", "short", "int", "pid")
"""Can hold the bounds of `for` and `select`, so that those end."""

INDEXING = ("bit", "bool", "byte", "unsigned")
_BYTES = ("byte", "pid", "short", "int")
WIDE_ENOUGH = {**dict.fromkeys(("bit", "bool", "byte", "pid", "unsigned"), _BYTES), "short": SIGNED, "int": ("int",)}
"""What can receive a field of a message: where pan takes back a receive it puts the variable's value, not the message,
back into the channel, so that all counts after a receive that cut a value depend on the order of its search."""


@dataclass(frozen=True, slots=True)
class Place:
    """What can be assigned: a variable, or an element or field at the end of a path of names and lengths."""

    path: tuple[tuple[str, int | None], ...]
    type: str
    readable: bool = True

    @property
    def is_mtype(self) -> bool:
        return self.type.startswith("mtype")

    @property
    def plain(self) -> bool:
        return len(self.path) == 1 and self.path[0][1] is None


@dataclass(frozen=True, slots=True)
class Channel:
    name: str
    capacity: int
    fields: tuple[str, ...]
    length: int | None = None
    receiver: str | None = None
    """The only process that may receive, or even look at, it; and the only one that may send to it."""
    sender: str | None = None
    local: bool = False

    @property
    def signature(self) -> tuple[bool, tuple[str, ...]]:
        """What a channel must agree in to take another one's place."""
        return self.capacity > 0, self.fields


@dataclass(frozen=True, slots=True)
class Inline:
    name: str
    parameters: tuple[str, ...]
    """For each parameter: `place`, `value` or the name of the channel it can be replaced by."""
    blocks: bool
    returns: bool = False
    unguarded: bool = False
    """Begins with a statement that, first in a `d_step`, pan also executes in the middle of a handshake."""


@dataclass
class Process:
    name: str
    first_pid: int | None
    """None if it is only started by `run`."""
    copies: int
    loops: bool
    parameters: list[Place] = field(default_factory=list)
    channels: list[Channel] = field(default_factory=list)
    """Parameters and local ones."""
    locals: list[Place] = field(default_factory=list)
    counters: list[str] = field(default_factory=list)
    """For loops; nothing else writes them."""
    labels: list[tuple[int, str]] = field(default_factory=list)
    """Which statement of the body has it, and its name."""
    awaited: list[str] = field(default_factory=list)
    """Labels that a `goto` names already and that some later statement has to get."""
    runs: bool = False
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """Where a statement stands."""

    process: Process
    places: tuple[Place, ...]
    position: int = 0
    """Of the statement of the body that it is, or is part of."""
    depth: int = 0
    mode: str = ""
    """`atomic`, `d_step` or neither."""
    loop: bool = False
    """Whether `break` is allowed."""
    counters: int = 0
    """How many are in use around it."""
    repeated: bool = False
    enterable: bool = True
    """Whether a `goto` from outside may lead here."""
