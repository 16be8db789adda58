"""Steps in words: who handles which message from whom, and what is sent."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from mule.errors import Place
from mule.frontends.actors.execution import Execution, Sent, TooNarrow
from mule.frontends.actors.mailboxes import Lane
from mule.frontends.actors.shapes import recorded, taken_apart
from mule.frontends.actors.system import System
from mule.frontends.actors.values import Failing, Record, printed
from mule.model import Action, Printed
from mule.model import Message as Event
from mule.model.expressions import Constant

Told = list[str | Printed]


class Teller:
    def __init__(self, system: System) -> None:
        self.processes = system.processes

    def actions(
        self,
        number: int,
        name: str,
        messages: list[Record],
        keeps: tuple[bool, ...],
        execution: Execution,
        statements: int,
        place: Place | None,
        ending: Failing | TooNarrow | None,
    ) -> tuple[Action, ...]:
        """First what is received, then what is sent. All effects belong to the last action, so that all of them speak
        of the state before the step."""
        found: list[Action] = []
        if messages:
            for position, (message, kept) in enumerate(zip(messages, keeps, strict=True)):
                word = "handles " if position == 0 else "and "
                rest = f" from {message.sender.name}" + (", and a copy of it stays" if kept else "")
                told: Told = [word, *_told(message), rest]
                sender = self.processes.index(message.sender)
                event = Event(False, message.cls.__name__, _values(message), sender, stays=kept)
                found.append(self._action(number, told, place, event))
        else:
            found.append(self._action(number, [name], place, None))
        if not isinstance(ending, TooNarrow):
            for _, group in groupby(execution.sent, key=lambda each: id(each.message.fields)):
                found.append(self._sends(number, list(group), place))
        if isinstance(ending, Failing) and ending.place is not None:
            found.append(Action(number, "fails", ending.place, 0))
        last = found[-1]
        found[-1] = Action(last.process, last.text, last.place, statements, (), last.message, last.told)
        return tuple(found)

    def _sends(self, number: int, sent: list[Sent], place: Place | None) -> Action:
        message = sent[0].message
        receivers = ", ".join(self.processes[each.to].name for each in sent)
        event = Event(True, message.cls.__name__, _values(message), receivers=tuple(each.to for each in sent))
        return self._action(number, ["sends ", *_told(message), f" to {receivers}"], place, event)

    def _action(self, number: int | None, told: Told, place: Place | None, event: Event | None) -> Action:
        return Action(number, plain(told), place, 0, (), event, tuple(told))

    def loss(self, lane: Lane, message: Record | None, statements: int) -> Action:
        sender, receiver = self.processes[lane.sender].name, self.processes[lane.receiver].name
        what: Told = ["the oldest message"] if message is None else _told(message)
        told: Told = ["the network loses ", *what, f" from {sender} to {receiver}"]
        values = () if message is None else _values(message)
        event = Event(False, lane.message.__name__, values, lane.sender, (lane.receiver,), lost=True)
        return Action(None, plain(told), None, statements, (), event, tuple(told))

    def title(self, message: Record) -> str:
        """A message in the name of a transition: with its values where they are known."""
        told = _told(message)
        known = all(isinstance(part, str) for part in told) and message.fields
        return "".join(map(str, told)) if known else message.cls.__name__

    def crash(self, number: int, statements: int) -> Action:
        return Action(number, "crashes", None, statements, crash=True)


def plain(told: Told) -> str:
    """The text without the values that only a run knows."""
    return "".join(part if isinstance(part, str) else "…" for part in told)


def _told(message: Record) -> Told:
    told: Told = [f"{message.cls.__name__}("]
    for position, (name, value) in enumerate(message.fields.items()):
        told += [f"{', ' if position else ''}{name}=", *_told_value(value)]
    return [*told, ")"]


def _told_value(value: Any) -> Told:
    """Tuples and frozen dataclasses part by part."""
    apart = taken_apart(value)
    if apart is None:
        return [printed(value)]
    if isinstance(record := recorded(value), Record):
        return _told(record)
    told: Told = ["("]
    for position, each in enumerate(apart[1].values()):
        told += [", " if position else "", *_told_value(each)]
    return [*told, ",)" if len(apart[1]) == 1 else ")"]


def _values(message: Record) -> tuple[Printed, ...]:
    return tuple(
        part if isinstance(part, Printed) else _constant(part)
        for value in message.fields.values()
        for part in _leaves(value)
    )


def _leaves(value: Any) -> Iterator[str | Printed]:
    apart = taken_apart(value)
    if apart is None:
        yield printed(value)
    else:
        for each in apart[1].values():
            yield from _leaves(each)


def _constant(text: str) -> Printed:
    return Printed("e", Constant(0), ((0, text),))
