"""Lines that fit the terminal: wrapping with a hanging indent, tables, and signs that the encoding allows."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.text import Text

from mule.errors import printable
from mule.records import Record

MINIMUM_BODY = 20
PIPE_WIDTH = 80
"""Where there is no terminal, and COLUMNS does not tell."""
GLUE = "\N{NO-BREAK SPACE}"
"""Between words that belong together: the line is broken there only if they are longer than a line."""
NAME_GLUE = "\N{NARROW NO-BREAK SPACE}"
"""Inside a name: never broken. Both are printed as spaces."""
_BEHIND = re.compile(r"(?<=[,;])(?=[^,;\s])")
"""Where a piece that is too long for a line may be broken, if it must: never in a name or number."""
LONGEST_TEXT = 1_000
"""Of a longer statement or property only the beginning and the end are shown: guards can have 200,000 operands."""


class Signs(Record, frozen=True):
    arrow: str
    good: str
    bad: str
    open: str
    ellipsis: str
    times: str


UNICODE = Signs(arrow="→", good="✓", bad="✗", open="?", ellipsis="…", times="×")
ASCII = Signs(arrow="->", good="+", bad="x", open="?", ellipsis="...", times="x")


class Page:
    """A console that prints paragraphs and hanging items without trailing spaces."""

    whole_trail = "--full-trail shows them"
    """How the reader gets to see steps that are left out."""

    def __init__(self, console: Console | None = None, file: TextIO | None = None) -> None:
        self.console = console or _console(file)
        self.signs = _signs(self.console.encoding)
        self._plain = self.console.color_system is None and not self.console.is_terminal and not self.console.record
        """Whether a line is written as it is: Rich takes long to find out that there is nothing to do, and trails can
        have many thousands of lines."""
        self._width = self.console.width if self._plain else None

    @property
    def width(self) -> int:
        return self._width or self.console.width

    def line(self, text: Text) -> None:
        """A line that is not wrapped. Names in a model may have any characters, also those that command a terminal."""
        if not text.plain.isprintable() and (safe := printable(_spaced(text.plain))) != text.plain:
            text = Text(safe, style=text.style)
        if self._plain and "\t" not in text.plain:
            self.console.file.write(f"{text.plain}\n")
        else:
            self.console.print(text, soft_wrap=True)

    def shortened(self, text: str) -> str:
        """A piece of the model's text, without its middle where it is very long; the JSON report has all of it."""
        if len(text) <= LONGEST_TEXT:
            return text
        kept = LONGEST_TEXT // 2
        return f"{text[:kept].rstrip()} {self.signs.ellipsis} {text[-kept:].lstrip()}"

    def blank(self) -> None:
        self.line(Text())

    def heading(self, text: str) -> None:
        self.blank()
        self.line(Text(text, style="bold"))

    def item(self, head: str | Text, body: str | Text) -> None:
        """`head` once, `body` beside it; where the body wraps it stays to the right of the head."""
        start = Text(head) if isinstance(head, str) else head
        content = Text(body) if isinstance(body, str) else body
        indent = start.cell_len
        room = max(self.width - indent, MINIMUM_BODY)
        if self._plain and content.cell_len <= room and "\n" not in content.plain:
            self.line(Text((start.plain + _spaced(content.plain)).rstrip()))
            return
        for position, line in enumerate(wrapped(content, room)):
            # Not `start + line`: the style of the head would then be that of the first line of the body too.
            full = Text.assemble(start if position == 0 else " " * indent, line)
            full.rstrip()
            self.line(full)

    def table(self, header: list[str], rows: list[list[str]], expendable: tuple[int, ...] = ()) -> None:
        """The first column to the left, the others to the right; `expendable` ones go, in order, where it is narrow."""
        lines = [header, *rows]
        columns = list(range(len(header)))
        widths = [max(len(line[column]) for line in lines) for column in columns]
        for column in expendable:
            if sum(widths[c] + 2 for c in columns) - 2 > self.width:
                columns.remove(column)
        for number, line in enumerate(lines):
            cells = [line[c].rjust(widths[c]) if c else line[c].ljust(widths[c]) for c in columns]
            style = "bold" if number == 0 else ""
            self.line(Text("  ".join(cells).rstrip(), style=style))

    def pairs(self, rows: Sequence[tuple[str, str]], indent: int = 2) -> None:
        """Names and values in two columns, side by side as often as many short ones fit. The value of a name that is
        too long for its column stands below it."""
        if not rows:
            return
        room = self.width - indent
        limit = min(max(room // 2, MINIMUM_BODY // 2), LONGEST_NAME)
        names = max((len(name) for name, _ in rows if len(name) <= limit), default=0)
        values = max(len(value) for _, value in rows)
        beside = (room + GAP) // (names + 2 + values + GAP) if len(rows) > BLOCK else 1
        if beside <= 1 or any(len(name) > names for name, _ in rows):
            for name, value in rows:
                head = " " * indent + name
                if len(name) > names:
                    self.line(Text(head))
                    head = " " * indent
                self.item(head.ljust(indent + names) + "  ", value)
            return
        height = -(-len(rows) // beside)
        for line in range(height):
            cells = [f"{name:<{names}}  {value:<{values}}" for name, value in rows[line::height]]
            self.line(Text(_spaced(" " * indent + (" " * GAP).join(cells).rstrip())))


LONGEST_NAME = 32
"""In the first column of a table."""
BLOCK, GAP = 6, 4
"""More rows than these are set side by side where there is room, so many columns apart."""


def wrapped(text: Text, room: int) -> list[Text]:
    """Lines of at most `room` columns, broken between words. What `GLUE` holds together is broken only where it is
    longer than a line; a name or a number never is, even if the line becomes too long."""
    lines: list[Text] = []
    for paragraph in text.split("\n", allow_blank=True):
        lines += _wrapped_line(paragraph, room)
    return lines or [Text()]


def _wrapped_line(text: Text, room: int) -> list[Text]:
    breaks: list[int] = []
    start = end = 0
    for piece in _pieces(text.plain, room):
        width = Text(piece.rstrip(" ")).cell_len
        if end > start and Text(text.plain[start:end]).cell_len + width > room:
            breaks.append(end)
            start = end
        end += len(piece)
    lines = text.divide(breaks)
    for line in lines:
        line.rstrip()
        line.plain = _spaced(line.plain)
    return list(lines)


def _pieces(plain: str, room: int) -> list[str]:
    """What must not be broken, each with the spaces behind it."""
    found: list[str] = []
    for piece in re.findall(r" *[^ ]+ *|^ +$", plain):
        if len(piece.rstrip(" ")) <= room:
            found.append(piece)
            continue
        for part in re.findall(rf"[^{GLUE}]+{GLUE}*", piece):
            found += [part] if len(part.rstrip(f" {GLUE}")) <= room else [each for each in _BEHIND.split(part) if each]
    return found


def glued(text: str) -> str:
    return text.replace(" ", GLUE)


def _spaced(text: str) -> str:
    return text.replace(GLUE, " ").replace(NAME_GLUE, " ")


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """What a command makes of it is not for a library to decide (Rich would end the program)."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def _console(file: TextIO | None) -> Console:
    """Into a pipe the width does not hang on where the command was typed."""
    if not os.environ.get("COLUMNS", "").isascii():  # Rich takes `²` for a number
        del os.environ["COLUMNS"]
    console = _Console(file=file, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        columns = os.environ.get("COLUMNS", "")
        console.width = int(columns) if columns.isdigit() and int(columns) > 0 else PIPE_WIDTH
    return console


def _signs(encoding: str) -> Signs:
    try:
        "→✓✗…×".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE
