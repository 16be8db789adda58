"""The units of a program: declarations, proctypes, claims and properties."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Sequence_

from mule.frontends.promela.declarations import DECLARATION_STARTS
from mule.frontends.promela.lexer import END, MTYPE_NAME, NAME, PROCESS_NAME, TYPE_NAME, Source
from mule.frontends.promela.statements import StatementParser
from mule.frontends.promela.syntax import (
    InitDeclaration,
    LtlProperty,
    MtypeDeclaration,
    NeverClaim,
    Number,
    ProcessDeclaration,
    Program,
    Sequence,
    TraceAssertion,
    Tree,
    Unit,
)

_OPENS_BODY = frozenset({"proctype", "D_proctype", "init", "never", "trace", "notrace", "inline", "ltl", "typedef"})


def parse(text: str, file: str, defines: Sequence_[str] = ()) -> Program:
    """Read a program; `defines` are as in a compiler's `-D`: NAME or NAME=VALUE."""
    return Parser(Source(text, file, defines)).program()


def parse_expression(
    text: str, constants: Iterable[str], processes: Iterable[str], file: str = "<expression>"
) -> tuple[Tree, Program]:
    """An expression over the names of a program; the program in the answer tells where things stand in `text`."""
    source = Source(text, file)
    parser = Parser(source)
    parser.names = dict.fromkeys(constants, MTYPE_NAME) | dict.fromkeys(processes, PROCESS_NAME)
    parser.in_claim = True
    parser.tell_names_apart()
    tree = parser.expression(probes=True)
    if parser.kind != END:
        parser.expected("an operator or the end of the expression")
    return tree, Program(source, ())


class Parser(StatementParser):
    known_names = 0
    known_until = 0
    """Up to here, and with so many names declared, the names outside bodies have been told apart."""

    def program(self) -> Program:
        units: list[Unit] = []
        while True:
            while self.kind in (";", "->"):
                self.position += 1
            if self.kind == END:
                break
            units.append(self.unit())
        if not units:
            self.expected("a declaration, a `proctype` or `init`")
        return Program(self.source, tuple(units))

    def tell_names_apart(self) -> None:
        """What a name is depends on the declarations before it. Inside a body nothing changes that, so bodies are
        looked through once, when they are reached; what stands between bodies is looked through here."""
        if self.known_names == len(self.names) and self.position < self.known_until:
            return
        opens = False
        position = self.position
        for position in range(self.position, len(self.kinds)):
            kind = self.kinds[position]
            if kind == NAME:
                self.kinds[position] = self.names.get(self.texts[position], NAME)
            opens = opens or kind in _OPENS_BODY
            if opens and kind == "{":
                break
        self.known_names, self.known_until = len(self.names), position

    def unit(self) -> Unit:
        self.tell_names_apart()
        at, kind = self.at, self.kind
        if kind in ("active", "proctype", "D_proctype"):
            return self.process()
        if kind in DECLARATION_STARTS:
            declaration = self.declaration()
            if isinstance(declaration, MtypeDeclaration):
                self.names |= dict.fromkeys(declaration.names, MTYPE_NAME)
            return declaration
        match kind:
            case "typedef":
                result = self.type_declaration()
                self.names[result.name] = TYPE_NAME
                return result
            case "inline":
                return self.inline_definition()
            case "ltl":
                return self.ltl_property()
            case "init":
                self.position += 1
                return InitDeclaration(at, self.priority(), self.body(), self.before)
            case "never":
                self.position += 1
                name = self.take(NAME) if self.kind == NAME else None
                self.in_claim = True
                body = self.body()
                self.in_claim = False
                return NeverClaim(at, name, body)
            case "trace" | "notrace":
                self.position += 1
                self.in_trace = True
                body = self.body()
                self.in_trace = False
                return TraceAssertion(at, kind == "notrace", body)
            case _:
                if kind == NAME and (kind, self.texts[self.position]) in self._types_to_come():
                    self.fail(f"the typedef of `{self.texts[self.position]}` comes later: move it before this line", at)
                self.expected("a declaration, `proctype`, `init`, `never`, `ltl`, `inline`, `typedef` or `trace`")

    def _types_to_come(self) -> Iterator[tuple[str, str]]:
        """What follows the word `typedef` from here on."""
        for position in range(self.position, len(self.kinds) - 1):
            if self.kinds[position] == "typedef":
                yield self.kinds[position + 1], self.texts[position + 1]

    def process(self) -> ProcessDeclaration:
        at = self.at
        active: Tree | None = None
        if self.accept("active"):
            active = Number(at, 1)
            if self.accept("["):
                active = self.constant_expression()
                self.take("]", "an operator or `]`")
        if self.kind not in ("proctype", "D_proctype"):
            self.expected("`proctype`")
        deterministic = self.take(self.kind) == "D_proctype"
        name = self.take(NAME, "the name of the proctype")
        self.names[name] = PROCESS_NAME
        self.tell_names_apart()
        parameters = self.parameters()
        priority = self.priority()
        provided: Tree | None = None
        if self.accept("provided"):
            self.take("(")
            provided = self.expression(probes=True)
            self.take(")", "an operator or `)`")
        body, end = self.body(), self.before
        return ProcessDeclaration(at, name, active, deterministic, parameters, priority, provided, body, end)

    def priority(self) -> Tree | None:
        return self.constant("a constant") if self.accept("priority") else None

    def body(self) -> Sequence:
        if self.kind != "{":
            self.expected("`{`")
        self.prepare_block()
        self.labels.clear()
        self.gotos.clear()
        self.starting = True
        result = self.braces()
        for at, label in self.gotos:
            if label not in self.labels:
                self.fail(f"there is no label `{label}` in this process", at)
        return result

    def ltl_property(self) -> LtlProperty:
        """The formula is left to those who know temporal logic."""
        at = self.at
        self.take("ltl")
        name = self.take(NAME) if self.kind == NAME else None
        opened = self.at
        self.take("{", "the name of the property or `{`" if name is None else None)
        begin = self.position
        depth = 1
        while True:
            depth += (self.kind == "{") - (self.kind == "}")
            if depth == 0:
                break
            if self.kind == END:
                self.expected(f"`}}` for the `{{` of line {self.source.place(opened).line}")
            self.position += 1
        if begin == self.position:
            self.expected("a formula")
        formula_at, end = self.starts[begin], self.at
        self.position += 1
        return LtlProperty(at, name, self.source.text[formula_at:end].rstrip(), formula_at)
