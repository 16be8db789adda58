"""Statements that send or receive."""

from __future__ import annotations

import re

from mule.records import replace
from tests.differential.generator.elements import Channel, Context, Lines
from tests.differential.generator.expressions import Expressions


class Channels(Expressions):
    def send(self, context: Context, channel: Channel | None = None) -> str | None:
        name = context.process.name
        possible = [c for c in self.visible_channels(context) if c.sender in (None, name)]
        if channel is None and not possible:
            return None
        channel = channel or self.rng.choice(possible)
        values = [self.value(type, context, True) for type in channel.fields]
        operator = "!!" if channel.capacity > 1 and self.has("sorted send") and self.maybe(0.5) else "!"
        message = ", ".join(values)
        if len(values) > 1 and self.maybe(0.2) and values[0].isalnum():
            message = f"{values[0]}({', '.join(values[1:])})"
        return f"{self.channel_text(channel, context)}{operator}{message}"

    def receive(self, context: Context, channel: Channel | None = None) -> str | None:
        name = context.process.name
        possible = [c for c in self.visible_channels(context) if c.receiver in (None, name)]
        if channel is None and not possible:
            return None
        channel = channel or self.rng.choice(possible)
        operator = "??" if channel.capacity and self.has("random receive") and self.maybe(0.4) else "?"
        while True:
            name, patterns = self.channel_text(channel, context), self.patterns(channel, context)
            if not _reads_what_it_receives(name, patterns):
                break
        if channel.capacity and operator == "?" and context.mode != "d_step" and self.maybe(0.15):
            patterns = f"<{patterns}>"
        elif len(channel.fields) > 1 and self.maybe(0.2):
            first, *others = patterns.split(", ")
            patterns = f"{first}({', '.join(others)})"
        return f"{name}{operator}{patterns}"

    def structure_variable(self, context: Context) -> str:
        assert self.message is not None
        return f"v{self.message[0].name}"

    def structure_message(self, context: Context) -> str:
        assert self.message is not None
        return f"{self.message[0].name}{self.rng.choice('!?')}{self.structure_variable(context)}"

    def bind(self, context: Context) -> Lines:
        """A channel in a local variable, and what becomes of it."""
        free = [c for c in self.observable(context) if not c.local]
        if not free:
            return ["skip"]
        channel = self.rng.choice(free)
        bound = replace(channel, name="bound", length=None)
        use = self.send(context, bound) if self.maybe(0.5) else self.receive(context, bound)
        return [f"bound = {self.channel_text(channel, context)};", use or "skip"]

    def carry(self, context: Context) -> Lines:
        assert self.carrier is not None
        assert self.carried is not None
        if self.maybe(0.5):
            same = [c for c in self.channels if c.signature == self.carried.signature and not c.sender]
            return [f"{self.carrier.name}!{self.channel_text(self.rng.choice(same), context)}"]
        received = replace(self.carried, name="carried", length=None)
        use = self.send(context, received) if self.maybe(0.5) else self.receive(context, received)
        return [f"{self.carrier.name}?carried;", use or "skip"]


def _reads_what_it_receives(channel: str, patterns: str) -> bool:
    """Whether a variable that gets a value is there twice, as an index or in `eval` perhaps. SPIN rejects some of that,
    and where pan takes back such a receive it looks at the new values, so that counts depend on its order of search."""
    targets = [match.split("[")[0].split(".")[0] for match in patterns.split(", ") if not match.startswith("eval(")]
    words = re.findall(r"[a-z_]\w*", f"{channel} {patterns}")
    return any(words.count(target) > 1 for target in targets if target in words and target != "_")
