"""The syntax tree of Promela. `at` is the offset in the preprocessed text where a part begins.

Names are not resolved: what is a local variable, a global one or not declared at all is for the translation to say.
Only what SPIN's own grammar tells apart is different here: mtype constants, types, proctypes and inlines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mule.errors import Place
from mule.frontends.promela.lexer import Source, Tokens


@dataclass(frozen=True, slots=True)
class Node:
    at: int


# Expressions


@dataclass(frozen=True, slots=True)
class Tree(Node):
    """Base of all expressions."""


@dataclass(frozen=True, slots=True)
class Number(Tree):
    """Also `true`, `false`, `skip` and characters."""

    value: int


@dataclass(frozen=True, slots=True)
class MtypeConstant(Tree):
    name: str


@dataclass(frozen=True, slots=True)
class Part(Node):
    """One step of a reference: a name, perhaps with an index."""

    name: str
    index: Tree | None = None


@dataclass(frozen=True, slots=True)
class Reference(Tree):
    """`x`, `x[i]`, `x.y[i].z`; also `_`, `_pid`, `_nr_pr`, `_last` and `_priority`."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class RemoteLabel(Tree):
    """`P[pid]@label` or `P@label`."""

    process: str
    pid: Tree | None
    label: str


@dataclass(frozen=True, slots=True)
class RemoteVariable(Tree):
    """`P[pid]:x`, `P:x` or with an index `P:x[i]`."""

    process: str
    pid: Tree | None
    variable: Part


@dataclass(frozen=True, slots=True)
class Unary(Tree):
    """`!`, `-` or `~`."""

    operator: str
    operand: Tree


@dataclass(frozen=True, slots=True)
class Binary(Tree):
    operator: str
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Conditional(Tree):
    """`(condition -> then : otherwise)`"""

    condition: Tree
    then: Tree
    otherwise: Tree


@dataclass(frozen=True, slots=True)
class Run(Tree):
    process: str
    arguments: tuple[Tree, ...]
    priority: Tree | None


@dataclass(frozen=True, slots=True)
class ChannelQuery(Tree):
    """`len`, `full`, `empty`, `nfull` or `nempty` of a channel."""

    function: str
    channel: Reference


@dataclass(frozen=True, slots=True)
class ProcessQuery(Tree):
    """`enabled`, `pc_value` or `get_priority` of a process."""

    function: str
    process: Tree


@dataclass(frozen=True, slots=True)
class Evaluated(Tree):
    """`eval(e)` in a receive: the message must have this value there."""

    expression: Tree


Pattern: TypeAlias = Reference | Evaluated | Number | MtypeConstant
"""An argument of a receive: a variable to fill (`_` takes anything), or a value that must match."""


@dataclass(frozen=True, slots=True)
class Poll(Tree):
    """`c?[...]`, and with `random` `c??[...]`: whether the receive could be executed."""

    channel: Reference
    patterns: tuple[Pattern, ...]
    random: bool


@dataclass(frozen=True, slots=True)
class Timeout(Tree):
    pass


@dataclass(frozen=True, slots=True)
class NonProgress(Tree):
    """`np_`"""


# Declarations

Visibility: TypeAlias = Literal["", "hidden", "local", "show"]


@dataclass(frozen=True, slots=True)
class FieldType(Node):
    """The type of one field of a message; `subtype` is `colour` in `mtype:colour`."""

    name: str
    subtype: str | None


@dataclass(frozen=True, slots=True)
class ChannelInitializer(Node):
    """`[capacity] of { fields }`"""

    capacity: Tree
    fields: tuple[FieldType, ...]


@dataclass(frozen=True, slots=True)
class ListInitializer(Node):
    """`{1, 2, 3}`; if shorter than the array, the last value is for all that remain."""

    values: tuple[Number | MtypeConstant, ...]


@dataclass(frozen=True, slots=True)
class Variable(Node):
    name: str
    length: Tree | None
    """Of an array: constants only, or the name of a variable with an initial value."""
    bits: int | None
    """Of an `unsigned`."""
    initial: Tree | ChannelInitializer | ListInitializer | None


@dataclass(frozen=True, slots=True)
class VariableDeclaration(Node):
    visibility: Visibility
    type: str
    subtype: str | None
    variables: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class ExclusiveUse(Node):
    """`xr c, d` or `xs c, d`: only this process receives from, or sends to, these channels."""

    kind: Literal["xr", "xs"]
    channels: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class MtypeDeclaration(Node):
    subtype: str | None
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TypeDeclaration(Node):
    """`typedef name { fields }`"""

    name: str
    fields: tuple[VariableDeclaration, ...]


# Statements


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """Base of all statements."""


Step: TypeAlias = Statement | VariableDeclaration | ExclusiveUse
Sequence: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Condition(Statement):
    """An expression as a statement; `skip` and `run P()` are such."""

    expression: Tree


@dataclass(frozen=True, slots=True)
class Else(Statement):
    pass


