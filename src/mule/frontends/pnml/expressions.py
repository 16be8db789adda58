"""Expressions over a net: numbers of tokens, `enabled(t)`, sums, comparisons, connectives.

Precedences are C's. A place is written by its name or its id, in double quotes where that is not a word."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import NoReturn

from mule.errors import MuleError, Place
from mule.frontends.pnml.net import LARGEST, Node
from mule.model.exact import exact, negative
from mule.model.expressions import Constant, Expression
from mule.model.simplify import binary, boolean, unary

Meanings = Sequence[tuple[Node, Expression]]

DEEPEST = 100
"""How deep parentheses may be nested, and how long a chain leans to one side."""

_TOKEN = re.compile(
    r"""\s+ | (?P<string>"(?:\\.|[^"\\])*") | (?P<name>[^\W\d]\w*) | (?P<number>\d+(?!\w))
      | (?P<sign>->|&&|\|\||[=!<>]=|[-+*()<>!]) | (?P<bad>\d\w*|.)""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"and": "&&", "or": "||", "not": "!", "implies": "->", "imply": "->"}
_LEVELS = (("->",), ("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">="), ("+", "-"), ("*",))
_COMPARISONS = 3
_CONNECTIVES = {"&&": "and", "||": "or"}


def read_expression(places: Meanings, transitions: Meanings, text: str) -> Expression:
    """An expression over places and transitions, given what the tokens of each and its being enabled are."""
    alone = text.strip()
    for node, tokens in places:
        # LTL takes the quotes off an atom that is nothing but a quoted name
        if alone in (node.name, node.id):
            return tokens
    return _Parser(places, transitions, text).read()


class _Parser:
    def __init__(self, places: Meanings, transitions: Meanings, text: str) -> None:
        self.places = _by_name(places)
        self.transitions = _by_name(transitions)
        self.tokens: list[tuple[str, str, int]] = []
        self.at = 0
        self.depth = 0
        for match in _TOKEN.finditer(text):
            kind, word = match.lastgroup, match.group()
            if kind == "bad":
                self.fail(f'unexpected {word[:20]!r}: quote names that are no words, as in "p.1"', match.start())
            if kind is not None:
                kind = "sign" if word in _WORDS else kind
                self.tokens.append((kind, _WORDS.get(word, word), match.start()))
        self.tokens.append(("end", "the end", len(text)))

    def fail(self, message: str, offset: int) -> NoReturn:
        raise MuleError(message, Place("<expression>", 1, offset + 1))

    def read(self) -> Expression:
        result = self.level(0)
        kind, word, offset = self.tokens[self.at]
        if kind != "end":
            self.fail(f"{word} is not expected here", offset)
        return result

    def level(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self.operand()
        operands, operators = [self.level(level + 1)], list[str]()
        while self.tokens[self.at][0] == "sign" and self.tokens[self.at][1] in _LEVELS[level]:
            _, word, offset = self.tokens[self.at]
            if operators and (level == _COMPARISONS or word == "->"):
                self.fail(f"parentheses are needed before this {word}", offset)
            operators.append(word)
            self.at += 1
            operands.append(self.level(level + 1))
        return _joined(operands, operators)

    def operand(self) -> Expression:
        kind, word, offset = self.tokens[self.at]
        self.at += 1
        match kind, word:
            case "sign", "(":
                return self.nested(offset, closing=True)
            case "sign", "!" | "-":
                operand = self.nested(offset, closing=False)
                return unary("not", operand) if word == "!" else negative(operand)
            case "number", _:
                if len(word) > 9 and int(word[:20]) > LARGEST * 1000:
                    self.fail(f"the number {word[:20]} is too large", offset)
                return Constant(int(word))
            case "name", "true" | "false" if word not in self.places:
                return Constant(int(word == "true"))
            case "name", "enabled" if self.tokens[self.at][1] == "(":
                return self.enabled()
            case "name" | "string", _:
                return self.meaning(self.places, "place", self.at - 1)
        self.fail(f"expected a number, a place or enabled(transition), found {word}", offset)

    def nested(self, offset: int, closing: bool) -> Expression:
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail("this is nested too deeply", offset)
        result = self.level(0) if closing else self.operand()
        self.depth -= 1
        if closing:
            self.expect(")")
        return result

    def enabled(self) -> Expression:
        self.expect("(")
        if self.tokens[self.at][0] not in ("name", "string", "number"):
            self.fail("expected a transition", self.tokens[self.at][2])
        self.at += 1
        result = self.meaning(self.transitions, "transition", self.at - 1)
        self.expect(")")
        return result

    def expect(self, sign: str) -> None:
        kind, word, offset = self.tokens[self.at]
        if (kind, word) != ("sign", sign):
            self.fail(f"expected {sign}, found {word}", offset)
        self.at += 1

    def meaning(self, known: dict[str, Expression], what: str, at: int) -> Expression:
        kind, word, offset = self.tokens[at]
        name = re.sub(r"\\(.)", r"\1", word[1:-1]) if kind == "string" else word
        if name in known:
            return known[name]
        close = difflib.get_close_matches(name, known, 1)
        hint = f": did you mean {close[0]}?" if close else ""
        self.fail(f"there is no {what} {name}{hint}", offset)


def _by_name(meanings: Meanings) -> dict[str, Expression]:
    """By name, and by id, which has the last word."""
    return {node.name: meaning for node, meaning in meanings} | {node.id: meaning for node, meaning in meanings}


def _joined(operands: list[Expression], operators: list[str]) -> Expression:
    """From left to right; a long chain of one associative operator is halved."""
    if len(operands) > DEEPEST and set(operators) <= {operators[0]} and operators[0] in ("+", "&&", "||"):
        middle = len(operands) // 2
        left = _joined(operands[:middle], operators[: middle - 1])
        return _apply(operators[0], left, _joined(operands[middle:], operators[middle:]))
    result = operands[0]
    for operator, operand in zip(operators, operands[1:], strict=True):
        result = _apply(operator, result, operand)
    return result


def _apply(operator: str, left: Expression, right: Expression) -> Expression:
    if operator == "->":
        return binary("or", unary("not", left), boolean(right))
    if operator in _CONNECTIVES:
        return binary(_CONNECTIVES[operator], boolean(left), boolean(right))
    return exact(operator, left, right)
