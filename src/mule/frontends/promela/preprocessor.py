"""Promela's preprocessor is C's: SPIN hands every file to `cpp`, and so users write macros and includes.

Comments and line ends are settled here, directives and macros in `macros.py`, which is loaded only when a file has
some. Every character of the result remembers where the user wrote it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mule.errors import MuleError, Place, clipped

MAX_CHARACTERS = 20_000_000

_PIECE = re.compile(
    r"""(?P<keep>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
      | (?P<comment>//(?:[^\n\\]|\\.)*|/\*.*?\*/)
      | (?P<open>/\*)""",
    re.VERBOSE | re.DOTALL,
)
_LINE_ENDS = re.compile(r"\r\n?")
_ODD_SPACES = re.compile("[\0\v\f\x1c\x1d\x1e\x85\u2028\u2029\ufeff]")
_DEFINITION = re.compile(r"([A-Za-z_]\w*)(?:=(.*))?", re.ASCII | re.DOTALL)


class Origin(NamedTuple):
    """Where a piece of the preprocessed text was written."""

    file: str
    line: int
    column: int
    verbatim: bool
    """Whether it stands there as it is; else it is what a macro at that place expands to."""


@dataclass(slots=True)
class Preprocessed:
    """The text that the lexer reads, in pieces: `starts[i]` is the offset of the piece that `origins[i]` describes."""

    text: str
    starts: list[int] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    expand: Callable[[str, bool], str] | None = None
    """Applies the macros that are defined at the end of the text to another one, where there are any; the second
    argument: whether each macro becomes one operand."""

    def place(self, at: int) -> Place:
        index = max(bisect_right(self.starts, at) - 1, 0)
        file, line, column, verbatim = self.origins[index]
        return Place(file, line, column + max(at - self.starts[index], 0) if verbatim else column)


def preprocess(text: str, file: str, defines: Sequence[str] = ()) -> Preprocessed:
    """Apply directives and macros; `defines` are as in a compiler's `-D`: NAME or NAME=VALUE."""
    definitions = [_definition(text) for text in defines]
    cleaned = clean(text, file)
    if "#" in cleaned or definitions:
        from mule.frontends.promela.macros import expand

        return expand(cleaned, file, definitions)
    lines = [0, *(match.end() for match in re.finditer("\n", cleaned))]
    return Preprocessed(cleaned, lines, [Origin(file, line + 1, 1, True) for line in range(len(lines))])


def _definition(text: str) -> tuple[str, str]:
    match = _DEFINITION.fullmatch(text)
    if match is None or "\n" in text:
        raise MuleError(f"cannot define `{clipped(text)}` (-D): expected NAME or NAME=VALUE")
    return match[1], "1" if match[2] is None else match[2]


def clean(text: str, file: str) -> str:
    """Comments become spaces, so that columns stay; all lines end in a line feed, with nothing blank before it."""
    if len(text) > MAX_CHARACTERS:
        raise MuleError(f"this file is too large: more than {MAX_CHARACTERS} characters", Place(file))
    text = _ODD_SPACES.sub(" ", _LINE_ENDS.sub("\n", text))

    def replace(match: re.Match[str]) -> str:
        if match.lastgroup == "keep":
            return match.group()
        if match.lastgroup == "open":
            raise MuleError("this comment is never closed: expected `*/`", _place(text, file, match.start()))
        blank = re.sub(r"[^\n]", " ", match.group())
        # A directive goes on after a comment of several lines.
        return blank.replace("\n", "\\\n") if "\n" in blank and _in_directive(text, match.start()) else blank

    return "\n".join(line.rstrip() for line in _PIECE.sub(replace, text).split("\n"))


def _in_directive(text: str, at: int) -> bool:
    start = text.rfind("\n", 0, at) + 1
    while text.endswith("\\\n", 0, start):
        start = text.rfind("\n", 0, start - 1) + 1
    return text[start:at].lstrip().startswith("#")


def _place(text: str, file: str, at: int) -> Place:
    return Place(file, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
