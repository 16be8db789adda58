"""Faults: processes that stop, and processes that do what they like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mule.frontends.actors.messages import Message
from mule.frontends.actors.processes import Process


@dataclass(frozen=True)
class Crash:
    """Some of these processes may stop for ever, at any time between two of their steps, `at_most` so many."""

    processes: Sequence[Process]
    at_most: int = 1


class Byzantine(Process):
    """A process that sends any of these messages, with any values that their types allow, to any of these processes.

    It takes whatever it is sent. It sends a message only where none of that type is still on its way from it to that
    receiver, which keeps the state space finite and is no restriction in an unordered network: what it would send
    earlier it can send later."""

    sends: tuple[type[Message], ...] = ()
    to: tuple[Process, ...] = ()

    def __init__(self, sends: Iterable[type[Message]], to: Iterable[Process], name: str = "") -> None:
        super().__init__(sends=tuple(sends), to=tuple(to), name=name)
