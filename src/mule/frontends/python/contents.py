"""A queue in the middle of a step: what was taken out of it and what was put in."""

from __future__ import annotations

from dataclasses import dataclass, field

from mule.frontends.actors.paths import Path
from mule.frontends.actors.values import Failing
from mule.frontends.python.memory import QueuePlace
from mule.model import Receive, Send, Statement
from mule.model.expressions import Conditional, Constant, Expression, Read
from mule.model.simplify import binary

Payload = tuple[Expression, ...]


@dataclass(slots=True)
class Contents:
    place: QueuePlace
    taken: int = 0
    """How many of the items before the step are gone."""
    added: list[Payload] = field(default_factory=list)

    @property
    def change(self) -> int:
        return len(self.added) - self.taken

    @property
    def length(self) -> Expression:
        before = Read(self.place.channel.length)
        if self.change < 0:
            return binary("-", before, Constant(-self.change))
        return binary("+", before, Constant(self.change)) if self.change else before

    def compare(self, operator: str, number: int) -> Expression:
        """How many there are, compared with a number."""
        return binary(operator, Read(self.place.channel.length), Constant(number - self.change))

    def full(self) -> Expression:
        return self.compare(">=", self.place.channel.capacity)

    def empty(self) -> Expression:
        return self.compare("<=", 0)

    def put(self, path: Path, payload: Payload) -> None:
        if path.decide(self.full()):
            raise Failing(f"QueueFull: {self.place.channel.name} is full")
        self.added.append(payload)

    def get(self, path: Path) -> Payload:
        if path.decide(self.empty()):
            raise Failing(f"QueueEmpty: {self.place.channel.name} is empty")
        old = binary(">", Read(self.place.channel.length), Constant(self.taken))
        if self.added and not path.decide(old):
            return self.added.pop(0)
        self.taken += 1
        return tuple(Read(field, Constant(self.taken - 1)) for field in self.place.channel.fields)

    # the result -------------------------------------------------------------------------------------------------------

    def sends(self) -> list[Statement]:
        return [Send(self.place.channel, payload) for payload in self.added]

    def receives(self) -> list[Statement]:
        channel = self.place.channel
        return [Receive(channel, (None,) * len(channel.fields))] * self.taken

    def assignments(self) -> dict[Read, Expression]:
        """The same cell by cell, where there is more to it than sends or receives."""
        channel = self.place.channel
        found: dict[Read, Expression] = {Read(channel.length): self.length}
        kept = binary("-", Read(channel.length), Constant(self.taken)) if self.taken else Read(channel.length)
        for part, variable in enumerate(channel.fields):
            for position in range(channel.capacity):
                value: Expression = Constant(0)
                for offset, payload in enumerate(self.added):
                    if position >= offset:
                        value = _where(binary("==", kept, Constant(position - offset)), payload[part], value)
                if position + self.taken < channel.capacity:
                    old = Read(variable, Constant(position + self.taken))
                    value = _where(binary(">", kept, Constant(position)), old, value)
                found[Read(variable, Constant(position))] = value
        return found


def _where(test: Expression, then: Expression, otherwise: Expression) -> Expression:
    if isinstance(test, Constant):
        return then if test.value else otherwise
    return then if then == otherwise else Conditional(test, then, otherwise)
