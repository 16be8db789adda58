"""What SPIN refuses although its grammar allows it: names and types, looked at in the order of the text.

A name is known from its declaration on, and no two declarations that can be seen at one place have the same name. All
statements are checked here, those that are never reached too.
"""

from __future__ import annotations

from mule.frontends.promela import syntax
from mule.frontends.promela.priorities import has_priorities
from mule.frontends.promela.scopes import (
    PREDEFINED,
    Program,
    Scalar,
    Scope,
    Struct,
    Symbol,
    nodes_of,
    operands_of,
    trees_of,
)
from mule.records import Record

_READ_ONLY = PREDEFINED - {"_", "_priority"}


def check_program(tree: syntax.Program, program: Program) -> None:
    """`program` knows the types and mtypes already."""
    scope = Scope(program)
    processes: dict[str, syntax.ProcessDeclaration | syntax.InitDeclaration] = {}
    runs: list[_Run] = []
    channels = [each for each in nodes_of(tree.units) if isinstance(each, syntax.ChannelInitializer)]
    fields = max((_fields(each, program) for each in channels), default=0)
    for unit in tree.units:
        if isinstance(unit, syntax.ProcessDeclaration | syntax.InitDeclaration):
            name = unit.name if isinstance(unit, syntax.ProcessDeclaration) else "init"
            if name in processes or scope.find(name) is not None:
                program.fail(f"`{name}` is declared twice", unit.at)
            processes[name] = unit
        if isinstance(unit, syntax.VariableDeclaration):
            _Checks(scope, fields, runs).declaration(unit)
        elif hasattr(unit, "body") and not isinstance(unit, syntax.InlineDefinition):
            _Checks(Scope(program, scope, "claim"), fields, runs).unit(unit)
    for each in trees_of(tree.units):
        _check_process_names(each, processes, program)
    for run in runs:
        _check_arguments(run, processes[run.tree.process], program)
    for channel in channels:
        if isinstance(channel.capacity, syntax.Number) and channel.capacity.value == 0:
            _check_rendezvous(channel, tree, program)


def _check_rendezvous(channel: syntax.ChannelInitializer, tree: syntax.Program, program: Program) -> None:
    """SPIN has neither priorities nor `enabled` beside rendezvous channels."""
    if has_priorities(tree.units):
        text = "a program with priorities cannot have rendezvous channels: give this one room for a message"
        program.fail(text, channel.at)
    for each in trees_of(tree.units):
        if isinstance(each, syntax.ProcessQuery) and each.function == "enabled":
            text = "`enabled` cannot be used beside rendezvous channels: give each channel room for a message"
            program.fail(text, each.at)


_STRUCTURES_IN_ARRAYS = "a structure with an array of structures in it cannot be part of a message"


class _Run(Record, frozen=True):
    tree: syntax.Run
    arguments: tuple[tuple[int, str | None], ...]
    """Of how many numbers each argument consists, and of which mtype it is."""


def _fields(node: syntax.ChannelInitializer, program: Program) -> int:
    """How many fields a message of a channel has, those inside structures counted one by one."""
    types = [program.type(each.name, each.subtype, None, each.at) for each in node.fields]
    if any(isinstance(type, Struct) and type.has_structures_in_arrays for type in types):
        program.fail(_STRUCTURES_IN_ARRAYS, node.at)
    return sum(type.size if isinstance(type, Struct) else 1 for type in types)


def _check_process_names(
    tree: syntax.Tree, processes: dict[str, syntax.ProcessDeclaration | syntax.InitDeclaration], program: Program
) -> None:
    """Proctypes may be named before they are declared."""
    if not isinstance(tree, syntax.Run | syntax.RemoteLabel | syntax.RemoteVariable):
        return
    process = processes.get(tree.process)
    if process is None:
        program.fail(f"there is no proctype `{tree.process}`", tree.at)
    match tree:
        case syntax.RemoteLabel(at, name, _, label):
            labels = (each.label for each in nodes_of(process.body) if isinstance(each, syntax.Labelled))
            if label not in labels:
                program.fail(f"there is no label `{label}` in proctype `{name}`", at)
        case syntax.RemoteVariable(at, name, _, variable):
            parameters = process.parameters if isinstance(process, syntax.ProcessDeclaration) else ()
            names = (each.name for each in nodes_of((parameters, process.body)) if isinstance(each, syntax.Variable))
            if variable.name not in names:
                program.fail(f"proctype `{name}` has no variable `{variable.name}`", at)


