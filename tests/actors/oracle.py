"""Runs the classes of a protocol as they are, with real objects and lists of messages, and visits every state.

It shares nothing with the translation but the classes that a protocol is written with."""

from __future__ import annotations

import copy
import inspect
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from mule.actors import Byzantine, Fifo, Message, Process, System, majority
from mule.frontends.actors.processes import triggers
from mule.frontends.actors.running import running
from mule.frontends.actors.types import hints, kind_of

Envelope = tuple[type[Message], int, int, Message]
"""The type, the sender and the receiver of a message, and the message."""


@dataclass
class Found:
    """What there is to see in the whole state space."""

    states: int = 0
    deadlocks: int = 0
    failures: int = 0
    """Steps in which a handler raises an exception."""
    violated: set[str] = field(default_factory=set)
    """Invariants that are false somewhere."""
    complete: bool = True


@dataclass
class Situation:
    """A state: the fields of the processes, who has crashed, and the messages on their way."""

    fields: list[dict[str, Any]]
    crashed: frozenset[int]
    crashes: tuple[int, ...]
    network: list[Envelope]
    """Oldest first."""


class Choices:
    """Answers `choose` from a list, and says how many answers there were."""

    def __init__(self, oracle: Oracle, sender: int, given: list[int]) -> None:
        self.oracle, self.sender, self.given = oracle, sender, given
        self.widths: list[int] = []
        self.sent: list[Envelope] = []

    def send(self, to: Process, message: Message) -> None:
        self.sent.append((type(message), self.sender, self.oracle.number(to), message))

    def choose(self, options: list[Any]) -> Any:
        position = len(self.widths)
        self.widths.append(len(options))
        return options[self.given[position] if position < len(self.given) else 0]


