"""Tokens to the syntax tree: recursive descent for everything but expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from mule.frontends.dve.lexer import END, NAME, Source
from mule.frontends.dve.operators import ExpressionParser
from mule.frontends.dve.syntax import (
    AssertionDeclaration,
    ChannelDeclaration,
    Effect,
    Name,
    ProcessDeclaration,
    Reference,
    Synchronization,
    SystemDeclaration,
    TransitionDeclaration,
    Tree,
    VariableDeclaration,
)

Item = TypeVar("Item")

SECTIONS = "a declaration, `state`, `init`, `accept`, `commit`, `assert`, `trans` or `}`"


def parse_system(source: Source) -> SystemDeclaration:
    return Parser(source).system()


def parse_expression(source: Source) -> Tree:
    parser = ExpressionParser(source)
    tree = parser.expression()
    if parser.kinds[parser.position] != END:
        parser.expected("an operator or the end of the expression")
    return tree


class Parser(ExpressionParser):
    @property
    def kind(self) -> str:
        return self.kinds[self.position]

    def accept(self, kind: str) -> bool:
        if self.kinds[self.position] != kind:
            return False
        self.position += 1
        return True

    def commas(self, item: Callable[[], Item]) -> list[Item]:
        items = [item()]
        while self.accept(","):
            items.append(item())
        return items

    def system(self) -> SystemDeclaration:
        result = SystemDeclaration()
        while True:
            if self.kind in ("byte", "int", "const"):
                result.declarations += self.variables()
            elif self.kind == "channel":
                result.declarations += self.channels()
            elif self.kind == "process":
                result.processes.append(self.process())
            elif self.kind == "system":
                self.system_line(result)
                return result
            elif self.kind == END:
                self.expected("`system async;`, which ends every DVE model")
            else:
                self.expected("a declaration, `channel`, `process` or `system`")

    def system_line(self, result: SystemDeclaration) -> None:
        at = self.starts[self.position]
        if not result.processes:
            self.expected("a process: a model has at least one")
        self.take("system")
        if self.accept("sync"):
            self.source.fail("synchronous systems (`system sync`) are not supported, only `system async`", at)
        self.take("async", "`async`")
        if self.accept("property"):
            result.property_process = self.take_name("the name of the property process")
        self.take(";")
        if self.kind != END:
            self.expected("the end of the file after the system line")

    def variables(self) -> list[VariableDeclaration]:
        constant = self.accept("const")
        type = self.type()
        result = self.commas(lambda: self.variable(type, constant))
        self.take(";", "`,` or `;`")
        return result

    def type(self) -> str:
        if self.kind not in ("byte", "int"):
            self.expected("the type `byte` or `int`")
        return self.take(self.kind)

    def variable(self, type: str, constant: bool) -> VariableDeclaration:
        result = VariableDeclaration(self.take_name("the name of a variable"), type, constant)
        if self.accept("["):
            result.length = self.expression()
            self.take("]")
        if self.accept("="):
            result.braces = self.kind == "{"
            result.initial = self.values() if result.braces else [self.expression()]
        return result

    def values(self) -> list[Tree]:
        """`{e, ...}`"""
        self.take("{")
        result = self.commas(self.expression)
        self.take("}", "`,` or `}`")
        return result

    def channels(self) -> list[ChannelDeclaration]:
        self.take("channel")
        types: list[str] | None = None
        if self.accept("{"):
            types = self.commas(self.type)
            self.take("}", "`,` or `}`")
        result = self.commas(lambda: self.channel(types))
        self.take(";", "`,` or `;`")
        return result

    def channel(self, types: list[str] | None) -> ChannelDeclaration:
        result = ChannelDeclaration(self.take_name("the name of a channel"), types)
        if types is not None and self.kind != "[":
            self.expected("the capacity of the typed channel, such as `[0]`")
        if types is None and self.kind == "[":
            self.expected("`,` or `;` (a channel with a capacity needs the types of its messages, such as `{byte}`)")
        if self.accept("["):
            result.capacity = self.expression()
            self.take("]")
        return result

    def process(self) -> ProcessDeclaration:
        self.take("process")
        result = ProcessDeclaration(self.take_name("the name of a process"))
        self.take("{")
        while not self.accept("}"):
            self.section(result)
        return result

    def section(self, process: ProcessDeclaration) -> None:
        kind = self.kind
        if kind in ("byte", "int", "const"):
            process.variables += self.variables()
            return
        if kind not in ("state", "init", "accept", "commit", "assert", "trans"):
            self.expected(SECTIONS)
        self.position += 1
        match kind:
            case "state":
                process.states += self.states()
            case "init":
                process.initial = self.initial(process)
            case "accept":
                process.accepting += self.accepting()
            case "commit":
                process.committed += self.states()
            case "assert":
                process.assertions += self.commas(self.assertion)
            case "trans":
                self.transitions(process.transitions)
        self.take(";", "`,` or `;`")

    def states(self) -> list[Name]:
        return self.commas(lambda: self.take_name("the name of a state"))

    def accepting(self) -> list[Name]:
        """DiVinE's grammar names other kinds of acceptance, each followed by sets of states in parentheses."""
        words = self.texts[self.position], *self.kinds[self.position + 1 : self.position + 2]
        if words[0] in ("genbuchi", "muller", "rabin", "streett") and words[1:] == ("(",):
            self.source.fail(f"{words[0]} acceptance is not supported, only buchi", self.starts[self.position])
        if words == ("buchi", NAME):
            self.position += 1
        return self.states()

    def initial(self, process: ProcessDeclaration) -> Name:
        name = self.take_name("the name of the initial state")
        if process.initial is not None:
            self.source.fail(f"process {process.name.text} has a second `init`", name.at)
        return name

    def assertion(self) -> AssertionDeclaration:
        state = self.take_name("the name of a state")
        self.take(":")
        start = self.starts[self.position]
        condition = self.expression()
        return AssertionDeclaration(state, condition, self.source.one_line(start, self.starts[self.position]))

    def transitions(self, result: list[TransitionDeclaration]) -> None:
        """The list may be empty; a transition without a source starts where the one before it did."""
        if self.kind == ";":
            return
        while True:
            at = self.starts[self.position]
            if self.kind == "->" and result:
                source = result[-1].source
            else:
                source = self.take_name("the state where a transition starts")
            result.append(self.transition(source, at))
            if not self.accept(","):
                return

    def transition(self, source: Name, at: int) -> TransitionDeclaration:
        if self.kind == "=>":
            self.source.fail("probabilistic transitions (`=>`) are not supported", self.starts[self.position])
        self.take("->")
        result = TransitionDeclaration(source, self.take_name("the state where the transition ends"), at)
        self.take("{")
        start = self.starts[self.position]
        if self.accept("guard"):
            result.guard = self.expression()
            self.take(";", "an operator, or `;` after the guard")
        if self.accept("sync"):
            result.sync = self.synchronization()
            self.take(";", "`;` after the synchronization")
        if self.accept("effect"):
            result.effects = self.commas(self.effect)
            self.take(";", "an operator, `,` or `;` after an effect")
        if self.kind != "}":
            self.expected("`guard`, `sync`, `effect` (at most one of each, in this order) or `}`")
        result.text = self.source.one_line(start, self.starts[self.position]).removesuffix(";")
        self.position += 1
        return result

    def synchronization(self) -> Synchronization:
        at = self.starts[self.position]
        channel = self.take_name("the name of a channel")
        if self.kind not in ("!", "?"):
            self.expected("`!` (send) or `?` (receive)")
        sends = self.take(self.kind) == "!"
        values: list[Tree] = []
        if self.kind == "{":
            values = self.values()
        elif self.kind != ";":
            values = [self.expression()]
        return Synchronization(channel, sends, values, at)

    def effect(self) -> Effect:
        if self.kind != NAME:
            self.expected("a variable to assign to")
        at = self.starts[self.position]
        target = self.expression()
        if not isinstance(target, Reference):
            self.source.fail("only a variable or an element of an array can be assigned to", at)
        self.take("=", "`=`")
        return Effect(target, self.expression())
