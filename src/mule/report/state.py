"""States in words: what the processes, variables and channels of a model hold, by the names that its author gave."""

from __future__ import annotations

from itertools import groupby

from mule.model import Bag, Channel, Model, Role, Variable
from mule.model.interpreter import Interpreter, State
from mule.records import Record
from mule.report.kept import kept

Scalar = int | str | None
"""A number or a truth value, or the name of a control location or of a constant."""
Message = Scalar | tuple[Scalar, ...]
Value = Scalar | tuple[Scalar, ...] | tuple[Message, ...]
"""A scalar, the elements of an array, or the messages in a channel."""

LONG = 8
"""An array of so many elements is folded where it is shown for reading."""
FOLDED = 4
"""So many equal neighbours are told once."""

_OF_PYTHON = {"True": True, "False": False, "None": None}
_PYTHON = ("actors", "python")
"""The languages in which these names are values of their own."""


class Change(Record, frozen=True):
    name: str
    old: Value
    new: Value


class StateSummary(Record, frozen=True):
    """A whole state, sorted by what a reader looks for."""

    processes: dict[str, str]
    variables: dict[str, Value]
    channels: dict[str, Value]


def changes_between(
    model: Model, before: State, after: State, movers: frozenset[int] = frozenset()
) -> tuple[Change, ...]:
    """What differs between two states; the control locations of `movers` are left out, channels are shown whole."""
    if model.told:
        pairs = zip(_told(model, before).items(), _told(model, after).values(), strict=True)
        return tuple(Change(name, old, new) for (name, old), new in pairs if old != new)
    hidden = _unseen(model) | {model.slot_of[model.processes[process].location] for process in movers}
    channel_slots = _channel_slots(model)
    touched: dict[str, Channel] = {}
    changes: list[Change] = []
    for slot, (old, new) in enumerate(zip(before, after, strict=True)):
        if old == new or slot in hidden:
            continue
        if slot in channel_slots:
            if not channel_slots[slot].told:
                touched[channel_slots[slot].name] = channel_slots[slot]
        else:
            changes.append(Change(model.slot_name(slot), _at(model, slot, old), _at(model, slot, new)))
    for channel in touched.values():
        changes.append(Change(channel.name, messages(model, channel, before), messages(model, channel, after)))
    return tuple(changes)


def summarise(model: Model, state: State) -> StateSummary:
    if model.told:
        return StateSummary({}, _told(model, state), {})
    shown = _channels(model)
    hidden = {variable for channel in shown for variable in (channel.length, *channel.fields)} | _bagged(model)
    places = {number: state[model.slot_of[process.location]] for number, process in enumerate(model.processes)}
    absent = {number for number, place in places.items() if place == model.processes[number].absent}
    variables: dict[str, Value] = {}
    for variable in model.variables:
        if variable.role in (Role.LOCATION, Role.SCRATCH) or variable in hidden or variable.process in absent:
            continue
        base = model.slot_of[variable]
        for name, first, length in variable.parts:
            start = base + first
            values = tuple(_value(model, variable, value) for value in state[start : start + (length or 1)])
            # A variable that holds the channel of its own name is that channel.
            if length is not None or values[0] != name:
                variables[name] = values[0] if length is None else values
    channels: dict[str, Value] = {
        channel.name: contents
        for channel in shown
        if channel.length.process not in absent and ((contents := messages(model, channel, state)) or not channel.told)
    }
    channels |= {bag.name: contents for bag in model.bags if (contents := in_bag(model, bag, state))}
    return StateSummary(
        processes={
            process.name: process.locations[places[number]]
            for number, process in enumerate(model.processes)
            if number not in absent
        },
        variables=variables,
        channels=channels,
    )


def messages(model: Model, channel: Channel, state: State) -> tuple[Message, ...]:
    """The contents of a channel, the oldest first; a message with one field is that field."""
    count = state[model.slot_of[channel.length]]
    found = []
    for position in range(count):
        fields = tuple(_value(model, field, state[model.slot_of[field] + position]) for field in channel.fields)
        found.append(fields[0] if len(fields) == 1 else fields)
    return tuple(found)


def in_bag(model: Model, bag: Bag, state: State) -> tuple[Message, ...]:
    """The contents of a bag, as those of a channel."""
    return tuple(
        message[0] if len(message) == 1 else message
        for count, message in bag.counts
        for _ in range(state[model.slot_of[count]])
    )


def written(value: Value) -> str:
    """A value on one line: `3`, `critical`, `[1, 0]`, `[(1, 2), (3, 4)]`."""
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_message, value)) + "]"
    return str(value)


def folded(value: Value, sign: str) -> str:
    """The same, with equal neighbours in a long array or channel told once: `[0 × 30, 7, 0 × 2]`; `sign`: the cross."""
    if not isinstance(value, tuple) or len(value) < LONG:
        return written(value)
    parts: list[str] = []
    for text, group in groupby(map(_message, value)):
        count = len(list(group))
        parts += [f"{text} {sign} {count}"] if count >= FOLDED else [text] * count
    return "[" + ", ".join(parts) + "]"


def _message(message: Message) -> str:
    if isinstance(message, tuple):
        return "(" + ", ".join(str(part) for part in message) + ")"
    return str(message)


def _told(model: Model, state: State) -> dict[str, Value]:
    interpreter = Interpreter(model)
    return {name: interpreter.evaluate(expression, state) for name, expression in model.told}


def _at(model: Model, slot: int, value: int) -> Value:
    """Numbers stay numbers, control locations and constants get their names."""
    variable, _ = model.slot_variables[slot]
    return model.slot_value(slot, value) if variable.role is Role.LOCATION else _value(model, variable, value)


def _value(model: Model, variable: Variable, value: int) -> Scalar:
    name = model.named(variable, value)
    return _OF_PYTHON.get(name, name) if isinstance(name, str) and model.language in _PYTHON else name


@kept
def _unseen(model: Model) -> frozenset[int]:
    """The slots that are shown as something else, or not at all."""
    scratch = {variable for variable in model.variables if variable.role is Role.SCRATCH}
    return frozenset(model.slot_of[variable] for variable in _bagged(model) | scratch)


def _bagged(model: Model) -> set[Variable]:
    return {count for bag in model.bags for count, _ in bag.counts}


def _channels(model: Model) -> list[Channel]:
    """A model that was made smaller may have lost some."""
    return [*model.channels, *(each for each in model.buffers if {each.length, *each.fields} <= model.slot_of.keys())]


@kept
def _channel_slots(model: Model) -> dict[int, Channel]:
    return {
        model.slot_of[variable] + index: channel
        for channel in _channels(model)
        for variable in (channel.length, *channel.fields)
        for index in range(variable.size)
    }
