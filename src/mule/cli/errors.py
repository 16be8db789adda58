"""Bad input and bad usage, said so that a person can act on it."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from itertools import pairwise

from mule.errors import MuleError, Place, printable, said

WIDEST_SOURCE = 100
"""Of a longer source line only the part around the column is shown."""
WIDEST_MESSAGE = 300
"""Of a longer line the middle is left out: names and numbers in the input may have any length."""
MOST_LINES = 5
LINES_OF_SOURCE = 2


IN_THE_COMMAND = ("formula", "<expression>")
"""What stands for a file in the place of a mistake in something that was typed."""
TYPED = ("--ltl", "--ctl", "--invariant", "--observe", "--estimate")


def error_text(error: MuleError, words: Sequence[str] = ()) -> str:
    """`mule: file:line:column: message`, then the source line and a caret where the file can be read. `words`: of the
    command."""
    place = None if error.place is None else _middle_left_out(str(error.place), WIDEST_SOURCE)
    line = _typed(error.place, words) or _source_line(error.place)
    message = "mule: " + (error.message if place is None else f"{place}: {error.message}")
    text = _short(message, MOST_LINES if line is None else MOST_LINES - LINES_OF_SOURCE)
    if line is None or error.place is None:
        return text
    column = error.place.column or 1
    start = max(0, column - WIDEST_SOURCE // 2) if len(line) > WIDEST_SOURCE else 0
    text += f"\n    {line[start : start + WIDEST_SOURCE]}"
    if error.place.column is not None and 1 <= column <= len(line) + 1:
        text += "\n    " + " " * (column - 1 - start) + "^"
    return text


def _short(text: str, most: int = MOST_LINES) -> str:
    """So that a person reads it, whatever the input is."""
    lines = text.split("\n")
    if len(lines) > most:
        lines[most - 1 :] = [f"… ({len(lines) - most + 1} more lines)"]
    return "\n".join(_line(line) for line in lines)


def _line(text: str) -> str:
    """What is written out becomes longer, and is not written out where nobody would see it."""
    return _middle_left_out(printable(_middle_left_out(text, WIDEST_MESSAGE)), WIDEST_MESSAGE)


def _middle_left_out(line: str, widest: int) -> str:
    return line if len(line) <= widest else f"{line[: widest // 2]} … {line[-widest // 2 :]}"


def show_error(error: MuleError, words: Sequence[str]) -> None:
    print(error_text(error, words), file=sys.stderr)


def show_internal_error(error: Exception, debug: bool) -> None:
    if debug:
        traceback.print_exception(error)
    more = "" if debug else "; --debug shows where"
    print(f"mule: this is a defect of Mule ({printable(said(error))}): please report it{more}", file=sys.stderr)


def show_usage_error(message: str, command: str) -> None:
    print(_short(f"mule: {message}\nTry '{command} --help'."), file=sys.stderr)


def _typed(place: Place | None, words: Sequence[str]) -> str | None:
    """The formula or expression in which the place is, if the command has only one."""
    if place is None or place.file not in IN_THE_COMMAND or place.line != 1:
        return None
    found = [word.partition("=")[2] for word in words if word.startswith(tuple(f"{name}=" for name in TYPED))]
    found += [after for word, after in pairwise(words) if word in TYPED]
    if words[:1] == ["automaton"]:
        found += [word for word in words[1:] if not word.startswith("-")]
    return found[0] if len(found) == 1 and found[0].isprintable() else None


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
