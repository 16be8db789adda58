"""The whole system in the middle of its translation: instances, their variables, and which channels these can hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mule.errors import MuleError, Place
from mule.frontends.promela import syntax
from mule.frontends.promela.creation import Creation
from mule.frontends.promela.graph import Declare, Edge
from mule.frontends.promela.printing import statement_text
from mule.frontends.promela.processes import Instance, MessageChannel, Proctype
from mule.frontends.promela.scopes import CHAN, Leaf, Program, Scope, Struct, Symbol, in_bytes
from mule.model import BOOL, INT, Channel, IntegerType, Variable
from mule.model.builder import MAX_SLOTS, ModelBuilder
from mule.model.expressions import FALSE, Binary, Constant, Expression, Read
from mule.model.simplify import joined
from mule.model.variables import Role, Shape, element_name

NO_CHANNEL = -1
"""Stands for all numbers but 0 that are no channel's."""


@dataclass(slots=True, eq=False)
class System:
    program: Program
    scope: Scope
    """The shared names."""
    types: dict[str, Proctype]
    creation: Creation
    builder: ModelBuilder
    instances: list[Instance] = field(default_factory=list)
    channels: dict[int, MessageChannel] = field(default_factory=dict)
    shared: dict[tuple[Symbol, tuple[str, ...]], Variable] = field(default_factory=dict)
    constant_channels: dict[Variable, tuple[int, ...]] = field(default_factory=dict)
    """The channels of variables that nothing assigns to."""
    assigned: frozenset[Symbol] = frozenset()
    """All variables that some statement assigns to."""
    contents: dict[Variable, set[int]] = field(default_factory=dict)
    """The channels that every other channel variable can hold; 0 stands for none, NO_CHANNEL for another number."""
    made: dict[Variable, tuple[int, ...]] = field(default_factory=dict)
    """The channels that a declaration makes for each such variable."""
    timeout: Variable = field(default_factory=lambda: Variable("timeout", BOOL, (0,)))
    """Stands for `timeout` until all transitions are known."""
    mentions_timeout: bool = False
    last: Variable | None = None
    """Where the program speaks of `_last`."""
    evaluate: Callable[[syntax.Tree, Scope, Instance | None], int | None] = field(default=lambda tree, scope, _: 0)
    """The value of an expression before anything runs, None where it has none; MuleError where it reads what is not
    declared yet."""
    on_the_way: list[Variable] = field(default_factory=list)
    open_channels: set[Symbol] = field(default_factory=set)
    """Channels that are not only used first in, first out."""
    enabled: dict[Instance, Variable] = field(default_factory=dict)
    """Each stands for `enabled(…)` until all transitions are known."""
    priorities: dict[Instance, Variable] = field(default_factory=dict)
    """Where the program speaks of priorities."""
    is_complete: bool = False
    """There is a model: nothing can become a part of the state any more."""
    _kept: set[Variable] = field(default_factory=set)
    _shown: dict[int, tuple[Edge, tuple[str, Place]]] = field(default_factory=dict)
    """By identity; the edge is kept alive, so that no other one gets it."""

    def shown(self, edge: Edge) -> tuple[str, Place]:
        """A statement as its author wrote it, and where; the statement of a rendezvous is a part of many steps."""
        key = id(edge)
        if key not in self._shown:
            self._shown[key] = edge, (statement_text(edge.action), self.scope.place(edge.action.at))
        return self._shown[key][1]

    def at(self, pid: int) -> list[Instance]:
        return [instance for instance in self.instances if instance.pid == pid]

    @property
    def highest_pid(self) -> int:
        return max((instance.pid for instance in self.instances), default=-1)

    def location(self, instance: Instance) -> Variable:
        return self.builder.processes[instance.process].location

    def priority(self, instance: Instance) -> Expression:
        return Read(self.priorities[instance]) if instance in self.priorities else Constant(1)

    def enabledness(self, instance: Instance) -> Expression:
        name = f"enabled({instance.pid})"
        return Read(self.enabled.setdefault(instance, Variable(name, BOOL, (0,))))

    def passing(self, position: int) -> Variable:
        """Where a value lies for a moment while a message is passed."""
        while len(self.on_the_way) <= position:
            self.on_the_way.append(self.builder.variable(f"passed {len(self.on_the_way)}", INT))
        return self.on_the_way[position]

    def position(self, channel: MessageChannel) -> Variable:
        """Where a step that takes a message out of a channel, or puts one there, keeps the position for a moment."""
        if channel.position is None:
            type = IntegerType(f"0..{channel.capacity - 1}", 0, channel.capacity - 1)
            name = f"position in {channel.name}"
            owner = None if channel.length is None else channel.length.process
            channel.position = self.builder.variable(name, type, process=owner, role=Role.SCRATCH)
        return channel.position

    def variable(self, symbol: Symbol, path: tuple[str, ...], instance: Instance | None, at: int) -> Variable:
        found = self.shared.get((symbol, path))
        if found is None and instance is not None:
            found = instance.variables.get((symbol, path))
        if found is None:
            raise MuleError(f"`{symbol.name}` cannot be seen from here", self.scope.place(at))
        return found

    def keep(self, channels: Variable) -> None:
        """Make an array of constant channels a part of the state after all: the model looks into it."""
        if channels not in self._kept:
            self._kept.add(channels)
            self.builder.add_variable(channels)

    def holds(self, variable: Variable) -> set[int]:
        return self.contents.setdefault(variable, set())

    def without_channel(self, place: Read) -> Expression:
        """Where a variable holds none."""
        held = self.holds(place.variable)
        if place.variable in self.constant_channels or (held and min(held) > 0):
            return FALSE
        if NO_CHANNEL not in held:
            return Binary("==", place, Constant(0))
        return joined("and", [Binary("!=", place, Constant(number)) for number in sorted(held) if number > 0])

    # declarations ---------------------------------------------------------------------------------------------------

    def declare_shared(self) -> None:
        for symbol in self.scope.symbols.values():
            self.declare(symbol, None, "", self.shared)

    def declare_locals(self, instance: Instance, running: bool) -> None:
        name = self.builder.processes[instance.process].name
        symbols = instance.type.scope.locals
        seen: dict[str, int] = {}
        for symbol in symbols:
            count = seen[symbol.name] = seen.get(symbol.name, 0) + 1
            suffix = "" if count == 1 else f"'{count}"
            self.declare(symbol, instance, f"{name}:", instance.variables, suffix, running)

    def declare(
        self,
        symbol: Symbol,
        instance: Instance | None,
        prefix: str,
        into: dict[tuple[Symbol, tuple[str, ...]], Variable],
        suffix: str = "",
        running: bool = True,
    ) -> None:
        for leaf in symbol.leaves():
            words = (prefix + symbol.name + suffix, *(f".{field}" for field in leaf.path))
            name = "".join(words)
            shape = tuple(zip(words, leaf.sizes, strict=True)) if leaf.path and leaf.lengths else ()
            values = [0] * (leaf.length or 1) if symbol.parameter else self.initial(leaf, instance, name, shape)
            process = None if instance is None else instance.process
            channels = tuple(values) if self.is_constant(leaf, symbol, instance) else None
            if channels is not None:
                variable = Variable(name, leaf.type, channels, leaf.length, process, shape=shape)
                self.constant_channels[variable] = channels
            else:
                known = instance is None or (running and symbol.at_start)
                place = self.scope.place(symbol.declaration.at)
                if known and self.has_no_value(leaf, instance):
                    text = f"`{name}` has no initial value: an index is out of range, or it divides by zero"
                    self.program.fail(text, symbol.declaration.at)
                variable = self.builder.variable(
                    name, leaf.type, values if known else (), leaf.length, process, place=place, shape=shape
                )
            into[(symbol, leaf.path)] = variable
            if leaf.type is CHAN:
                self.contents[variable] = set() if symbol.parameter else {*values}
                if isinstance(leaf.symbol.declaration.initial, syntax.ChannelInitializer):
                    self.made[variable] = tuple(values)

    def is_constant(self, leaf: Leaf, symbol: Symbol, instance: Instance | None) -> bool:
        """Whether a variable holds the same channels as long as it lives: then it is no part of the state."""
        initial = leaf.symbol.declaration.initial
        is_alias = instance is None and isinstance(initial, syntax.Reference)
        if leaf.type is not CHAN or not (is_alias or isinstance(initial, syntax.ChannelInitializer)):
            return False
        return symbol not in self.assigned and not symbol.parameter

    def initial(self, leaf: Leaf, instance: Instance | None, name: str, shape: Shape = ()) -> list[int]:
        """The values of a variable when its process starts, or the system."""
        tree = leaf.symbol.declaration.initial
        size = leaf.length or 1
        match tree:
            case None:
                return [0] * size
            case syntax.ChannelInitializer():
                names = [name] if leaf.length is None else [element_name(name, shape, each) for each in range(size)]
                return [self.new_channel(tree, leaf.symbol, instance, each).number for each in names]
            case syntax.ListInitializer(_, values):
                own = leaf.symbol.length or 1
                given = [leaf.symbol.scope.constant(value) for value in values][:own]
                each = [leaf.type.wrap(value) for value in (*given, *[given[-1]] * (own - len(given)))]
                return each * (size // own)
        if leaf.type is CHAN and isinstance(tree, syntax.Reference) and instance is None:
            return self.same_channels(tree)[:1] * size
        try:
            value = self.evaluate(tree, leaf.symbol.scope, instance)
        except MuleError:
            value = 0  # what it reads comes later
        return [leaf.type.wrap(value or 0)] * size

    def has_no_value(self, leaf: Leaf, instance: Instance | None) -> bool:
        """Whether an initial value is undefined; SPIN rejects such a program, or its verifier stops before the first
        step."""
        tree = leaf.symbol.declaration.initial
        try:
            return isinstance(tree, syntax.Tree) and self.evaluate(tree, leaf.symbol.scope, instance) is None
        except MuleError:
            return False

    def same_channels(self, tree: syntax.Reference) -> list[int]:
        """`chan a = b`: another name for a channel that is declared before."""
        symbol = self.scope.lookup(tree.parts[0].name, tree.at)
        variable = self.shared.get((symbol, tuple(part.name for part in tree.parts[1:])))
        if variable is None or variable.type is not CHAN:
            self.program.fail(f"`{symbol.name}` is no channel that was declared before", tree.at)
        index = tree.parts[-1].index
        first = 0 if index is None else self.scope.constant(index)
        if not 0 <= first < variable.size:
            self.program.fail(f"the index of `{symbol.name}` is out of range", tree.at)
        return list(variable.initial[first : first + 1])

    def new_channel(
        self, tree: syntax.ChannelInitializer, symbol: Symbol, instance: Instance | None, name: str
    ) -> MessageChannel:
        capacity = symbol.scope.constant(tree.capacity)
        fields = tuple(self.message_fields(tree))
        if len(fields) == 1:
            fields = (in_bytes(fields[0]),)
        if not 0 <= capacity * len(fields) <= MAX_SLOTS:
            text = f"a channel of {capacity} messages with {len(fields)} fields: expected 0 to {MAX_SLOTS} values"
            self.program.fail(text, tree.at)
        number = len(self.channels) + 1
        if number > 255:
            room = self.creation.room
            given = (
                "" if room is None else f"with room for {room.processes} processes (--processes sets another number) "
            )
            self.program.fail(given + "there are more than 255 channels", tree.at)
        channel = MessageChannel(number, name, capacity, fields)
        self.channels[number] = channel
        if instance is not None:
            instance.channels.append(channel)
        if capacity > 0:
            if instance is None and symbol not in self.open_channels:
                channel.buffer = self.builder.channel(name, capacity, fields, self.scope.place(tree.at))
                channel.length, channel.cells = channel.buffer.length, channel.buffer.fields
            else:
                counter = IntegerType(f"0..{capacity}", 0, capacity)
                owner = None if instance is None else instance.process
                place = self.scope.place(tree.at)
                channel.length = self.builder.variable(f"len({name})", counter, process=owner, place=place)
                channel.cells = tuple(
                    self.builder.variable(
                        f"{name}.{position}" if len(fields) > 1 else f"{name}?", type, (), capacity, owner, place=place
                    )
                    for position, type in enumerate(fields)
                )
                self.builder.buffers.append(Channel(name, capacity, channel.length, channel.cells))
        for cell in channel.cells:
            if cell.type is CHAN:
                self.contents[cell] = set()
        return channel

    def message_fields(self, tree: syntax.ChannelInitializer) -> Iterator[IntegerType]:
        for each in tree.fields:
            type = self.program.type(each.name, each.subtype, None, each.at)
            if isinstance(type, Struct):
                for inner in type.fields.values():
                    for leaf in inner.leaves():
                        yield from [leaf.type] * (leaf.length or 1)
            else:
                yield type.type


def assigned_symbols(type: Proctype) -> Iterator[Symbol]:
    """The variables that a process assigns to; declaring a channel is no assignment."""
    for location in type.graph.locations:
        for edge in location.edges:
            match edge.action:
                case syntax.Assignment(at, target, _) if target.parts[0].name != "_":
                    yield edge.scope.lookup(target.parts[0].name, at)
                case Declare(at, variable) if not isinstance(variable.initial, syntax.ChannelInitializer):
                    yield edge.scope.lookup(variable.name, at)
                case syntax.Receive(at, _, patterns, _, _):
                    for pattern in patterns:
                        if isinstance(pattern, syntax.Reference) and pattern.parts[0].name != "_":
                            yield edge.scope.lookup(pattern.parts[0].name, at)


def uses_order(types: dict[str, Proctype]) -> bool:
    """Whether some statement takes messages out of order, or puts them in order."""
    for type in types.values():
        for location in type.graph.locations:
            for edge in location.edges:
                match edge.action:
                    case syntax.Receive(_, _, _, True, _) | syntax.Send(_, _, _, True):
                        return True
    return False
