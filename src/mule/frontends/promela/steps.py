"""What a statement does in an instance: in which states it can be executed, and what it changes there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mule.frontends.promela import syntax
from mule.frontends.promela.buffers import (
    append,
    filled,
    find,
    first_of,
    insert,
    is_greater,
    is_large,
    matches,
    remove,
)
from mule.frontends.promela.creation import numbered
from mule.frontends.promela.effects import Effect, Event
from mule.frontends.promela.expressions import Expressions, View, inside
from mule.frontends.promela.graph import Declare, Edge, Finish, run_of
from mule.frontends.promela.handshakes import Handshakes
from mule.frontends.promela.hazards import Hazard, Hazards
from mule.frontends.promela.output import output_of
from mule.frontends.promela.presence import alive, dead
from mule.frontends.promela.printing import expression_text
from mule.frontends.promela.processes import Instance, MessageChannel
from mule.frontends.promela.scopes import Leaf, Symbol
from mule.frontends.promela.system import System
from mule.frontends.promela.trace import Trace
from mule.model import Assign, Receive, Send, Statement, Variable
from mule.model.expressions import FALSE, TRUE, Binary, Constant, Expression, Read, variables_read
from mule.model.forward import wrapped
from mule.model.simplify import binary, joined, unary
from mule.records import replace


class Steps:
    def __init__(self, system: System) -> None:
        self.system = system
        self.expressions = Expressions(system)
        self._known: dict[tuple[int, int], list[Effect]] = {}
        self.hazards = Hazards(self.expressions)
        self.handshakes = Handshakes(system, self.expressions)
        self.trace: Trace | None = None

    def view(self, instance: Instance, edge: Edge) -> View:
        return View(edge.scope, instance)

    def effects(self, instance: Instance, edge: Edge) -> list[Effect]:
        key = (id(instance), id(edge))
        if key not in self._known:
            effects: Iterable[Effect] = self._effects(instance, edge)
            if self.trace is not None:
                effects = [followed for effect in effects for followed in self.trace.followed(effect)]
            self._known[key] = [effect for effect in effects if effect.condition != FALSE]
        return self._known[key]

    def _effects(self, instance: Instance, edge: Edge) -> Iterator[Effect]:
        view, action, translate = self.view(instance, edge), edge.action, self.expressions.translate
        run = run_of(edge)
        if run is not None:
            yield from self.run(run, instance, edge)
            return
        for condition, text in self.hazards.of(action, view):
            yield Effect(condition, failure=text)
        match action:
            case Finish():
                yield self.death(instance)
            case syntax.Condition(_, tree):
                yield from map(Effect, self.expressions.ways_to_hold(tree, view))
            case syntax.Assignment(_, target, value) if target.parts[0].name != "_":
                yield Effect(TRUE, (self.assign(target, translate(value, view), view),))
            case syntax.Increment(_, target, by):
                place = self.expressions.place(target, view)
                yield Effect(TRUE, (Assign(place, binary("+", place, Constant(by))),))
            case Declare():
                yield Effect(TRUE, tuple(self.declaration(action, view)))
            case syntax.Send():
                yield from self.send(action, instance, view, in_a_step=edge.step is not None)
            case syntax.Receive():
                yield from self.receive(action, view)
            case syntax.Assertion(_, tree):
                condition = self.expressions.condition(tree, view)
                yield Effect(unary("not", condition), failure=self.violated(tree), asserts=True)
                yield Effect(TRUE)
            case syntax.Print() | syntax.PrintMtype():
                yield Effect(TRUE, output=output_of(action, view, self.expressions))
            case syntax.OwnPriority(_, priority):
                yield Effect(TRUE, (Assign(Read(self.system.priorities[instance]), translate(priority, view)),))
            case syntax.SetPriority(_, process, priority):
                yield from self.set_priority(translate(process, view), translate(priority, view))
            case _:
                yield Effect(TRUE)

    def set_priority(self, number: Expression, priority: Expression) -> Iterator[Effect]:
        """Where there is no such process, nothing happens."""
        someone: Expression = FALSE
        allowed = binary("and", binary("<=", Constant(1), priority), binary("<=", priority, Constant(255)))
        for other in self.system.instances:
            it = binary("==", number, Constant(other.pid))
            it = binary("and", it, binary("!=", Read(self.system.location(other)), Constant(0)))
            someone = binary("or", someone, it)
            yield Effect(binary("and", it, allowed), (Assign(Read(self.system.priorities[other]), priority),))
        yield Effect(binary("and", someone, unary("not", allowed)), failure="a priority is 1 to 255")
        yield Effect(unary("not", someone))

    def violated(self, tree: syntax.Tree) -> str:
        return f"assertion violated: {expression_text(tree)}"

    def assign(self, target: syntax.Reference, value: Expression, view: View) -> Statement:
        return Assign(self.expressions.place(target, view), value)

    def declaration(self, action: Declare, view: View) -> Iterator[Statement]:
        """Of an array only the first element is set, of a structure nothing."""
        symbol = view.scope.lookup(action.variable.name, action.at)
        for leaf in symbol.leaves() if not symbol.at_start else ():
            variable = self.system.variable(symbol, leaf.path, view.instance, action.at)
            if variable in self.system.constant_channels:
                continue
            initial = leaf.symbol.declaration.initial
            if isinstance(initial, syntax.Tree):
                value = self.expressions.translate(initial, view)
            else:
                value = Constant(self.system.initial(leaf, None, symbol.name)[0])
            yield Assign(Read(variable, None if variable.length is None else Constant(0)), value)

    # processes ------------------------------------------------------------------------------------------------------

    def death(self, instance: Instance) -> Effect:
        """Only the youngest process can die."""
        return Effect(dead(self.system, instance.pid + 1), tuple(self.cleared(instance)))

    def cleared(self, instance: Instance) -> Iterator[Statement]:
        """What belongs to a process is as if it had never been."""
        for (symbol, _), variable in instance.variables.items():
            if variable not in self.system.constant_channels and not symbol.hidden:
                yield from _zero(variable)
        if instance in self.system.priorities:
            yield from _zero(self.system.priorities[instance])
        for channel in instance.channels:
            for variable in (*channel.cells, *([channel.length] if channel.length else [])):
                yield from _zero(variable)

    def run(self, run: syntax.Run, instance: Instance, edge: Edge) -> Iterator[Effect]:
        """One effect for each number that the new process can get."""
        view, system = self.view(instance, edge), self.system
        arguments = self.expressions.arguments(run.arguments, view)
        type = system.types[run.process]
        for pid in system.creation.given(instance.pid, instance.type.name, run):
            child = next((i for i in system.at(pid) if i.type is type), None)
            if child is None:
                continue
            below = TRUE if pid - 1 == instance.pid else alive(self.system, pid - 1)
            condition = binary("and", below, dead(self.system, pid))
            given = run.priority is not None and self.system.scope.constant(run.priority)
            priority = Constant(given) if given else None
            started = tuple(self.started(child, arguments, priority))
            for effect in self._effects(instance, numbered(edge, run, pid)):
                here, statements = binary("and", condition, effect.condition), (*started, *effect.statements)
                yield replace(effect, condition=here, statements=statements, started=child)
        last = system.creation.last(instance.pid, run)
        if system.creation.room is not None and last is not None:
            text = system.creation.room.exceeded_by(run.process)
            guessed = system.creation.is_guessed(instance.pid, run)
            yield Effect(alive(self.system, last), failure=text, limit=guessed)

    def started(
        self, child: Instance, arguments: Sequence[Expression], priority: Expression | None
    ) -> Iterator[Statement]:
        system, type = self.system, child.type
        given = iter(arguments)
        for parameter in type.parameters:
            for leaf in parameter.leaves():
                yield Assign(Read(system.variable(parameter, leaf.path, child, 0)), next(given))
        view = View(type.scope, child, starting=True)
        for symbol in type.scope.locals:
            if symbol.parameter or not symbol.at_start:
                continue
            for leaf in symbol.leaves():
                yield from self.initialised(child, view, symbol, leaf)
        if child in system.priorities:
            yield Assign(Read(system.priorities[child]), priority or Constant(1))
        start = Constant(child.at(type.graph.start))
        yield Assign(Read(system.location(child)), start)

    def initialised(self, child: Instance, view: View, symbol: Symbol, leaf: Leaf) -> Iterator[Statement]:
        variable = self.system.variable(symbol, leaf.path, child, 0)
        initial = leaf.symbol.declaration.initial
        if initial is None or variable in self.system.constant_channels:
            return
        if isinstance(initial, syntax.Tree):
            values: list[Expression] = [self.expressions.translate(initial, view)] * variable.size
        elif isinstance(initial, syntax.ListInitializer):
            values = [*map(Constant, self.system.initial(leaf, child, symbol.name))]
        else:
            values = [*map(Constant, self.system.made[variable])]
        for index, value in enumerate(values):
            if value != Constant(0):
                yield Assign(Read(variable, None if variable.length is None else Constant(index)), value)

    # messages -------------------------------------------------------------------------------------------------------

    def send(self, send: syntax.Send, instance: Instance, view: View, in_a_step: bool) -> Iterator[Effect]:
        possible = self.expressions.channels(send.channel, view)
        values = self.expressions.arguments(send.arguments, view)
        yield from self.missing(send.channel, view, "sent to")
        for condition, channel in possible:
            if len(values) != len(channel.fields):
                text = f"a message of {channel.name} has {len(channel.fields)} fields, not {len(values)}"
                yield Effect(condition, failure=text)
            elif channel.is_rendezvous and in_a_step:
                yield Effect(condition, failure=f"a d_step cannot send to {channel.name}, a rendezvous channel")
            elif channel.is_rendezvous:
                yield from self.handshakes.effects(condition, channel, values, instance)
            elif send.sorted:
                yield from self.sorted_send(condition, channel, values)
            else:
                assert channel.length is not None
                room = Binary("<", Read(channel.length), Constant(channel.capacity))
                statements = (Send(channel.buffer, tuple(values)),) if channel.buffer else append(channel, values)
                yield Effect(binary("and", condition, room), tuple(statements), events=(sent(channel, values),))

    def missing(self, reference: syntax.Reference, view: View, what: str) -> Iterator[Effect]:
        """Where a variable holds no channel, or there is no such variable."""
        place = self.expressions.place(reference, view)
        if place.index is not None:
            fits = inside(place.index, place.variable.size)
            yield Effect(unary("not", fits), failure=f"the index of {place.variable.name} is out of range")
        for condition, text in self.hazards.no_channel(reference, view, what):
            yield Effect(condition, failure=text)

    def sorted_send(
        self, condition: Expression, channel: MessageChannel, values: Sequence[Expression]
    ) -> Iterator[Effect]:
        """A message goes before the first one that is greater, field by field."""
        assert channel.length is not None
        length = Read(channel.length)
        room = binary("and", condition, Binary("<", length, Constant(channel.capacity)))
        cut = _cut(channel, values)
        if is_large(channel):
            at = self.system.position(channel)
            tests = [
                Binary("or", Binary("<=", length, Constant(position)), is_greater(channel, position, values))
                for position in range(channel.capacity)
            ]
            taken, held, released = self.held(channel, cut)
            forgotten = Assign(Read(at), Constant(0))
            statements = (*taken, *find(at, tests), *insert(channel, Read(at), held), *released, forgotten)
            yield Effect(room, statements, events=(sent(channel, cut),))
            return
        taken, held, released = self.held(channel, cut)
        earlier: Expression = room
        for position in range(channel.capacity):
            above = is_greater(channel, position, values)
            last = Binary("==", length, Constant(position))
            here = binary("and", earlier, binary("or", last, binary("and", filled(channel, position), above)))
            statements = (*taken, *insert(channel, Constant(position), held), *released)
            yield Effect(here, statements, events=(sent(channel, cut),))
            there = binary("and", filled(channel, position), unary("not", above))
            earlier = binary("and", earlier, there)

    def held(
        self, channel: MessageChannel, values: Sequence[Expression]
    ) -> tuple[list[Statement], Sequence[Expression], list[Statement]]:
        """Values that stay while messages are moved: what takes them, what they are then, what forgets them."""
        if not any(variables_read(value).intersection(channel.cells) for value in values):
            return [], values, []
        places = [Read(self.system.passing(position)) for position in range(len(values))]
        taken: list[Statement] = [Assign(place, value) for place, value in zip(places, values, strict=True)]
        return taken, places, [Assign(place, Constant(0)) for place in places]

    def receive(self, receive: syntax.Receive, view: View) -> Iterator[Effect]:
        """From a buffer; in a rendezvous it is the sender's step."""
        possible = self.expressions.channels(receive.channel, view)
        wanted = self.expressions.wanted(receive.patterns, view)
        targets = self.expressions.targets(receive.patterns, view)
        yield from self.missing(receive.channel, view, "received from")
        for condition, channel in possible:
            if channel.length is None:
                continue
            if len(wanted) != len(channel.fields):
                text = f"a message of {channel.name} has {len(channel.fields)} fields, not {len(wanted)}"
                yield Effect(binary("and", condition, filled(channel, 0)), failure=text)
                continue
            if receive.random and is_large(channel):
                yield self.random_receive(condition, channel, wanted, targets, receive.keep)
                continue
            earlier = condition
            for position in range(channel.capacity if receive.random else 1):
                match_here = matches(channel, position, wanted)
                there = binary("and", earlier, filled(channel, position))
                message = tuple(Read(cell, Constant(position)) for cell in channel.cells)
                yield Effect(
                    binary("and", there, match_here),
                    tuple(self.taken(channel, position, targets, receive.keep)),
                    events=(Event(False, channel, message, receive.keep),),
                )
                if match_here == TRUE:
                    break
                earlier = binary("and", earlier, unary("not", match_here))

    def random_receive(
        self,
        condition: Expression,
        channel: MessageChannel,
        wanted: Sequence[Expression | None],
        targets: Sequence[Read | None],
        keep: bool,
    ) -> Effect:
        """From anywhere in a large channel."""
        at, positions = self.system.position(channel), range(channel.capacity)
        tests = [binary("and", filled(channel, each), matches(channel, each, wanted)) for each in positions]
        message = tuple(
            first_of(tests, [Read(cell, Constant(position)) for position in positions]) for cell in channel.cells
        )
        statements = list(find(at, tests))
        for cell, target in zip(channel.cells, targets, strict=True):
            if target is not None:
                statements.append(Assign(target, Read(cell, Read(at))))
        statements += [] if keep else remove(channel, Read(at))
        statements.append(Assign(Read(at), Constant(0)))
        there = binary("and", condition, joined("or", tests))
        return Effect(there, tuple(statements), events=(Event(False, channel, message, keep),))

    def taken(
        self, channel: MessageChannel, position: int, targets: Sequence[Read | None], keep: bool
    ) -> Iterator[Statement]:
        if channel.buffer is not None and position == 0 and not keep:
            yield Receive(channel.buffer, tuple(targets))
            return
        for cell, target in zip(channel.cells, targets, strict=True):
            if target is not None:
                yield Assign(target, Read(cell, Constant(position)))
        if not keep:
            yield from remove(channel, Constant(position))

    def provided(self, instance: Instance) -> Expression:
        return self.handshakes.provided(instance)

    def hazards_of_provided(self, instance: Instance, location: int) -> Iterator[Hazard]:
        """Inside a `d_step` nobody asks."""
        tree = instance.type.provided
        if tree is not None and instance.type.graph.locations[location].step is None:
            yield from self.hazards.asked(tree, TRUE, View(instance.type.scope, instance))


def _cut(channel: MessageChannel, values: Sequence[Expression]) -> list[Expression]:
    """The message as the channel carries it."""
    return [wrapped(type, value) for type, value in zip(channel.fields, values, strict=True)]


def sent(channel: MessageChannel, values: Sequence[Expression]) -> Event:
    return Event(True, channel, tuple(_cut(channel, values)))


def _zero(variable: Variable) -> Iterator[Statement]:
    for index in range(variable.size):
        yield Assign(Read(variable, None if variable.length is None else Constant(index)), Constant(0))
