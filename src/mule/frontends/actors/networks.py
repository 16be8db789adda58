"""Networks: what may happen to a message between sending and receiving."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Network:
    """Base of the networks."""

    lossy: bool = False
    """Whether a message may get lost."""


@dataclass(frozen=True)
class Unordered(Network):
    """Messages arrive in any order: a multiset of messages.

    With `duplicating` a message may arrive more than once: a handler takes it and may leave a copy behind. How many
    copies there are then means nothing, and sending a message that is still there changes nothing."""

    duplicating: bool = False


@dataclass(frozen=True)
class Fifo(Network):
    """Messages from one process to another arrive in the order in which they were sent."""