class Oracle:
    def __init__(self, system: System, most: int = 3000) -> None:
        self.system = system
        self.most = most

    def number(self, process: Process) -> int:
        return next(n for n, each in enumerate(self.system.processes) if each is process)

    def explore(self) -> Found:
        found = Found()
        start = Situation(
            [self._copied(process.__dict__) for process in self.system.processes],
            frozenset(),
            tuple(0 for _ in self.system.faults),
            [],
        )
        seen = {self.key(start)}
        work = [start]
        while work:
            situation = work.pop()
            found.states += 1
            self._judge(situation, found)
            stuck = True
            for after in self.steps(situation):
                stuck = False
                if after is None:
                    found.failures += 1
                    continue
                key = self.key(after)
                if key not in seen:
                    if len(seen) >= self.most:
                        found.complete = False
                        return found
                    seen.add(key)
                    work.append(after)
            if stuck and not self._may_end(situation):
                found.deadlocks += 1
        return found

    # states -----------------------------------------------------------------------------------------------------------

    def _copied(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Lists and sets copied, processes shared."""
        return {name: copy.copy(value) if isinstance(value, list | set) else value for name, value in fields.items()}

    def key(self, situation: Situation) -> Any:
        fields = tuple(
            tuple(sorted((name, self._value(value)) for name, value in each.items())) for each in situation.fields
        )
        messages = [self._message(envelope) for envelope in situation.network]
        queues = tuple(m for m, e in zip(messages, situation.network, strict=True) if self._is_fifo(e))
        heap = tuple(sorted(m for m, e in zip(messages, situation.network, strict=True) if not self._is_fifo(e)))
        # Only the order between two processes counts.
        ordered = tuple(sorted((key, tuple(group)) for key, group in _grouped(queues).items()))
        return fields, tuple(sorted(situation.crashed)), situation.crashes, ordered, heap

    def _is_fifo(self, envelope: Envelope) -> bool:
        return isinstance(self.system.network_of(envelope[0]), Fifo)

    def _message(self, envelope: Envelope) -> tuple[str, int, int, str]:
        cls, sender, receiver, message = envelope
        values = ", ".join(f"{name}={self._value(getattr(message, name))}" for name in message.__dataclass_fields__)  # type: ignore[attr-defined]
        network = next(n for n, each in enumerate(self._networks()) if each is self.system.network_of(cls))
        return (
            (f"{network}" if self._is_fifo(envelope) else cls.__name__),
            sender,
            receiver,
            f"{cls.__name__}({values})",
        )

    def _networks(self) -> list[Any]:
        return [self.system.network, *self.system.networks.values()]

    def _value(self, value: Any) -> str:
        if isinstance(value, Process):
            return f"process {self.number(value)}" if value in self.system.processes else value.name
        if isinstance(value, Enum):
            return str(value)
        if isinstance(value, list | tuple):
            return str([self._value(each) for each in value])
        if isinstance(value, set | frozenset):
            return str(sorted(self._value(each) for each in value))
        return str(int(value)) if isinstance(value, bool) else repr(value)

    def _restore(self, situation: Situation) -> None:
        for process, fields in zip(self.system.processes, situation.fields, strict=True):
            process.__dict__.clear()
            process.__dict__.update(self._copied(fields))

    def _judge(self, situation: Situation, found: Found) -> None:
        self._restore(situation)
        for name, predicate in self.system.invariants.items():
            try:
                holds = predicate()
            except Exception:
                holds = False
            if not holds:
                found.violated.add(name)

    def _may_end(self, situation: Situation) -> bool:
        self._restore(situation)
        return all(
            number in situation.crashed or not hasattr(process, "done") or process.done()
            for number, process in enumerate(self.system.processes)
        )

    # steps ------------------------------------------------------------------------------------------------------------

    def steps(self, situation: Situation) -> Iterator[Situation | None]:
        """Every state after one step; None for a step that raises an exception."""
        for number, process in enumerate(self.system.processes):
            if number in situation.crashed:
                continue
            for name, _, trigger in triggers(type(process)):
                for messages, rest in self._ways_to_receive(situation, number, trigger):
                    yield from self._run(situation, number, name, trigger, messages, rest)
            if isinstance(process, Byzantine):
                yield from self._lies(situation, number, process)
        yield from self._losses(situation)
        yield from self._crashes(situation)

    def _ways_to_receive(self, situation: Situation, number: int, trigger: Any) -> Iterator[tuple[list[int], None]]:
        """Positions in the network of what a handler may take."""
        if trigger.message is None:
            yield [], None
            return
        ready = [p for p in self._deliverable(situation) if situation.network[p][0] is trigger.message]
        ready = [p for p in ready if situation.network[p][2] == number]
        size = trigger.quorum if trigger.quorum is not None else 1
        if size is majority:
            call = re.compile(rf"\b{trigger.message.__name__}\(")
            size = sum(bool(call.search(inspect.getsource(type(each)))) for each in self.system.processes) // 2 + 1
        elif callable(size):
            self._restore(situation)
            size = size(self.system.processes[number])
        for chosen in itertools.combinations(ready, size):
            senders = [situation.network[p][1] for p in chosen]
            if len(set(senders)) == len(senders):
                yield sorted(chosen, key=lambda p: situation.network[p][1]), None

    def _deliverable(self, situation: Situation) -> list[int]:
        """All messages; in a FIFO network the oldest between two processes."""
        found, seen = [], set()
        for position, envelope in enumerate(situation.network):
            if self._is_fifo(envelope):
                network = self.system.network_of(envelope[0])
                pair = (id(network), envelope[1], envelope[2])
                if pair in seen:
                    continue
                seen.add(pair)
            found.append(position)
        return found

    def _run(
        self, situation: Situation, number: int, name: str, trigger: Any, positions: list[int], _: None
    ) -> Iterator[Situation | None]:
        pending: list[list[int]] = [[]]
        while pending:
            given = pending.pop()
            self._restore(situation)
            process = self.system.processes[number]
            received = [
                situation.network[p][3].sent_by(self.system.processes[situation.network[p][1]]) for p in positions
            ]
            arguments: list[Any] = [] if trigger.message is None else [received if trigger.quorum else received[0]]
            choices = Choices(self, number, given)
            try:
                with running(choices):
                    if trigger.when is not None and not trigger.when(process, *arguments):
                        continue
                    getattr(process, name)(*arguments)
            except Exception:
                yield None
            else:
                fields = [self._copied(each.__dict__) for each in self.system.processes]
                for kept in self._ways_to_keep(situation, positions):
                    network = [e for p, e in enumerate(situation.network) if p not in positions or p in kept]
                    for envelope in choices.sent:
                        self._put(network, envelope)
                    yield Situation(fields, situation.crashed, situation.crashes, network)
            for position in range(len(given), len(choices.widths)):
                prefix = [*given, *[0] * (position - len(given))]
                pending += [[*prefix, other] for other in range(1, choices.widths[position])]

    def _ways_to_keep(self, situation: Situation, positions: list[int]) -> Iterator[tuple[int, ...]]:
        """Which messages leave a copy behind."""
        may = [p for p in positions if self._duplicates(situation.network[p])]
        for size in range(len(may) + 1):
            yield from itertools.combinations(may, size)

    def _duplicates(self, envelope: Envelope) -> bool:
        return bool(getattr(self.system.network_of(envelope[0]), "duplicating", False))

    def _put(self, network: list[Envelope], envelope: Envelope) -> None:
        receiver = self.system.processes[envelope[2]]
        if isinstance(receiver, Byzantine) or envelope[0] in receiver.ignores:
            return
        if not (self._duplicates(envelope) and self._message(envelope) in [self._message(each) for each in network]):
            network.append(envelope)

    def _lies(self, situation: Situation, number: int, process: Byzantine) -> Iterator[Situation]:
        for to, cls in itertools.product(process.to, process.sends):
            receiver = self.number(to)
            waiting = [e for e in situation.network if e[1:3] == (number, receiver)]
            if any(
                e[0] is cls or (self._is_fifo(e) and self.system.network_of(e[0]) is self.system.network_of(cls))
                for e in waiting
            ):
                continue
            annotations = hints(cls)
            names = cls.__dataclass_fields__  # type: ignore[attr-defined]
            kinds = [kind_of(annotations[name], self.system.processes) for name in names]
            universes = [kind.values() for kind in kinds]  # type: ignore[union-attr]
            for values in itertools.product(*universes):
                network = [*situation.network, (cls, number, receiver, cls(*values))]
                yield Situation(situation.fields, situation.crashed, situation.crashes, network)

    def _losses(self, situation: Situation) -> Iterator[Situation]:
        for position in self._deliverable(situation):
            if self.system.network_of(situation.network[position][0]).lossy:
                rest = [e for p, e in enumerate(situation.network) if p != position]
                yield Situation(situation.fields, situation.crashed, situation.crashes, rest)

    def _crashes(self, situation: Situation) -> Iterator[Situation]:
        for index, fault in enumerate(self.system.faults):
            for process in fault.processes:
                number = self.number(process)
                if number not in situation.crashed and situation.crashes[index] < fault.at_most:
                    counts = tuple(c + (n == index) for n, c in enumerate(situation.crashes))
                    crashed = situation.crashed | {number}
                    yield Situation(situation.fields, crashed, counts, situation.network)


def _grouped(messages: tuple[Any, ...]) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = {}
    for network, sender, receiver, text in messages:
        groups.setdefault((network, sender, receiver), []).append(text)
    return groups
