"""The syntax tree to a model.

Each proctype becomes a control graph, each process number at which it can run an instance of it: a process of the model
with the further location 0, "there is no such process". A transition is one step of one instance, or of two in a
rendezvous, as `chains` finds them. There is no variable for the number of processes or for who is in an atomic step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import PurePath

from mule.errors import MuleError, Place
from mule.frontends.promela import syntax
from mule.frontends.promela.chains import Chains, Way, actions_of
from mule.frontends.promela.checks import check_program
from mule.frontends.promela.claims import claims_of
from mule.frontends.promela.contents import propagate_channels
from mule.frontends.promela.control import control_graph
from mule.frontends.promela.creation import MOST_PROCESSES, Room, created_processes
from mule.frontends.promela.expressions import Expressions, View, first_value
from mule.frontends.promela.meanings import Meanings
from mule.frontends.promela.parser import parse, parse_expression
from mule.frontends.promela.printing import statement_text
from mule.frontends.promela.priorities import Urgency, asks_others, has_priorities, watched_places
from mule.frontends.promela.processes import Instance, Proctype
from mule.frontends.promela.scopes import CHAN, PID, Program, Scope, Symbol, nodes_of, trees_of
from mule.frontends.promela.scratch import scratch_variables, targets_of
from mule.frontends.promela.steps import Steps
from mule.frontends.promela.system import System, assigned_symbols, uses_order
from mule.frontends.promela.trace import Trace
from mule.frontends.promela.ways import all_ways
from mule.model import BYTE, Assign, Kind, Model, Move, Variable
from mule.model.builder import ModelBuilder
from mule.model.expressions import FALSE, Binary, Constant, Expression, Read, conjuncts
from mule.model.simplify import binary, joined, unary
from mule.records import replace

FIRST_BOUND, LAST_BOUND = 8, 128
"""How many processes there may be where the program sets no bound: more room is made when it is needed."""
DEPTHS = {16: 64, 32: MOST_PROCESSES}
"""From which bound on it pays to look at deep runs first, and with room for how many processes."""
REACH = 2
"""How far apart processes are then that start each other."""


_REMOTE = re.compile(r"(\w+)\s*(?:\[[^]]*\]\s*)?@\s*(\w+)")


def load(text: str, file: str, defines: Sequence[str] = (), processes: int | None = None) -> Model:
    """Read a Promela program; `file` is what messages call it. `processes`: how many there can be at the same time,
    where the program does not tell."""
    tree = parse(text, file, defines)
    if processes is not None and processes > MOST_PROCESSES:
        raise MuleError(
            f"a Promela program has at most {MOST_PROCESSES} processes: --processes {processes} is too many"
        )
    if processes is not None:
        return _Translation(tree, file, Room(processes)).model()
    return _bounded(tree, file, Room(FIRST_BOUND))


def _bounded(tree: syntax.Program, file: str, room: Room) -> Model:
    translation = _Translation(tree, file, room)
    model, bound = translation.model(), room.processes
    is_widest = bound >= LAST_BOUND and room.wide is None
    if is_widest or not any(transition.limit for transition in model.transitions):
        return model
    deeper = None
    if bound in DEPTHS and not has_priorities(tree.units) and not asks_others(tree.units):
        deeper = partial(_deep, tree, file, DEPTHS[bound])

    def wider(limits: frozenset[str]) -> Model:
        more = room.wider(translation.types, limits)
        return _bounded(tree, file, more if more.processes <= LAST_BOUND else Room(LAST_BOUND, is_needed=True))

    return replace(model, wider=wider, deeper=deeper)


def _deep(tree: syntax.Program, file: str, bound: int) -> Model:
    """Room for many processes if each starts only the next ones, as in recursion. The youngest process moves first, as
    in SPIN: one that has ended makes room before another is started. Not where processes ask what others can do: a
    process at the edge of the room can do nothing."""
    model = _Translation(tree, file, Room(bound, reach=REACH, is_needed=True)).model()
    youngest_first = sorted(model.transitions, key=lambda transition: -transition.moves[0].process)
    return replace(model, transitions=tuple(youngest_first))


class _Translation:
    def __init__(self, tree: syntax.Program, file: str, room: Room) -> None:
        self.tree = tree
        self.program = Program(tree)
        self.scope = Scope(self.program)
        self.builder = ModelBuilder(PurePath(file).stem, "promela")
        self.types: dict[str, Proctype] = {}
        self.active: list[str] = []
        self.room = room
        self.priorities = has_priorities(tree.units)
        self._remote: list[tuple[str, str]] | None = None
        self.has_meanings = True
        """Whether something stands for `timeout` or `enabled(…)` until all transitions are known."""

    def model(self) -> Model:
        self.declare_names()
        creation = created_processes(self.types, self.active, self.room, self.priorities)
        system = self.system = System(self.program, self.scope, self.types, creation, self.builder)
        mentioned = set(self.mentioned())
        system.mentions_timeout = syntax.Timeout in mentioned
        if "_last" in mentioned:
            system.last = self.builder.variable("_last", PID)
        expressions = Expressions(system)
        system.evaluate = lambda tree, scope, instance: first_value(
            expressions.translate(tree, View(scope, instance, starting=True))
        )
        if uses_order(self.types):
            system.open_channels = set(self.scope.symbols.values())
        system.assigned = frozenset(symbol for type in self.types.values() for symbol in assigned_symbols(type))
        self.declare_instances()
        system.declare_shared()
        for instance in system.instances:
            system.declare_locals(instance, self.is_active(instance))
        self.declare_priorities()
        self.steps = Steps(system)
        propagate_channels(system, self.steps)
        self.add_trace()
        ways = all_ways(system, Chains(self.steps))
        self.meanings = Meanings(system, (way for _, _, way in ways))
        self.urgency = Urgency(system, self.meanings)
        self.add_transitions(ways)
        self.builder.claims = claims_of(system, self.tree, self.meanings)
        system.is_complete = True
        return self.builder.build(
            parse_expression=partial(read_expression, system, self.steps, self.meanings),
            transient=self.transient(),
            statements=self.statements(),
            value_names={CHAN.name: {number: channel.name for number, channel in system.channels.items()}},
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
        check_program(self.tree, self.program)
        for unit in self.tree.units:
            match unit:
                case syntax.ProcessDeclaration(_, name, active):
                    self.declare_process(name, unit)
                    count = 0 if active is None else self.scope.constant(active)
                    self.active += [name] * min(count, MOST_PROCESSES + 1)
                    if len(self.active) > MOST_PROCESSES:
                        self.program.fail(f"there can be at most {MOST_PROCESSES} processes", unit.at)
                case syntax.InitDeclaration():
                    self.declare_process("init", unit)
                    self.active.append("init")
        if not self.active:
            at = self.tree.units[0].at
            self.program.fail("nothing ever runs: there is neither `init` nor an `active proctype`", at)

    def declare_process(self, name: str, unit: syntax.ProcessDeclaration | syntax.InitDeclaration) -> None:
        scope = Scope(self.program, self.scope, name)
        parameters: list[Symbol] = []
        if isinstance(unit, syntax.ProcessDeclaration):
            for declaration in unit.parameters:
                parameters += scope.declare_all(declaration, at_start=True)
        for parameter in parameters:
            parameter.parameter = True
        provided = unit.provided if isinstance(unit, syntax.ProcessDeclaration) else None
        interruptible = self.priorities or provided is not None
        graph = control_graph(unit.body, scope, unit.end, self.observed_labels(name), interruptible)
        watched = watched_places(graph, self.priorities or asks_others(provided))
        self.types[name] = Proctype(name, scope, parameters, graph, unit, watched)

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
                absent=0,
            )
            self.system.instances.append(Instance(pid, type, number))

    def mentioned(self) -> Iterator[object]:
        """The kinds of nodes in the program, in code that is never reached too, and the names that begin with `_`."""
        for node in nodes_of(self.tree.units):
            yield node.__class__
            if isinstance(node, syntax.Part) and node.name.startswith("_"):
                yield node.name
            if isinstance(node, syntax.LtlProperty):
                yield from re.findall(r"\b_\w+", node.formula)

    def declare_priorities(self) -> None:
        """Only where the program mentions them."""
        for instance in self.system.instances if self.priorities else ():
            name = self.builder.processes[instance.process].name
            given = instance.type.declaration.priority
            initial = (1 if given is None else self.scope.constant(given)) if self.is_active(instance) else 0
            variable = self.builder.variable(f"{name}:_priority", BYTE, (initial,), process=instance.process)
            self.system.priorities[instance] = variable

    def add_trace(self) -> None:
        traces = [unit for unit in self.tree.units if isinstance(unit, syntax.TraceAssertion)]
        if len(traces) > 1:
            self.program.fail("there can be only one trace", traces[1].at)
        for unit in traces:
            self.steps.trace = Trace(self.system, unit)

    # transitions ----------------------------------------------------------------------------------------------------

    def add_transitions(self, found: list[tuple[Instance, bool, Way]]) -> None:
        hidden = scratch_variables(self.system, [way for _, _, way in found])
        self.has_meanings = self.system.mentions_timeout or bool(self.system.enabled)
        for instance, middle, way in found:
            urgency = self.urgent(instance, middle, way)
            if FALSE not in urgency:
                self.add(instance, middle, way, hidden, urgency)

    def add(
        self, instance: Instance, middle: bool, way: Way, hidden: set[Variable], urgency: Sequence[Expression]
    ) -> None:
        builder, system = self.builder, self.system
        source, _ = way.moves[instance]
        guards = [builder.guard(Binary("==", Read(system.location(instance)), Constant(source)))]
        if not middle:
            guards += [builder.guard(test) for test in self.nobody_in_a_step(instance)]
        for condition in [way.provided, *way.conditions, *urgency]:
            for part in conjuncts(condition):
                guards += builder.guards(self.meanings.expression(part) if self.has_meanings else part)
        statements = list(way.statements)
        written = {variable for statement in way.statements for variable in targets_of(statement)}
        for variable in hidden & written:
            for index in range(variable.size):
                element = None if variable.length is None else Constant(index)
                statements.append(Assign(Read(variable, element), Constant(variable.initial[index])))
        actions = tuple(actions_of(way, system))
        if self.has_meanings:
            statements = [self.meanings.statement(statement) for statement in statements]
            actions = tuple(map(self.meanings.action, actions))
        moves = [Move(each.process, before, after) for each, (before, after) in way.moves.items()]
        name = builder.processes[instance.process].name
        text = "; ".join(action.text for action in actions)
        if way.blocked and not way.failure:
            text = f"{text} …" if text else "waits"
        elif not text:
            text = "provided"
        place = way.place or (actions[0].place if actions else None)
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
            limit=way.limit,
            actions=actions,
        )

    def nobody_in_a_step(self, instance: Instance) -> Iterator[Expression]:
        """Others wait while a process is in the middle of an atomic step that was cut."""
        for other in self.system.instances:
            if other is not instance and other.type.cuts:
                yield unary("not", self.in_a_step(other))

    def in_a_step(self, instance: Instance) -> Expression:
        """The locations in the middle of steps come after all others."""
        return Binary(">=", Read(self.system.location(instance)), Constant(instance.within(0)))

    def statements(self) -> Iterator[tuple[str, str, Place]]:
        """Those of processes that never run too."""
        for name, type in self.types.items():
            for action in type.graph.statements:
                yield name, statement_text(action), self.scope.place(action.at)

    def transient(self) -> Expression | None:
        result: Expression = FALSE
        for instance in self.system.instances:
            if instance.type.cuts:
                result = binary("or", result, self.in_a_step(instance))
        return None if result == FALSE else result

    def urgent(self, instance: Instance, middle: bool, way: Way) -> list[Expression]:
        """Before a statement, and in the middle of an `atomic`, nobody is more urgent, or else the step ends there."""
        place = instance.place(way.moves[instance][0])
        assert place is not None
        if middle and instance.type.graph.locations[place[0]].step is not None:
            return []
        first = list(self.urgency.nobody_more_urgent(instance, timed=not middle))
        return [unary("not", joined("and", first))] if way.interrupted else first


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
    ends: list[int] = [type.graph.end + 1]
    progress: list[int] = []
    accepting: list[int] = []
    for number, location in enumerate(type.graph.locations):
        for label in location.labels:
            for prefix, into in (("end", ends), ("progress", progress), ("accept", accepting)):
                if label.startswith(prefix) and number + 1 not in into:
                    into.append(number + 1)
    return ends, progress, accepting


def read_expression(system: System, steps: Steps, meanings: Meanings, text: str) -> Expression:
    """An expression over the names of a program, and over its macros: what an invariant or a proposition is."""
    tree, source = _with_macros(system, text)
    scope = Scope(replace(system.program, tree=source))
    scope.symbols = system.scope.symbols
    return meanings.resolved(steps.expressions.translate(tree, View(scope, None)))


def _with_macros(system: System, text: str) -> tuple[syntax.Tree, syntax.Program]:
    expand = system.program.tree.source.preprocessed.expand
    read = partial(parse_expression, constants=system.program.mtypes, processes=system.types)
    if expand is None or expand(text, False) == text:
        return read(text)
    try:
        return read(expand(text, True))
    except MuleError:
        pass
    expanded = expand(text, False)  # it may be no operand, as in `x EQ 1`
    try:
        return read(expanded)
    except MuleError as error:
        message = f"by the macros of the model this is `{expanded}`, which is no expression: {error.message}"
        raise MuleError(message) from None
