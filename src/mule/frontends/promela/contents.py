"""Which channels each channel variable can hold: a fixed point over all statements, whatever their order.

A channel is a number to SPIN, and other numbers can come into a channel variable too: `c = data`, or a message of a
channel of `{chan}` whose sender gave an `mtype`. If a variable that is none for channels is read into one that is, all
variables are followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mule.frontends.promela import syntax
from mule.frontends.promela.creation import numbered
from mule.frontends.promela.expressions import View
from mule.frontends.promela.graph import Declare, Edge, run_of
from mule.frontends.promela.processes import Instance, MessageChannel
from mule.frontends.promela.scopes import CHAN, PREDEFINED, Symbol
from mule.frontends.promela.steps import Steps
from mule.frontends.promela.system import NO_CHANNEL, System
from mule.model import Variable
from mule.model.expressions import Conditional, Constant, Expression, Read


def propagate_channels(system: System, steps: Steps) -> None:
    _Propagation(system, steps).propagate()


class _Propagation:
    def __init__(self, system: System, steps: Steps) -> None:
        self.system = system
        self.steps = steps
        self.contents = system.contents
        self.is_mixed = False
        """Whether a variable that is none for channels is read into one that is."""
        self.follows_all = False

    def propagate(self) -> None:
        if not self.dynamic():
            return
        self.reach_fixed_point()
        if self.is_mixed:
            self.follows_all = True
            for variable in self.plain_variables():
                self.contents[variable] = {self.number(value) for value in variable.initial}
            self.reach_fixed_point()

    def reach_fixed_point(self) -> None:
        changed = True
        while changed:
            before = {variable: len(held) for variable, held in self.contents.items()}
            for instance in self.system.instances:
                self.initialisers(instance)
                for location in instance.type.graph.locations:
                    for edge in location.edges:
                        self.statement(instance, edge)
            changed = before != {variable: len(held) for variable, held in self.contents.items()}

    def dynamic(self) -> bool:
        return any(variable not in self.system.constant_channels for variable in self.contents)

    def plain_variables(self) -> Iterator[Variable]:
        system = self.system
        places = [system.shared, *(instance.variables for instance in system.instances)]
        cells = (cell for channel in system.channels.values() for cell in channel.cells)
        for variable in (*(variable for place in places for variable in place.values()), *cells):
            if variable.type is not CHAN:
                yield variable

    def initialisers(self, instance: Instance) -> None:
        """What the variables at the top of the body are set to when the process is created."""
        view = View(instance.type.scope, instance)
        for symbol in instance.type.scope.locals:
            if symbol.at_start and not symbol.parameter:
                self.initial(symbol, view)

    def initial(self, symbol: Symbol, view: View) -> None:
        for leaf in symbol.leaves():
            variable, tree = self.system.variable(symbol, leaf.path, view.instance, 0), leaf.symbol.declaration.initial
            if isinstance(tree, syntax.Tree):
                self.flow(variable, self.steps.expressions.translate(tree, view))
            elif isinstance(tree, syntax.ListInitializer):
                for value in tree.values:
                    self.flow(variable, Constant(leaf.symbol.scope.constant(value)))

    def statement(self, instance: Instance, edge: Edge) -> None:
        view, system, expressions = View(edge.scope, instance), self.system, self.steps.expressions
        run = run_of(edge)
        if run is not None:
            child_type = system.types[run.process]
            given = expressions.arguments(run.arguments, view)
            for pid in system.creation.given(instance.pid, instance.type.name, run):
                self.statement(instance, numbered(edge, run, pid))
                for child in system.at(pid):
                    if child.type is child_type:
                        places = [(p, leaf.path) for p in child_type.parameters for leaf in p.leaves()]
                        for (parameter, path), argument in zip(places, given, strict=False):
                            self.flow(system.variable(parameter, path, child, run.at), argument)
            return
        match edge.action:
            case syntax.Assignment(_, target, value):
                if target.parts[0].name not in PREDEFINED:
                    self.flow(expressions.place(target, view).variable, expressions.translate(value, view))
            case syntax.Increment(_, target, _):
                self.hold(expressions.place(target, view).variable, self.anything)
            case Declare(at, variable):
                symbol = view.scope.lookup(variable.name, at)
                if not symbol.at_start:
                    self.initial(symbol, view)
            case syntax.Send(_, channel, arguments, _):
                values = expressions.arguments(arguments, view)
                for _, each in expressions.channels(channel, view):
                    if each.is_rendezvous:
                        self.handshakes(instance, each, values)
                    for cell, sent in zip(each.cells, values, strict=False):
                        self.flow(cell, sent)
            case syntax.Receive(_, channel, patterns, _, _):
                targets = expressions.targets(patterns, view)
                for _, each in expressions.channels(channel, view):
                    for cell, target_place in zip(each.cells, targets, strict=False):
                        if target_place is not None:
                            self.flow(target_place.variable, Read(cell, Constant(0)))

    def handshakes(self, sender: Instance, channel: MessageChannel, values: Sequence[Expression]) -> None:
        expressions = self.steps.expressions
        for receiver, _, edge in self.steps.handshakes.receiving():
            if receiver is not sender and isinstance(edge.action, syntax.Receive):
                view = View(edge.scope, receiver)
                if any(each is channel for _, each in expressions.channels(edge.action.channel, view)):
                    targets = expressions.targets(edge.action.patterns, view)
                    for value, target in zip(values, targets, strict=False):
                        if target is not None:
                            self.flow(target.variable, value)

    def flow(self, variable: Variable, value: Expression) -> None:
        if variable.type is CHAN or variable in self.contents:
            self.hold(variable, self.numbers(variable, value))

    def hold(self, variable: Variable, numbers: set[int]) -> None:
        if variable.type is CHAN or variable in self.contents:
            self.system.holds(variable).update(numbers)

    def numbers(self, variable: Variable, value: Expression) -> set[int]:
        """What a variable can hold that a value is assigned to."""
        match value:
            case Constant(number):
                return {self.number(variable.type.wrap(number))}
            case Conditional(_, then, otherwise):
                return self.numbers(variable, then) | self.numbers(variable, otherwise)
            case Read(source) if source in self.system.constant_channels:
                return set(self.system.constant_channels[source])
            case Read(source) if source in self.contents:
                held, fits = self.contents[source], _fits(source, variable)
                return held if fits or NO_CHANNEL not in held else self.anything
            case Read() if not self.follows_all:
                self.is_mixed = True
                return set()
        return self.anything

    def number(self, value: int) -> int:
        return value if value == 0 or value in self.system.channels else NO_CHANNEL

    @property
    def anything(self) -> set[int]:
        return {0, NO_CHANNEL, *self.system.channels}


def _fits(source: Variable, target: Variable) -> bool:
    return target.type.low <= source.type.low and source.type.high <= target.type.high
