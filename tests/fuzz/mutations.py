"""How a good text goes bad."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

TOKEN = re.compile(r'"[^"\n]*"|\w+|\s+|[-+*/=<>!&|:.]{1,3}|.', re.DOTALL)
NUMBERS = (
    *("0", "-1", "1", "2", "255", "256", "65536", "2147483647", "2147483648", "4294967296", "9223372036854775808"),
    *("99999999999999999999999", "1e309", "0x7fffffff", "07", "1_000", "9" * 5_000, "²", "١٢", "0.5", "NaN"),
)
STRANGE = (
    *("\0", "\ufeff", "\r", "\t", "\x1b[31m", "\u202e", "é", "𝒳", "\ud7ff", "\\", '"', "'", "`", "#", "@", "$"),
    *("/*", "*/", "//", "\\\n", "<!--", "]]>", "&amp;", "%s", "{", "}", "(", ")", "[", "]", ";", ",", "->", "::"),
)
PREFIXES = ("(", "[", "{", "-", "!", "~", "not ", "!(", "-(", "if (", "X ", "AX ", "[]", "<>", "x[", "<a>", "a.b.")
INFIXES = (" + 1", " && 1", " -> 1", " ? 1 : 0", ", 1", "; skip", " == 1", " or 1", "[0]", ".a", " U 1", "()")
LONGEST = 500_000
"""Characters: larger texts are no worse, and take their time."""
REPEATS = (2, 20, 150, 400, 3_000, 100_000)

Mutation = Callable[[Random, str, Sequence[str]], str]


def mutated(random: Random, text: str, others: Sequence[str]) -> str:
    """One to four mutations; `others`: good texts of the same kind to take parts from."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        text = random.choice(MUTATIONS)(random, text, others)[:LONGEST]
    return text


def mutated_bytes(random: Random, data: bytes) -> bytes:
    """Bytes that are changed, left out, put in or repeated."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 5, 20))):
        at, size = random.randrange(len(changed) + 1), random.choice((1, 1, 2, 8, 100))
        match random.randrange(5):
            case 0 if at < len(changed):
                changed[at] ^= 1 << random.randrange(8)
            case 1:
                del changed[at : at + size]
            case 2:
                changed[at:at] = random.randbytes(size)
            case 3:
                changed[at:at] = changed[at : at + size]
            case _:
                changed[at : at + size] = bytes(random.choice((0, 255)) for _ in range(size))
    return bytes(changed[: random.randrange(len(changed) + 1)] if random.random() < 0.1 else changed)


def _tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def _place(random: Random, tokens: Sequence[str]) -> int:
    """Of a token that is not blank."""
    places = [at for at, token in enumerate(tokens) if not token.isspace()]
    return random.choice(places) if places else 0


def drop_token(random: Random, text: str, others: Sequence[str]) -> str:
    tokens = _tokens(text)
    at = _place(random, tokens)
    del tokens[at : at + random.choice((1, 1, 2, 5))]
    return "".join(tokens)


def replace_token(random: Random, text: str, others: Sequence[str]) -> str:
    tokens, more = _tokens(text), _tokens(random.choice(others))
    if tokens and more:
        tokens[_place(random, tokens)] = more[_place(random, more)]
    return "".join(tokens)


def replace_alike(random: Random, text: str, others: Sequence[str]) -> str:
    """A word for a word, a number for a number, a sign for a sign: what comes of it often keeps its form."""
    tokens, more = _tokens(text), _tokens(random.choice((text, random.choice(others))))
    if tokens and more:
        at = _place(random, tokens)
        alike = [token for token in more if _class(token) == _class(tokens[at])]
        if alike:
            tokens[at] = random.choice(alike)
    return "".join(tokens)


def _class(token: str) -> str:
    return "word" if token.isidentifier() else "number" if token.isdigit() else "blank" if token.isspace() else "sign"


def insert_token(random: Random, text: str, others: Sequence[str]) -> str:
    tokens, more = _tokens(text), _tokens(random.choice(others))
    if more:
        tokens.insert(_place(random, tokens), f" {more[_place(random, more)]} ")
    return "".join(tokens)


def swap_tokens(random: Random, text: str, others: Sequence[str]) -> str:
    tokens = _tokens(text)
    if tokens:
        one, other = _place(random, tokens), _place(random, tokens)
        tokens[one], tokens[other] = tokens[other], tokens[one]
    return "".join(tokens)


def other_number(random: Random, text: str, others: Sequence[str]) -> str:
    tokens = _tokens(text)
    numbers = [at for at, token in enumerate(tokens) if token.isdigit()]
    if numbers:
        tokens[random.choice(numbers)] = random.choice(NUMBERS)
    return "".join(tokens)


def other_name(random: Random, text: str, others: Sequence[str]) -> str:
    """A word becomes another word of the same text, or one that nobody knows."""
    tokens = _tokens(text)
    words = [at for at, token in enumerate(tokens) if token.isidentifier()]
    if words:
        tokens[random.choice(words)] = random.choice(
            (tokens[random.choice(words)], "unknown", "a" * 100_000, "_", "None", "self")
        )
    return "".join(tokens)


def drop_lines(random: Random, text: str, others: Sequence[str]) -> str:
    lines = text.split("\n")
    at = random.randrange(len(lines))
    del lines[at : at + random.choice((1, 1, 3))]
    return "\n".join(lines)


def repeat_lines(random: Random, text: str, others: Sequence[str]) -> str:
    lines = text.split("\n")
    at = random.randrange(len(lines))
    part = lines[at : at + random.choice((1, 1, 3))]
    return "\n".join(lines[:at] + part * random.choice((1, 1, 2, 50)) + lines[at:])


def foreign_lines(random: Random, text: str, others: Sequence[str]) -> str:
    lines, more = text.split("\n"), random.choice(others).split("\n")
    at, begin = random.randrange(len(lines)), random.randrange(len(more))
    return "\n".join(lines[:at] + more[begin : begin + random.choice((1, 2, 6))] + lines[at:])


def strange_characters(random: Random, text: str, others: Sequence[str]) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(STRANGE) + text[at + random.randrange(2) :]


def cut_off(random: Random, text: str, others: Sequence[str]) -> str:
    return text[: random.randrange(len(text) + 1)]


def nested(random: Random, text: str, others: Sequence[str]) -> str:
    """Something before or after a token so often that a careless reader runs out of stack."""
    tokens = _tokens(text)
    if not tokens:
        return text
    at, often = _place(random, tokens), random.choice(REPEATS)
    before = random.choice(PREFIXES)
    closing = {"(": ")", "[": "]", "{": "}"}.get(before[-1], "") if random.random() < 0.7 else ""
    match random.randrange(3):
        case 0:
            tokens[at] = before * often + tokens[at] + closing * often
        case 1:
            tokens[at] += random.choice(INFIXES) * often
        case _:
            tokens[at] = f"{tokens[at]} " * often
    return "".join(tokens)


MUTATIONS: tuple[Mutation, ...] = (
    *(
        drop_token,
        replace_token,
        replace_alike,
        replace_alike,
        replace_alike,
        insert_token,
        swap_tokens,
        other_number,
        other_number,
        other_name,
    ),
    *(drop_lines, repeat_lines, foreign_lines, strange_characters, cut_off, nested),
)
