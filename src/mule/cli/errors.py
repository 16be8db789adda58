"""Bad input and bad usage, said so that a person can act on it."""

from __future__ import annotations

import sys

from mule.errors import MuleError, Place


def error_text(error: MuleError) -> str:
    """`mule: file:line:column: message`, then the source line and a caret where the file can be read."""
    text = f"mule: {error}"
    line = _source_line(error.place)
    if line is None or error.place is None:
        return text
    shown = line.expandtabs(1).rstrip()
    text += f"\n    {shown}"
    column = error.place.column
    if column is not None and 1 <= column <= len(shown) + 1:
        text += "\n    " + " " * (column - 1) + "^"
    return text


def show_error(error: MuleError) -> None:
    print(error_text(error), file=sys.stderr)


def show_usage_error(message: str, command: str) -> None:
    print(f"mule: {message}\nTry '{command} --help'.", file=sys.stderr)


def _source_line(place: Place | None) -> str | None:
    if place is None or place.line is None:
        return None
    try:
        with open(place.file, encoding="utf-8", errors="replace") as source:
            for number, line in enumerate(source, 1):
                if number == place.line:
                    return line
    except OSError:
        return None
    return None
