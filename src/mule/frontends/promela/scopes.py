"""Names and types: what a program declares, scope by scope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any, NoReturn, TypeAlias

from mule.errors import MuleError, Place
from mule.frontends.promela import syntax
from mule.model import BOOL, BYTE, INT, SHORT, IntegerType
from mule.model.builder import MAX_SLOTS
from mule.model.simplify import compute
from mule.records import Record

PID = IntegerType("pid", 0, 255)
CHAN = IntegerType("chan", 0, 255)

PREDEFINED = frozenset({"_", "_pid", "_nr_pr", "_last", "_priority"})
"""Variables that nobody declares."""

_TYPES = {"bit": IntegerType("bit", 0, 1), "bool": BOOL, "byte": BYTE, "short": SHORT, "int": INT, "pid": PID}


class Scalar(Record, frozen=True):
    type: IntegerType

    @property
    def is_channel(self) -> bool:
        return self.type is CHAN


class Struct(Record, frozen=True, eq=False):
    name: str
    fields: dict[str, Symbol]

    @property
    def size(self) -> int:
        return sum(field.size for field in self.fields.values())

    @property
    def has_structures_in_arrays(self) -> bool:
        inner = [(field.length, field.type) for field in self.fields.values() if isinstance(field.type, Struct)]
        return any(length is not None or type.has_structures_in_arrays for length, type in inner)


Type: TypeAlias = Scalar | Struct


class Leaf(Record, frozen=True):
    """A scalar, or an array of them, inside a variable: `path` names the fields that lead to it."""

    path: tuple[str, ...]
    type: IntegerType
    sizes: tuple[int | None, ...]
    """The length of the variable and of each field of the path; None: it is no array."""
    symbol: Symbol
    """The innermost declaration: it has the initial value."""

    @property
    def lengths(self) -> tuple[int, ...]:
        return tuple(size for size in self.sizes if size is not None)

    @property
    def length(self) -> int | None:
        return prod(self.lengths) if self.lengths else None


@dataclass(slots=True, eq=False)
class Symbol:
    """A variable, a parameter, or a field of a typedef."""

    name: str
    type: Type
    length: int | None
    declaration: syntax.Variable
    scope: Scope
    hidden: bool = False
    at_start: bool = True
    """Whether it gets its initial value when the process starts, not at a step of its own."""
    parameter: bool = False
    subtype: str | None = None
    """Of an mtype."""
    size: int = 1
    """How many numbers it takes to store it."""
    value: int | None = None
    """The initial value, if it is a constant."""

    def leaves(self) -> Iterator[Leaf]:
        yield from _leaves(self, (), (self.length,), self.type)


def in_bytes(type: IntegerType) -> IntegerType:
    """In arrays, and in messages of one field, SPIN keeps bits in bytes and does not cut them."""
    return IntegerType(type.name, 0, 255) if (type.low, type.high) == (0, 1) else type


def _leaves(symbol: Symbol, path: tuple[str, ...], sizes: tuple[int | None, ...], type: Type) -> Iterator[Leaf]:
    if isinstance(type, Scalar):
        stored = in_bytes(type.type) if symbol.length is not None else type.type
        yield Leaf(path, stored, sizes, symbol)
        return
    for name, inner in type.fields.items():
        yield from _leaves(inner, (*path, name), (*sizes, inner.length), inner.type)


@dataclass(slots=True, eq=False)
class Program:
    """What the whole program declares."""

    tree: syntax.Program
    structs: dict[str, Struct] = field(default_factory=dict)
    mtypes: dict[str, int] = field(default_factory=dict)
    subtypes: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    """The constants of each mtype; the one without a name is ''."""
    processes: dict[str, syntax.ProcessDeclaration | syntax.InitDeclaration] = field(default_factory=dict)

    def fail(self, message: str, at: int) -> NoReturn:
        raise MuleError(message, self.tree.place(at))

    def declare_mtypes(self, declaration: syntax.MtypeDeclaration) -> None:
        """SPIN numbers the names of one declaration from the last to the first."""
        known = self.subtypes.setdefault(declaration.subtype or "", [])
        if len({*declaration.names}) < len(declaration.names):
            self.fail("a name stands twice in this mtype", declaration.at)
        for name in reversed(declaration.names):
            if name in self.mtypes:
                continue
            number = len(known) + 1
            if number > 255:
                self.fail("an mtype has at most 255 constants", declaration.at)
            known.append((number, name))
            self.mtypes[name] = number

    def declare_struct(self, declaration: syntax.TypeDeclaration, scope: Scope) -> None:
        fields: dict[str, Symbol] = {}
        struct = Struct(declaration.name, fields)
        for each in declaration.fields:
            for variable in each.variables:
                if variable.name in fields:
                    self.fail(f"`{declaration.name}` has two fields `{variable.name}`", variable.at)
                fields[variable.name] = scope.symbol(each, variable)
        self.structs[declaration.name] = struct

    def type(self, name: str, subtype: str | None, bits: int | None, at: int) -> Type:
        if name in _TYPES:
            return Scalar(_TYPES[name])
        match name:
            case "chan":
                return Scalar(CHAN)
            case "mtype":
                return Scalar(self.mtype(subtype or ""))
            case "unsigned":
                width = 8 if bits is None else bits
                if not 1 <= width <= 32:
                    self.fail(f"`unsigned` takes 1 to 32 bits, not {width}", at)
                return Scalar(IntegerType(f"unsigned:{width}", 0, 2 ** min(width, 31) - 1))
        if name in self.structs:
            return self.structs[name]
        self.fail(f"there is no type `{name}`", at)

    def mtype(self, subtype: str) -> IntegerType:
        names = tuple(self.subtypes.get(subtype, ()))
        return IntegerType(f"mtype:{subtype}" if subtype else "mtype", 0, 255, names=names)

    def subtype_of(self, constant: str) -> str:
        return next((subtype for subtype, names in self.subtypes.items() if constant in dict(names).values()), "")

    @property
    def all_names(self) -> dict[int, str]:
        """A name for each number, as `printm` and `%e` show one that is of no mtype."""
        named = {number: name for names in self.subtypes.values() for number, name in names}
        return {**named, **dict(self.subtypes.get("", ()))}


class Scope:
    """The names that can be seen at a place: those of a block, and of everything around it."""

    def __init__(self, program: Program, outer: Scope | None = None, process: str = "") -> None:
        self.program = program
        self.outer = outer
        self.process = process
        self.symbols: dict[str, Symbol] = {}
        self.locals: list[Symbol] = [] if outer is None or outer.outer is None else outer.locals
        """All that a process declares, whatever the block; shared by the scopes of one process."""

    def inner(self) -> Scope:
        return Scope(self.program, self, self.process)

    def place(self, at: int) -> Place:
        return self.program.tree.place(at)

    def fail(self, message: str, at: int) -> NoReturn:
        self.program.fail(message, at)

    def declare_all(self, declaration: syntax.VariableDeclaration, at_start: bool = False) -> list[Symbol]:
        found = []
        for variable in declaration.variables:
            if variable.name in self.symbols:
                self.fail(f"`{variable.name}` is declared twice", variable.at)
            if self.process and variable.name in self.program.mtypes:
                self.fail(f"`{variable.name}` is the name of an mtype constant", variable.at)
            symbol = self.symbol(declaration, variable)
            symbol.at_start = at_start or isinstance(symbol.type, Struct)
            self.symbols[variable.name] = symbol
            self.locals.append(symbol)
            found.append(symbol)
        return found

    def symbol(self, declaration: syntax.VariableDeclaration, variable: syntax.Variable) -> Symbol:
        type = self.program.type(declaration.type, declaration.subtype, variable.bits, variable.at)
        length = None if variable.length is None else self.constant(variable.length)
        if length is not None and not 1 <= length <= MAX_SLOTS:
            self.fail(f"the array `{variable.name}` has {length} elements, expected 1 to {MAX_SLOTS}", variable.at)
        size = (1 if length is None else length) * (type.size if isinstance(type, Struct) else 1)
        if size > MAX_SLOTS:
            self.fail(f"`{variable.name}` consists of {size} numbers, expected at most {MAX_SLOTS}", variable.at)
        is_hidden = declaration.visibility == "hidden"
        symbol = Symbol(variable.name, type, length, variable, self, is_hidden, subtype=declaration.subtype, size=size)
        if isinstance(variable.initial, syntax.Tree):
            symbol.value = self.known(variable.initial)
        return symbol

    def find(self, name: str) -> Symbol | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.symbols:
                return scope.symbols[name]
            scope = scope.outer
        return None

    def lookup(self, name: str, at: int) -> Symbol:
        found = self.find(name)
        if found is None:
            self.fail(f"`{name}` is not declared", at)
        return found

    def resolve(self, reference: syntax.Reference) -> Symbol:
        """The variable or field that a reference means, with an index wherever there is an array."""
        current = self.lookup(reference.parts[0].name, reference.at)
        for position, part in enumerate(reference.parts):
            if position > 0:
                if not isinstance(current.type, Struct):
                    self.fail(f"`{current.name}` is no structure: it has no field `{part.name}`", part.at)
                if part.name not in current.type.fields:
                    self.fail(f"the type `{current.type.name}` has no field `{part.name}`", part.at)
                current = current.type.fields[part.name]
            if part.index is None and current.length is not None:
                self.fail(f"`{current.name}` is an array: it needs an index", part.at)
            if part.index is not None and current.length is None and not _is_zero(part.index):
                self.fail(f"`{current.name}` is no array", part.at)
        return current

    def known(self, tree: syntax.Tree) -> int | None:
        """The value of an expression, if it is a constant."""
        try:
            return self.constant(tree)
        except MuleError:
            return None

    def constant(self, tree: syntax.Tree) -> int:
        """The value of a constant expression; a variable counts as its initial value."""
        match tree:
            case syntax.Number(_, value):
                return value
            case syntax.MtypeConstant(_, name):
                return self.program.mtypes[name]
            case syntax.Reference(at, (syntax.Part(_, name, None),)):
                known = self.lookup(name, at).value
                if known is not None:
                    return known
                self.fail(f"`{name}` has no initial value that could be a constant", at)
            case syntax.Unary(_, operator, operand):
                inner = self.constant(operand)
                return int(inner == 0) if operator == "!" else -inner if operator == "-" else ~inner
            case syntax.Binary(_, "&&", left, right):
                return int(self.constant(left) != 0 and self.constant(right) != 0)
            case syntax.Binary(_, "||", left, right):
                return int(self.constant(left) != 0 or self.constant(right) != 0)
            case syntax.Binary(at, operator, left, right):
                result = compute(operator, self.constant(left), self.constant(right))
                if result is None:
                    self.fail("this constant divides by zero", at)
                return result
        self.fail("expected a constant", tree.at)

    def spelled_out(self, step: syntax.For | syntax.ForEach | syntax.Select) -> syntax.Sequence:
        """Loops over ranges in terms of simpler statements, with the steps that SPIN takes."""
        at, variable = step.at, step.variable
        if isinstance(step, syntax.Select):
            return self._selection(step)
        if isinstance(step, syntax.For):
            return self._counting(at, variable, step.low, step.high, step.body)
        container = self.lookup(step.container.parts[0].name, step.container.at)
        if isinstance(self.resolve(variable).type, Struct):
            return self._messages(step)
        if container.length is None:
            self.fail(f"`{container.name}` is neither an array nor a channel", step.container.at)
        return self._counting(at, variable, syntax.Number(at, 0), syntax.Number(at, container.length - 1), step.body)

    def _counting(
        self, at: int, variable: syntax.Reference, low: syntax.Tree, high: syntax.Tree, body: syntax.Sequence
    ) -> syntax.Sequence:
        test = syntax.Condition(at, syntax.Binary(at, "<=", variable, high))
        option = (test, *body, syntax.Increment(at, variable, 1))
        loop = syntax.Do(at, (option, (syntax.Else(at), syntax.Break(at))))
        return (syntax.Assignment(at, variable, low), loop)

    def _messages(self, step: syntax.ForEach) -> syntax.Sequence:
        """Every message is taken out, used, and put back at the end. The loops of a block share a counter; one inside
        another has its own."""
        at, around = step.at, self.outer
        assert around is not None
        name = around.counter()
        if name not in around.symbols:
            declared = syntax.Variable(at, name, None, None, None)
            around.declare_all(syntax.VariableDeclaration(at, "", "byte", None, (declared,)))
        counter = syntax.Reference(at, (syntax.Part(at, name),))
        length = syntax.ChannelQuery(at, "len", step.container)
        test = syntax.Condition(at, syntax.Binary(at, "<", counter, length))
        take = syntax.Receive(at, step.container, (step.variable,), False, False)
        put = syntax.Send(at, step.container, (step.variable,), False)
        option = (test, take, put, *step.body, syntax.Increment(at, counter, 1))
        loop = syntax.Do(at, (option, (syntax.Else(at), syntax.Break(at))))
        return (syntax.Assignment(at, counter, syntax.Number(at, 0)), loop)

    def counter(self) -> str:
        """The name of what counts the messages in the loops of this block, which no block around it uses: the outer
        loop goes on in the scope in which the inner one is declared."""
        around, level = self.outer, 0
        while around is not None:
            level += any(name.startswith(_COUNTER) for name in around.symbols)
            around = around.outer
        return f"{_COUNTER}{level or ''}"

    def _selection(self, step: syntax.Select) -> syntax.Sequence:
        at, variable = step.at, step.variable
        if step.unrolled:
            low, high = self.constant(step.low), self.constant(step.high)
            if high - low <= 32:
                values = range(low, high + 1)
                options = tuple((syntax.Assignment(at, variable, syntax.Number(at, value)),) for value in values)
                return (syntax.If(at, options),)
        test = syntax.Condition(at, syntax.Binary(at, "<", variable, step.high))
        loop = syntax.Do(at, ((test, syntax.Increment(at, variable, 1)), (syntax.Break(at),)))
        return (syntax.Assignment(at, variable, step.low), loop)


def _is_zero(tree: syntax.Tree) -> bool:
    return isinstance(tree, syntax.Number) and tree.value == 0


_COUNTER = "_f0r_t3mp"
"""SPIN's name of the variable that counts messages."""


