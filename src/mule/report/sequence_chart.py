"""Message sequence charts in columns of text: one column a process, one row an event, time runs downwards."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from mule.model import Model, Outcome, Receive, Send
from mule.model.interpreter import Interpreter, Step
from mule.records import Record
from mule.report.layout import ASCII, UNICODE, Page
from mule.report.simulation import safe
from mule.report.trail import ExplainedAction, explain_step
from mule.results import Trail
from mule.simulation import SimulatedStep

NARROWEST, WIDEST = 10, 32
"""Of a column. Where more processes take part than fit, the chart is wider than the terminal."""


class Event(Record, frozen=True):
    """A message, or something printed."""

    step: int
    process: str
    text: str
    partner: str | None = None
    """Who receives: at the same time, in a rendezvous, or at last, where it is known who sent the message."""


class Strokes(Record, frozen=True):
    line: str
    shaft: str
    ellipsis: str


_DRAWN = Strokes("│", "─", UNICODE.ellipsis)
_PLAIN = Strokes("|", "-", ASCII.ellipsis)


def show_chart(model: Model, run: Sequence[SimulatedStep], page: Page) -> None:
    events = [event for step in run for event in events_of(model, step)]
    plain = not page.console.is_terminal or "NO_COLOR" in os.environ or page.signs is ASCII
    order = [process.name for process in model.processes]
    page.blank()
    for line in chart(events, order, page.width, plain):
        page.console.print(line, soft_wrap=True)


def steps_of(trail: Trail) -> list[SimulatedStep]:
    """A trail as a run of single steps."""
    return [
        SimulatedStep(number + 1, Trail(trail.model, trail.states[number : number + 2], (step,)))
        for number, step in enumerate(trail.taken)
    ]


def chart(events: Sequence[Event], order: Sequence[str], width: int, plain: bool) -> list[str]:
    """The lines of the chart; its columns are the processes that take part, in the given order."""
    if not events:
        return ["no messages"]
    strokes = _PLAIN if plain else _DRAWN
    part = {event.process for event in events} | {event.partner for event in events}
    names = [name for name in order if name in part]
    gutter = max(len(str(events[-1].step)), 3) + 3
    room = min(max((width - gutter) // len(names), NARROWEST), WIDEST)
    needed = gutter + room * len(names)
    edge = width if needed <= width else needed + WIDEST
    columns = {name: gutter + room * number for number, name in enumerate(names)}
    lines = [" " * gutter + "".join(_cut(name, room - 1, strokes).ljust(room) for name in names)]
    last = 0
    for event in events:
        number = str(event.step) if event.step != last else ""
        last = event.step
        canvas = list(number.rjust(gutter - 2).ljust(edge))
        for column in columns.values():
            canvas[column] = strokes.line
        if event.partner is None:
            column = columns[event.process]
            _write(canvas, column, _cut(event.text, edge - column, strokes))
        else:
            _arrow(canvas, columns[event.process], columns[event.partner], event.text, strokes)
        lines.append("".join(canvas))
    return [line.rstrip() for line in lines]


def _arrow(canvas: list[str], source: int, target: int, text: str, strokes: Strokes) -> None:
    """From the line of the sender to the line of the receiver, with the message in its middle."""
    length = abs(target - source) - 1
    label = _cut(text, length - 3, strokes)
    if len(label) + 2 <= length - 3:
        label = f" {label} "
    shaft = label.center(length - 1, strokes.shaft) if label else strokes.shaft * (length - 1)
    _write(canvas, min(source, target) + 1, f"{shaft}>" if source < target else f"<{shaft}")


def _write(canvas: list[str], position: int, text: str) -> None:
    canvas[position : position + len(text)] = text


def _cut(text: str, room: int, strokes: Strokes) -> str:
    if len(text) <= room:
        return text
    return text[: max(room - len(strokes.ellipsis), 0)] + strokes.ellipsis[: max(room, 0)]


# what happens in a step -----------------------------------------------------------------------------------------------


def events_of(model: Model, step: SimulatedStep) -> Iterator[Event]:
    for index, part in enumerate(step.trail.taken):
        actions = explain_step(model, step.trail, index).actions
        if actions:
            yield from _of_actions(step.number, actions)
        elif part.failure is None:
            yield from _of_transition(model, step, index, part)


def _of_actions(number: int, actions: Sequence[ExplainedAction]) -> Iterator[Event]:
    received = False
    for action, following in zip(actions, (*actions[1:], None), strict=True):
        process = action.process or ""
        if action.output:
            yield from (Event(number, process, f'"{line}"') for line in safe(action.output).splitlines() if line)
        if action.message and action.sender is not None:
            yield Event(number, action.sender, action.message.replace("?", " ", 1).rstrip(), process)
        elif action.message and not received:
            partner = following.process if following and _meet(action, following) else None
            yield Event(number, process, action.message, partner)
            received = partner is not None
        else:
            received = False


def _meet(sends: ExplainedAction, receives: ExplainedAction) -> bool:
    """Within a step control passes from one process to another in a rendezvous alone."""
    return sends.process != receives.process and bool(receives.message) and "?" in receives.message


def _of_transition(model: Model, step: SimulatedStep, index: int, part: Step) -> Iterator[Event]:
    """Of a language that does not tell what its steps are made of: two that move meet, statements send and receive."""
    transition = model.transitions[part.transition]
    names = [model.processes[move.process].name for move in transition.moves]
    if len(names) > 1:
        yield Event(step.number, names[0], transition.text or transition.name, names[1])
        return
    if not names:
        return
    interpreter, state = Interpreter(model), step.trail.states[index]
    for statement in transition.outcomes[part.outcome].statements:
        if isinstance(statement, Send):
            values = [interpreter.evaluate(value, state) for value in statement.values]
            yield Event(step.number, names[0], f"{statement.channel.name}!{', '.join(map(str, values))}")
        elif isinstance(statement, Receive):
            values = [state[model.slot_of[field]] for field in statement.channel.fields]
            yield Event(step.number, names[0], f"{statement.channel.name}?{', '.join(map(str, values))}")
        state = interpreter.run(Outcome((statement,)), state)
