"""Expressions of DVE: an operator-precedence parser with its own stack, so that depth is limited by us, not by Python.

The precedences are those of DiVinE's grammar, not of C: `and` and `or` bind equally, from left to right, and so do the
three bitwise operators. `a or b and c` is `(a or b) and c`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from mule.frontends.dve.lexer import END, KEYWORDS, NAME, NUMBER, Source
from mule.frontends.dve.syntax import (
    AtState,
    BinaryOperation,
    Chain,
    InProcess,
    Name,
    Number,
    Reference,
    Tree,
    UnaryOperation,
)

MAX_DEPTH = 100
"""Whatever walks over expressions later may use recursion, and pickle takes several frames for each level."""
MAX_BRACKETS = 1_000

LONG_CHAIN = 16
"""Chains up to here become left-leaning trees, as written; longer ones are balanced."""

MANY_TURNS = 24
"""So many turns of `and` and `or` become a tree that leans to the left; of more, blocks are made."""
CONNECTIVES = frozenset({"and", "or"})

CANONICAL = {"&&": "and", "||": "or", "!": "not"}

_LEVELS = [["imply"], ["and", "or"], ["&", "|", "^"], ["==", "!="], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"]]
_LEVELS.append(["*", "/", "%"])
PRECEDENCE = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}
PREFIX = frozenset({"not", "-", "~"})
_PREFIX_LEVEL = len(_LEVELS)
ASSOCIATIVE = frozenset({"and", "or", "&", "|", "^", "+", "*"})


def chain_height(length: int) -> int:
    """How much a chain adds to the height of a tree."""
    return length - 1 if length <= LONG_CHAIN else (length - 1).bit_length()


def turning_height(turns: int) -> int:
    """The height of a tree in which `and` and `or` take turns, above its highest operand."""
    height = MANY_TURNS
    while turns > MANY_TURNS:
        turns = -(-turns // MANY_TURNS)
        height += MANY_TURNS
    return height


@dataclass(slots=True)
class Frame:
    """An operator, or an open bracket, that waits for its right operand."""

    kind: str
    """`binary`, `prefix`, `(`, `[` or `.(`"""
    operator: str
    level: int
    at: int
    name: str = ""
    process: Name | None = None


class ExpressionParser:
    """The part of the parser that reads expressions; `position` is the next token."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.kinds = source.kinds
        self.texts = source.texts
        self.starts = source.starts
        self.position = 0

    def expected(self, what: str) -> NoReturn:
        """Stop with a message that says what should stand here."""
        kind, text = self.kinds[self.position], self.texts[self.position]
        found = END if kind == END else f"the keyword `{text}`" if kind in KEYWORDS else f"`{text}`"
        self.source.fail(f"expected {what}, found {found}", self.starts[self.position])

    def take(self, kind: str, what: str | None = None) -> str:
        """Read one token of a given kind."""
        if self.kinds[self.position] != kind:
            self.expected(what or f"`{kind}`")
        self.position += 1
        return self.texts[self.position - 1]

    def take_name(self, what: str) -> Name:
        at = self.starts[self.position]
        return Name(self.take(NAME, what), at)

    def expression(self) -> Tree:
        """Read the longest expression that starts here."""
        return _Reader(self).read()


