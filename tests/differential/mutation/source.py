"""A Promela program as its tokens, and where its statements, conditions and declarations are.

This reads programs loosely and without Mule's parser: what Mule misreads must not be hidden by how mutants are made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

TYPES = ("bit", "bool", "byte", "short", "int")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"[^\n]*$', re.MULTILINE)
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TOKEN = re.compile(
    r"""(?P<blank>(?:\s|\\\n|\*/)+)
      | (?P<define>\#[ \t]*define[ \t]+\w+(?:\([^)\n]*\))?)
      | (?P<directive>\#(?:[^\n\\]|\\.)*)
      | (?P<word>\w+)
      | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^\\\n]|\\.)')
      | (?P<symbol>::|\[\]|<>|->|<->|--|\+\+|<<|<=|>>|>=|==|!=|!!|\?\?|&&|\|\||\.\.|.)""",
    re.VERBOSE | re.DOTALL,
)
_OPENING = {"(": ")", "[": "]", "{": "}", "if": "fi", "do": "od"}
_CLOSING = ("}", "fi", "od", "::", "")
"""What ends a sequence of statements; the empty token ends a macro."""


def read_program(file: Path) -> str:
    """The text of a model with what it includes in place, and without its comments."""

    def included(match: re.Match[str]) -> str:
        inner = file.parent / match.group(1)
        return read_program(inner) if inner.is_file() else match.group()

    text = file.read_text(encoding="latin-1").replace("\r\n", "\n")
    return _INCLUDE.sub(included, _COMMENT.sub(lambda match: match.group(1) or " ", text))


@dataclass(frozen=True, slots=True)
class Token:
    before: str
    """The blanks between the last token and this one: line ends can be separators."""
    text: str


def tokens_of(text: str) -> list[Token]:
    found: list[Token] = []
    blank, in_macro = "", False
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "blank":
            blank = match.group()
            if in_macro and "\n" in blank.replace("\\\n", ""):
                found.append(Token("", ""))
                in_macro = False
            continue
        found.append(Token(blank, match.group()))
        blank = ""
        in_macro = in_macro or match.lastgroup == "define"
    return found


def text_of(tokens: list[Token]) -> str:
    pieces: list[str] = []
    for token in tokens:
        glued = not token.before and pieces and re.match(r"\w", token.text) and re.search(r"\w$", pieces[-1])
        pieces += [" " if glued else token.before, token.text]
    return "".join(pieces) + "\n"


def written(text: str) -> list[Token]:
    """New tokens, with a blank before each, so that they cannot run into their neighbours."""
    return [Token(token.before or " ", token.text) for token in tokens_of(text)]


@dataclass(frozen=True, slots=True)
class Statement:
    begin: int
    end: int
    sequence: int
    """Which statements stand beside each other."""
    in_claim: bool
    opens_option: bool


@dataclass(slots=True)
class Outline:
    """Where things are in a list of tokens; all numbers are positions in it."""

    texts: list[str]
    statements: list[Statement] = field(default_factory=list)
    options: list[tuple[int, int]] = field(default_factory=list)
    """From `::` to the next `::`, `fi` or `od`."""
    bodies: list[tuple[int, int]] = field(default_factory=list)
    """The braces of proctypes and `init`."""
    heads: list[int] = field(default_factory=list)
    """The words `proctype` and `init`."""
    sequences: int = 0

    def inside_body(self, at: int) -> bool:
        return any(begin < at < end for begin, end in self.bodies)


def outline(tokens: list[Token]) -> Outline:
    found = Outline([token.text for token in tokens])
    at, kind = 0, ""
    while at < len(found.texts):
        text = found.texts[at]
        if text in ("proctype", "init", "never", "inline", "trace", "notrace"):
            kind = text
            if text in ("proctype", "init"):
                found.heads.append(at)
        elif text.startswith("#") and "define" in text:
            at = _sequence(found, at + 1, in_claim=False)
        elif text == "{":
            end = closing(found.texts, at)
            if kind:
                _sequence(found, at + 1, in_claim=kind == "never")
            if kind in ("proctype", "init"):
                found.bodies.append((at, end))
            at, kind = end, ""
        elif text == ";":
            kind = ""
        at += 1
    return found


def _sequence(found: Outline, at: int, in_claim: bool) -> int:
    """Statements up to what ends them; gives back where that is."""
    found.sequences += 1
    sequence, first = found.sequences, True
    while at < len(found.texts) and found.texts[at] not in _CLOSING:
        if found.texts[at] in (";", "->"):
            at += 1
            continue
        end = _statement(found, at, in_claim)
        opens = first and at > 0 and found.texts[at - 1] == "::"
        found.statements.append(Statement(at, end, sequence, in_claim, opens))
        first = False
        at = end
    return at


def _statement(found: Outline, at: int, in_claim: bool) -> int:
    texts = found.texts
    while at < len(texts) and texts[at] not in (";", "->", *_CLOSING):
        if texts[at] in ("if", "do"):
            at = _options(found, at + 1, in_claim)
        elif texts[at] == "{":
            at = _sequence(found, at + 1, in_claim)
        elif texts[at] in ("(", "["):
            at = closing(texts, at)
            at += 1
            continue
        else:
            at += 1
            continue
        at += 1
        if at < len(texts) and texts[at] != "unless":
            return at
    return min(at, len(texts))


def _options(found: Outline, at: int, in_claim: bool) -> int:
    while at < len(found.texts) and found.texts[at] == "::":
        end = _sequence(found, at + 1, in_claim)
        found.options.append((at, end))
        at = end
    return at


def closing(texts: list[str], at: int) -> int:
    """Where the bracket at this position is closed."""
    opened: list[str] = []
    for position in range(at, len(texts)):
        text = texts[position]
        if text in _OPENING:
            opened.append(_OPENING[text])
        elif opened and text == opened[-1]:
            opened.pop()
            if not opened:
                return position
    return len(texts) - 1


@dataclass(frozen=True, slots=True)
class Variables:
    """What is declared outside of all bodies."""

    scalars: tuple[str, ...]
    arrays: tuple[str, ...]
    channels: tuple[str, ...]


def variables(texts: list[str]) -> Variables:
    scalars: list[str] = []
    arrays: list[str] = []
    channels: list[str] = []
    for kind, name, indexed in _declared(texts):
        (channels if kind == "chan" and not indexed else arrays if indexed else scalars).append(name)
    return Variables(tuple(scalars), tuple(arrays), tuple(channels))


def _declared(texts: list[str]) -> Iterator[tuple[str, str, bool]]:
    at = 0
    while at < len(texts):
        if texts[at] in ("{", "("):
            at = closing(texts, at)
        elif texts[at] in (*TYPES, "mtype", "pid", "chan") and at + 1 < len(texts) and texts[at + 1] not in ("=", "{"):
            kind, expected = texts[at], True
            while at + 1 < len(texts) and texts[at] not in (";", "}") and not texts[at].startswith("#"):
                at += 1
                if texts[at] in ("{", "(", "["):
                    at = closing(texts, at)
                elif expected and texts[at].isidentifier():
                    yield kind, texts[at], texts[at + 1 : at + 2] == ["["]
                    expected = False
                elif texts[at] == ",":
                    expected = True
                elif texts[at] in (*TYPES, "chan", "mtype", "active", "proctype", "init", "inline", "never", "ltl"):
                    at -= 1
                    break
        at += 1