@dataclass(frozen=True, slots=True)
class Assignment(Statement):
    target: Reference
    value: Tree


@dataclass(frozen=True, slots=True)
class Increment(Statement):
    """`x++` (`by` is 1) or `x--` (-1)."""

    target: Reference
    by: int


@dataclass(frozen=True, slots=True)
class Send(Statement):
    """`c!...`, and with `sorted` `c!!...`."""

    channel: Reference
    arguments: tuple[Tree, ...]
    sorted: bool


@dataclass(frozen=True, slots=True)
class Receive(Statement):
    """`c?...`, with `random` `c??...`, with `keep` `c?<...>`, which leaves the message in the channel."""

    channel: Reference
    patterns: tuple[Pattern, ...]
    random: bool
    keep: bool


@dataclass(frozen=True, slots=True)
class Print(Statement):
    """`format` is as written, quotes and escapes included."""

    format: str
    arguments: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class PrintMtype(Statement):
    value: Reference | Number | MtypeConstant


@dataclass(frozen=True, slots=True)
class Assertion(Statement):
    condition: Tree


@dataclass(frozen=True, slots=True)
class SetPriority(Statement):
    process: Tree
    priority: Tree


@dataclass(frozen=True, slots=True)
class OwnPriority(Statement):
    """`_priority = e`, which keeps a byte of it; an assignment until control graphs are made."""

    priority: Tree


@dataclass(frozen=True, slots=True)
class Goto(Statement):
    label: str


@dataclass(frozen=True, slots=True)
class Break(Statement):
    pass


@dataclass(frozen=True, slots=True)
class If(Statement):
    options: tuple[Sequence, ...]


@dataclass(frozen=True, slots=True)
class Do(Statement):
    options: tuple[Sequence, ...]


@dataclass(frozen=True, slots=True)
class For(Statement):
    """`for (variable : low .. high) { body }`"""

    variable: Reference
    low: Tree
    high: Tree
    body: Sequence


@dataclass(frozen=True, slots=True)
class ForEach(Statement):
    """`for (variable in container) { body }`: the messages of a channel, or the indices of an array."""

    variable: Reference
    container: Reference
    body: Sequence


@dataclass(frozen=True, slots=True)
class Select(Statement):
    """`select (variable : low .. high)`

    `unrolled`: SPIN rewrites the text to one option a value (or, over 32 values, to a loop of its own) where it sees
    plain digits and a plain name outside inlines; this takes other steps than the general form."""

    variable: Reference
    low: Tree
    high: Tree
    unrolled: bool


@dataclass(frozen=True, slots=True)
class Atomic(Statement):
    body: Sequence


@dataclass(frozen=True, slots=True)
class DStep(Statement):
    body: Sequence


@dataclass(frozen=True, slots=True)
class Block(Statement):
    body: Sequence


@dataclass(frozen=True, slots=True)
class Unless(Statement):
    body: Statement
    escape: Statement


@dataclass(frozen=True, slots=True)
class Labelled(Statement):
    """A label without a statement stands before a `skip`."""

    label: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class InlineCall(Statement):
    """`name(arguments)` or `result = name(arguments)`; `body` is the definition with the arguments put in."""

    name: str
    arguments: tuple[str, ...]
    result: Reference | None
    body: Block


# Units


@dataclass(frozen=True, slots=True)
class InlineDefinition(Node):
    name: str
    parameters: tuple[str, ...]
    body: Tokens
    """From `{` to `}`: not parsed before it is called, since a parameter may stand for anything."""


@dataclass(frozen=True, slots=True)
class ProcessDeclaration(Node):
    name: str
    active: Tree | None
    """How many start with the system: constants, or the name of a variable with an initial value."""
    deterministic: bool
    """`D_proctype`"""
    parameters: tuple[VariableDeclaration, ...]
    priority: Tree | None
    provided: Tree | None
    body: Sequence
    end: int
    """Where the brace stands that closes it."""


@dataclass(frozen=True, slots=True)
class InitDeclaration(Node):
    priority: Tree | None
    body: Sequence
    end: int


@dataclass(frozen=True, slots=True)
class NeverClaim(Node):
    name: str | None
    body: Sequence


@dataclass(frozen=True, slots=True)
class TraceAssertion(Node):
    negated: bool
    """`notrace`"""
    body: Sequence


@dataclass(frozen=True, slots=True)
class LtlProperty(Node):
    name: str | None
    formula: str
    """The text between the braces, character for character, so that offsets in it count from `formula_at`."""
    formula_at: int


Unit: TypeAlias = (
    VariableDeclaration
    | MtypeDeclaration
    | TypeDeclaration
    | InlineDefinition
    | ProcessDeclaration
    | InitDeclaration
    | NeverClaim
    | TraceAssertion
    | LtlProperty
)


@dataclass(frozen=True, slots=True)
class Program:
    source: Source
    units: tuple[Unit, ...]
    """In the order of the file: it decides the process numbers of active proctypes."""

    def place(self, at: int) -> Place:
        return self.source.place(at)