def _check_arguments(run: _Run, process: syntax.ProcessDeclaration | syntax.InitDeclaration, program: Program) -> None:
    declarations = process.parameters if isinstance(process, syntax.ProcessDeclaration) else ()
    wanted: list[str | None] = []
    for declaration in declarations:
        type = program.type(declaration.type, declaration.subtype, 1, declaration.at)
        subtype = (declaration.subtype or "") if declaration.type == "mtype" else None
        wanted += [subtype] * (len(declaration.variables) * (type.size if isinstance(type, Struct) else 1))
    given = [subtype for size, subtype in run.arguments for _ in range(size)]
    if len(given) != len(wanted):
        text = f"`{run.tree.process}` is given {len(given)} arguments, expected {len(wanted)}"
        program.fail(text, run.tree.at)
    for number, (subtype, expected) in enumerate(zip(given, wanted, strict=True)):
        if subtype is not None and expected is not None and subtype != expected:
            kind = f"mtype:{expected}" if expected else "mtype"
            program.fail(f"argument {number + 1} of `{run.tree.process}` is of another mtype than {kind}", run.tree.at)


class _Checks:
    """Of one unit; `fields` is how many fields the largest message of the program has."""

    def __init__(self, scope: Scope, fields: int, runs: list[_Run], in_step: bool = False) -> None:
        self.scope = scope
        self.fields = fields
        self.runs = runs
        self.in_step = in_step

    def fail(self, message: str, at: int) -> None:
        self.scope.fail(message, at)

    def unit(self, unit: object) -> None:
        match unit:
            case syntax.ProcessDeclaration(_, name, _, _, parameters, priority, provided, body):
                for declaration in parameters:
                    self.declaration(declaration)
                    self.no_arrays(declaration)
                self.priority(priority)
                if provided is not None:
                    self.nothing_inside(provided, {each.name for group in parameters for each in group.variables})
                    self.expressions(provided)
                self.own_labels(name, body)
                self.sequence(body)
            case syntax.InitDeclaration(_, priority, body):
                self.priority(priority)
                self.sequence(body)
            case syntax.NeverClaim(_, _, body):
                for node in nodes_of(body):
                    if isinstance(node, syntax.Send | syntax.Receive):
                        self.fail("a never claim cannot send or receive", node.at)
                self.sequence(body)
            case syntax.TraceAssertion(_, _, body):
                self.fields = 255
                self.sequence(body)

    def nothing_inside(self, provided: syntax.Tree, parameters: set[str]) -> None:
        remote = [each for each in nodes_of(provided) if isinstance(each, syntax.RemoteLabel | syntax.RemoteVariable)]
        for node in (*remote, *(each for each in operands_of(provided) if each.parts[0].name in parameters)):
            self.fail("a `provided` clause cannot refer to what is inside a process", node.at)

    def own_labels(self, name: str, body: syntax.Sequence) -> None:
        """Inside its own proctype SPIN knows a label once its statement has ended. `nodes_of` goes from the end of the
        body to its beginning, and has a statement before what is inside."""
        ahead: list[syntax.RemoteLabel] = []
        for node in nodes_of(body):
            if isinstance(node, syntax.RemoteLabel) and node.process == name:
                ahead.append(node)
            elif isinstance(node, syntax.Labelled):
                ahead = [each for each in ahead if each.label != node.label]
        for each in ahead:
            self.fail(f"inside `{name}`, its label `{each.label}` is known only after its statement", each.at)

    def priority(self, tree: syntax.Tree | None, least: int = 1) -> None:
        """In a `run`, 0 is the same as none."""
        if isinstance(tree, syntax.Number) and not least <= tree.value <= 255:
            self.fail(f"a priority is 1 to 255, not {tree.value}", tree.at)

    # declarations ---------------------------------------------------------------------------------------------------

    def declaration(self, declaration: syntax.VariableDeclaration) -> None:
        """What is on the right of a declaration knows only what was declared before it."""
        for variable in declaration.variables:
            self.expressions((variable.length, variable.initial))
            found = self.scope.find(variable.name)
            if found is not None or variable.name in PREDEFINED:
                where = "" if found is None else f", first in line {self.scope.place(found.declaration.at).line}"
                self.fail(f"`{variable.name}` is declared twice{where}", variable.at)
            if isinstance(variable.initial, syntax.MtypeConstant):
                self.same_mtype(declaration.subtype, variable.initial)
        self.scope.declare_all(declaration)

    def no_arrays(self, declaration: syntax.VariableDeclaration) -> None:
        for variable in declaration.variables:
            if any(leaf.lengths for leaf in self.scope.lookup(variable.name, variable.at).leaves()):
                self.fail("a structure with an array in it cannot be a parameter", variable.at)

    def same_mtype(self, subtype: str | None, constant: syntax.MtypeConstant) -> None:
        own = self.scope.program.subtype_of(constant.name)
        if subtype and subtype != own:
            self.fail(f"`{constant.name}` is no constant of mtype:{subtype}", constant.at)

    # statements -----------------------------------------------------------------------------------------------------

    def sequence(self, steps: syntax.Sequence) -> None:
        for step in steps:
            match step:
                case syntax.VariableDeclaration():
                    self.declaration(step)
                case syntax.ExclusiveUse(_, _, channels):
                    for channel in channels:
                        self.channel(channel)
                        if self.scope.resolve(channel).length is not None:
                            self.fail("only a whole channel can be exclusive, not an element of an array", channel.at)
                case syntax.Statement():
                    self.statement(step)

    def block(self, steps: syntax.Sequence, in_step: bool = False) -> None:
        _Checks(self.scope.inner(), self.fields, self.runs, self.in_step or in_step).sequence(steps)

    def statement(self, step: syntax.Statement) -> None:
        match step:
            case syntax.Labelled(at, label, statement):
                if self.scope.find(label) is not None:
                    self.fail(f"`{label}` is a variable, so it cannot be a label", at)
                self.statement(statement)
            case syntax.If(_, options) | syntax.Do(_, options):
                for option in options:
                    self.sequence(option)
            case syntax.Block(_, body) | syntax.Atomic(_, body) | syntax.InlineCall(_, _, _, _, syntax.Block(_, body)):
                self.block(body)
            case syntax.DStep(_, body):
                self.block(body, in_step=True)
            case syntax.Unless(_, body, escape):
                self.statement(body)
                self.statement(escape)
            case syntax.For(_, variable, low, high, body):
                self.range(variable, low, high)
                self.block(body)
            case syntax.Select(_, variable, low, high):
                self.range(variable, low, high)
            case syntax.ForEach():
                self.elements(step)
                self.block(step.body)
            case _:
                self.simple(step)

    def range(self, variable: syntax.Reference, low: syntax.Tree, high: syntax.Tree) -> None:
        self.expressions((variable, low, high))
        self.counter(variable)
        if isinstance(low, syntax.Number) and isinstance(high, syntax.Number) and low.value > high.value:
            self.fail(f"the range begins with {low.value}, after its end {high.value}", low.at)
        for tree in trees_of((low, high)):
            if isinstance(tree, syntax.Run):
                self.fail("a bound of a loop cannot create a process", tree.at)

    def counter(self, variable: syntax.Reference) -> None:
        symbol = self.scope.resolve(variable)
        plain = len(variable.parts) == 1 and symbol.length is None
        if not (plain and isinstance(symbol.type, Scalar) and not symbol.type.is_channel):
            self.fail("a loop counts in a plain variable: no array, structure, field or channel", variable.at)

    def elements(self, step: syntax.ForEach) -> None:
        """SPIN takes whole variables only, and from channels only messages that are one structure. A variable that is
        no structure goes over the indices of an array, of channels too."""
        container = self.scope.lookup(step.container.parts[0].name, step.container.at)
        if container.length is None and not _holds_channel(container):
            self.fail(f"`{container.name}` is neither an array nor a channel", step.container.at)
        variable = self.scope.resolve(step.variable)
        if container.length is not None and not (_holds_channel(container) and isinstance(variable.type, Struct)):
            self.expressions(step.variable)
            self.counter(step.variable)
            return
        initial = container.declaration.initial
        types = initial.fields if isinstance(initial, syntax.ChannelInitializer) else ()
        if not isinstance(variable.type, Struct) or [each.name for each in types] != [variable.type.name]:
            text = f"`{step.variable.parts[0].name}` must be a structure of the type that `{container.name}` carries"
            self.fail(text, step.variable.at)

    def simple(self, step: syntax.Statement) -> None:
        whole: tuple[syntax.Tree, ...] = ()
        match step:
            case syntax.Assignment(_, target, value):
                self.assignment(target, value)
            case syntax.Increment(_, target, _):
                self.target(target)
                if len(target.parts) == 1 and _holds_channel(self.scope.resolve(target)):
                    self.fail(f"`{target.parts[0].name}` is a channel: it cannot be counted", target.at)
            case syntax.Send(at, channel, arguments, _):
                self.channel(channel)
                whole = arguments
                if (count := self.count(arguments)) > self.fields:
                    self.fail(f"{count} fields are sent, but no channel takes more than {self.fields}", at)
            case syntax.Receive(_, channel, patterns, _, _):
                self.channel(channel)
                whole = patterns
                self.patterns(patterns)
            case syntax.Condition(_, syntax.Run(_, _, arguments)):
                whole = arguments
            case syntax.PrintMtype(at, syntax.Number()):
                self.fail("`printm` prints mtypes, not numbers", at)
            case syntax.Condition(_, tree):
                self.no_run(tree)
        self.expressions(step, whole)

    def assignment(self, target: syntax.Reference, value: syntax.Tree) -> None:
        if target.parts[0].name == "_":
            return
        self.target(target)
        symbol = None if target.parts[0].name in PREDEFINED else self.scope.resolve(target)
        if symbol is None or len(target.parts) > 1:
            return
        if isinstance(value, syntax.MtypeConstant):
            self.same_mtype(symbol.subtype, value)
        if _holds_channel(symbol) and isinstance(value, syntax.Number | syntax.MtypeConstant):
            self.fail(f"`{symbol.name}` is a channel: it cannot be set to a number", target.at)
        if isinstance(value, syntax.Unary | syntax.Binary | syntax.Conditional):
            self.no_channels(value)

    def no_channels(self, tree: syntax.Tree) -> None:
        """Channels can be assigned, but there is no arithmetic on them."""
        match tree:
            case syntax.Unary(_, _, operand):
                self.no_channels(operand)
            case syntax.Binary(_, _, left, right):
                self.no_channels(left)
                self.no_channels(right)
            case syntax.Conditional(_, condition, then, otherwise):
                for part in (condition, then, otherwise):
                    self.no_channels(part)
            case syntax.Reference(at, (syntax.Part(_, name),)) if name not in PREDEFINED:
                if _holds_channel(self.scope.lookup(name, at)):
                    self.fail(f"`{name}` is a channel, expected a number", at)

    def target(self, reference: syntax.Reference) -> None:
        if reference.parts[0].name in _READ_ONLY:
            self.fail(f"`{reference.parts[0].name}` cannot be assigned to", reference.at)

    def patterns(self, patterns: tuple[syntax.Pattern, ...]) -> None:
        names: set[str] = set()
        for pattern in patterns:
            if isinstance(pattern, syntax.Reference) and pattern.parts[0].name != "_":
                self.target(pattern)
                plain = len(pattern.parts) == 1 and pattern.parts[0].index is None
                if plain and pattern.parts[0].name in names:
                    self.fail(f"`{pattern.parts[0].name}` cannot take two fields of a message", pattern.at)
                names.add(pattern.parts[0].name)

    def no_run(self, tree: syntax.Tree) -> None:
        for part in trees_of(tree):
            if isinstance(part, syntax.Run):
                self.fail("a condition cannot create a process, unless it is nothing but the `run`", part.at)

    def count(self, arguments: tuple[syntax.Tree, ...]) -> int:
        return sum(self.width(argument) for argument in arguments)

    def width(self, tree: syntax.Tree) -> int:
        if isinstance(tree, syntax.Reference) and tree.parts[0].name not in PREDEFINED:
            type = self.scope.resolve(tree).type
            if isinstance(type, Struct) and type.has_structures_in_arrays:
                self.fail(_STRUCTURES_IN_ARRAYS, tree.at)
            return type.size if isinstance(type, Struct) else 1
        return 1

    def mtype(self, tree: syntax.Tree) -> str | None:
        """Of which mtype a name is: '' is the one without a name, None is no mtype."""
        match tree:
            case syntax.MtypeConstant(_, name):
                return self.scope.program.subtype_of(name)
            case syntax.Reference(_, (syntax.Part(_, name),)) if name not in PREDEFINED:
                symbol = self.scope.resolve(tree)
                is_mtype = isinstance(symbol.type, Scalar) and symbol.type.type.name.startswith("mtype")
                return (symbol.subtype or "") if is_mtype else None
        return None

    # expressions ----------------------------------------------------------------------------------------------------

    def expressions(self, node: object, whole: tuple[syntax.Tree, ...] = ()) -> None:
        """`whole` can be structures; everything else must be a number."""
        structures = {id(tree) for tree in whole}
        assigned = id(node.target) if isinstance(node, syntax.Assignment) else None
        runs = 0
        for tree in trees_of(node):
            match tree:
                case syntax.Reference():
                    self.reference(tree, id(tree) in structures, id(tree) == assigned)
                case syntax.ChannelQuery(_, _, channel) | syntax.Poll(_, channel):
                    self.channel(channel)
                case syntax.Run(at, _, arguments, priority):
                    runs += 1
                    structures |= {id(argument) for argument in arguments}
                    self.priority(priority, least=0)
                    self.runs.append(_Run(tree, tuple((self.width(each), self.mtype(each)) for each in arguments)))
                    if runs > 1:
                        self.fail("a statement can create only one process", at)
                    if self.in_step:
                        self.fail("a d_step cannot create processes: use atomic", at)
            if isinstance(tree, syntax.Poll):
                structures |= {id(pattern) for pattern in tree.patterns}

    def reference(self, reference: syntax.Reference, may_be_structure: bool, assigned: bool) -> None:
        name = reference.parts[0].name
        if name in PREDEFINED:
            if name == "_" and not (may_be_structure or assigned):
                self.fail("`_` takes values, it has none", reference.at)
            return
        symbol = self.scope.resolve(reference)
        if isinstance(symbol.type, Struct) and not may_be_structure:
            text = (
                f"`{'.'.join(part.name for part in reference.parts)}` is a whole structure, expected one of its fields"
            )
            self.fail(text, reference.at)

    def channel(self, reference: syntax.Reference) -> None:
        if reference.parts[0].name in PREDEFINED or not _holds_channel(self.scope.resolve(reference)):
            self.fail(f"`{reference.parts[-1].name}` is no channel", reference.at)


def _holds_channel(symbol: Symbol) -> bool:
    return isinstance(symbol.type, Scalar) and symbol.type.is_channel
