"""The syntax tree to a model.

Semantics, settled from DiVinE's own sources and checked on BEEM's counts:

- `byte` is 0..255 and `int` has 16 bits; expressions are computed with 32 bits. Assigning a value that does not fit is
  an error. BEEM counts the states after errors, one for each valuation of the shared variables (anderson.1 tells).
- A step changes the location first and then runs its effects, one after the other.
- In a rendezvous the values are passed first, then the receiver moves and runs its effects, then the sender. Both
  guards see the state before. A value passed through a typed channel wraps into the channel's type.
- A buffered message is computed (or received) before the effects of its transition.
- While some process is in a committed state, every process that takes part in a step must be in one.
"""

from __future__ import annotations

from functools import partial
from pathlib import PurePath

from mule.frontends.dve.expressions import Translator
from mule.frontends.dve.lexer import Source
from mule.frontends.dve.parser import parse_expression, parse_system
from mule.frontends.dve.scopes import (
    ChannelSymbol,
    ConstantSymbol,
    ProcessSymbol,
    Scope,
    StateSymbol,
    VariableSymbol,
    state_of,
)
from mule.frontends.dve.syntax import (
    ChannelDeclaration,
    Name,
    ProcessDeclaration,
    SystemDeclaration,
    Tree,
    VariableDeclaration,
)
from mule.frontends.dve.transitions import TransitionTranslator
from mule.frontends.dve.types import TYPES
from mule.model import Assertion, IntegerType, Model, Role
from mule.model.builder import MAX_SLOTS, ModelBuilder
from mule.model.expressions import Constant, Expression, variables_read
from mule.model.simplify import binary, unary
from mule.records import replace


def load(text: str, file: str) -> Model:
    """Read a DVE model; `file` is what messages call it."""
    source = Source(text, file)
    return _Translation(source, parse_system(source)).model()


def read_expression(scope: Scope, translator: Translator, text: str) -> Expression:
    """An expression over the names of a model: what an invariant or a proposition is."""
    source = Source(text, "<expression>")
    return translator.translate(parse_expression(source), relocated(scope, source))


def relocated(scope: Scope, source: Source) -> Scope:
    """The same names, for a text that stands elsewhere: messages then point into that text."""
    result = Scope(source, None, None, dict(scope.symbols))
    for name, symbol in scope.symbols.items():
        if isinstance(symbol, ProcessSymbol):
            inner = Scope(source, result, None, symbol.scope.symbols)
            copy = ProcessSymbol(symbol.name, symbol.index, symbol.declaration, symbol.states, inner)
            inner.owner = copy
            result.symbols[name] = copy
    return result


