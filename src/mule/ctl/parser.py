"""CTL as people write it, over boolean expressions of the model's language.

`AG`, `EF` and their kin stand in front of a formula; `A[p U q]` and `E[p R q]` have a whole formula on either side.
UPPAAL's `A[] p` and `E<> p` are read too. Everything else is as in LTL formulas (`mule.ltl.parser`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from mule.ctl.formula import FALSE, PREFIX, TRUE, Formula, Op, and_, atom, equivalent, implies, not_, or_
from mule.errors import Place
from mule.ltl.lexer import OPENING, Source
from mule.ltl.parser import Grammar, Parsed, Parser

_UNTILS: Final = {"U": "U", "until": "U", "R": "R", "V": "R", "release": "R", "W": "W", "weakuntil": "W"}
_TIMES: Final = {"X": "X", "F": "F", "G": "G", "<>": "F", "[]": "G"}
_NOT: Final = ("!", "not")


def _prefixed(op: Op) -> Callable[[Formula], Formula]:
    return lambda arg: Formula(op, (arg,))


_CTL: Final = Grammar[Formula](
    build={"&&": and_, "||": or_, "->": implies, "<->": equivalent},
    prefix={"!": not_, **{op.value: _prefixed(op) for op in PREFIX}},
    true=TRUE,
    false=FALSE,
    atom=atom,
    levels=(("->", "<->"), ("||",), (), ("&&",)),
    grouped=(0,),
)


def parse(
    text: str,
    members: Collection[str] = (),
    place: Place | None = None,
    remote: Collection[str] = (),
    words: Collection[str] = (),
) -> Parsed[Formula]:
    """Read a formula. `place` is where its text begins; `members` are the names (of processes) after which `->` selects
    a member instead of being an implication; `words` are operators of the model's language."""
    return _Parser(_Source(text, "any", members, place or Place("formula", 1, 1), remote, words), "any", _CTL).parse()


class _Source(Source):
    """Letters are operators with a path quantifier only."""

    def unary_at(self, index: int) -> Sequence[str] | None:
        token = self.tokens[index]
        if token.kind == "sign" or token.text == "not":
            return super().unary_at(index) if token.text in _NOT else None
        if token.kind != "name":
            return None
        if token.text in _CTL.prefix:
            return (token.text,) if self._operand_follows(index) else None
        if token.text in ("A", "E") and (self.time_at(index + 1) or self.until_in(index + 1)):
            return (token.text,)
        return None

    def time_at(self, index: int) -> str | None:
        """The operator of time that the token is, if an operand follows."""
        operator = _TIMES.get(self.tokens[index].text)
        return operator if operator and self._operand_follows(index) else None

    def until_in(self, index: int) -> bool:
        """Is there an operator U, R or W between the brackets that open here?"""
        if self.tokens[index].text not in ("[", "("):
            return False
        position, last = index + 1, self.closing(index)
        while position < last:
            token = self.tokens[position]
            if token.text in _UNTILS and self.tokens[position - 1].ends_operand:
                return True
            position = self.closing(position) + 1 if token.text in OPENING else position + 1
        return False


class _Parser(Parser[Formula]):
    _source: _Source

    def _operand(self) -> Formula:
        token = self._source.tokens[self._at]
        if self._source.unary_at(self._at) in (("A",), ("E",)):
            self._at += 1
            return self._quantified(token.text)
        if self._source.time_at(self._at):
            operator = _TIMES[token.text]
            self._source.fail(
                f"{token.text} needs a path quantifier: write A{operator} for all runs or E{operator} for some run",
                token.start,
            )
        return super()._operand()

    def _quantified(self, quantifier: str) -> Formula:
        source = self._source
        operator = source.time_at(self._at)
        if operator:
            self._at += 1
            return Formula(Op(quantifier + operator), (self._operand(),))
        closing = source.closing(self._at)
        self._at += 1
        left = self._level(0)
        joining = source.tokens[self._at]
        if joining.text not in _UNTILS:
            source.fail(f"expected U, R or W before {joining.text}", joining.start)
        self._at += 1
        right = self._level(0)
        token = source.tokens[self._at]
        if self._at != closing:
            source.fail(f"{token.text} is not expected here", token.start)
        self._at += 1
        return Formula(Op(quantifier + _UNTILS[joining.text]), (left, right))

    def parse(self) -> Parsed[Formula]:
        formula = self._level(0)
        token = self._source.tokens[self._at]
        if token.text in _UNTILS:
            self._source.fail(
                f"{token.text} needs a path quantifier: write A[p {token.text} q] or E[p {token.text} q]", token.start
            )
        if token.kind != "end":
            self._source.fail(f"{token.text} is not expected here", token.start)
        return Parsed(formula, self._places)
