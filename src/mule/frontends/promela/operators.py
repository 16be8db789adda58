"""Expressions of Promela: an operator-precedence parser with its own stack, so that depth is limited by us, not Python.

The precedences are C's. What C does not have: the conditional needs its parentheses, `(c -> a : b)`; `full`, `empty`
and their negations may be combined by `&&` and `||` only, so that their channels can be analysed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from mule.frontends.promela.lexer import (
    MTYPE_NAME,
    NAME,
    NUMBER,
    PROCESS_NAME,
    Source,
    Tokens,
    describe,
    number,
)
from mule.frontends.promela.syntax import (
    Binary,
    ChannelQuery,
    Conditional,
    Evaluated,
    MtypeConstant,
    NonProgress,
    Number,
    Part,
    Pattern,
    Poll,
    ProcessQuery,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Timeout,
    Tree,
    Unary,
)

MAX_DEPTH = 100
"""Whatever walks over the tree later may use recursion."""
MAX_BRACKETS = 1_000
MAX_PATTERNS = 10
"""How deep polls may stand in the arguments of polls: only these are read by recursion."""

LONG_CHAIN = 16
"""Chains of one associative operator up to here lean to the left, as written; longer ones are balanced."""

_LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"]]
_LEVELS.append(["*", "/", "%"])
PRECEDENCE = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}
PREFIX = frozenset({"!", "-", "~"})
_PREFIX_LEVEL = len(_LEVELS)
ASSOCIATIVE = frozenset({"&&", "||", "&", "|", "^", "+", "*"})
_LOGICAL = frozenset({"&&", "||"})

_PROBES = frozenset({"full", "empty", "nfull", "nempty"})
_CHANNEL_QUERIES = _PROBES | {"len"}
_PROCESS_QUERIES = frozenset({"enabled", "pc_value", "get_priority"})
_CLOSING = frozenset({")", "]", ",", "->", ":"})


class Operand(NamedTuple):
    tree: Tree
    depth: int
    probe: bool = False
    """Whether `full(c)` or the like is in it."""
    bare: bool = True
    """Whether it stands without parentheses: `len((c))` is not Promela."""


@dataclass(slots=True)
class Frame:
    """An operator, or an open bracket, that waits for its right operand."""

    kind: str
    """`binary`, `prefix`, or for a bracket `(`, `function`, `index`, `pid` or `remote index`"""
    operator: str
    level: int
    at: int
    name: str = ""
    parts: list[Part] = field(default_factory=list)
    items: list[Operand] = field(default_factory=list)


class ExpressionParser:
    """The part of the parser that reads expressions; `position` is the next token."""

    def __init__(self, source: Source, tokens: Tokens) -> None:
        self.source = source
        self.tokens = tokens
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.starts = tokens.starts
        self.position = 0
        self.pattern_depth = 0
        self.in_claim = False

    @property
    def kind(self) -> str:
        return self.kinds[self.position]

    @property
    def at(self) -> int:
        return self.starts[self.position]

    @property
    def before(self) -> int:
        """Where the token before this one is."""
        return self.starts[self.position - 1]

    def fail(self, message: str, at: int) -> NoReturn:
        self.source.fail(message, at)

    def expected(self, what: str) -> NoReturn:
        """Stop with a message that says what should stand here."""
        kind = self.kinds[self.position]
        found = describe(kind, self.texts[self.position])
        if (kind in PRECEDENCE or kind == "unless") and self.texts[self.position - 1] == "":
            found += ": the line before ended a statement (parentheses would let it go on)"
        self.fail(f"expected {what}, found {found}", self.starts[self.position])

    def take(self, kind: str, what: str | None = None) -> str:
        """Read one token of a given kind."""
        if self.kinds[self.position] != kind:
            self.expected(what or f"`{kind}`")
        self.position += 1
        return self.texts[self.position - 1]

    def accept(self, kind: str) -> bool:
        if self.kinds[self.position] != kind:
            return False
        self.position += 1
        return True

    def expression(self, *, probes: bool = False) -> Tree:
        """Read the longest expression that starts here; `probes`: whether it may be `full(c)` or the like."""
        operand = _Reader(self).read()
        if operand.probe and not probes:
            self.refuse_probe(operand)
        return operand.tree

    def statement_expression(self) -> Operand:
        """Like `expression`, but says whether it could be the left side of a statement."""
        return _Reader(self).read()

    def reference(self, what: str) -> Reference:
        """`x`, `x[i]`, `x.y`: a variable, where no operator may follow."""
        if self.kind != NAME:
            self.expected(what)
        tree = _Reader(self).read_reference()
        assert isinstance(tree, Reference)
        return tree

    def constant(self, what: str) -> Number | MtypeConstant:
        at, kind = self.at, self.kind
        if kind == MTYPE_NAME:
            return MtypeConstant(at, self.take(kind))
        text = self.take(NUMBER, what)
        return Number(at, number(text), "" if text.isdigit() else text)

    def patterns(self) -> tuple[Pattern, ...]:
        """The arguments of a receive: `a, b`, `a(b, c)` or either of them in parentheses."""
        result: list[Pattern] = []
        brackets = 0
        self.pattern_depth += 1
        if self.pattern_depth > MAX_PATTERNS:
            self.fail(f"receives are nested too deeply: more than {MAX_PATTERNS} levels", self.at)
        while True:
            while self.accept("("):
                brackets += 1
            result.append(self.pattern())
            if not self.accept(",") and self.kind != "(":
                break
        for _ in range(brackets):
            self.take(")", "`,` or `)`")
        self.pattern_depth -= 1
        return tuple(result)

    def pattern(self) -> Pattern:
        at = self.at
        if self.kind == NAME:
            return self.reference("a variable")
        if self.accept("eval"):
            self.take("(")
            expression = self.expression()
            self.take(")", "an operator or `)`")
            return Evaluated(at, expression)
        if self.accept("-"):
            return Number(at, -number(self.take(NUMBER, "a number")))
        return self.constant("a variable, a constant or `eval(...)`")

    def refuse_probe(self, operand: Operand) -> NoReturn:
        self.fail(
            "`full`, `empty`, `nfull` and `nempty` can only be combined by `&&` and `||`, not negated or passed on",
            operand.tree.at,
        )


class _Reader:
    """One expression: a stack of operands, a stack of frames, and the number of open brackets."""

    def __init__(self, parser: ExpressionParser) -> None:
        self.parser = parser
        self.operands: list[Operand] = []
        self.frames: list[Frame] = []
        self.brackets = 0

    def read(self) -> Operand:
        parser = self.parser
        kinds = parser.kinds
        while True:
            self.operand()
            while self.brackets and kinds[parser.position] in _CLOSING:
                if self.close():
                    self.operand()
            kind = kinds[parser.position]
            if kind not in PRECEDENCE:
                break
            self.binary(kind)
        if self.brackets:
            self.complain_unclosed()
        self.reduce(0)
        return self.operands[0]

    def read_reference(self) -> Tree:
        """Only a name with its indices and fields; operators are read inside the indices only."""
        parser = self.parser
        kinds = parser.kinds
        if self.name():
            self.operand()
        while self.brackets:
            while self.brackets and kinds[parser.position] in _CLOSING:
                if self.close():
                    self.operand()
            if self.brackets:
                if kinds[parser.position] not in PRECEDENCE:
                    self.complain_unclosed()
                self.binary(kinds[parser.position])
                self.operand()
        return self.operands[0].tree

    def fail(self, message: str, at: int) -> NoReturn:
        self.parser.fail(message, at)

    def push(self, frame: Frame) -> None:
        self.frames.append(frame)

    def add(self, tree: Tree, depth: int = 1, probe: bool = False, bare: bool = True) -> None:
        if depth > MAX_DEPTH:
            self.fail(f"this expression is nested too deeply: more than {MAX_DEPTH} levels", tree.at)
        self.operands.append(Operand(tree, depth, probe, bare))

    def plain(self, operand: Operand) -> Operand:
        if operand.probe:
            self.parser.refuse_probe(operand)
        return operand

    def operand(self) -> None:
        """Read prefix operators and opening brackets, up to and including one operand without its closing brackets."""
        parser = self.parser
        while True:
            kind, at = parser.kinds[parser.position], parser.starts[parser.position]
            if kind == NAME:
                if not self.name():
                    return
            elif kind in (NUMBER, MTYPE_NAME):
                self.add(parser.constant("a constant"))
                return
            elif kind in PREFIX:
                self.push(Frame("prefix", kind, _PREFIX_LEVEL, at))
                parser.position += 1
            elif kind == "(":
                parser.position += 1
                self.open(Frame("(", "", -1, at))
            elif kind == PROCESS_NAME:
                if not self.remote():
                    return
            elif kind == "run":
                if not self.run():
                    return
            elif kind in _CHANNEL_QUERIES or kind in _PROCESS_QUERIES:
                parser.position += 1
                parser.take("(")
                self.open(Frame("function", kind, -1, at))
            elif kind in ("timeout", "np_"):
                if kind == "np_" and not parser.in_claim:
                    self.fail("`np_` can only be used in a never claim or an LTL property", at)
                parser.position += 1
                self.add(Timeout(at) if kind == "timeout" else NonProgress(at))
                return
            else:
                parser.expected("an expression")

    def open(self, frame: Frame) -> None:
        self.push(frame)
        self.brackets += 1
        if self.brackets > MAX_BRACKETS:
            self.fail(f"this expression is nested too deeply: more than {MAX_BRACKETS} open brackets", frame.at)

    def name(self) -> bool:
        """Read what starts with a name; the answer is whether it opened a bracket, so that an operand follows."""
        return self.part([])

    def part(self, parts: list[Part]) -> bool:
        """One step of a reference, and those that follow it up to an open bracket."""
        parser = self.parser
        while True:
            at = parser.at
            if len(parts) >= MAX_DEPTH:
                self.fail(f"this variable is nested too deeply: more than {MAX_DEPTH} levels", at)
            name = parser.take(NAME, "the name of a field")
            if parser.accept("["):
                self.open(Frame("index", "", -1, at, name, parts))
                return True
            parts.append(Part(at, name))
            if not parser.accept("."):
                self.finish_reference(parts, 1)
                return False

    def finish_reference(self, parts: list[Part], depth: int) -> None:
        parser = self.parser
        reference = Reference(parts[0].at, tuple(parts))
        if parser.kind in ("?", "??") and parser.kinds[parser.position + 1] == "[":
            random = parser.kind == "??"
            parser.position += 2
            patterns = parser.patterns()
            parser.take("]", "`,` or `]`")
            self.add(Poll(reference.at, reference, patterns, random), depth + 1)
        else:
            self.add(reference, depth)

    def remote(self) -> bool:
        """`P[pid]@label`, `P@label`, `P[pid]:x`, `P:x`"""
        parser = self.parser
        at = parser.at
        name = parser.take(PROCESS_NAME)
        if parser.accept("["):
            self.open(Frame("pid", "", -1, at, name))
            return True
        return self.remote_part(at, name, None)

    def remote_part(self, at: int, process: str, pid: Operand | None) -> bool:
        parser = self.parser
        tree, depth = (pid.tree, pid.depth + 1) if pid else (None, 1)
        if parser.accept("@"):
            self.add(RemoteLabel(at, process, tree, parser.take(NAME, f"a label of {process}")), depth)
            return False
        parser.take(":", f"`@` and a label, or `:` and a variable of proctype {process}")
        name_at = parser.at
        name = parser.take(NAME, f"a variable of {process}")
        if parser.accept("["):
            self.open(Frame("remote index", process, -1, at, name, [Part(name_at, name)], [pid] if pid else []))
            return True
        self.add(RemoteVariable(at, process, tree, Part(name_at, name)), depth)
        return False

    def run(self) -> bool:
        parser = self.parser
        at = parser.at
        parser.take("run")
        if parser.kind not in (NAME, PROCESS_NAME):
            parser.expected("the name of a proctype")
        name = parser.take(parser.kind)
        parser.take("(")
        if parser.accept(")"):
            self.add(Run(at, name, (), self.priority()))
            return False
        self.open(Frame("function", "run", -1, at, name))
        return True

    def priority(self) -> Tree | None:
        return self.parser.constant("a constant") if self.parser.accept("priority") else None

    def close(self) -> bool:
        """A token that ends the innermost open bracket, or a part of it; the answer is whether an operand follows."""
        parser = self.parser
        self.reduce(0)
        frame = self.frames[-1]
        kind = parser.kind
        if frame.kind == "(" and kind == ("->", ":", ")")[len(frame.items)]:
            parser.position += 1
            frame.items.append(self.plain(self.operands.pop()))
            if kind == ")":
                self.conditional(self.leave())
            return kind != ")"
        if frame.operator == "run" and frame.kind == "function" and kind == ",":
            parser.position += 1
            frame.items.append(self.plain(self.operands.pop()))
            return True
        closing = ")" if frame.kind in ("(", "function") else "]"
        if kind != closing or (frame.kind == "(" and frame.items):
            self.complain_unclosed()
        parser.position += 1
        self.leave()
        operand = self.operands.pop()
        if frame.kind == "(":
            self.operands.append(operand._replace(bare=False))
            return False
        operand = self.plain(operand)
        if frame.kind == "function":
            self.function(frame, operand)
            return False
        if frame.kind == "pid":
            return self.remote_part(frame.at, frame.name, operand)
        if frame.kind == "remote index":
            pid = frame.items[0] if frame.items else None
            part = Part(frame.parts[0].at, frame.name, operand.tree)
            depth = max(operand.depth, pid.depth if pid else 0) + 1
            self.add(RemoteVariable(frame.at, frame.operator, pid.tree if pid else None, part), depth)
            return False
        return self.index(frame, operand)

    def leave(self) -> Frame:
        self.brackets -= 1
        return self.frames.pop()

    def index(self, frame: Frame, operand: Operand) -> bool:
        parts = [*frame.parts, Part(frame.at, frame.name, operand.tree)]
        if self.parser.accept("."):
            return self.part(parts)
        self.finish_reference(parts, operand.depth + 1)
        return False

    def conditional(self, frame: Frame) -> None:
        condition, then, otherwise = frame.items
        depth = max(item.depth for item in frame.items) + 1
        self.add(Conditional(frame.at, condition.tree, then.tree, otherwise.tree), depth, bare=False)

    def function(self, frame: Frame, operand: Operand) -> None:
        at, function = frame.at, frame.operator
        if function == "run":
            items = [*frame.items, operand]
            depth = max(item.depth for item in items) + 1
            self.add(Run(at, frame.name, tuple(item.tree for item in items), self.priority()), depth)
        elif function in _PROCESS_QUERIES:
            self.add(ProcessQuery(at, function, operand.tree), operand.depth + 1)
        elif isinstance(operand.tree, Reference) and operand.bare:
            self.add(ChannelQuery(at, function, operand.tree), operand.depth + 1, function in _PROBES)
        else:
            self.fail(f"expected a channel as the argument of `{function}`, found an expression", operand.tree.at)

    def binary(self, operator: str) -> None:
        """An operator between two operands: what binds more tightly to its left is complete."""
        parser = self.parser
        level = PRECEDENCE[operator]
        self.reduce(level + 1)
        frames = self.frames
        if frames and frames[-1].level == level and not (frames[-1].operator == operator and operator in ASSOCIATIVE):
            self.reduce(level)
        self.push(Frame("binary", operator, level, parser.at))
        parser.position += 1

    def reduce(self, level: int) -> None:
        """Build the operations on top of the stack that bind at least as tightly as `level`, up to an open bracket."""
        frames, operands = self.frames, self.operands
        while frames and frames[-1].level >= level:
            frame = frames[-1]
            if frame.kind == "prefix":
                frames.pop()
                operand = self.plain(operands.pop())
                self.add(Unary(frame.at, frame.operator, operand.tree), operand.depth + 1)
                continue
            count = 1
            while count < len(frames) and frames[-1 - count].level == frame.level:
                count += 1
            del frames[-count:]
            chain = operands[-count - 1 :]
            del operands[-count - 1 :]
            self.combine(frame.operator, chain)

    def combine(self, operator: str, chain: list[Operand]) -> None:
        if operator not in _LOGICAL:
            for operand in chain:
                self.plain(operand)
        if len(chain) > LONG_CHAIN:
            middle = (len(chain) + 1) // 2
            self.combine(operator, chain[:middle])
            self.combine(operator, chain[middle:])
            right = self.operands.pop()
            left = self.operands.pop()
            chain = [left, right]
        left = chain[0]
        for right in chain[1:]:
            tree = Binary(left.tree.at, operator, left.tree, right.tree)
            left = Operand(tree, max(left.depth, right.depth) + 1, left.probe or right.probe)
        self.add(*left)

    def complain_unclosed(self) -> NoReturn:
        frame = next(frame for frame in reversed(self.frames) if frame.level < 0)
        closing = ")" if frame.kind in ("(", "function") else "]"
        if frame.kind == "(":
            closing = ("`)`", "`:`", "`)`")[len(frame.items)]
        else:
            closing = "`,` or `)`" if frame.operator == "run" and frame.kind == "function" else f"`{closing}`"
        line = self.parser.source.place(frame.at).line
        self.parser.expected(f"an operator, or {closing} for the bracket opened at line {line}")
