"""Message sequence charts in columns of text: one column a process, one row an event, time runs downwards.

A message that waits in a channel is an arrow with a bend: it leaves the line of its sender where it is sent, goes down
beside the line of its receiver, and comes in where it is received."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rich.text import Text

from mule.model import Model
from mule.records import Record, replace
from mule.report.events import Arrow, Row, Story, story_of
from mule.report.layout import ASCII, UNICODE, Page
from mule.simulation import SimulatedStep
from mule.trails import Trail

NARROWEST, WIDEST = 10, 36
"""Of a column. Where more processes take part than fit, the chart is wider than the terminal."""
TEXT = 12
"""So much of what a process does by itself has room in its column; the rest crosses the lines of others."""
MOST_TRACKS = 4
"""So many messages go down beside one line at a time; more of them are shown where they are received only."""
HEADER_EVERY = 40
"""Rows after which a long chart names its columns again."""
LONGEST, HEAD, TAIL = 80, 45, 25
"""A longer chart is shown without its middle, unless the user asks for all of it."""
OTHERS = "others"
"""The column of all processes that send and receive nothing, where there is no room for each."""


class Strokes(Record, frozen=True):
    line: str
    shaft: str
    down_right: str
    """The corner of an arrow that came from the left and turns down, and so on."""
    down_left: str
    in_right: str
    in_left: str
    dot: str
    cross: str
    ellipsis: str


_DRAWN = Strokes("│", "─", "┐", "┌", "└", "┘", "•", "✗", UNICODE.ellipsis)
_PLAIN = Strokes("|", "-", ".", ".", "'", "'", "*", "x", ASCII.ellipsis)


def show_chart(
    model: Model, run: Sequence[SimulatedStep], page: Page, ending: str = "", loop: int | None = None, full: bool = True
) -> None:
    """`ending`: what is wrong at the end; `loop`: the step after which the rest is repeated for ever."""
    story = story_of(model, run)
    plain = not page.console.is_terminal or "NO_COLOR" in os.environ or page.signs is ASCII
    order = [process.name for process in model.processes]
    page.blank()
    for line in chart(story, order, page.width, plain, ending, loop, full):
        page.line(Text(line))


def steps_of(trail: Trail) -> list[SimulatedStep]:
    """A trail as a run of single steps."""
    return [
        SimulatedStep(number + 1, Trail(trail.model, trail.states[number : number + 2], (step,)))
        for number, step in enumerate(trail.taken)
    ]


def chart(
    story: Story,
    order: Sequence[str],
    width: int,
    plain: bool,
    ending: str = "",
    loop: int | None = None,
    full: bool = True,
) -> list[str]:
    """The lines of the chart; its columns are the processes that take part, in the given order."""
    strokes = _PLAIN if plain else _DRAWN
    end = [f"{strokes.cross} {ending}"] if ending else []
    if not any(row.process for row in story.rows):
        return ["no process takes a step", *end]
    drawing = _Drawing(story.rows, story.ends, order, width, strokes)
    lines: list[str] = []
    hidden = range(HEAD, len(story.rows) - TAIL) if not full and len(story.rows) > LONGEST else range(0)
    for number, row in enumerate(story.rows):
        if number in hidden:
            if number == hidden.start:
                lines.append(f"{drawing.margin}{strokes.ellipsis} {len(hidden)} rows left out; --full-trail shows them")
            continue
        if number % HEADER_EVERY == 0 or number == hidden.stop != 0:
            lines.append(drawing.header)
        if loop is not None and row.step > loop and (number == 0 or story.rows[number - 1].step <= loop):
            lines.append(f"{drawing.margin}and then for ever:")
        lines.append(drawing.line(number))
    told = lines[-1].rstrip().endswith(f"{strokes.cross} {ending}")
    return [line.rstrip() for line in [*lines, *([] if told else end)]]


class _Drawing:
    def __init__(
        self, rows: Sequence[Row], arrows: Sequence[Arrow], order: Sequence[str], width: int, strokes: Strokes
    ) -> None:
        self.strokes = strokes
        gutter = max(len(str(rows[-1].step)), 3) + 3
        self.margin = " " * gutter
        self.rows, names = _with_others(rows, arrows, order, width - gutter)
        self.bent, self.tracks = _tracks([each for each in arrows if each.received not in (None, each.sent)])
        self.straight = {each.sent: each for each in arrows if each.sent == each.received}
        drawn = {id(each) for each in self.bent}
        self.late = {
            each.received: each
            for each in arrows
            if each.received not in (None, each.sent) and id(each) not in drawn and not each.lost
        }
        self.open = {each.sent: each for each in arrows if each.received is None}
        self.columns, self.edge = self._columns(names, gutter, width)
        self.header = " " * gutter + "".join(
            _cut(name, room - 1, strokes).ljust(room) for name, room in zip(names, self.rooms, strict=True)
        )
        self.crashed = {row.process: number for number, row in reversed(list(enumerate(self.rows))) if row.crash}

    def line(self, number: int) -> str:
        row, strokes = self.rows[number], self.strokes
        first = number == 0 or self.rows[number - 1].step != row.step
        label = str(row.step) if first else ""
        canvas = list(label.rjust(len(self.margin) - 2).ljust(self.edge))
        for name, column in self.columns.items():
            if number <= self.crashed.get(name, number):
                canvas[column] = strokes.line
        for arrow in self.bent:
            assert arrow.received is not None
            if arrow.sent < number < arrow.received:
                canvas[self._track(arrow)] = strokes.line
        self._event(canvas, number, row)
        return "".join(canvas)

    def _event(self, canvas: list[str], number: int, row: Row) -> None:
        strokes = self.strokes
        column = self.columns[row.process]
        meets = self.straight.get(number) or self.late.get(number)
        if meets is not None and meets.target is not None and meets.target != meets.source:
            self._shaft(canvas, meets)
            return
        leaving = next((each for each in self.bent if each.sent == number), None)
        if leaving is not None:
            self._leave(canvas, leaving)
            return
        coming = next((each for each in self.bent if each.received == number), None)
        if coming is not None:
            self._come(canvas, coming, row.text, number)
            return
        mark = strokes.cross if row.crash or row.fails else strokes.dot
        text = row.text
        if number in self.open:
            target = self.open[number].target
            text = f"{text} {strokes.shaft}> " + (
                strokes.ellipsis if target is None else f"{target} {strokes.ellipsis}"
            )
        _write(canvas, column, _cut(f"{mark} {text}", self.edge - column, strokes))

    def _leave(self, canvas: list[str], arrow: Arrow) -> None:
        """From the line of the sender to the track beside the line of the receiver, with the message on the shaft."""
        strokes, source, track = self.strokes, self.columns[arrow.source], self._track(arrow)
        low, high = min(source, track) + 1, max(source, track)
        _write(canvas, low, self._labelled(arrow.text, high - low))
        canvas[track] = strokes.down_right if source < track else strokes.down_left
        canvas[source] = strokes.line

    def _come(self, canvas: list[str], arrow: Arrow, text: str, number: int) -> None:
        strokes, track = self.strokes, self._track(arrow)
        assert arrow.target is not None
        target = self.columns[arrow.target]
        if arrow.lost:
            canvas[track] = strokes.cross
            start = self._right_of(target, number) + 2
            _write(canvas, start, _cut(f"{arrow.text} is lost", self.edge - start, strokes))
        elif track < target:
            _write(canvas, track, strokes.in_right + strokes.shaft * (target - track - 2) + ">")
            _write(canvas, target, _cut(f"{strokes.dot} {text}", self.edge - target, strokes))
        else:
            _write(canvas, target, f"{strokes.dot}<" + strokes.shaft * (track - target - 2) + strokes.in_left)
            start = self._right_of(target, number) + 2
            _write(canvas, start, _cut(text, self.edge - start, strokes))

    def _right_of(self, column: int, number: int) -> int:
        """The last place to the right of a line where an arrow goes down, or the line itself."""
        going = [self._track(each) for each in self.bent if each.sent < number <= (each.received or 0)]
        return max((track for track in going if column < track <= column + 1 + MOST_TRACKS), default=column)

    def _shaft(self, canvas: list[str], arrow: Arrow) -> None:
        """A straight arrow from the line of the sender to the line of the receiver."""
        assert arrow.target is not None
        source, target = self.columns[arrow.source], self.columns[arrow.target]
        shaft = self._labelled(arrow.text, abs(target - source) - 2)
        _write(canvas, min(source, target) + 1, f"{shaft}>" if source < target else f"<{shaft}")

    def _labelled(self, text: str, length: int) -> str:
        """A shaft of a length, with a text in its middle."""
        strokes = self.strokes
        label = _cut(text, length - 2, strokes)
        if len(label) + 2 <= length - 2:
            label = f" {label} "
        return label.center(length, strokes.shaft)

    def _track(self, arrow: Arrow) -> int:
        """Beside the line of the receiver, on the side from which the message comes."""
        assert arrow.target is not None
        source, target = self.columns[arrow.source], self.columns[arrow.target]
        away = 2 + self.tracks[id(arrow)]
        return target - away if source < target else target + away

    def _columns(self, names: list[str], gutter: int, width: int) -> tuple[dict[str, int], int]:
        """Where the lines stand, and where the chart ends."""
        self.rooms = _rooms(names, self.rows, [*self.bent, *self.straight.values()], width - gutter)
        columns, position = {}, gutter
        for name, room in zip(names, self.rooms, strict=True):
            columns[name] = position
            position += room
        return columns, width if position <= width else position + WIDEST


def _with_others(
    rows: Sequence[Row], arrows: Sequence[Arrow], order: Sequence[str], room: int
) -> tuple[list[Row], list[str]]:
    """The rows and the columns; where there are too many, those that only do something by themselves share one."""
    part = {row.process for row in rows} | {each.source for each in arrows} | {each.target for each in arrows}
    names = [name for name in order if name in part]
    talking = {each.source for each in arrows} | {each.target for each in arrows}
    silent = {name for name in names if name not in talking}
    if len(names) * NARROWEST <= room or len(silent) < 2:
        return list(rows), names
    shared = [
        replace(row, process=OTHERS, text=f"{row.process}: {row.text}", crash=False) if row.process in silent else row
        for row in rows
    ]
    return shared, [*(name for name in names if name not in silent), OTHERS]


def _tracks(arrows: Sequence[Arrow]) -> tuple[list[Arrow], dict[int, int]]:
    """The arrows for which there is room beside the line of their receiver, and how far from it each goes down."""
    drawn: list[Arrow] = []
    tracks: dict[int, int] = {}
    for arrow in sorted(arrows, key=lambda each: each.sent):
        busy = {
            tracks[id(other)]
            for other in drawn
            if other.target == arrow.target and other.received is not None and other.received >= arrow.sent
        }
        free = next((track for track in range(MOST_TRACKS) if track not in busy), None)
        if free is not None:
            drawn.append(arrow)
            tracks[id(arrow)] = free
    return drawn, tracks


def _rooms(names: list[str], rows: Sequence[Row], arrows: Sequence[Arrow], width: int) -> list[int]:
    """How wide each column is: as wide as what it shows wants it, made narrower where that is too much."""
    wanted = [max(len(name) + 2, NARROWEST) for name in names]
    at = {name: number for number, name in enumerate(names)}
    for row in rows:
        if row.process in at:
            # A text may cross the lines to its right.
            wanted[at[row.process]] = max(wanted[at[row.process]], min(len(row.text), TEXT) + 4)
    for arrow in arrows:
        if arrow.target is not None and abs(at[arrow.source] - at[arrow.target]) == 1:
            left = min(at[arrow.source], at[arrow.target])
            wanted[left] = max(wanted[left], len(arrow.text) + 8 + MOST_TRACKS)
    rooms = [min(each, WIDEST) for each in wanted]
    while sum(rooms) > width and max(rooms) > NARROWEST:
        rooms[rooms.index(max(rooms))] -= 1
    return rooms


def _write(canvas: list[str], position: int, text: str) -> None:
    canvas[position : position + len(text)] = text


def _cut(text: str, room: int, strokes: Strokes) -> str:
    if len(text) <= room:
        return text
    return text[: max(room - len(strokes.ellipsis), 0)] + strokes.ellipsis[: max(room, 0)]
