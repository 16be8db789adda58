"""LTL as people write it, in SPIN's and in Spot's syntax, over boolean expressions of the model's language.

What is not an operator of LTL is collected into atoms, whose text the model's language reads later. SPIN and Spot
differ in how they group `p U q U r` and `p -> q -> r`: with syntax "any" such a formula is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Generic, TypeVar

from mule.errors import MuleError, Place
from mule.ltl.formula import (
    FALSE,
    TRUE,
    Formula,
    always,
    and_,
    atom,
    equivalent,
    eventually,
    implies,
    next_,
    not_,
    or_,
    release,
    strong_release,
    until,
    weak_until,
)
from mule.ltl.lexer import OPENING, Source, Syntax

Tree = TypeVar("Tree")
"""The formulas of a logic."""


@dataclass(frozen=True)
class Grammar(Generic[Tree]):
    """What a temporal logic adds to the expressions of the model's language."""

    build: Mapping[str, Callable[[Tree, Tree], Tree]]
    prefix: Mapping[str, Callable[[Tree], Tree]]
    true: Tree
    false: Tree
    atom: Callable[[str], Tree]
    levels: tuple[tuple[str, ...], ...]
    """The binary operators, the loosest first."""
    grouped: tuple[int, ...]
    """The levels at which SPIN groups to the left and Spot to the right."""


_LTL: Final = Grammar[Formula](
    build={
        "&&": and_,
        "||": or_,
        "->": implies,
        "<->": equivalent,
        "xor": lambda left, right: not_(equivalent(left, right)),
        "U": until,
        "W": weak_until,
        "R": release,
        "M": strong_release,
    },
    prefix={"!": not_, "G": always, "F": eventually, "X": next_},
    true=TRUE,
    false=FALSE,
    atom=atom,
    levels=(("->", "<->"), ("||",), ("xor",), ("&&",), ("U", "W", "R", "M")),
    grouped=(0, 4),
)
LONG_CHAIN: Final = 16
"""Longer chains of one connective become balanced trees: they may have any length."""
_TRUE: Final = ("true", "1")
_FALSE: Final = ("false", "0")


@dataclass(frozen=True, slots=True)
class Parsed(Generic[Tree]):
    """A formula and where its atoms stand."""

    formula: Tree
    places: dict[str, Place]
    """Where each atom is written first."""


def parse(
    text: str,
    syntax: Syntax = "any",
    members: Collection[str] = (),
    place: Place | None = None,
    remote: Collection[str] = (),
    words: Collection[str] = (),
) -> Parsed[Formula]:
    """Read a formula. `place` is where its text begins; `members` are the names (of processes) after which `->` selects
    a member instead of being an implication, `remote` those (of proctypes) after which `:` does; `words` are operators
    of the model's language."""
    start = place or Place("formula", 1, 1)
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise MuleError("this formula is no text in the encoding that the environment names (LANG, LC_ALL)", start)
    return Parser(Source(text, syntax, members, start, remote, words), syntax, _LTL).parse()


MOST_LEVELS = 100
"""Of a formula: whatever works on formulas may use recursion."""
TOO_DEEP = f"this formula is nested too deeply: more than {MOST_LEVELS} levels"


def _is_deep(formula: Any) -> bool:
    level = [formula]
    for _ in range(MOST_LEVELS):
        level = list({id(part): part for each in level for part in each.args}.values())
        if not level:
            return False
    return True