class _Translation:
    def __init__(self, source: Source, system: SystemDeclaration) -> None:
        self.source = source
        self.system = system
        self.builder = ModelBuilder(PurePath(source.file).stem, "dve")
        self.scope = Scope(source)
        self.translator = Translator([])
        self.processes: list[ProcessSymbol] = []

    def model(self) -> Model:
        """All names first, because a guard may speak of a process that is declared further down."""
        for declaration in self.system.declarations:
            if isinstance(declaration, VariableDeclaration):
                self.declare_variable(declaration, self.scope)
            else:
                self.declare_channel(declaration)
        for process in self.system.processes:
            self.declare_process(process)
        property_process = self.translator.property_process = self.property_process()
        for symbol in self.processes:
            self.declare_assertions(symbol)
        TransitionTranslator(self.builder, self.scope, self.translator, self.processes, property_process).run()
        model = self.builder.build(property_process, partial(read_expression, self.scope, self.translator))
        shared = (v for v in model.variables if v.process is None and v.role is not Role.LOCATION)
        return replace(model, error_state_keeps=tuple(shared))

    def property_process(self) -> int | None:
        name = self.system.property_process
        return None if name is None else self.scope.process(name).index

    def constant(self, tree: Tree, scope: Scope, what: str) -> int:
        value = self.translator.translate(tree, scope)
        if not isinstance(value, Constant):
            if not variables_read(value):
                self.source.fail(f"{what} has no value: it divides by zero, or does not fit 32 bits", tree.at)
            self.source.fail(f"expected a constant as {what}", tree.at)
        return value.value

    def declare_variable(self, declaration: VariableDeclaration, scope: Scope) -> None:
        name, type = declaration.name, TYPES[declaration.type]
        length = self.length(declaration, scope)
        initial = self.initial(declaration, scope, type, length)
        if declaration.constant and length is None:
            scope.declare(ConstantSymbol(name, initial[0] if initial else 0))
            return
        owner = scope.owner
        full_name = name.text if owner is None else f"{owner.name.text}->{name.text}"
        index = None if owner is None else owner.index
        place = self.source.place(name.at)
        variable = self.builder.variable(full_name, type, initial, length, index, place=place)
        scope.declare(VariableSymbol(name, variable, declaration.constant))

    def length(self, declaration: VariableDeclaration, scope: Scope) -> int | None:
        if declaration.length is None:
            return None
        name, at = declaration.name.text, declaration.length.at
        length = self.constant(declaration.length, scope, f"the size of {name}")
        if length < 1:
            self.source.fail(f"an array needs at least one element, but {name} has {length}", at)
        if length > MAX_SLOTS:
            self.source.fail(f"the array {name} is too large: {length} elements, at most {MAX_SLOTS}", at)
        return length

    def initial(
        self, declaration: VariableDeclaration, scope: Scope, type: IntegerType, length: int | None
    ) -> list[int]:
        name, trees = declaration.name, declaration.initial
        if trees is None:
            if declaration.constant:
                self.source.fail(f"the constant {name.text} needs a value", name.at)
            return []
        if declaration.braces != (length is not None):
            wanted = "one value" if length is None else "a list of values in braces"
            self.source.fail(f"expected {wanted} for {name.text}", trees[0].at)
        values = [self.initial_value(tree, scope, type, name) for tree in trees]
        return values if length is None else self.fitting(values, trees, length, name)

    def initial_value(self, tree: Tree, scope: Scope, type: IntegerType, name: Name) -> int:
        value = self.constant(tree, scope, f"the initial value of {name.text}")
        if not type.low <= value <= type.high:
            text = f"{value} does not fit into {name.text}"
            self.source.fail(f"{text}: the type {type.name} holds {type.low} to {type.high}", tree.at)
        return value

    def fitting(self, values: list[int], trees: list[Tree], length: int, name: Name) -> list[int]:
        """DiVinE ignores values past the end, and BEEM's anderson has one; we do so where nothing is lost."""
        for tree, value in zip(trees[length:], values[length:], strict=True):
            if value != 0:
                self.source.fail(f"too many values: {name.text} has {length} elements", tree.at)
        return values[:length]

    def declare_channel(self, declaration: ChannelDeclaration) -> None:
        name = declaration.name
        if declaration.types is None:
            self.scope.declare(ChannelSymbol(name, None))
            return
        assert declaration.capacity is not None
        at = declaration.capacity.at
        capacity = self.constant(declaration.capacity, self.scope, f"the capacity of {name.text}")
        if not 0 <= capacity <= MAX_SLOTS:
            self.source.fail(f"the capacity of {name.text} is {capacity}, expected 0 to {MAX_SLOTS}", at)
        types = tuple(TYPES[type] for type in declaration.types)
        symbol = ChannelSymbol(name, types, arity=len(types))
        self.scope.declare(symbol)
        if capacity > 0:
            symbol.buffer = self.builder.channel(name.text, capacity, types, self.source.place(name.at))

    def declare_process(self, declaration: ProcessDeclaration) -> None:
        name = declaration.name
        states = {state.text: number for number, state in enumerate(declaration.states)}
        scope = Scope(self.source, self.scope)
        symbol = ProcessSymbol(name, len(self.builder.processes), declaration, states, scope)
        scope.owner = symbol
        self.scope.declare(symbol)
        for state in declaration.states:
            scope.declare(StateSymbol(state))
        if declaration.initial is None:
            missing = "`state` and `init` lines" if not states else "an `init` line with its first state"
            self.source.fail(f"process {name.text} needs {missing}", name.at)
        self.builder.process(
            name.text,
            list(states),
            state_of(symbol, declaration.initial),
            [state_of(symbol, state) for state in declaration.accepting],
            [state_of(symbol, state) for state in declaration.committed],
        )
        self.translator.locations.append(self.builder.processes[-1].location)
        self.processes.append(symbol)
        for variable in declaration.variables:
            self.declare_variable(variable, scope)

    def declare_assertions(self, process: ProcessSymbol) -> None:
        observes = process.index == self.translator.property_process
        if observes and process.declaration.committed:
            self.source.fail("a property process only observes: it commits nobody", process.declaration.committed[0].at)
        for assertion in process.declaration.assertions:
            if observes:
                self.source.fail("a property process only observes: it has no assertions", assertion.state.at)
            state = state_of(process, assertion.state)
            condition = self.translator.translate(assertion.condition, process.scope)
            elsewhere = unary("not", self.builder.at(process.index, state))
            name = f"{process.name.text}.{assertion.state.text}: {assertion.text}"
            place = self.source.place(assertion.state.at)
            self.builder.assertions.append(Assertion(name, binary("or", elsewhere, condition), place))
