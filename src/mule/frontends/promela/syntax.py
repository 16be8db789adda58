"""The syntax tree of Promela. `at` is the offset in the preprocessed text where a part begins.

Names are not resolved: what is a local variable, a global one or not declared at all is for the translation to say.
Only what SPIN's own grammar tells apart is different here: mtype constants, types, proctypes and inlines.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from mule.errors import Place
from mule.frontends.promela.lexer import Source, Tokens
from mule.records import Record


class Node(Record, frozen=True):
    at: int


MEANINGFUL_LABELS = ("end", "progress", "accept")
"""Labels that begin like this say something about their place, so there must be one."""


# Expressions


class Tree(Node, frozen=True):
    """Base of all expressions."""


class Number(Tree, frozen=True):
    """Also `true`, `false`, `skip` and characters."""

    value: int
    word: str = ""
    """How it is written, if not as a number."""


class MtypeConstant(Tree, frozen=True):
    name: str


class Part(Node, frozen=True):
    """One step of a reference: a name, perhaps with an index."""

    name: str
    index: Tree | None = None


class Reference(Tree, frozen=True):
    """`x`, `x[i]`, `x.y[i].z`; also `_`, `_pid`, `_nr_pr`, `_last` and `_priority`."""

    parts: tuple[Part, ...]


class RemoteLabel(Tree, frozen=True):
    """`P[pid]@label` or `P@label`."""

    process: str
    pid: Tree | None
    label: str


class RemoteVariable(Tree, frozen=True):
    """`P[pid]:x`, `P:x` or with an index `P:x[i]`."""

    process: str
    pid: Tree | None
    variable: Part


class Unary(Tree, frozen=True):
    """`!`, `-` or `~`."""

    operator: str
    operand: Tree


class Binary(Tree, frozen=True):
    operator: str
    left: Tree
    right: Tree


class Conditional(Tree, frozen=True):
    """`(condition -> then : otherwise)`"""

    condition: Tree
    then: Tree
    otherwise: Tree


class Run(Tree, frozen=True):
    process: str
    arguments: tuple[Tree, ...]
    priority: Tree | None


class ChannelQuery(Tree, frozen=True):
    """`len`, `full`, `empty`, `nfull` or `nempty` of a channel."""

    function: str
    channel: Reference


class ProcessQuery(Tree, frozen=True):
    """`enabled`, `pc_value` or `get_priority` of a process."""

    function: str
    process: Tree


class Evaluated(Tree, frozen=True):
    """`eval(e)` in a receive: the message must have this value there."""

    expression: Tree


Pattern: TypeAlias = Reference | Evaluated | Number | MtypeConstant
"""An argument of a receive: a variable to fill (`_` takes anything), or a value that must match."""


class Poll(Tree, frozen=True):
    """`c?[...]`, and with `random` `c??[...]`: whether the receive could be executed."""

    channel: Reference
    patterns: tuple[Pattern, ...]
    random: bool


class Timeout(Tree, frozen=True):
    pass


class NonProgress(Tree, frozen=True):
    """`np_`"""


# Declarations

Visibility: TypeAlias = Literal["", "hidden", "local", "show"]


class FieldType(Node, frozen=True):
    """The type of one field of a message; `subtype` is `colour` in `mtype:colour`."""

    name: str
    subtype: str | None


class ChannelInitializer(Node, frozen=True):
    """`[capacity] of { fields }`"""

    capacity: Tree
    fields: tuple[FieldType, ...]


class ListInitializer(Node, frozen=True):
    """`{1, 2, 3}`; if shorter than the array, the last value is for all that remain."""

    values: tuple[Number | MtypeConstant, ...]


class Variable(Node, frozen=True):
    name: str
    length: Tree | None
    """Of an array: constants only, or the name of a variable with an initial value."""
    bits: int | None
    """Of an `unsigned`."""
    initial: Tree | ChannelInitializer | ListInitializer | None


class VariableDeclaration(Node, frozen=True):
    visibility: Visibility
    type: str
    subtype: str | None
    variables: tuple[Variable, ...]


class ExclusiveUse(Node, frozen=True):
    """`xr c, d` or `xs c, d`: only this process receives from, or sends to, these channels."""

    kind: Literal["xr", "xs"]
    channels: tuple[Reference, ...]


class MtypeDeclaration(Node, frozen=True):
    subtype: str | None
    names: tuple[str, ...]


class TypeDeclaration(Node, frozen=True):
    """`typedef name { fields }`"""

    name: str
    fields: tuple[VariableDeclaration, ...]


# Statements


class Statement(Node, frozen=True):
    """Base of all statements."""


Step: TypeAlias = Statement | VariableDeclaration | ExclusiveUse
Sequence: TypeAlias = tuple[Step, ...]


class Condition(Statement, frozen=True):
    """An expression as a statement; `skip` and `run P()` are such."""

    expression: Tree


class Else(Statement, frozen=True):
    pass


class Assignment(Statement, frozen=True):
    target: Reference
    value: Tree


class Increment(Statement, frozen=True):
    """`x++` (`by` is 1) or `x--` (-1)."""

    target: Reference
    by: int


class Send(Statement, frozen=True):
    """`c!...`, and with `sorted` `c!!...`."""

    channel: Reference
    arguments: tuple[Tree, ...]
    sorted: bool


class Receive(Statement, frozen=True):
    """`c?...`, with `random` `c??...`, with `keep` `c?<...>`, which leaves the message in the channel."""

    channel: Reference
    patterns: tuple[Pattern, ...]
    random: bool
    keep: bool


class Print(Statement, frozen=True):
    """`format` is as written, quotes and escapes included."""

    format: str
    arguments: tuple[Tree, ...]


class PrintMtype(Statement, frozen=True):
    value: Reference | Number | MtypeConstant


class Assertion(Statement, frozen=True):
    condition: Tree


class SetPriority(Statement, frozen=True):
    process: Tree
    priority: Tree


class OwnPriority(Statement, frozen=True):
    """`_priority = e`, which keeps a byte of it; an assignment until control graphs are made."""

    priority: Tree


class Goto(Statement, frozen=True):
    label: str


class Break(Statement, frozen=True):
    pass


class If(Statement, frozen=True):
    options: tuple[Sequence, ...]


class Do(Statement, frozen=True):
    options: tuple[Sequence, ...]


class For(Statement, frozen=True):
    """`for (variable : low .. high) { body }`"""

    variable: Reference
    low: Tree
    high: Tree
    body: Sequence


class ForEach(Statement, frozen=True):
    """`for (variable in container) { body }`: the messages of a channel, or the indices of an array."""

    variable: Reference
    container: Reference
    body: Sequence


class Select(Statement, frozen=True):
    """`select (variable : low .. high)`

    `unrolled`: SPIN rewrites the text to one option a value (or, over 32 values, to a loop of its own) where it sees
    plain digits and a plain name outside inlines; this takes other steps than the general form."""

    variable: Reference
    low: Tree
    high: Tree
    unrolled: bool


class Atomic(Statement, frozen=True):
    body: Sequence


class DStep(Statement, frozen=True):
    body: Sequence


class Block(Statement, frozen=True):
    body: Sequence


class Unless(Statement, frozen=True):
    body: Statement
    escape: Statement


class Labelled(Statement, frozen=True):
    """A label without a statement stands before a `skip`."""

    label: str
    statement: Statement


class InlineCall(Statement, frozen=True):
    """`name(arguments)` or `result = name(arguments)`; `body` is the definition with the arguments put in."""

    name: str
    arguments: tuple[str, ...]
    result: Reference | None
    body: Block


# Units


class InlineDefinition(Node, frozen=True):
    name: str
    parameters: tuple[str, ...]
    body: Tokens
    """From `{` to `}`: not parsed before it is called, since a parameter may stand for anything."""


class ProcessDeclaration(Node, frozen=True):
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


class InitDeclaration(Node, frozen=True):
    priority: Tree | None
    body: Sequence
    end: int


class NeverClaim(Node, frozen=True):
    name: str | None
    body: Sequence


class TraceAssertion(Node, frozen=True):
    negated: bool
    """`notrace`"""
    body: Sequence


class LtlProperty(Node, frozen=True):
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


class Program(Record, frozen=True):
    source: Source
    units: tuple[Unit, ...]
    """In the order of the file: it decides the process numbers of active proctypes."""

    def place(self, at: int) -> Place:
        return self.source.place(at)
