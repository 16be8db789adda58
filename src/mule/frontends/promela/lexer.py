"""Characters to tokens: one compiled regular expression, and parallel lists instead of token objects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from mule.errors import MuleError, Place
from mule.frontends.promela.preprocessor import Preprocessed, preprocess

MAX_TOKENS = 2_000_000

TYPES = frozenset({"bit", "bool", "byte", "short", "int", "unsigned", "pid", "chan", "mtype"})
CONSTANTS = {"true": 1, "false": 0, "skip": 1}
EMBEDDED_C = frozenset({"c_code", "c_expr", "c_decl", "c_state", "c_track"})
# fmt: off
KEYWORDS = frozenset({
    "D_proctype", "active", "assert", "atomic", "break", "d_step", "do", "else", "empty", "enabled", "eval",
    "fi", "for", "full", "get_priority", "goto", "hidden", "if", "init", "inline", "len", "local", "ltl",
    "nempty", "never", "nfull", "notrace", "np_", "od", "of", "pc_value", "printf", "printm", "priority",
    "proctype", "provided", "return", "run", "select", "set_priority", "show", "timeout", "trace", "typedef",
    "unless", "xr", "xs",
})
# fmt: on

END = "end of file"
NAME = "name"
NUMBER = "number"
STRING = "string"
TYPE = "type"
BAD = "bad"
# What a name stands for once it has been declared: to SPIN's grammar these are different tokens. None is a keyword.
MTYPE_NAME = "mtype constant"
TYPE_NAME = "user-defined type"
PROCESS_NAME = "process type"
INLINE_NAME = "inline definition"
DECLARED = frozenset({MTYPE_NAME, TYPE_NAME, PROCESS_NAME, INLINE_NAME})

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}

# SPIN skips a `*/` that closes nothing, and old models rely on it.
_TOKEN = re.compile(
    r"""(?P<skip>\s+|\*/)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<number>\d+|'(?:[^\\\n]|\\.)')
      | (?P<symbol>::|->|--|\+\+|<<|<=|>>|>=|==|!=|!!|\?\?|&&|\|\||\.\.|[-+*/%&|^~!<>=?;:,.(){}\[\]@])
      | (?P<string>"(?:[^"\\\n]|\\.)*"|\$(?:[^$\\\n]|\\.)*\$)
      | (?P<bad>.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_KINDS = dict.fromkeys(TYPES, TYPE) | dict.fromkeys(CONSTANTS, NUMBER) | {word: word for word in KEYWORDS | EMBEDDED_C}


@dataclass(slots=True)
class Tokens:
    """`kinds[i]` is one of the kinds above, or the keyword or symbol itself; `texts[i]` is what was written;
    `starts[i]` is the offset of its first character; `breaks[i]` is whether a line ended before it."""

    kinds: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    breaks: list[bool] = field(default_factory=list)

    def append(self, kind: str, text: str, start: int, line_break: bool) -> None:
        self.kinds.append(kind)
        self.texts.append(text)
        self.starts.append(start)
        self.breaks.append(line_break)

    def extend(self, other: Tokens, begin: int, end: int) -> None:
        self.kinds += other.kinds[begin:end]
        self.texts += other.texts[begin:end]
        self.starts += other.starts[begin:end]
        self.breaks += other.breaks[begin:end]

    def replace(self, begin: int, end: int, other: Tokens) -> None:
        self.kinds[begin:end] = other.kinds
        self.texts[begin:end] = other.texts
        self.starts[begin:end] = other.starts
        self.breaks[begin:end] = other.breaks

    def slice(self, begin: int, end: int) -> Tokens:
        return Tokens(self.kinds[begin:end], self.texts[begin:end], self.starts[begin:end], self.breaks[begin:end])


class Source:
    """A text after the preprocessor, and its tokens."""

    def __init__(self, text: str, file: str, defines: Sequence[str] = ()) -> None:
        self.file = file
        self.preprocessed: Preprocessed = preprocess(text, file, defines)
        self.text = self.preprocessed.text
        self.tokens = Tokens()
        self._tokenize()

    def _tokenize(self) -> None:
        tokens = self.tokens
        kinds, texts, starts, breaks = tokens.kinds, tokens.texts, tokens.starts, tokens.breaks
        line_break = False
        for match in _TOKEN.finditer(self.text):
            group = match.lastgroup
            text = match.group()
            if group == "skip":
                line_break = line_break or "\n" in text
                continue
            if group == "name":
                kinds.append(_KINDS.get(text, NAME))
                if text in EMBEDDED_C:
                    instead = "write what it does in Promela, in a `d_step` if it is one step"
                    self.fail(f"embedded C is not supported: found `{text}`; {instead}", match.start())
            elif group == "symbol":
                kinds.append(text)
            else:
                kinds.append(group or BAD)
            texts.append(text)
            starts.append(match.start())
            breaks.append(line_break)
            line_break = False
        if len(kinds) > MAX_TOKENS:
            self.fail(f"this program is too large: more than {MAX_TOKENS} tokens", starts[MAX_TOKENS])
        tokens.append(END, "", len(self.text), line_break)

    def place(self, at: int) -> Place:
        return self.preprocessed.place(at)

    def fail(self, message: str, at: int) -> NoReturn:
        raise MuleError(message, self.place(at))

    def one_line(self, start: int, end: int) -> str:
        """A piece of the text without line breaks."""
        return " ".join(self.text[start:end].split())


def number(text: str) -> int:
    """The value of a NUMBER: 32 bits, wrapped as SPIN does after it has clipped to 64."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    if text[0] == "'":
        return ord(_ESCAPES.get(text[2], text[2]) if text[1] == "\\" else text[1])
    value = min(int(text), 2**63 - 1) if len(text) < 40 else 2**63 - 1
    return (value + 2**31) % 2**32 - 2**31


def describe(kind: str, text: str) -> str:
    """How a message names a token that it did not expect."""
    if kind == END:
        return END
    if kind == ";" and not text:
        return "the end of the line, which ends the statement (parentheses would let it go on)"
    if kind in DECLARED and text != kind:
        return f"`{text}`, which is the name of {'an' if kind == INLINE_NAME else 'a'} {kind}"
    if kind in KEYWORDS or kind == TYPE:
        return f"the keyword `{text}`"
    if kind == BAD and text == '"':
        return "a string that is not closed in its line"
    return f"`{text}`" if kind != BAD or text.isprintable() else f"the character {text!r}"
