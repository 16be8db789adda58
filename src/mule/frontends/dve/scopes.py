"""What the names of a DVE model stand for, and what to say where one stands for nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NoReturn

from mule.frontends.dve.lexer import Source
from mule.frontends.dve.syntax import Name, ProcessDeclaration
from mule.model import Channel, IntegerType, Variable


@dataclass(slots=True)
class VariableSymbol:
    kind = "variable"
    name: Name
    variable: Variable
    constant: bool = False
    """A constant array: it has slots, because it can be read at any index, but nobody may assign to it."""


@dataclass(slots=True)
class ConstantSymbol:
    kind = "constant"
    name: Name
    value: int


@dataclass(slots=True)
class ChannelSymbol:
    kind = "channel"
    name: Name
    types: tuple[IntegerType, ...] | None
    """None: untyped. Its first use then decides how many values a message has."""
    buffer: Channel | None = None
    """None: a rendezvous."""
    arity: int | None = None


@dataclass(slots=True)
class ProcessSymbol:
    kind = "process"
    name: Name
    index: int
    declaration: ProcessDeclaration
    states: dict[str, int]
    scope: Scope


@dataclass(slots=True)
class StateSymbol:
    kind = "state"
    name: Name


Symbol = VariableSymbol | ConstantSymbol | ChannelSymbol | ProcessSymbol | StateSymbol


@dataclass(slots=True)
class Scope:
    """Names with their meaning. A process sees its own names first, then the global ones."""

    source: Source
    parent: Scope | None = None
    owner: ProcessSymbol | None = None
    symbols: dict[str, Symbol] = field(default_factory=dict)

    def declare(self, symbol: Symbol) -> None:
        """All kinds of names share one space; the names of a process hide global ones."""
        name = symbol.name
        earlier = self.symbols.get(name.text)
        if earlier is not None:
            line = self.source.place(earlier.name.at).line
            self.source.fail(f"{name.text} is already declared, as a {earlier.kind}, at line {line}", name.at)
        self.symbols[name.text] = symbol

    def find(self, name: str) -> Symbol | None:
        scope: Scope | None = self
        while scope is not None:
            symbol = scope.symbols.get(name)
            if symbol is not None:
                return symbol
            scope = scope.parent
        return None

    def names(self, *kinds: str) -> list[str]:
        """The visible names of some kinds."""
        own = self.own_names(*kinds)
        return own if self.parent is None else own + self.parent.names(*kinds)

    def own_names(self, *kinds: str) -> list[str]:
        return [name for name, symbol in self.symbols.items() if symbol.kind in kinds]

    def process(self, name: Name) -> ProcessSymbol:
        symbol = self.find(name.text)
        if isinstance(symbol, ProcessSymbol):
            return symbol
        self.refuse("process", name, symbol, self.names("process"))

    def channel(self, name: Name) -> ChannelSymbol:
        symbol = self.find(name.text)
        if isinstance(symbol, ChannelSymbol):
            return symbol
        self.refuse("channel", name, symbol, self.names("channel"))

    def refuse(self, wanted: str, name: Name, found: Symbol | None, known: Iterable[str]) -> NoReturn:
        """Say that a name is unknown or of the wrong kind, and which one may have been meant."""
        if found is not None:
            self.source.fail(f"expected a {wanted}, but {name.text} is a {found.kind}", name.at)
        self.source.fail(f"there is no {wanted} {name.text}{suggestion(name.text, known)}", name.at)


def state_of(process: ProcessSymbol, name: Name) -> int:
    """The number of a state of a process."""
    number = process.states.get(name.text)
    if number is not None:
        return number
    hint = suggestion(name.text, process.states)
    process.scope.source.fail(f"process {process.name.text} has no state {name.text}{hint}", name.at)


def suggestion(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""
