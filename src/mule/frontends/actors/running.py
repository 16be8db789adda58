"""`send`, `broadcast` and `choose`: what a handler does besides plain Python.

The checker never calls them, it compiles them. When the classes are run as they are (in a test, say), they ask the
`Context` of the running handler."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from mule.frontends.actors.messages import Message
    from mule.frontends.actors.processes import Process

Choice = TypeVar("Choice")


class Context(Protocol):
    """Whoever runs a handler: takes what it sends, and decides what it leaves open."""

    def send(self, to: Process, message: Message) -> None: ...

    def choose(self, options: list[Any]) -> Any: ...


_context: ContextVar[Context] = ContextVar("context")


@contextmanager
def running(context: Context) -> Iterator[None]:
    """While this lasts, `send` and `choose` ask the context."""
    token = _context.set(context)
    try:
        yield
    finally:
        _context.reset(token)


def _current() -> Context:
    context = _context.get(None)
    if context is None:
        raise RuntimeError("send, broadcast and choose work in handlers and steps only")
    return context


def send(to: Process, message: Message) -> None:
    """Put a message for one process into the network."""
    _current().send(to, message)


def broadcast(to: Iterable[Process], message: Message) -> None:
    """Put a message for each of these processes into the network, in one step."""
    for process in to:
        _current().send(process, message)


def choose(*options: Choice) -> Choice:
    """One of the options, any of them: the checker tries them all. A single list, tuple or range stands for its
    members."""
    members: list[Any] = list(options)
    if len(options) == 1 and isinstance(options[0], list | tuple | range | set | frozenset):
        members = list(options[0])
    chosen: Choice = _current().choose(members)
    return chosen
