"""Trails in words: who moved, from where to where, and what changed."""

from __future__ import annotations

from dataclasses import dataclass

from mule.errors import Place
from mule.model import Channel, Model, Role
from mule.model.interpreter import State
from mule.results import Trail

Message = int | tuple[int, ...]
Value = int | str | tuple[int, ...] | tuple[Message, ...]
"""A number, the name of a control location, the elements of an array, or the messages in a channel."""


@dataclass(frozen=True, slots=True)
class Movement:
    """One process going from one control location to another (or staying where it is)."""

    process: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Change:
    name: str
    old: Value
    new: Value


@dataclass(frozen=True, slots=True)
class ExplainedStep:
    number: int
    """Counts from 1."""
    transition: int
    name: str
    text: str
    place: Place | None
    movements: tuple[Movement, ...]
    """The initiator first."""
    changes: tuple[Change, ...]
    """What changed besides the control locations in `movements`."""
    failure: str | None

    @property
    def process(self) -> str | None:
        return self.movements[0].process if self.movements else None


@dataclass(frozen=True, slots=True)
class StateSummary:
    """A whole state, sorted by what a reader looks for."""

    processes: dict[str, str]
    variables: dict[str, Value]
    channels: dict[str, Value]


def explain_step(model: Model, trail: Trail, index: int) -> ExplainedStep:
    """The step `trail.steps[index]` in words."""
    step = trail.steps[index]
    transition = model.transitions[step.transition]
    movements = tuple(
        Movement(
            model.processes[move.process].name,
            model.processes[move.process].locations[move.source],
            model.processes[move.process].locations[move.target],
        )
        for move in transition.moves
    )
    changes: tuple[Change, ...] = ()
    if step.failure is None:
        movers = frozenset(move.process for move in transition.moves)
        changes = changes_between(model, trail.states[index], trail.states[index + 1], movers)
    return ExplainedStep(
        number=index + 1,
        transition=step.transition,
        name=transition.name,
        text=transition.text,
        place=transition.place,
        movements=movements,
        changes=changes,
        failure=step.failure,
    )


def changes_between(
    model: Model, before: State, after: State, movers: frozenset[int] = frozenset()
) -> tuple[Change, ...]:
    """What differs between two states; the control locations of `movers` are left out, channels are shown whole."""
    hidden = {model.slot_of[model.processes[process].location] for process in movers}
    channel_slots = _channel_slots(model)
    touched: dict[str, Channel] = {}
    changes: list[Change] = []
    for slot, (old, new) in enumerate(zip(before, after, strict=True)):
        if old == new or slot in hidden:
            continue
        if slot in channel_slots:
            touched[channel_slots[slot].name] = channel_slots[slot]
        else:
            changes.append(Change(model.slot_name(slot), _value(model, slot, old), _value(model, slot, new)))
    for channel in touched.values():
        changes.append(Change(channel.name, messages(model, channel, before), messages(model, channel, after)))
    return tuple(changes)


def summarise(model: Model, state: State) -> StateSummary:
    in_channels = {variable for channel in model.channels for variable in (channel.length, *channel.fields)}
    variables: dict[str, Value] = {}
    for variable in model.variables:
        if variable.role is Role.LOCATION or variable in in_channels:
            continue
        first = model.slot_of[variable]
        variables[variable.name] = state[first] if variable.length is None else state[first : first + variable.size]
    return StateSummary(
        processes={p.name: p.locations[state[model.slot_of[p.location]]] for p in model.processes},
        variables=variables,
        channels={channel.name: messages(model, channel, state) for channel in model.channels},
    )


def messages(model: Model, channel: Channel, state: State) -> tuple[Message, ...]:
    """The contents of a channel, the oldest first; a message with one field is that field."""
    count = state[model.slot_of[channel.length]]
    found = []
    for position in range(count):
        fields = tuple(state[model.slot_of[field] + position] for field in channel.fields)
        found.append(fields[0] if len(fields) == 1 else fields)
    return tuple(found)


def written(value: Value) -> str:
    """A value on one line: `3`, `critical`, `[1, 0]`, `[(1, 2), (3, 4)]`."""
    if isinstance(value, tuple):
        return "[" + ", ".join(_message(part) for part in value) + "]"
    return str(value)


def _message(message: Message) -> str:
    if isinstance(message, tuple):
        return "(" + ", ".join(str(part) for part in message) + ")"
    return str(message)


def _value(model: Model, slot: int, value: int) -> Value:
    """Numbers stay numbers, control locations get their names."""
    variable, _ = model.slot_variables[slot]
    return model.slot_value(slot, value) if variable.role is Role.LOCATION else value


def _channel_slots(model: Model) -> dict[int, Channel]:
    return {
        model.slot_of[variable] + index: channel
        for channel in model.channels
        for variable in (channel.length, *channel.fields)
        for index in range(variable.size)
    }
