"""The syntax tree to a model.

Each proctype becomes a control graph, each process number at which it can run an instance of it: a process of the model
with the further location 0, "there is no such process". A transition is one step of one instance, or of two in a
rendezvous, as `chains` finds them. There is no variable for the number of processes or for who is in an atomic step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import partial
from pathlib import PurePath

from mule.errors import MuleError
from mule.frontends.promela import syntax
from mule.frontends.promela.chains import WAYS, Chains, TooManyWays, Way, grow_cuts
from mule.frontends.promela.control import Declare, Finish, control_graph
from mule.frontends.promela.creation import created_processes, run_of
from mule.frontends.promela.expressions import View
from mule.frontends.promela.parser import parse
from mule.frontends.promela.processes import Instance, Proctype
from mule.frontends.promela.scopes import CHAN, Program, Scope, Symbol
from mule.frontends.promela.steps import Steps
from mule.frontends.promela.system import System, uses_order
from mule.model import Assign, Kind, Model, Move, Statement, Variable
from mule.model.builder import ModelBuilder
from mule.model.expressions import FALSE, TRUE, Binary, Constant, Expression, Read, conjuncts, subexpressions
from mule.model.forward import Forward
from mule.model.simplify import binary, unary

PROCESSES = 16
"""How many processes there may be where the program sets no bound."""


_REMOTE = re.compile(r"(\w+)\s*(?:\[[^]]*\]\s*)?@\s*(\w+)")
MOST_WAYS = 50_000
"""Where even a single statement has more ways to be executed, the program is beyond us."""


def load(text: str, file: str, defines: Sequence[str] = (), processes: int = PROCESSES) -> Model:
    """Read a Promela program; `file` is what messages call it."""
    return _Translation(parse(text, file, defines), file, processes).model()


class _Translation:
    def __init__(self, tree: syntax.Program, file: str, processes: int) -> None:
        self.tree = tree
        self.program = Program(tree)
        self.scope = Scope(self.program)
        self.builder = ModelBuilder(PurePath(file).stem, "promela")
        self.types: dict[str, Proctype] = {}
        self.active: list[str] = []
        self.processes = processes
        self.ways = WAYS
        self._remote: list[tuple[str, str]] | None = None

    def model(self) -> Model:
        self.declare_names()
        self.check_runs()
        creation = created_processes(self.types, self.active, self.processes)
        system = self.system = System(self.program, self.scope, self.types, creation, self.builder)
        if uses_order(self.types):
            system.open_channels = set(self.scope.symbols.values())
        self.declare_instances()
        system.declare_shared()
        for instance in system.instances:
            system.declare_locals(instance, self.is_active(instance))
        system.find_constant_channels()
        self.steps = Steps(system)
        _Contents(system, self.steps).propagate()
        if self.mentions_last():
            system.last_variable()
        self.chains = Chains(self.steps, self.ways)
        ways = self.all_ways()
        self.add_transitions(ways)
        return self.builder.build(
            parse_expression=partial(read_expression, system, self.steps), transient=self.transient()
        )

    # names ----------------------------------------------------------------------------------------------------------

    def declare_names(self) -> None:
        for unit in self.tree.units:
            match unit:
                case syntax.MtypeDeclaration():
                    self.program.declare_mtypes(unit)
                case syntax.TypeDeclaration():
                    self.program.declare_struct(unit, self.scope)
                case syntax.VariableDeclaration():
                    self.scope.declare_all(unit, at_start=True)
        for unit in self.tree.units:
            match unit:
                case syntax.ProcessDeclaration(_, name, active):
                    self.declare_process(name, unit)
                    count = 0 if active is None else self.scope.constant(active)
                    if not 0 <= count <= 255:
                        self.program.fail(f"{count} processes cannot be active at once: at most 255", unit.at)
                    self.active += [name] * count
                case syntax.InitDeclaration():
                    self.declare_process("init", unit)
                    self.active.append("init")
        if not self.active:
            at = self.tree.units[0].at
            self.program.fail("nothing ever runs: there is neither `init` nor an `active proctype`", at)

    def declare_process(self, name: str, unit: syntax.ProcessDeclaration | syntax.InitDeclaration) -> None:
        if name in self.types:
            self.program.fail(f"the proctype `{name}` is declared twice", unit.at)
        scope = Scope(self.program, self.scope, name)
        parameters: list[Symbol] = []
        if isinstance(unit, syntax.ProcessDeclaration):
            for declaration in unit.parameters:
                parameters += scope.declare_all(declaration, at_start=True)
            if unit.active is not None and parameters:
                pass  # SPIN starts them with all parameters 0
        for parameter in parameters:
            parameter.parameter = True
        graph = control_graph(unit.body, scope, unit.at, self.observed_labels(name))
        self.types[name] = Proctype(name, scope, parameters, graph, unit)

    def observed_labels(self, process: str) -> frozenset[str]:
        """The labels of a process that expressions and claims ask for."""
        if self._remote is None:
            self._remote = [
                (tree.process, tree.label) for tree in trees_of(self.tree.units) if isinstance(tree, syntax.RemoteLabel)
            ]
            for unit in self.tree.units:
                if isinstance(unit, syntax.LtlProperty):
                    self._remote += _REMOTE.findall(unit.formula)
        return frozenset(label for name, label in self._remote if name == process)

    def check_runs(self) -> None:
        for type in self.types.values():
            for location in type.graph.locations:
                for edge in location.edges:
                    run = run_of(edge)
                    if run is not None and run.process not in self.types:
                        self.program.fail(f"there is no proctype `{run.process}`", run.at)

    # instances ------------------------------------------------------------------------------------------------------

    def is_active(self, instance: Instance) -> bool:
        return instance.pid < len(self.active) and self.active[instance.pid] == instance.type.name

    def declare_instances(self) -> None:
        wanted = sorted(self.system.creation.instances)
        counts: dict[str, int] = {}
        for _, name in wanted:
            counts[name] = counts.get(name, 0) + 1
        for pid, name in wanted:
            type = self.types[name]
            names = location_names(type)
            shown = name if counts[name] == 1 else f"{name}[{pid}]"
            active = pid < len(self.active) and self.active[pid] == name
            ends, progress, accepting = labelled_locations(type)
            number = self.builder.process(
                shown,
                ["-", *names, *(f"{each} (in a step)" for each in names)],
                type.graph.start + 1 if active else 0,
                accepting=accepting,
                ends=[0, *ends],
                progress=progress,
                declaration=name,
            )
            self.system.instances.append(Instance(pid, type, number))

    def mentions_last(self) -> bool:
        return any(
            isinstance(tree, syntax.Reference) and tree.parts[0].name == "_last"
            for type in self.types.values()
            for location in type.graph.locations
            for edge in location.edges
            for tree in trees_of(edge.action)
        )

    # transitions ----------------------------------------------------------------------------------------------------

    def all_ways(self) -> list[tuple[Instance, int, bool, Way]]:
        while True:
            try:
                return list(self.find_ways())
            except _Cut:
                self.chains = Chains(self.steps, self.ways)

    def find_ways(self) -> Iterator[tuple[Instance, int, bool, Way]]:
        for instance in self.system.instances:
            graph = instance.type.graph
            for number, location in enumerate(graph.locations):
                starts = [False] if location.step is None else []
                if number in instance.type.cuts:
                    starts.append(True)
                for middle in starts:
                    try:
                        ways = self.chains.all_from(instance, number, middle)
                    except TooManyWays:
                        self.cut_more(instance.type, location.at)
                        raise _Cut from None
                    for way in ways:
                        yield instance, number, middle, way

    def cut_more(self, type: Proctype, at: int) -> None:
        """A step may go on in another process, so that all of them may have to be cut."""
        if grow_cuts(type) or any([grow_cuts(other) for other in self.types.values()]):
            return
        if self.ways > MOST_WAYS:
            raise MuleError("this atomic step has too many ways to go on", self.scope.place(at))
        self.ways *= 4

    def add_transitions(self, found: list[tuple[Instance, int, bool, Way]]) -> None:
        hidden = self.scratch([way for _, _, _, way in found])
        timeout = self.timeout([way for _, _, _, way in found])
        for instance, _, middle, way in found:
            self.add(instance, middle, way, timeout, hidden)

    def add(self, instance: Instance, middle: bool, way: Way, timeout: Expression, hidden: set[Variable]) -> None:
        builder, system = self.builder, self.system
        source, _ = way.moves[instance]
        guards = [builder.guard(Binary("==", Read(system.location(instance)), Constant(source)))]
        if not middle:
            guards += [builder.guard(test) for test in self.nobody_in_a_step(instance)]
        for condition in way.conditions:
            for part in conjuncts(condition):
                if part == Binary("!=", Read(system.timeout), Constant(0)) or part == Read(system.timeout):
                    part = timeout
                elif mentions(part, system.timeout):
                    part = replaced(part, system.timeout, timeout)
                guards += builder.guards(part)
        statements: list[Statement] = [s for s in way.statements if not is_shadowed(s, way.statements, hidden)]
        if system.last is not None and not way.failure:
            statements.append(Assign(Read(system.last), Constant(instance.pid)))
        written = {s.target.variable for s in way.statements if isinstance(s, Assign)}
        for variable in hidden & written:
            for index in range(variable.size):
                element = None if variable.length is None else Constant(index)
                statements.append(Assign(Read(variable, element), Constant(0)))
        moves = [Move(each.process, before, after) for each, (before, after) in way.moves.items()]
        name = builder.processes[instance.process].name
        text = "; ".join(action.text for action in way.actions)
        if way.blocked and not way.failure:
            text = f"{text} …" if text else "waits"
        place = way.place or (way.actions[0].place if way.actions else None)
        builder.transition(
            f"{name}: {text}",
            guards,
            () if way.failure else statements,
            moves,
            text,
            place,
            kind=Kind.ERROR if way.failure else Kind.STEP,
            failure=way.failure,
            asserts=way.asserts,
            actions=way.actions,
        )

    def nobody_in_a_step(self, instance: Instance) -> Iterator[Expression]:
        """Others wait while a process is in the middle of an atomic step that was cut."""
        for other in self.system.instances:
            for location in sorted(other.type.cuts):
                if other is not instance:
                    yield Binary("!=", Read(self.system.location(other)), Constant(other.within(location)))

    def transient(self) -> Expression | None:
        result: Expression = FALSE
        for instance in self.system.instances:
            for location in sorted(instance.type.cuts):
                here = Binary("==", Read(self.system.location(instance)), Constant(instance.within(location)))
                result = binary("or", result, here)
        return None if result == FALSE else result

    def timeout(self, ways: list[Way]) -> Expression:
        """Nothing else can move."""
        variable = self.system.timeout
        if not any(mentions(condition, variable) for way in ways for condition in way.conditions):
            return FALSE
        result: Expression = TRUE
        for way in ways:
            if way.failure:
                continue
            instance, (source, _) = next(iter(way.moves.items()))
            enabled: Expression = Binary("==", Read(self.system.location(instance)), Constant(source))
            for condition in way.conditions:
                enabled = binary("and", enabled, replaced(condition, variable, FALSE))
            if enabled != FALSE:
                result = binary("and", result, unary("not", enabled))
        return result

    def scratch(self, ways: list[Way]) -> set[Variable]:
        """Hidden variables that no step reads before it has set them: they are no part of the state."""
        hidden = {
            variable
            for variables in (self.system.shared, *(i.variables for i in self.system.instances))
            for (symbol, _), variable in variables.items()
            if symbol.hidden
        }
        if not hidden:
            return hidden
        for way in ways:
            for condition in way.conditions:
                hidden -= reads(condition)
            state = Forward()
            for statement in way.statements:
                if isinstance(statement, Assign):
                    parts = [statement.value] + ([statement.target.index] if statement.target.index else [])
                    hidden -= {v for part in parts for v in reads(state.expression(part))}
                else:
                    hidden -= {v for v in hidden if statement_reads(statement, v)}
                state = state.after((statement,))
        return hidden


class _Cut(Exception):  # noqa: N818 - an answer, not an error
    """Steps were cut at more places: begin again."""


class _Contents:
    """Which channels each channel variable can hold: a fixed point over all statements."""

    def __init__(self, system: System, steps: Steps) -> None:
        self.system = system
        self.steps = steps

    def propagate(self) -> None:
        if not self.dynamic():
            return
        changed = True
        while changed:
            before = {variable: len(held) for variable, held in self.system.contents.items()}
            for instance in self.system.instances:
                for location in instance.type.graph.locations:
                    for edge in location.edges:
                        self.statement(instance, edge)
            changed = before != {variable: len(held) for variable, held in self.system.contents.items()}

    def dynamic(self) -> bool:
        return any(variable not in self.system.constant_channels for variable in self.system.contents)

    def statement(self, instance, edge) -> None:  # type: ignore[no-untyped-def]
        view, system, expressions = View(edge.scope, instance), self.system, self.steps.expressions
        run = run_of(edge)
        if run is not None:
            child_type = system.types[run.process]
            arguments = expressions.arguments(run.arguments, view)
            for pid in system.creation.given(instance.pid, instance.type.name, run):
                for child in system.at(pid):
                    if child.type is child_type:
                        places = [(p, leaf.path) for p in child_type.parameters for leaf in p.leaves()]
                        for (parameter, path), value in zip(places, arguments, strict=False):
                            self.flow(system.variable(parameter, path, child, run.at), value)
            return
        match edge.action:
            case syntax.Assignment(_, target, value):
                if not target.parts[0].name.startswith("_"):
                    place = expressions.place(target, view)
                    if place.variable.type is CHAN:
                        self.flow(place.variable, expressions.translate(value, view))
            case Declare(at, variable) if isinstance(variable.initial, syntax.Tree):
                symbol = view.scope.lookup(variable.name, at)
                if (symbol, ()) in instance.variables and instance.variables[(symbol, ())].type is CHAN:
                    self.flow(instance.variables[(symbol, ())], expressions.translate(variable.initial, view))
            case syntax.Send(_, channel, arguments, _):
                values = expressions.arguments(arguments, view)
                for _, each in expressions.channels(channel, view):
                    if each.is_rendezvous:
                        self.handshakes(instance, each, values)
                    for cell, value in zip(each.cells, values, strict=False):
                        self.flow(cell, value)
            case syntax.Receive(_, channel, patterns, _, _):
                targets = expressions.targets(patterns, view)
                for _, each in expressions.channels(channel, view):
                    for cell, target_place in zip(each.cells, targets, strict=False):
                        if target_place is not None:
                            self.flow(target_place.variable, Read(cell, Constant(0)))

    def handshakes(self, sender, channel, values) -> None:  # type: ignore[no-untyped-def]
        expressions = self.steps.expressions
        for receiver, _, edge in self.steps.receivers():
            if receiver is not sender:
                view = View(edge.scope, receiver)
                if any(each is channel for _, each in expressions.channels(edge.action.channel, view)):
                    targets = expressions.targets(edge.action.patterns, view)
                    for value, target in zip(values, targets, strict=False):
                        if target is not None:
                            self.flow(target.variable, value)

    def flow(self, variable: Variable, value: Expression) -> None:
        if variable.type is not CHAN:
            return
        held = self.system.holds(variable)
        for part in subexpressions(value):
            match part:
                case Constant(number) if number in self.system.channels or number == 0:
                    held.add(number)
                case Read(source, _) if source in self.system.constant_channels:
                    held |= set(self.system.constant_channels[source])
                case Read(source, _) if source.type is CHAN:
                    held |= self.system.holds(source)


def location_names(type: Proctype) -> list[str]:
    """By label where there is one, else by line."""
    counts: dict[str, int] = {}
    names = []
    for number, location in enumerate(type.graph.locations):
        if location.labels:
            name = location.labels[0]
        elif number == type.graph.end:
            name = "end"
        else:
            name = f"line {type.scope.place(location.at).line}"
        count = counts[name] = counts.get(name, 0) + 1
        names.append(name if count == 1 else f"{name}.{count}")
    return names


def labelled_locations(type: Proctype) -> tuple[list[int], list[int], list[int]]:
    """Where a process may end, where it makes progress, and where it accepts."""
    ends, progress, accepting = [type.graph.end + 1], [], []
    for number, location in enumerate(type.graph.locations):
        for label in location.labels:
            for prefix, into in (("end", ends), ("progress", progress), ("accept", accepting)):
                if label.startswith(prefix) and number + 1 not in into:
                    into.append(number + 1)
    return ends, progress, accepting


def read_expression(system: System, steps: Steps, text: str) -> Expression:
    """An expression over the names of a program: what an invariant or a proposition is."""
    from mule.frontends.promela.parser import parse_expression

    tree, program = parse_expression(text, system.program)
    scope = Scope(program, None)
    scope.symbols = system.scope.symbols
    return steps.expressions.translate(tree, View(scope, None))


def trees_of(node: object) -> Iterator[syntax.Tree]:
    """All expressions inside a statement."""
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, syntax.Tree):
            yield current
        if isinstance(current, tuple):
            stack.extend(current)
        elif isinstance(current, syntax.Node | Declare | Finish):
            stack.extend(getattr(current, each.name) for each in fields(current))


def mentions(expression: Expression, variable: Variable) -> bool:
    return variable in reads(expression)


def reads(expression: Expression) -> set[Variable]:
    return {part.variable for part in subexpressions(expression) if isinstance(part, Read)}


def replaced(expression: Expression, variable: Variable, value: Expression) -> Expression:
    return Forward(None, "write", variable, None, value).expression(expression)


def statement_reads(statement: Statement, variable: Variable) -> bool:
    from mule.model import Receive, Send

    match statement:
        case Send(_, values):
            return any(mentions(value, variable) for value in values)
        case Receive(_, targets):
            return any(t is not None and t.index is not None and mentions(t.index, variable) for t in targets)
    return False


def is_shadowed(statement: Statement, statements: list[Statement], hidden: set[Variable]) -> bool:
    return False
