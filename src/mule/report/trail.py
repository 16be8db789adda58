"""Trails in words: who moved, from where to where, what was done, and what changed."""

from __future__ import annotations

from mule.errors import Place
from mule.model import Bag, Channel, Model, Outcome, Printed, Role, Transition, Variable
from mule.model import Message as SentMessage
from mule.model.interpreter import Failure, Interpreter, State
from mule.records import Record
from mule.results import Trail

Scalar = int | str
"""A number, or the name of a control location or of a constant."""
Message = Scalar | tuple[Scalar, ...]
Value = Scalar | tuple[Scalar, ...] | tuple[Message, ...]
"""A scalar, the elements of an array, or the messages in a channel."""


class Movement(Record, frozen=True):
    """One process going from one control location to another (or staying where it is)."""

    process: str
    source: str
    target: str


class Change(Record, frozen=True):
    name: str
    old: Value
    new: Value


class ExplainedAction(Record, frozen=True):
    """One of the statements that a step is made of."""

    process: str | None
    text: str
    place: Place | None
    changes: tuple[Change, ...]
    output: str
    """What it printed."""
    message: str = ""
    """What it sent or received, with the values: `c!5`, `c?5`."""
    sender: str | None = None
    """Who sent what it received, where the language tells."""


class ExplainedStep(Record, frozen=True):
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
    actions: tuple[ExplainedAction, ...] = ()
    """Where the model tells what the step is made of: its statements, up to the one that fails."""

    @property
    def process(self) -> str | None:
        return self.movements[0].process if self.movements else None


class StateSummary(Record, frozen=True):
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
    movers = frozenset(move.process for move in transition.moves)
    if step.failure is None:
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
        actions=_actions(model, transition, step.outcome, trail.states[index], movers),
    )


def _actions(
    model: Model, transition: Transition, outcome: int, state: State, movers: frozenset[int]
) -> tuple[ExplainedAction, ...]:
    """What each action of a transition does, one after the other; one that fails is the last."""
    interpreter = Interpreter(model)
    statements = transition.outcomes[outcome].statements if transition.outcomes else ()
    found: list[ExplainedAction] = []
    done = 0
    for action in transition.actions:
        process = None if action.process is None else model.processes[action.process].name
        output = "".join(_printed(part, interpreter, state) for part in action.output)
        message = "" if action.message is None else _message_text(action.message, interpreter, state)
        text = "".join(_printed(part, interpreter, state) for part in action.told) or action.text
        sender = _sender(model, action.message)
        try:
            after = interpreter.run(Outcome(statements[done : action.done]), state)
        except Failure:
            found.append(ExplainedAction(process, text, action.place, (), output, message, sender))
            break
        changes = changes_between(model, state, after, movers)
        found.append(ExplainedAction(process, text, action.place, changes, output, message, sender))
        state, done = after, action.done
    return tuple(found)


def _sender(model: Model, message: SentMessage | None) -> str | None:
    if message is None or message.sender is None:
        return None
    return model.processes[message.sender].name


def _message_text(message: SentMessage, interpreter: Interpreter, state: State) -> str:
    values = ", ".join(_printed(value, interpreter, state) for value in message.values)
    return f"{message.channel}{'!' if message.sends else '?'}{values}"


def _printed(part: str | Printed, interpreter: Interpreter, state: State) -> str:
    """A part of what printf prints, as C would write it."""
    if isinstance(part, str):
        return part
    try:
        value = interpreter.evaluate(part.value, state)
    except Failure:
        return "?"
    match part.conversion:
        case "u":
            return str(value % 2**32)
        case "x" | "o":
            return format(value % 2**32, part.conversion)
        case "c":
            return chr(value % 2**8)
        case "e":
            return dict(part.names).get(value, str(value))
    return str(value)


def changes_between(
    model: Model, before: State, after: State, movers: frozenset[int] = frozenset()
) -> tuple[Change, ...]:
    """What differs between two states; the control locations of `movers` are left out, channels are shown whole."""
    hidden = {model.slot_of[model.processes[process].location] for process in movers}
    channel_slots = _channel_slots(model)
    touched: dict[str, Channel] = {}
    changes: list[Change] = []
    unseen = _bagged(model) | {variable for variable in model.variables if variable.role is Role.SCRATCH}
    hidden |= {model.slot_of[variable] for variable in unseen}
    for slot, (old, new) in enumerate(zip(before, after, strict=True)):
        if old == new or slot in hidden:
            continue
        if slot in channel_slots:
            if not channel_slots[slot].told:
                touched[channel_slots[slot].name] = channel_slots[slot]
        else:
            changes.append(Change(model.slot_name(slot), _value(model, slot, old), _value(model, slot, new)))
    for channel in touched.values():
        changes.append(Change(channel.name, messages(model, channel, before), messages(model, channel, after)))
    return tuple(changes)


def summarise(model: Model, state: State) -> StateSummary:
    shown = _channels(model)
    hidden = {variable for channel in shown for variable in (channel.length, *channel.fields)} | _bagged(model)
    places = {number: state[model.slot_of[process.location]] for number, process in enumerate(model.processes)}
    absent = {number for number, place in places.items() if place == model.processes[number].absent}
    variables: dict[str, Value] = {}
    for variable in model.variables:
        if variable.role in (Role.LOCATION, Role.SCRATCH) or variable in hidden or variable.process in absent:
            continue
        first = model.slot_of[variable]
        values = tuple(_named(variable, value) for value in state[first : first + variable.size])
        variables[variable.name] = values[0] if variable.length is None else values
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
        fields = tuple(_named(field, state[model.slot_of[field] + position]) for field in channel.fields)
        found.append(fields[0] if len(fields) == 1 else fields)
    return tuple(found)


def in_bag(model: Model, bag: Bag, state: State) -> tuple[Message, ...]:
    """The contents of a bag, as those of a channel."""
    return tuple(
        message[0] if len(message) == 1 else message
        for count, message in bag.counts
        for _ in range(state[model.slot_of[count]])
    )


def _bagged(model: Model) -> set[Variable]:
    return {count for bag in model.bags for count, _ in bag.counts}


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
    """Numbers stay numbers, control locations and constants get their names."""
    variable, _ = model.slot_variables[slot]
    return model.slot_value(slot, value) if variable.role is Role.LOCATION else _named(variable, value)


def _named(variable: Variable, value: int) -> Scalar:
    return dict(variable.type.names).get(value, value)


def _channels(model: Model) -> list[Channel]:
    """A model that was made smaller may have lost some."""
    return [*model.channels, *(each for each in model.buffers if {each.length, *each.fields} <= model.slot_of.keys())]


def _channel_slots(model: Model) -> dict[int, Channel]:
    return {
        model.slot_of[variable] + index: channel
        for channel in _channels(model)
        for variable in (channel.length, *channel.fields)
        for index in range(variable.size)
    }