def nodes_of(node: object) -> Iterator[syntax.Node]:
    """A statement, and everything inside."""
    stack: list[Any] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, syntax.Tree):
            yield from _inside(current)
        elif isinstance(current, syntax.Node):
            yield current
            for name in _parts_of(current.__class__) or ():
                stack.append(getattr(current, name))
        elif isinstance(current, tuple):
            stack.extend(current)


LONG = 1_000
_long: dict[int, tuple[syntax.Tree, list[syntax.Node]]] = {}
"""The last long expressions that were walked through: many ask about each."""


def _inside(tree: syntax.Tree) -> Sequence[syntax.Node]:
    known = _long.get(id(tree))
    if known is not None and known[0] is tree:
        return known[1]
    nodes = list(_walk(tree))
    if len(nodes) > LONG:
        while len(_long) > 8:
            _long.pop(next(iter(_long)), None)
        _long[id(tree)] = tree, nodes
    return nodes


def _walk(tree: syntax.Tree) -> Iterator[syntax.Node]:
    stack: list[Any] = [tree]
    while stack:
        current = stack.pop()
        parts = _parts_of(current.__class__)
        if parts is not None:
            yield current
            for name in parts:
                stack.append(getattr(current, name))
        elif isinstance(current, tuple):
            stack.extend(current)


@cache
def _parts_of(kind: type[Any]) -> tuple[str, ...] | None:
    """The fields of a node that can hold others, because most cannot and expressions may be long; None: no node."""
    if not issubclass(kind, syntax.Node):
        return None
    bases = reversed(kind.__mro__)
    types = {name: text for base in bases for name, text in vars(base).get("__annotations__", {}).items()}
    return tuple(name for name in kind.__struct_fields__ if types[name] not in _PLAIN)


_PLAIN = frozenset({"int", "str", "bool", "int | None", "str | None"})


def trees_of(node: object) -> Iterator[syntax.Tree]:
    """All expressions inside a statement, or in whole units."""
    return (each for each in nodes_of(node) if isinstance(each, syntax.Tree))


def operands_of(tree: object) -> Iterator[syntax.Reference]:
    """The variables and channels that an expression is made of, not those in an index or in the fields of a poll."""
    match tree:
        case syntax.Reference():
            yield tree
        case syntax.Poll(_, channel):
            yield channel
        case syntax.Node():
            for name in tree.__struct_fields__:
                yield from operands_of(getattr(tree, name))
