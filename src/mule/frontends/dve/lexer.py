"""Characters to tokens: one compiled regular expression, and parallel lists instead of token objects."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NoReturn

from mule.errors import MuleError, Place

DECLARATIONS = frozenset({"byte", "int", "const", "channel", "process", "system", "async", "property"})
SECTIONS = frozenset({"state", "init", "accept", "commit", "assert", "trans", "guard", "sync", "effect"})
WORDS = frozenset({"and", "or", "not", "imply", "true", "false"})
KEYWORDS = DECLARATIONS | SECTIONS | WORDS

END = "end of file"
NAME = "name"
NUMBER = "number"

LARGEST = 2**31 - 1

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<number>\d++(?![A-Za-z_]))
      | (?P<open>/\*)
      | (?P<symbol>->|=>|==|!=|<=|>=|<<|>>|&&|\|\||[-+*/%&|^~!<>=?;:,.(){}\[\]])
      | (?P<bad>\d\w*|.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


class Source:
    """A text with its name, and its tokens.

    `kinds[i]` is NAME, NUMBER, END or the keyword or symbol itself; `texts[i]` is what was written; `starts[i]` is the
    offset of its first character."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self._lines: list[int] | None = None
        self._tokenize()

    def _tokenize(self) -> None:
        kinds, texts, starts = self.kinds, self.texts, self.starts
        for match in _TOKEN.finditer(self.text):
            group = match.lastgroup
            if group == "skip":
                continue
            text = match.group()
            if group == "name":
                kinds.append(text if text in KEYWORDS else NAME)
            elif group == "symbol":
                kinds.append(text)
            elif group == "number":
                self._check_number(text, match.start())
                kinds.append(NUMBER)
            else:
                self._refuse(text, match.start())
            texts.append(text)
            starts.append(match.start())
        kinds.append(END)
        texts.append("")
        starts.append(len(self.text))

    def _check_number(self, text: str, at: int) -> None:
        if len(text) > 10 or int(text) > LARGEST:
            shown = text if len(text) <= 20 else f"{text[:17]}..."
            self.fail(f"the number {shown} is too large: numbers have 32 bits, at most {LARGEST}", at)

    def _refuse(self, text: str, at: int) -> NoReturn:
        if text == "/*":
            self.fail("this comment is never closed: expected `*/`", at)
        if text[0].isdigit():
            self.fail(f"`{text[:20]}` is neither a number nor a name", at)
        self.fail(f"unexpected character {text!r}", at)

    def place(self, at: int) -> Place:
        if self._lines is None:
            self._lines = [0, *(match.end() for match in re.finditer("\n", self.text))]
        line = bisect_right(self._lines, at)
        return Place(self.file, line, at - self._lines[line - 1] + 1)

    def fail(self, message: str, at: int) -> NoReturn:
        raise MuleError(message, self.place(at))

    def one_line(self, start: int, end: int) -> str:
        """A piece of the text without comments and line breaks."""
        text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", self.text[start:end], flags=re.DOTALL)
        return " ".join(text.split())
