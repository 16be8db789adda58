"""How many messages a quorum takes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from types import CodeType, FunctionType
from typing import Any

from mule.errors import briefly, said
from mule.frontends.actors.faults import Byzantine
from mule.frontends.actors.messages import Message
from mule.frontends.actors.processes import Process, Trigger, majority
from mule.frontends.actors.system import System
from mule.frontends.programs import OURS


class NoQuorum(Exception):  # noqa: N818 - becomes a message with a place
    """What is given as a quorum is no number of messages."""


class _Watched:
    """A process that notes which of its changing fields are read."""

    def __init__(self, process: Process, changing: Collection[str], read: list[str]) -> None:
        self.__dict__["_watched"] = process, changing, read

    def __getattr__(self, name: str) -> Any:
        process, changing, read = self.__dict__["_watched"]
        if name in changing:
            read.append(name)
        return getattr(process, name)


def quorum_of(system: System, process: Process, trigger: Trigger, changing: Collection[str]) -> int:
    """`changing`: the fields of the process that are a part of its state."""
    quorum = trigger.quorum
    if quorum is majority:
        assert trigger.message is not None
        size: object = majority(sum(can_send(each, trigger.message) for each in system.processes))
    elif callable(quorum):
        read: list[str] = []
        try:
            size = quorum(_Watched(process, changing, read))
        except OURS:
            raise
        except BaseException as error:
            raise NoQuorum(f"the quorum cannot be computed: {said(error)}") from None
        if read:
            raise NoQuorum(f"the quorum hangs on {read[0]}, which changes: it must be known before the run")
    else:
        size = quorum
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise NoQuorum(f"the quorum is {briefly(size)}, expected a number of at least 1")
    return size


def can_send(process: Process, message: type[Message]) -> bool:
    """Whether a message of this type appears in the methods of a process, or in functions that they call."""
    if isinstance(process, Byzantine):
        return message in process.sends
    pending = [each for base in type(process).__mro__ for each in base.__dict__.values()]
    seen: set[int] = set()
    while pending:
        function = pending.pop()
        if isinstance(function, FunctionType) and id(function) not in seen:
            seen.add(id(function))
            used = [function.__globals__.get(name) for name in _names_in(function.__code__)]
            if any(each is message for each in used):
                return True
            pending += used
    return False


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