class Parser(Generic[Tree]):
    """Reads one formula of the logic that a grammar describes."""

    def __init__(self, source: Source, syntax: Syntax, grammar: Grammar[Tree]) -> None:
        self._source = source
        self._syntax = syntax
        self._grammar = grammar
        self._at = 0
        self._places: dict[str, Place] = {}
        self._nots = 0, 0

    def parse(self) -> Parsed[Tree]:
        try:
            formula = self._level(0)
        except RecursionError:
            self._source.fail(TOO_DEEP, self._source.tokens[self._at].start)
        if _is_deep(formula):
            self._source.fail(TOO_DEEP, 0)
        token = self._source.tokens[self._at]
        if token.kind != "end":
            self._source.fail(f"{token.text} is not expected here", token.start)
        return Parsed(formula, self._places)

    def _level(self, level: int) -> Tree:
        """Operands joined by the operators of a level."""
        if level == len(self._grammar.levels):
            return self._operand()
        operands = [self._level(level + 1)]
        operators: list[int] = []
        while self._source.binary_at(self._at) in self._grammar.levels[level]:
            operators.append(self._at)
            self._at += 1
            operands.append(self._level(level + 1))
        self._check_words(level, operators)
        if level in self._grammar.grouped and len(operators) > 1:
            self._check_grouping(operators)
        return self._joined(operands, [self._source.binary_at(index) or "" for index in operators])

    def _joined(self, operands: list[Tree], operators: list[str]) -> Tree:
        if len(operands) > LONG_CHAIN and operators[0] in ("&&", "||") and len(set(operators)) == 1:
            middle = len(operands) // 2
            left = self._joined(operands[:middle], operators[1:middle])
            right = self._joined(operands[middle:], operators[middle:])
            return self._grammar.build[operators[0]](left, right)
        if self._syntax == "spot":
            result = operands[-1]
            for operand, operator in zip(operands[-2::-1], operators[::-1], strict=True):
                result = self._grammar.build[operator](operand, result)
            return result
        result = operands[0]
        for operand, operator in zip(operands[1:], operators, strict=True):
            result = self._grammar.build[operator](result, operand)
        return result

    def _check_grouping(self, operators: list[int]) -> None:
        """Where SPIN and Spot disagree about what is meant."""
        kinds = {self._source.binary_at(index) for index in operators}
        if self._syntax == "any" and kinds != {"<->"}:
            token = self._source.tokens[operators[1]]
            self._source.fail(
                "parentheses are needed: SPIN reads a chain of these operators from the left, Spot from the right",
                token.start,
            )

    def _check_words(self, level: int, operators: list[int]) -> None:
        """DVE gives its words `and` and `or` the same precedence, LTL does not."""
        if level == 1 and self._syntax == "any":
            for index in operators:
                first = self._operand_before(index)
                if self._source.tokens[index].text == "or" and first is not None:
                    self._source.fail("parentheses are needed where `and` and `or` meet", first)

    def _operand_before(self, index: int) -> int | None:
        """The offset of an `and` beside the `or` at `index`, at the same depth."""
        depth = 0
        for step in (-1, 1):
            position = index + step
            depth = 0
            while 0 <= position < len(self._source.tokens):
                text = self._source.tokens[position].text
                depth += step if text in OPENING else -step if text in OPENING.values() else 0
                if depth < 0:
                    break
                if depth == 0 and text == "and":
                    return self._source.tokens[position].start
                if depth == 0 and (text in ("or", "||") or self._source.binary_at(position) in self._grammar.levels[0]):
                    break
                position += step
        return None

    def _operand(self) -> Tree:
        source = self._source
        token = source.tokens[self._at]
        prefix = source.unary_at(self._at)
        if prefix == "!" and self._compound_after_not():
            return self._atom()
        if prefix:
            self._at += 1
            result = self._operand()
            for operator in reversed(prefix):
                result = self._grammar.prefix[operator](result)
            return result
        if token.text == "(" and not self._group_is_atom(self._at):
            self._at += 1
            result = self._level(0)
            if source.tokens[self._at].text != ")":
                found = source.tokens[self._at]
                source.fail(f"{found.text} is not expected here", found.start)
            self._at += 1
            return result
        if token.kind == "end" or token.text == ")" or (token.kind == "sign" and source.binary_at(self._at)):
            source.fail(f"a proposition is missing before {token.text}", token.start)
        return self._atom()

    def _compound_after_not(self) -> bool:
        """Is `!` a part of an atom, as in `!x == y`, where the model's language says what it binds?"""
        source, first = self._source, self._after_nots(self._at)
        if source.unary_at(first) or source.tokens[first].kind == "end":
            return False
        if source.tokens[first].text == "(":
            return self._continues(source.closing(first) + 1)
        return any(
            source.tokens[index].kind == "sign" and source.tokens[index].text not in (".", "@", ":", "->")
            for index in self._outer(first, self._atom_end(first))
        )

    def _after_nots(self, index: int) -> int:
        """The first token that is no `!`. Of a row of them it is asked about each."""
        begin, end = self._nots
        if not begin <= index < end:
            end = index
            while self._source.unary_at(end) == "!":
                end += 1
            self._nots = index, end
        return end

    def _outer(self, first: int, last: int) -> list[int]:
        """The tokens outside of brackets."""
        result = []
        while first < last:
            if self._source.tokens[first].text in OPENING:
                first = self._source.closing(first)
            else:
                result.append(first)
            first += 1
        return result

    def _group_is_atom(self, index: int) -> bool:
        """Is the parenthesis a part of an atom: `(x + 1) == y`, SPIN's conditional `(a -> b : c)`, or Python's?"""
        last = self._source.closing(index)
        if self._continues(last + 1):
            return True
        tokens, outer = self._source.tokens, self._outer(index + 1, last)
        if any(self._source.conditional_at(inner) for inner in outer):
            return True
        colons = [
            inner
            for before, inner in pairwise(outer)
            if tokens[inner].text == ":" and tokens[before].text not in self._source.remote
        ]
        return bool(colons) and any(tokens[inner].text == "->" for inner in outer)

    def _continues(self, index: int) -> bool:
        """Does an atom go on with this token?"""
        token = self._source.tokens[index]
        return token.kind != "end" and token.text not in (")", "]", "}") and self._source.binary_at(index) is None

    def _atom_end(self, index: int) -> int:
        source = self._source
        first = index
        while True:
            token = source.tokens[index]
            after_operand = index > first and source.ends_operand(index - 1)
            if token.kind == "end" or token.text in (")", "]", "}"):
                return index
            if (after_operand or token.kind == "sign") and source.binary_at(index):
                return index
            self._check_in_atom(index, after_operand)
            index = source.closing(index) + 1 if token.text in OPENING else index + 1

    def _check_in_atom(self, index: int, after_operand: bool) -> None:
        source, token = self._source, self._source.tokens[index]
        if source.conditional_at(index):
            source.fail("put the conditional expression in parentheses: (… if … else …)", token.start)
        if source.joins(index):
            return
        if token.text in ("[]", "<>") or (after_operand and token.kind in ("name", "number", "string")):
            source.fail(f"an operator is missing before {token.text}", token.start)
        if token.text in OPENING:
            for inner in range(index, source.closing(index)):
                if source.tokens[inner].text in ("[]", "<>"):
                    source.fail("a temporal operator cannot stand inside an expression", source.tokens[inner].start)
        if self._syntax == "any" and token.text in ("&", "|", "^"):
            source.fail(
                f"{token.text} works on bits in the model's language and is a connective in Spot's syntax: "
                f"write {token.text * 2 if token.text != '^' else '<-> and !'}, or quote the expression",
                token.start,
            )

    def _atom(self) -> Tree:
        source, first = self._source, self._at
        start = self._after_nots(first)
        self._at = self._atom_end(start)
        if self._at == start:
            source.fail(f"a proposition is missing before {source.tokens[start].text}", source.tokens[start].start)
        token = source.tokens[first]
        if self._at == first + 1 and token.text in (*_TRUE, *_FALSE):
            return self._grammar.true if token.text in _TRUE else self._grammar.false
        text = source.text[token.start : source.tokens[self._at - 1].end]
        if self._at == first + 1 and token.kind == "string":
            text = text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        self._places.setdefault(text, source.place(token.start))
        return self._grammar.atom(text)
