"""The syntax tree of DVE. `at` is the offset in the source where a part begins."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct, field


class Name(NamedTuple):
    """A word and where it stands."""

    text: str
    at: int


class Tree(Struct):
    """Base of all expressions; `depth` is the height of the tree that it will become."""

    at: int
    depth: int


class Number(Tree):
    value: int


class Reference(Tree):
    """`x`, `x[i]`, and with `process` the forms `P->x` and `P->x[i]`."""

    name: str
    index: Tree | None = None
    process: Name | None = None


class AtState(Tree):
    """`P.s`: whether process P is in state s."""

    process: Name
    state: Name


class InProcess(Tree):
    """`P.(e)`: the expression e with the names of process P."""

    process: Name
    body: Tree


class UnaryOperation(Tree):
    operator: str
    operand: Tree


class BinaryOperation(Tree):
    operator: str
    left: Tree
    right: Tree


class Chain(Tree):
    """`a + b + c`: an associative operator with all its operands, which become a tree of small height."""

    operator: str
    operands: list[Tree]
    turns: int = 0
    """How often `and` and `or` take turns from here on to the left: they bind equally, so that `a and b or c and d` is
    `((a and b) or c) and d`."""
    widest: int = 0
    """The height of the highest chain among those that take turns, each without the one to its left."""


class VariableDeclaration(Struct):
    name: Name
    type: str
    constant: bool
    length: Tree | None = None
    initial: list[Tree] | None = None
    braces: bool = False
    """Whether the initial value is a list `{...}`."""


class ChannelDeclaration(Struct):
    name: Name
    types: list[str] | None = None
    """None: any one message can be passed, whatever its shape."""
    capacity: Tree | None = None


class Synchronization(Struct):
    channel: Name
    sends: bool
    values: list[Tree]
    at: int


class Effect(Struct):
    target: Reference
    value: Tree


class TransitionDeclaration(Struct):
    source: Name
    target: Name
    at: int
    guard: Tree | None = None
    sync: Synchronization | None = None
    effects: list[Effect] = field(default_factory=list)
    text: str = ""


class AssertionDeclaration(Struct):
    state: Name
    condition: Tree
    text: str


class ProcessDeclaration(Struct):
    name: Name
    variables: list[VariableDeclaration] = field(default_factory=list)
    states: list[Name] = field(default_factory=list)
    initial: Name | None = None
    accepting: list[Name] = field(default_factory=list)
    committed: list[Name] = field(default_factory=list)
    assertions: list[AssertionDeclaration] = field(default_factory=list)
    transitions: list[TransitionDeclaration] = field(default_factory=list)


class SystemDeclaration(Struct):
    declarations: list[VariableDeclaration | ChannelDeclaration] = field(default_factory=list)
    processes: list[ProcessDeclaration] = field(default_factory=list)
    property_process: Name | None = None
