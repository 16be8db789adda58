"""Trails, steps and states as people read them."""

from __future__ import annotations

import re

from rich.text import Text

from mule import numbers
from mule.errors import Place, printable
from mule.model import Model
from mule.model.interpreter import State
from mule.report.kept import kept
from mule.report.layout import NAME_GLUE, Page, glued
from mule.report.state import Change, folded, summarise
from mule.report.trail import ExplainedStep, explain_step
from mule.trails import Trail

LONGEST_TRAIL = 60
"""A longer trail is shown without its middle, unless the user asks for all of it."""
_HEAD, _TAIL = 30, 20


def show_trail(trail: Trail, page: Page, full: bool = False, shortest: bool = False) -> None:
    """The steps, and the state to which they lead."""
    model, length = trail.model, len(trail)
    if length == 0:
        page.heading("The initial state itself")
    elif trail.loop != 0:
        ahead = length if trail.loop is None else trail.loop
        page.heading(f"How to get there: {numbers.count(ahead, 'step')}" + (SHORTEST if shortest else ""))
    elided = range(0)
    if length > LONGEST_TRAIL and not full:
        elided = range(_HEAD, length - _TAIL)
    digits = len(str(length))
    for index in range(length):
        if index == trail.loop:
            page.heading(f"And then for ever: {numbers.count(length - index, 'step')}")
        if index in elided:
            if index == elided.start:
                hidden = numbers.count(len(elided), "step")
                hint = f"{page.signs.ellipsis} {hidden} left out; {page.whole_trail}"
                page.item(" " * (digits + 4), Text(hint, style="dim"))
            continue
        show_step(model, explain_step(model, trail, index), page, digits)
    if trail.loop == length:
        page.heading("And then nothing moves any more")
    page.heading("Where it ends" if trail.loop in (None, length) else "Where it comes back to")
    show_state(model, trail.states[-1], page)


SHORTEST = ", and no fewer will do"


def show_step(model: Model, step: ExplainedStep, page: Page, digits: int) -> None:
    """A step with its number in so many digits, what it changed and what it printed."""
    if step.actions:
        _actions(model, step, page, digits)
    else:
        _whole_step(model, step, page, digits)
    if step.failure is not None:
        page.item(" " * (digits + 4), Text(together(model, f"here: {step.failure}"), style="red"))


def _whole_step(model: Model, step: ExplainedStep, page: Page, digits: int) -> None:
    """Who moved from where to where, and below it the statement."""
    arrow = page.signs.arrow
    line = Text()
    for position, move in enumerate(step.movements):
        line.append(", " if position else "")
        line.append(glued(together(model, f"{move.process}: ")), style="cyan")
        line.append(glued(f"{move.source} {arrow} {move.target}"))
    if not step.movements:
        line.append(glued(step.name), style="cyan")
    _changes(model, line, step.changes, page)
    page.item(f"  {step.number:>{digits}}  ", line)
    origin = line_of(step.place)
    if origin or step.text:
        page.item(" " * (digits + 4), Text(together(model, origin + page.shortened(step.text)), style="dim"))


def _actions(model: Model, step: ExplainedStep, page: Page, digits: int) -> None:
    """The statements one below the other, each with what it changed and what it printed."""
    indent = " " * (digits + 4)
    for position, action in enumerate(step.actions):
        line = Text()
        if action.process is not None:
            line.append(glued(together(model, f"{action.process}: ")), style="cyan")
        line.append(glued(line_of(action.place)), style="dim")
        line.append(together(model, page.shortened(action.text)))
        _changes(model, line, action.changes, page)
        page.item(indent if position else f"  {step.number:>{digits}}  ", line)
        if action.output:
            page.item(
                indent,
                Text.assemble("prints: ", (printable(action.output.removesuffix("\n")).replace("\t", "\\t"), "green")),
            )


def _changes(model: Model, line: Text, changes: tuple[Change, ...], page: Page) -> None:
    for position, change in enumerate(changes):
        line.append(", " if position else "   ")
        old, new = folded(change.old, page.signs.times), folded(change.new, page.signs.times)
        line.append(glued(together(model, f"{change.name}: {old} {page.signs.arrow} {new}")), style="bold")


def line_of(place: Place | None) -> str:
    return f"line {place.line}: " if place and place.line is not None else ""


def together(model: Model, text: str) -> str:
    """A text in which the names of the model stay whole where it is wrapped."""
    if " " not in text:
        return text
    return _whole_names(model).sub(lambda match: match.group().replace(" ", NAME_GLUE), text)


@kept
def _whole_names(model: Model) -> re.Pattern[str]:
    names = [process.name for process in model.processes] + [variable.name for variable in model.variables]
    spaced = sorted({name for name in names if " " in name}, key=len, reverse=True)
    words = "|".join([*map(re.escape, spaced), r"line \d+"])
    return re.compile(rf"(?<!\w)({words})(?!\w)")


def show_state(model: Model, state: State, page: Page) -> None:
    """Where the processes are, and what the variables and channels hold, as a table. Of a net: the marked places."""
    summary = summarise(model, state)
    moving = {process.name for process in model.processes if len(process.locations) > 1 or process.done is None}
    rows = [(process, at) for process, at in summary.processes.items() if process in moving]
    contents = {**summary.variables, **summary.channels}
    values = [(name, folded(value, page.signs.times)) for name, value in contents.items() if value or not model.told]
    page.pairs([(name, together(model, value)) for name, value in (*rows, *values)])
    if len(values) < len(contents):
        page.item("  ", Text("no other place has a token" if values else "no place has a token", style="dim"))