class _Reader:
    """One expression: a stack of operands, a stack of frames, and whether an operand comes next."""

    def __init__(self, parser: ExpressionParser) -> None:
        self.parser = parser
        self.operands: list[Tree] = []
        self.frames: list[Frame] = []
        self.brackets = 0

    def read(self) -> Tree:
        parser = self.parser
        kinds = parser.kinds
        while True:
            self.operand()
            while self.brackets and kinds[parser.position] in (")", "]"):
                self.close()
            kind = kinds[parser.position]
            operator = CANONICAL.get(kind, kind)
            if operator not in PRECEDENCE:
                break
            self.binary(operator)
        if self.brackets:
            self.complain_unclosed()
        self.reduce(-1)
        return self.operands[0]

    def fail(self, message: str, at: int) -> NoReturn:
        self.parser.source.fail(message, at)

    def push(self, frame: Frame) -> None:
        self.frames.append(frame)

    def check_depth(self, depth: int, at: int) -> int:
        if depth > MAX_DEPTH:
            self.fail(f"this expression is nested too deeply: more than {MAX_DEPTH} levels", at)
        return depth

    def operand(self) -> None:
        """Read prefix operators and opening brackets, up to and including one operand without its closing brackets."""
        parser = self.parser
        while True:
            kind, at = parser.kinds[parser.position], parser.starts[parser.position]
            operator = CANONICAL.get(kind, kind)
            if kind == NAME:
                if not self.name(at):
                    return
            elif kind == NUMBER:
                self.operands.append(Number(at, 1, int(parser.texts[parser.position])))
                parser.position += 1
                return
            elif kind in ("true", "false"):
                self.operands.append(Number(at, 1, int(kind == "true")))
                parser.position += 1
                return
            elif operator in PREFIX:
                self.push(Frame("prefix", operator, _PREFIX_LEVEL, at))
                parser.position += 1
            elif kind == "(":
                self.open(Frame("(", "", -1, at))
            else:
                parser.expected("an expression")

    def open(self, frame: Frame) -> None:
        self.push(frame)
        self.brackets += 1
        self.parser.position += 1
        if self.brackets > MAX_BRACKETS:
            self.fail(f"this expression is nested too deeply: more than {MAX_BRACKETS} open brackets", frame.at)

    def name(self, at: int) -> bool:
        """Read what starts with a name; the answer is whether it opened a bracket, so that an operand follows."""
        parser = self.parser
        name = parser.texts[parser.position]
        parser.position += 1
        following = parser.kinds[parser.position]
        if following == ".":
            return self.member(Name(name, at))
        process: Name | None = None
        if following == "->":
            process = Name(name, at)
            parser.position += 1
            name = parser.take(NAME, f"a variable of process {name}")
            following = parser.kinds[parser.position]
        if following == "[":
            self.open(Frame("[", "", -1, at, name, process))
            return True
        self.operands.append(Reference(at, 1, name, None, process))
        return False

    def member(self, process: Name) -> bool:
        """`P.s` or the beginning of `P.(e)`."""
        parser = self.parser
        parser.position += 1
        if parser.kinds[parser.position] == "(":
            self.open(Frame(".(", "", -1, process.at, "", process))
            return True
        state = parser.take_name(f"a state of process {process.text}, or `(`")
        self.operands.append(AtState(process.at, 2, process, state))
        return False

    def close(self) -> None:
        """A closing bracket ends the innermost open one."""
        parser = self.parser
        self.reduce(-1)
        frame = self.frames[-1]
        closing = "]" if frame.kind == "[" else ")"
        if parser.kinds[parser.position] != closing:
            parser.expected(f"`{closing}`")
        parser.position += 1
        self.frames.pop()
        self.brackets -= 1
        body = self.operands[-1]
        if frame.kind == "[":
            depth = self.check_depth(body.depth + 1, frame.at)
            self.operands[-1] = Reference(frame.at, depth, frame.name, body, frame.process)
        elif frame.kind == ".(":
            assert frame.process is not None
            depth = self.check_depth(body.depth + 1, frame.at)
            self.operands[-1] = InProcess(frame.at, depth, frame.process, body)

    def binary(self, operator: str) -> None:
        """An operator between two operands: what binds at least as tightly to its left is complete."""
        parser = self.parser
        level = PRECEDENCE[operator]
        self.reduce(level)
        self.push(Frame("binary", operator, level, parser.starts[parser.position]))
        parser.position += 1

    def reduce(self, level: int) -> None:
        """Build the operations on top of the stack that bind at least as tightly as `level`, up to an open bracket."""
        frames = self.frames
        while frames and frames[-1].level >= max(level, 0):
            frame = frames.pop()
            right = self.operands.pop()
            if frame.kind == "prefix":
                depth = self.check_depth(right.depth + 1, frame.at)
                self.operands.append(UnaryOperation(frame.at, depth, frame.operator, right))
            else:
                self.operands.append(self.combine(frame, self.operands.pop(), right))

    def combine(self, frame: Frame, left: Tree, right: Tree) -> Tree:
        operator = frame.operator
        if operator not in ASSOCIATIVE:
            # An implication becomes a negation and a disjunction.
            extra = 2 if operator == "imply" else 1
            depth = self.check_depth(max(left.depth, right.depth) + extra, frame.at)
            return BinaryOperation(left.at, depth, operator, left, right)
        if isinstance(left, Chain) and left.operator == operator:
            left.operands.append(right)
        else:
            turns, widest = 0, 0
            if isinstance(left, Chain) and {operator, left.operator} <= CONNECTIVES:
                turns, widest = left.turns + 1, left.widest
            left = Chain(left.at, 0, operator, [left, right], turns, widest)
        return self.measured(left, frame.at)

    def measured(self, chain: Chain, at: int) -> Chain:
        """The chain, to which an operand was added, with its height."""
        first, added = chain.operands[0], chain.operands[-1]
        before, now = chain_height(len(chain.operands) - 1), chain_height(len(chain.operands))
        if chain.turns <= MANY_TURNS:
            highest = max(chain.depth - before, added.depth, first.depth)
            chain.widest = max(chain.widest, (added.depth if chain.turns else highest) + now)
            chain.depth = self.check_depth(highest + now, at)
        else:
            chain.widest = max(chain.widest, added.depth + now)
            chain.depth = self.check_depth(chain.widest, at) + turning_height(chain.turns)
        return chain

    def complain_unclosed(self) -> NoReturn:
        frame = next(frame for frame in reversed(self.frames) if frame.level < 0)
        closing = "]" if frame.kind == "[" else ")"
        place = self.parser.source.place(frame.at)
        self.parser.expected(f"an operator, or `{closing}` for the bracket opened at line {place.line}")
