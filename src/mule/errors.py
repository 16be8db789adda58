"""What can go wrong on the user's side: every such problem is a `MuleError`, shown without a traceback."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from types import FunctionType


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a source file; lines and columns count from 1."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        parts = [self.file]
        if self.line is not None:
            parts.append(str(self.line))
            if self.column is not None:
                parts.append(str(self.column))
        return ":".join(parts)


MOST_ECHOED = 60
"""Characters of the input that a message repeats."""
MOST_SAID = 200
"""The same of what code that comes with a model says."""


def clipped(text: str, most: int = MOST_ECHOED) -> str:
    """The text on one line, its middle left out if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most // 2]} … {line[-most // 3 :]}"


def printable(text: str) -> str:
    """The text without what would command a terminal, or change the order in which it is read: written out."""
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


def said(error: BaseException) -> str:
    """`ValueError: words`, on one line; the code of a stranger may have written its `__str__`."""
    name = type.__dict__["__name__"].__get__(type(error))
    try:
        words = str(error)
    except (Exception, SystemExit, GeneratorExit):
        words = "it cannot be printed"
    return clipped(f"{name}: {words}", MOST_SAID)


def briefly(value: object) -> str:
    """For a complaint about it; the code of a stranger may have written its `__repr__`."""
    try:
        return value.__name__ if isinstance(value, type | FunctionType) else clipped(reprlib.repr(value))
    except (Exception, SystemExit, GeneratorExit):
        return f"an object of {type.__dict__['__name__'].__get__(type(value))}"


class MuleError(Exception):
    """Bad input or usage (exit status 2): a message a person can act on, and where in the input it belongs."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class KeywordError(MuleError, TypeError):
    """An argument that a function of the Python interface does not take."""


class MissingFileError(MuleError, FileNotFoundError):
    """There is no such file."""
