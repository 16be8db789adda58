"""Lines that fit the terminal: wrapping with a hanging indent, and signs that the encoding allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TextIO

from rich.console import Console
from rich.text import Text

MINIMUM_BODY = 20


@dataclass(frozen=True, slots=True)
class Signs:
    arrow: str
    good: str
    bad: str
    open: str
    ellipsis: str


UNICODE = Signs(arrow="→", good="✓", bad="✗", open="?", ellipsis="…")
ASCII = Signs(arrow="->", good="+", bad="x", open="?", ellipsis="...")


class Page:
    """A console that prints paragraphs and hanging items without trailing spaces."""

    def __init__(self, console: Console | None = None, file: TextIO | None = None) -> None:
        self.console = console or Console(file=file, highlight=False, markup=False, emoji=False)
        self.signs = _signs(self.console.encoding)

    @property
    def width(self) -> int:
        return self.console.width

    def blank(self) -> None:
        self.console.print()

    def heading(self, text: str) -> None:
        self.blank()
        self.console.print(Text(text, style="bold"), soft_wrap=True)

    def item(self, head: str | Text, body: str | Text) -> None:
        """`head` once, `body` beside it; where the body wraps it stays to the right of the head."""
        start = Text(head) if isinstance(head, str) else head
        content = Text(body) if isinstance(body, str) else body
        indent = start.cell_len
        room = max(self.width - indent, MINIMUM_BODY)
        lines = content.wrap(self.console, room, overflow="fold") or [Text()]
        for position, line in enumerate(lines):
            full = (start if position == 0 else Text(" " * indent)) + line
            full.rstrip()
            self.console.print(full, soft_wrap=True)

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
            self.console.print(Text("  ".join(cells).rstrip(), style=style), soft_wrap=True)


def _signs(encoding: str) -> Signs:
    try:
        "→✓✗…".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE
