"""The words of an LTL formula, and which of them are operators."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NoReturn

from mule.errors import MuleError, Place

Syntax = Literal["any", "spin", "spot"]

_PATTERN: Final = r"""
    \s+ | (?P<string>"(?:\\.|[^"\\])*") | (?P<name>[A-Za-z_]\w*) | (?P<number>\d+)
    | (?P<sign> <-> | <=> | -> | => | \[\] | <> | && | \|\| | /\\ | \\/ | [=!<>]= | << | >> | \S )"""
_TOKEN: Final = re.compile(_PATTERN, re.VERBOSE)
_SPOT_TOKEN: Final = re.compile(_PATTERN.replace("(?P<name>", r"(?P<name>[GFX](?=\w)|"), re.VERBOSE)
"""In Spot's syntax no name begins with G, F or X: `GFa` is `G F a`."""

UNARY: Final = {
    "!": "!", "not": "!",
    "[]": "G", "G": "G", "always": "G",
    "<>": "F", "F": "F", "eventually": "F",
    "X": "X", "next": "X",
}  # fmt: skip
BINARY: Final = {
    "&&": "&&", "/\\": "&&", "and": "&&",
    "||": "||", "\\/": "||", "or": "||",
    "->": "->", "=>": "->", "implies": "->", "imply": "->",
    "<->": "<->", "<=>": "<->", "equivalent": "<->",
    "U": "U", "until": "U", "stronguntil": "U",
    "W": "W", "weakuntil": "W",
    "R": "R", "V": "R", "release": "R",
    "M": "M",
}  # fmt: skip
_SPOT_UNARY: Final = {"~": "!"}
_SPOT_BINARY: Final = {"&": "&&", "|": "||", "^": "xor", "xor": "xor"}
_CLOSING: Final = (")", "]", "}")
PYTHON_WORDS: Final = frozenset({"is", "in", "not", "if", "else"})
"""Words of Python that stand between two operands: `x is not None`, `x not in y`."""
OPENING: Final = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    start: int
    end: int

    @property
    def ends_operand(self) -> bool:
        """Can an operand of the model's language end here?"""
        return self.kind in ("name", "number", "string") or self.text in _CLOSING


class Source:
    """The text of a formula and its tokens."""

    def __init__(
        self,
        text: str,
        syntax: Syntax,
        members: Collection[str],
        place: Place,
        remote: Collection[str] = (),
        words: Collection[str] = (),
    ) -> None:
        """`members`: the names after which `->` is a part of the model's language, as in `P->x` in DVE. `remote`: those
        after which, or after whose index, `:` is, as in Promela's `P[1]:x`. `words`: those that are operators of the
        model's language."""
        self.remote = remote
        self._words = words
        self.text = text
        self._members = members
        self._place = place
        self._line_ends = [match.start() for match in re.finditer("\n", text)]
        self.unary = {**UNARY, **(_SPOT_UNARY if syntax == "spot" else {})}
        self.binary = {**BINARY, **(_SPOT_BINARY if syntax == "spot" else {})}
        self.tokens = [
            Token(match.lastgroup, match.group(), match.start(), match.end())
            for match in (_SPOT_TOKEN if syntax == "spot" else _TOKEN).finditer(text)
            if match.lastgroup
        ]
        self.tokens.append(Token("end", "the end of the formula", len(text), len(text)))

    def fail(self, message: str, offset: int) -> NoReturn:
        """Refuse the formula, at an offset into its text."""
        raise MuleError(message, self.place(offset))

    def place(self, offset: int) -> Place:
        lines = bisect_left(self._line_ends, offset)
        column = offset - self._line_ends[lines - 1] if lines else (self._place.column or 1) + offset
        return Place(self._place.file, (self._place.line or 1) + lines, column)

    def joins(self, index: int) -> bool:
        """Whether the token is a word of the model's language that goes on after an operand, or a part of such a one:
        `is`, `is not`, `in`, `not in`."""
        token = self.tokens[index]
        if token.text not in self._words or not index:
            return False
        if token.text == "not":
            before, after = self.tokens[index - 1], self.tokens[index + 1]
            return before.text == "is" if before.text in self._words else before.ends_operand and after.text == "in"
        return self.ends_operand(index - 1) or (token.text == "in" and self.joins(index - 1))

    def ends_operand(self, index: int) -> bool:
        """Can an operand of the model's language end with this token?"""
        return self.tokens[index].ends_operand and not self.joins(index)

    def conditional_at(self, index: int) -> bool:
        """Whether a conditional expression of Python goes on here: `a if b else c`."""
        return self.tokens[index].text == "if" and self.joins(index)

    def binary_at(self, index: int) -> str | None:
        """The binary operator that the token is after an operand, if any."""
        token = self.tokens[index]
        if token.text == "->" and index and self.tokens[index - 1].text in self._members:
            return None
        return self.binary.get(token.text) if token.kind in ("name", "sign") else None

    def unary_at(self, index: int) -> Sequence[str] | None:
        """The prefix operators that the token is where an operand may begin: `GF` is two of them. A letter is a name
        where no operand follows."""
        token = self.tokens[index]
        if token.kind == "name" and re.fullmatch("[GFX]+", token.text):
            return token.text if self._operand_follows(index) else None
        if token.kind == "name" and token.text in self.unary:
            return self.unary[token.text] if self._operand_follows(index) else None
        return self.unary.get(token.text) if token.kind == "sign" else None

    def _operand_follows(self, index: int) -> bool:
        following = self.tokens[index + 1]
        if following.kind == "name":
            return self.binary_at(index + 1) is None
        return following.kind in ("number", "string", "end") or following.text in ("(", "!", "[]", "<>", "~")

    def closing(self, index: int) -> int:
        """The index of the bracket that closes the one at `index`."""
        pending = []
        for position in range(index, len(self.tokens)):
            token = self.tokens[position]
            if token.kind != "sign":
                continue
            if token.text in OPENING:
                pending.append(OPENING[token.text])
            elif token.text in _CLOSING:
                if token.text != pending.pop():
                    self.fail(f"{token.text} closes nothing", token.start)
                if not pending:
                    return position
        self.fail(f"this {self.tokens[index].text} is not closed", self.tokens[index].start)
