"""How many messages a quorum takes."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType

from mule.frontends.actors.faults import Byzantine
from mule.frontends.actors.messages import Message
from mule.frontends.actors.processes import Process, Trigger, majority
from mule.frontends.actors.system import System


class NoQuorum(Exception):  # noqa: N818 - becomes a message with a place
    """What is given as a quorum is no number of messages."""


def quorum_of(system: System, process: Process, trigger: Trigger) -> int:
    quorum = trigger.quorum
    if quorum is majority:
        assert trigger.message is not None
        size: object = majority(sum(can_send(each, trigger.message) for each in system.processes))
    elif callable(quorum):
        try:
            size = quorum(process)
        except Exception as error:
            raise NoQuorum(f"the quorum cannot be computed: {error}") from None
    else:
        size = quorum
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise NoQuorum(f"the quorum is {size!r}, expected a number of at least 1")
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
