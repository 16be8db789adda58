"""Values, conditions and what they ask of channels and of other processes."""

from __future__ import annotations

from tests.differential.generator.drawing import Drawing
from tests.differential.generator.elements import INDEXING, SIGNED, WIDE_ENOUGH, Channel, Context, Place, Process


class Expressions(Drawing):
    def globally(self) -> Context:
        """Where only global variables can be seen."""
        return Context(Process("", None, 0, True), tuple(self.places), mode="global")

    def readable(self, context: Context) -> list[Place]:
        return [place for place in context.places if place.readable and not place.is_mtype]

    def text(self, place: Place, context: Context) -> str:
        return ".".join(
            name if length is None else f"{name}[{self.index(length, context)}]" for name, length in place.path
        )

    def index(self, length: int, context: Context) -> str:
        plain = [p for p in context.places if p.plain and p.readable and p.type in INDEXING]
        if plain and self.maybe(0.4):
            return f"{self.rng.choice(plain).path[0][0]} % {length}"
        if self.has("_pid") and context.mode != "global" and self.maybe(0.3):
            return f"_pid % {length}"
        return str(self.rng.randrange(length))

    def leaf(self, context: Context) -> str:
        places = self.readable(context)
        if places and self.maybe(0.65):
            return self.text(self.rng.choice(places), context)
        if self.maybe(0.4) and context.mode != "global":
            extra = self.special(context)
            if extra:
                return self.rng.choice(extra)
        if self.has("defines") and self.maybe(0.2):
            return self.rng.choice(("N", "K"))
        if self.has("wide") and self.maybe(0.15):
            return self.rng.choice(("255", "256", "-1", "128", "32768", "65537"))
        return str(self.rng.randint(0, 3))

    def special(self, context: Context) -> list[str]:
        """Values that are not those of variables."""
        result = [name for name in ("_pid", "_nr_pr", "_last") if self.has(name)]
        result += [f"len({self.channel_text(c, context)})" for c in self.observable(context) if c.capacity]
        if self.has("priorities"):
            result += ["_priority", f"get_priority({self.rng.randint(0, 2)})"]
        result += context.process.counters[: context.counters]
        result += self.remote_references(context)
        if context.mode == "" and context.process.first_pid is not None:
            result += [f"enabled({pid})" for pid in self.plain_pids]
        return result

    def remote_references(self, context: Context) -> list[str]:
        """Of processes that were there before this one, and so live as long as it does."""
        result = []
        own = context.process.first_pid
        for process, what in self.remotes if context.mode != "d_step" else ():
            assert process.first_pid is not None
            if process is not context.process and (own is None or own > process.first_pid):
                number = "" if process.copies == 1 and self.maybe(0.5) else f"[{process.first_pid}]"
                result.append(f"{process.name}{number}{what}")
        return result

    def expression(self, context: Context, depth: int = 2) -> str:
        if depth == 0 or self.maybe(0.4):
            return self.leaf(context)
        if not self.has("operators"):
            return self.wrap(f"{self.expression(context, depth - 1)} {self.rng.choice('+-')} {self.leaf(context)}")
        if self.has("conditional") and self.maybe(0.2):
            condition = self.condition(context, depth - 1, polls=False)
            return f"({condition} -> {self.expression(context, depth - 1)} : {self.expression(context, depth - 1)})"
        left = self.expression(context, depth - 1)
        operator = self.rng.choice(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "==", "-x", "~x", "!x"))
        match operator:
            case "*":
                return f"(({left} & 7) * ({self.expression(context, depth - 1)} & 3))"
            case "/" | "%" | ">>":
                return f"(({left}) {operator} {self.rng.randint(1, 3)})"
            case "<<":
                return f"(({left} & 7) << {self.rng.randint(0, 3)})"
            case "-x" | "~x" | "!x":
                return f"({operator[0]}({left}))"
            case _:
                return self.wrap(f"{left} {operator} {self.expression(context, depth - 1)}")

    def wrap(self, text: str) -> str:
        return text if self.has("no parentheses") and self.maybe(0.5) else f"({text})"

    def small(self, context: Context) -> str:
        """An expression of few values."""
        form = self.weighted({"constant": 4, "&": 3, "%": 2, "condition": 1, "high": 0.5 * self.has("wide")})
        match form:
            case "constant":
                return str(self.rng.randint(0, 2))
            case "&":
                return f"({self.expression(context)} & {self.rng.choice((1, 1, 2, 3))})"
            case "%":
                return f"(({self.expression(context)}) % {self.rng.randint(2, 3)})"
            case "condition":
                return f"({self.condition(context, polls=False)})"
            case _:
                return f"(({self.expression(context)} & 1) + {self.rng.choice((255, 127, 32767, 65535))})"

    def constant(self, type: str) -> str:
        if type in self.mtypes:
            return self.rng.choice(self.mtypes[type])
        if type in ("bit", "bool"):
            return self.rng.choice(("0", "1", "true", "false"))
        if type in SIGNED and self.maybe(0.4):
            return str(self.rng.randint(-3, -1))
        if self.has("wide") and type in ("byte", "short", "int") and self.maybe(0.2):
            return str(self.rng.choice((254, 255, 127)))
        return str(self.rng.randint(0, 3))

    def value(self, type: str, context: Context, bounded: bool) -> str:
        if type in self.mtypes:
            same = [p for p in context.places if p.type == type and p.readable]
            if same and self.maybe(0.4):
                return self.text(self.rng.choice(same), context)
            return self.constant(type)
        return self.small(context) if bounded or self.maybe(0.3) else self.expression(context)

    def condition(self, context: Context, depth: int = 1, polls: bool = True) -> str:
        if depth > 0 and self.maybe(0.35):
            if self.macros and context.mode != "global" and self.maybe(0.3):
                return f"both({self.condition(context, 0, False)}, {self.condition(context, 0, False)})"
            left, right = self.condition(context, depth - 1, polls), self.condition(context, depth - 1, polls)
            return self.wrap(f"{left} {self.rng.choice(('&&', '||'))} {right}")
        if self.macros and context.mode != "global" and self.maybe(0.2):
            return self.rng.choice(self.macros)
        if polls and self.has("polls") and context.mode != "global" and self.maybe(0.4):
            observable = [c for c in self.observable(context) if c.capacity]
            if observable:
                return self.poll(self.rng.choice(observable), context)
        if self.mtypes and self.maybe(0.3):
            types = [p for p in context.places if p.is_mtype and p.readable]
            if types:
                place = self.rng.choice(types)
                return f"({self.text(place, context)} {self.rng.choice(('==', '!='))} {self.constant(place.type)})"
        if self.has("operators") and self.maybe(0.15):
            return f"!({self.condition(context, 0, False)})"
        operator = self.rng.choice(("==", "!=", "<", ">", "<=", ">="))
        places = self.readable(context)
        left = self.text(self.rng.choice(places), context) if places else "1"
        if self.maybe(0.3):
            left = f"({self.expression(context)})"
        return f"({left} {operator} {self.leaf(context) if self.maybe(0.3) else self.rng.randint(0, 2)})"

    def poll(self, channel: Channel, context: Context) -> str:
        name = self.channel_text(channel, context)
        if self.maybe(0.5):
            return f"{self.rng.choice(('full', 'empty', 'nfull', 'nempty'))}({name})"
        operator = "??" if self.has("random receive") and self.maybe(0.4) else "?"
        patterns = self.patterns(channel, context, poll=True)
        return f"{name}{operator}[{patterns}]"

    def visible_channels(self, context: Context) -> list[Channel]:
        return [*self.channels, *context.process.channels]

    def observable(self, context: Context) -> list[Channel]:
        name = context.process.name
        return [
            c for c in self.visible_channels(context) if not (c.sender or c.receiver) or name == c.sender == c.receiver
        ]

    def channel_text(self, channel: Channel, context: Context) -> str:
        return channel.name if channel.length is None else f"{channel.name}[{self.index(channel.length, context)}]"

    def patterns(self, channel: Channel, context: Context, poll: bool = False) -> str:
        return ", ".join(self.pattern(type, context, poll) for type in channel.fields)

    def pattern(self, type: str, context: Context, poll: bool = False) -> str:
        """What a receive has for one field."""
        places = [p for p in context.places if p.type in WIDE_ENOUGH.get(type, (type,))]
        if self.has("d_step"):
            places = [p for p in places if p.readable]  # docs/promela.md: hidden variables are not restored
        if places and not poll and self.maybe(0.6):
            return self.text(self.rng.choice(places), context)
        form = self.rng.choice(("_", "_", "constant", "eval"))
        if form == "eval" and type not in self.mtypes and not (poll and self.has("random receive")):
            readable = self.readable(context)
            if readable:
                return f"eval({self.text(self.rng.choice(readable), context)})"
            if self.has("_pid"):
                return "eval(_pid)"
        return self.constant(type) if form != "_" or poll else "_"
