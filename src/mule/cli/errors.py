"""Bad input and bad usage, said so that a person can act on it."""

from __future__ import annotations

import os
import sys
import traceback

from mule.errors import MuleError, Place

WIDEST_SOURCE = 100
"""Of a longer source line only the part around the column is shown."""
WIDEST_MESSAGE = 300
"""Of a longer line the middle is left out: names and numbers in the input may have any length."""
MOST_LINES = 5


def error_text(error: MuleError) -> str:
    """`mule: file:line:column: message`, then the source line and a caret where the file can be read."""
    text = _short(f"mule: {error}")
    line = _source_line(error.place)
    if line is None or error.place is None:
        return text
    column = error.place.column or 1
    start = max(0, column - WIDEST_SOURCE // 2) if len(line) > WIDEST_SOURCE else 0
    text += f"\n    {line[start : start + WIDEST_SOURCE]}"
    if error.place.column is not None and 1 <= column <= len(line) + 1:
        text += "\n    " + " " * (column - 1 - start) + "^"
    return text


def _short(text: str) -> str:
    """So that a person reads it, whatever the input is."""
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        lines[MOST_LINES - 1 :] = [f"… ({len(lines) - MOST_LINES + 1} more lines)"]
    half = WIDEST_MESSAGE // 2
    return "\n".join(line if len(line) <= WIDEST_MESSAGE else f"{line[:half]} … {line[-half:]}" for line in lines)


def show_error(error: MuleError) -> None:
    print(error_text(error), file=sys.stderr)


def show_internal_error(error: Exception, debug: bool) -> None:
    if debug:
        traceback.print_exception(error)
    words = " ".join(f"{type(error).__name__}: {error}".split())
    more = "" if debug else "; --debug shows where"
    print(f"mule: this is a defect of Mule ({words[:WIDEST_SOURCE]}): please report it{more}", file=sys.stderr)


def show_usage_error(message: str, command: str) -> None:
    print(_short(f"mule: {message}\nTry '{command} --help'."), file=sys.stderr)


def _source_line(place: Place | None) -> str | None:
    """The line as it can be printed: each character that is not printable is a space, so that columns stay."""
    if place is None or place.line is None or not os.path.isfile(place.file):  # a pipe cannot be read again
        return None
    try:
        with open(place.file, encoding="utf-8-sig", errors="replace", newline="\n") as source:
            for number, line in enumerate(source, 1):
                if number == place.line:
                    return "".join(c if c.isprintable() else " " for c in line).rstrip()
    except OSError:
        return None
    return None
