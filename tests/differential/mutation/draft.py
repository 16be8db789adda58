"""A program that is being changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.differential.mutation.source import Outline, Statement, Token, Variables, outline, variables, written


@dataclass(slots=True)
class Draft:
    tokens: list[Token]
    outline: Outline
    variables: Variables

    @property
    def texts(self) -> list[str]:
        return self.outline.texts

    def positions(self, *wanted: str) -> list[int]:
        return [at for at, text in enumerate(self.texts) if text in wanted]

    def plain_statements(self) -> list[Statement]:
        """Those of processes, inlines and macros."""
        return [each for each in self.outline.statements if not each.in_claim]

    def conditions(self) -> list[Statement]:
        """What looks like an expression that is a statement, of claims too."""
        return [each for each in self.outline.statements if is_condition(self.texts[each.begin : each.end])]

    def replaced(self, begin: int, end: int, text: str) -> list[Token]:
        return [*self.tokens[:begin], *written(text), *self.tokens[end:]]

    def wrapped(self, begin: int, end: int, opening: str, ending: str) -> list[Token]:
        return [
            *self.tokens[:begin],
            *written(opening),
            *self.tokens[begin:end],
            *written(ending),
            *self.tokens[end:],
        ]

    def text_between(self, begin: int, end: int) -> str:
        return " ".join(self.texts[begin:end])


Mutation = Callable[[Draft, Random], "list[Token] | None"]
"""The changed tokens, or None where the program has nothing of the kind."""


def draft(tokens: list[Token]) -> Draft:
    found = outline(tokens)
    return Draft(tokens, found, variables(found.texts))


def is_condition(texts: list[str]) -> bool:
    if not texts or texts[0] in (
        "if",
        "do",
        "atomic",
        "d_step",
        "{",
        "else",
        "for",
        "select",
        "goto",
        "printf",
        "assert",
    ):
        return False
    flat = _outside_brackets(texts)
    if {"=", "++", "--", "?", "??", "!!", ":"} & set(flat) or "!" in flat[1:] or texts[0] in ("run", "break", "skip"):
        return False
    return texts[0] in ("(", "!") or bool({"==", "!=", "<", ">", "<=", ">=", "&&", "||"} & set(flat))


def _outside_brackets(texts: list[str]) -> list[str]:
    flat: list[str] = []
    depth = 0
    for text in texts:
        depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
        if depth == 0:
            flat.append(text)
    return flat
