"""Which channels each channel variable can hold: a fixed point over all statements, whatever their order."""

from __future__ import annotations

from collections.abc import Sequence

from mule.frontends.promela import syntax
from mule.frontends.promela.expressions import View
from mule.frontends.promela.graph import Declare, Edge, run_of
from mule.frontends.promela.processes import Instance, MessageChannel
from mule.frontends.promela.scopes import CHAN, PREDEFINED
from mule.frontends.promela.steps import Steps
from mule.frontends.promela.system import System
from mule.model import Variable
from mule.model.expressions import Constant, Expression, Read, subexpressions


def propagate_channels(system: System, steps: Steps) -> None:
    _Propagation(system, steps).propagate()


class _Propagation:
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
                self.initialisers(instance)
                for location in instance.type.graph.locations:
                    for edge in location.edges:
                        self.statement(instance, edge)
            changed = before != {variable: len(held) for variable, held in self.system.contents.items()}

    def dynamic(self) -> bool:
        return any(variable not in self.system.constant_channels for variable in self.system.contents)

    def initialisers(self, instance: Instance) -> None:
        """What the variables at the top of the body are set to when the process is created."""
        view = View(instance.type.scope, instance)
        for symbol in instance.type.scope.locals:
            if symbol.at_start and not symbol.parameter:
                for leaf in symbol.leaves():
                    initial = leaf.symbol.declaration.initial
                    if leaf.type is CHAN and isinstance(initial, syntax.Tree):
                        variable = self.system.variable(symbol, leaf.path, instance, 0)
                        self.flow(variable, self.steps.expressions.translate(initial, view))

    def statement(self, instance: Instance, edge: Edge) -> None:
        view, system, expressions = View(edge.scope, instance), self.system, self.steps.expressions
        run = run_of(edge)
        if run is not None:
            child_type = system.types[run.process]
            given = expressions.arguments(run.arguments, view)
            for pid in system.creation.given(instance.pid, instance.type.name, run):
                for child in system.at(pid):
                    if child.type is child_type:
                        places = [(p, leaf.path) for p in child_type.parameters for leaf in p.leaves()]
                        for (parameter, path), argument in zip(places, given, strict=False):
                            self.flow(system.variable(parameter, path, child, run.at), argument)
            return
        match edge.action:
            case syntax.Assignment(_, target, value):
                if target.parts[0].name not in PREDEFINED:
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
