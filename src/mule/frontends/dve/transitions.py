"""The transitions of DVE processes: alone, over a buffer, or two together in a rendezvous."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from mule.errors import Place
from mule.frontends.dve.expressions import Translator
from mule.frontends.dve.scopes import ChannelSymbol, ProcessSymbol, Scope, state_of
from mule.frontends.dve.syntax import Reference, Synchronization, TransitionDeclaration, Tree
from mule.frontends.dve.types import BYTE
from mule.model import Assign, Channel, Move, Receive, Send, Statement
from mule.model.builder import ModelBuilder
from mule.model.expressions import TRUE, Binary, Constant, Expression, Read, conjunction
from mule.model.simplify import binary


class Part(Struct):
    """One process's side of a transition, translated."""

    process: ProcessSymbol
    declaration: TransitionDeclaration
    move: Move
    guard: Expression
    effects: list[Statement]
    place: Place
    channel: ChannelSymbol | None = None
    sent: list[Expression] = field(default_factory=list)
    received: list[Read] = field(default_factory=list)
    """Where it stores what it receives."""
    committed: bool = False

    @property
    def arrow(self) -> str:
        return f"{self.declaration.source.text} -> {self.declaration.target.text}"


class TransitionTranslator:
    def __init__(
        self,
        builder: ModelBuilder,
        scope: Scope,
        translator: Translator,
        processes: list[ProcessSymbol],
        property_process: int | None,
    ) -> None:
        self.builder = builder
        self.scope = scope
        self.translator = translator
        self.processes = processes
        self.property_process = property_process
        self.receivers: dict[str, list[Part]] = {}
        self.not_committed: dict[int, Expression] = {}
        """For each process of the system with committed states the test that it is in none of them."""

    def run(self) -> None:
        self.find_committed()
        parts = [[self.part(process, each) for each in process.declaration.transitions] for process in self.processes]
        for part in (part for own in parts for part in own):
            if part.channel is not None and part.channel.buffer is None and not self.sends(part):
                self.receivers.setdefault(part.channel.name.text, []).append(part)
        for part in (part for own in parts for part in own):
            self.add(part)

    def find_committed(self) -> None:
        for index, process in enumerate(self.builder.processes):
            if process.committed and index != self.property_process:
                tests: list[Expression] = [
                    Binary("!=", Read(process.location), Constant(location)) for location in sorted(process.committed)
                ]
                self.not_committed[index] = conjunction(tests)

    def part(self, process: ProcessSymbol, declaration: TransitionDeclaration) -> Part:
        source, target = state_of(process, declaration.source), state_of(process, declaration.target)
        guard = TRUE if declaration.guard is None else self.translate(declaration.guard, process)
        effects: list[Statement] = [] if source == target else [self.builder.go(process.index, target)]
        for effect in declaration.effects:
            if process.index == self.property_process:
                text = (
                    "a property process only observes: it cannot assign; what it is to remember are states of its own"
                )
                self.scope.source.fail(text, effect.target.at)
            destination = self.translator.target(effect.target, process.scope)
            effects.append(Assign(destination, self.translate(effect.value, process)))
        move = Move(process.index, source, target)
        place = self.scope.source.place(declaration.at)
        part = Part(process, declaration, move, guard, effects, place)
        part.committed = source in self.builder.processes[process.index].committed
        if declaration.sync is not None:
            self.add_synchronization(part, declaration.sync)
        return part

    def translate(self, tree: Tree, process: ProcessSymbol) -> Expression:
        return self.translator.translate(tree, process.scope)

    def add_synchronization(self, part: Part, sync: Synchronization) -> None:
        source = self.scope.source
        if part.process.index == self.property_process:
            source.fail("a property process only observes: it cannot use channels", sync.at)
        channel = part.channel = part.process.scope.channel(sync.channel)
        count = len(sync.values)
        if channel.arity is None:
            channel.arity = count
        elif channel.arity != count:
            reason = "as declared" if channel.types is not None else "as in its first use"
            text = f"messages of {channel.name.text} have {values(channel.arity)} ({reason})"
            source.fail(f"{text}, but this one has {values(count)}", sync.at)
        if sync.sends:
            part.sent = [self.translate(tree, part.process) for tree in sync.values]
        else:
            part.received = [self.receiver(tree, part.process) for tree in sync.values]

    def receiver(self, tree: Tree, process: ProcessSymbol) -> Read:
        if not isinstance(tree, Reference):
            self.scope.source.fail("expected a variable that receives the value", tree.at)
        return self.translator.target(tree, process.scope)

    def sends(self, part: Part) -> bool:
        return part.declaration.sync is not None and part.declaration.sync.sends

    def add(self, part: Part) -> None:
        if part.channel is None:
            self.alone(part)
        elif part.channel.buffer is not None:
            self.buffered(part, part.channel.buffer)
        elif self.sends(part):
            for receiver in self.receivers.get(part.channel.name.text, []):
                # A committed and an uncommitted state never meet: the rule wants both to be committed.
                if receiver.process is not part.process and receiver.committed == part.committed:
                    self.rendezvous(part, receiver, part.channel)

    def guards(self, parts: Sequence[Part], channel_tests: Sequence[Expression]) -> list[int]:
        """Locations first, then who may move at all, and what the author asked for at the end: it may be undefined."""
        builder = self.builder
        result = [builder.guard(builder.at(part.move.process, part.move.source)) for part in parts]
        if not parts[0].committed and parts[0].process.index != self.property_process:
            movers = {part.move.process for part in parts}
            others = [test for process, test in self.not_committed.items() if process not in movers]
            result += map(builder.guard, others)
        result += map(builder.guard, channel_tests)
        for part in parts:
            result += builder.guards(part.guard)
        return result

    def alone(
        self, part: Part, channel_tests: Sequence[Expression] = (), statements: Sequence[Statement] = (), name: str = ""
    ) -> None:
        self.builder.transition(
            f"{part.process.name.text}{name}: {part.arrow}",
            self.guards([part], channel_tests),
            [*statements, *part.effects],
            [part.move],
            part.declaration.text,
            part.place,
            observes=part.process.index == self.property_process,
        )

    def buffered(self, part: Part, buffer: Channel) -> None:
        if self.sends(part):
            room = Binary("<", Read(buffer.length), Constant(buffer.capacity))
            self.alone(part, [room], [Send(buffer, tuple(part.sent))], f" ! {buffer.name}")
        else:
            some = Binary(">", Read(buffer.length), Constant(0))
            self.alone(part, [some], [Receive(buffer, tuple(part.received))], f" ? {buffer.name}")

    def rendezvous(self, sender: Part, receiver: Part, channel: ChannelSymbol) -> None:
        passing: list[Statement] = [
            Assign(target, self.passed(channel, number, value, target))
            for number, (value, target) in enumerate(zip(sender.sent, receiver.received, strict=True))
        ]
        names = f"{sender.process.name.text} ! {channel.name.text} ? {receiver.process.name.text}"
        self.builder.transition(
            f"{names}: {sender.arrow}, {receiver.arrow}",
            self.guards([sender, receiver], []),
            [*passing, *receiver.effects, *sender.effects],
            [sender.move, receiver.move],
            f"{sender.declaration.text} | {receiver.declaration.text}",
            sender.place,
        )

    def passed(self, channel: ChannelSymbol, number: int, value: Expression, target: Read) -> Expression:
        """The value as it comes out of the channel: only a byte on its way to an int is cut by the way itself."""
        if channel.types is not None and channel.types[number] is BYTE and target.variable.type is not BYTE:
            return binary("&", value, Constant(255))
        return value


def values(count: int) -> str:
    return "no value" if count == 0 else "1 value" if count == 1 else f"{count} values"
