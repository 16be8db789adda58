"""Random Promela programs with small state spaces, for comparison with SPIN.

Each program uses its own random subset of the language (swarm testing: Groce et al., ISSTA 2012), so that features meet
in ever new company. State spaces are finite by construction: processes that loop assign values out of small ranges
only, processes that do not loop may let values run and be cut off. What SPIN rejects, or what makes its verifier stop
(indices out of range, a `d_step` that blocks inside, polling a rendezvous channel), is not generated.

    python -m tests.differential.promela_programs --count 2000

compares as many programs and shrinks each that the two tools see differently.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from multiprocessing import Pipe, get_context
from pathlib import Path

from tests.differential.spin_runner import QUESTIONS, Difference, NotComparableError, SpinAnswer, ask_spin, compare

FEATURES = {
    "arrays": 0.4,
    "assert": 0.5,
    "atomic": 0.5,
    "backward": 0.3,
    "bare": 0.3,
    "blocks": 0.25,
    "channel array": 0.25,
    "channels": 0.8,
    "channels as arguments": 0.5,
    "channels in messages": 0.2,
    "conditional": 0.3,
    "copies": 0.4,
    "d_step": 0.4,
    "defines": 0.3,
    "do": 0.7,
    "else": 0.6,
    "else beside channels": 0.3,
    "end labels": 0.6,
    "exclusive": 0.25,
    "for": 0.35,
    "for in": 0.3,
    "goto": 0.4,
    "hidden": 0.15,
    "inlines": 0.35,
    "initial values": 0.6,
    "_last": 0.05,
    "line ends": 0.15,
    "lively": 0.6,
    "local channels": 0.2,
    "ltl": 0.1,
    "macros": 0.2,
    "mtype": 0.4,
    "_nr_pr": 0.2,
    "no parentheses": 0.3,
    "operators": 0.6,
    "_pid": 0.4,
    "polls": 0.4,
    "printf": 0.3,
    "priorities": 0.0,  # with them pan leaves out states that it has without; docs/promela.md
    "provided": 0.08,
    "random receive": 0.4,
    "remote": 0.2,
    "rendezvous": 0.5,
    "return": 0.1,
    "run": 0.5,
    "run in loops": 0.15,
    "select": 0.25,
    "signed": 0.4,
    "sorted send": 0.3,
    "structures": 0.3,
    "structures in messages": 0.15,
    "timeout": 0.25,
    "unless": 0.25,
    "visibility": 0.2,
    "wide": 0.4,
}

SECONDS = 60
"""For all that Mule is asked about one program."""

Lines = list[str]

NUMERIC = ("bit", "bool", "byte", "pid", "unsigned")
SIGNED = ("short", "int")
COUNTING = ("byte", "short", "int", "pid")
"""Can hold the bounds of `for` and `select`, so that those end."""

INDEXING = ("bit", "bool", "byte", "unsigned")
_BYTES = ("byte", "pid", "short", "int")
WIDE_ENOUGH = {**dict.fromkeys(("bit", "bool", "byte", "pid", "unsigned"), _BYTES), "short": SIGNED, "int": ("int",)}
"""What can receive a field of a message: where pan takes back a receive it puts the variable's value, not the message,
back into the channel, so that all counts after a receive that cut a value depend on the order of its search."""


@dataclass(frozen=True, slots=True)
class Place:
    """What can be assigned: a variable, or an element or field at the end of a path of names and lengths."""

    path: tuple[tuple[str, int | None], ...]
    type: str
    readable: bool = True

    @property
    def is_mtype(self) -> bool:
        return self.type.startswith("mtype")

    @property
    def plain(self) -> bool:
        return len(self.path) == 1 and self.path[0][1] is None


@dataclass(frozen=True, slots=True)
class Channel:
    name: str
    capacity: int
    fields: tuple[str, ...]
    length: int | None = None
    receiver: str | None = None
    """The only process that may receive, or even look at, it; and the only one that may send to it."""
    sender: str | None = None
    local: bool = False

    @property
    def signature(self) -> tuple[bool, tuple[str, ...]]:
        """What a channel must agree in to take another one's place."""
        return self.capacity > 0, self.fields


@dataclass(frozen=True, slots=True)
class Inline:
    name: str
    parameters: tuple[str, ...]
    """For each parameter: `place`, `value` or the name of the channel it can be replaced by."""
    blocks: bool
    returns: bool = False


@dataclass
class Process:
    name: str
    first_pid: int | None
    """None if it is only started by `run`."""
    copies: int
    loops: bool
    parameters: list[Place] = field(default_factory=list)
    channels: list[Channel] = field(default_factory=list)
    """Parameters and local ones."""
    locals: list[Place] = field(default_factory=list)
    counters: list[str] = field(default_factory=list)
    """For loops; nothing else writes them."""
    labels: list[tuple[int, str]] = field(default_factory=list)
    """Which statement of the body has it, and its name."""
    runs: bool = False
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """Where a statement stands."""

    process: Process
    places: tuple[Place, ...]
    position: int = 0
    """Of the statement of the body that it is, or is part of."""
    depth: int = 0
    mode: str = ""
    """`atomic`, `d_step` or neither."""
    loop: bool = False
    """Whether `break` is allowed."""
    counters: int = 0
    """How many are in use around it."""
    repeated: bool = False


def random_program(rng: random.Random) -> str:
    return Generator(rng).program()


class Generator:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.features = {name for name, probability in FEATURES.items() if rng.random() < probability}
        self.mtypes: dict[str, tuple[str, ...]] = {}
        self.structures: dict[str, tuple[Place, ...]] = {}
        self.places: list[Place] = []
        self.channels: list[Channel] = []
        self.carrier: Channel | None = None
        self.carried: Channel | None = None
        self.message: tuple[Channel, str] | None = None
        """A channel of structures, and the type of these."""
        self.inlines: list[Inline] = []
        self.macros: list[str] = []
        self.processes: list[Process] = []
        self.remotes: list[tuple[Process, str]] = []
        self.names = 0
        if self.has("exclusive"):
            self.features -= {"else beside channels"}  # SPIN has not both
        if self.has("priorities"):
            self.features -= {"rendezvous"}  # SPIN has not both

    # Drawing

    def has(self, feature: str) -> bool:
        return feature in self.features

    def maybe(self, probability: float) -> bool:
        return self.rng.random() < probability

    def weighted(self, choices: dict[str, float]) -> str:
        return self.rng.choices(list(choices), list(choices.values()))[0]

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    # Declarations

    def program(self) -> str:
        lines: Lines = []
        if self.has("defines"):
            lines += ["#define N 2", "#define K 1 + 1"]
        lines += self.mtype_declarations() + self.structure_declarations() + self.global_declarations()
        self.plan_processes()
        lines += self.channel_declarations()
        for process in self.processes:
            if process.first_pid is None:
                self.add_parameters(process)
        if self.has("macros"):
            lines += self.macro_definitions()
        if self.has("inlines"):
            for _ in range(self.rng.randint(1, 2)):
                lines += self.inline_definition()
        units = [self.process_definition(process) for process in self.processes]
        for unit in units:
            lines += unit
        if self.has("lively") and self.has("channels"):
            lines += self.partner()
        if self.has("ltl"):
            place = self.rng.choice(self.readable(self.globally()))
            lines.append(f"ltl p1 {{ [] ({self.text(place, self.globally())} >= 0) }}")
        return "\n".join(lines) + "\n"

    def mtype_declarations(self) -> Lines:
        if not self.has("mtype"):
            return []
        lines = []
        for subtype in ("", ":fruit")[: self.rng.choice((1, 1, 2))]:
            names = tuple(f"{'abcd'[i]}{subtype[1:2]}" for i in range(self.rng.randint(2, 3)))
            self.mtypes[f"mtype{subtype}"] = names
            lines.append(f"mtype{subtype} = {{ {', '.join(names)} }};")
        return lines

    def numeric_type(self) -> str:
        types = list(NUMERIC)
        if self.has("signed"):
            types += SIGNED
        return self.rng.choice(types)

    def any_type(self) -> str:
        if self.mtypes and self.maybe(0.3):
            return self.rng.choice(list(self.mtypes))
        return self.numeric_type()

    def structure_declarations(self) -> Lines:
        lines = []
        if self.has("structures") or self.has("structures in messages"):
            lines += self.structure("T1", [])
        if self.has("structures") and self.maybe(0.6):
            lines += self.structure("T2", [("T1", self.rng.choice((None, 2)))])
        return lines

    def structure(self, name: str, inner: list[tuple[str, int | None]]) -> Lines:
        lines = [f"typedef {name} {{"]
        fields: list[Place] = []
        for structure, length in inner:
            field_name = self.name("f")
            suffix = f"[{length}]" if length else ""
            lines.append(f"  {structure} {field_name}{suffix};")
            fields += [replace(p, path=((field_name, length), *p.path)) for p in self.structures[structure]]
        for _ in range(self.rng.randint(1, 2)):
            type = self.any_type()
            if self.has("structures in messages") and type == "unsigned":
                type = "byte"  # SPIN has none in messages
            lines.append("  " + self.declare(fields, type, self.name("f"), fixed=True))
        self.structures[name] = tuple(fields)
        return [*lines, "};"]

    def declare(self, places: list[Place], type: str, name: str, fixed: bool = False, prefix: str = "") -> str:
        """A variable of a basic type; `fixed`: initial values, if any, are constants."""
        length = 2 if self.has("arrays") and type != "unsigned" and self.maybe(0.3) else None
        suffix = f"[{'N' if self.has('defines') and self.maybe(0.5) else 2}]" if length else ""
        bits = " : 2" if type == "unsigned" else ""
        initial = ""
        if self.has("initial values") and self.maybe(0.5):
            if length and not type.startswith("mtype") and self.maybe(0.4):
                initial = f" = {{ {self.rng.randint(0, 3)}, {self.rng.randint(0, 1)} }}"
            elif fixed or length or self.maybe(0.5):
                initial = f" = {self.constant(type)}"
            else:
                initial = f" = {self.value(type, self.globally(), False)}"
        places.append(Place(((name, length),), type, prefix != "hidden "))
        return f"{prefix}{type} {name}{suffix}{bits}{initial};"

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

    def global_declarations(self) -> Lines:
        lines = []
        for _ in range(self.rng.randint(1, 3)):
            prefix = ""
            if self.has("visibility") and self.maybe(0.4):
                prefix = self.rng.choice(("show ", "local "))
            lines.append(self.declare(self.places, self.any_type(), self.name("g"), fixed=True, prefix=prefix))
        if self.has("hidden"):
            type = self.rng.choice(("byte", "short", "int"))
            lines.append(self.declare(self.places, type, self.name("h"), fixed=True, prefix="hidden "))
        if not any(place.readable and not place.is_mtype for place in self.places):
            lines.append(self.declare(self.places, "byte", self.name("g"), fixed=True))
        if self.has("structures"):
            name, length = self.name("s"), self.rng.choice((None, None, 2))
            structure = self.rng.choice(list(self.structures))
            lines.append(f"{structure} {name}{'[2]' if length else ''};")
            self.places += self.of_structure(structure, name, length)
        return lines

    def of_structure(self, structure: str, name: str, length: int | None) -> list[Place]:
        return [replace(place, path=((name, length), *place.path)) for place in self.structures[structure]]

    def plan_processes(self) -> None:
        """Who there is; bodies come later, when everything they can refer to is known."""
        starting = self.rng.choice((2, 2, 3) if not self.has("lively") and not self.has("run") else (1, 2, 2))
        pid = 0
        for _ in range(starting):
            copies = 2 if self.has("copies") and starting < 3 and self.maybe(0.5) else 1
            self.processes.append(Process(self.name("P"), pid, copies, self.has("do") and self.maybe(0.6)))
            pid += copies
        if self.has("run"):
            if self.maybe(0.5):
                self.processes[0].name = "init"
                pid -= self.processes[0].copies - 1
                self.processes[0].copies = 1
                for process in self.processes[1:]:
                    assert process.first_pid is not None
                    process.first_pid = process.first_pid - (pid < process.first_pid)
                position = self.rng.randrange(len(self.processes))
                self.processes.insert(position, self.processes.pop(0))
            for _ in range(self.rng.choice((1, 1, 2))):
                self.processes.append(Process(self.name("R"), None, 0, self.has("do") and self.maybe(0.3)))
        pid = 0
        for process in self.processes:
            if process.first_pid is not None:
                process.first_pid = pid
                pid += process.copies
            if self.has("priorities") and self.maybe(0.5):
                process.priority = self.rng.randint(1, 3)

    def channel_declarations(self) -> Lines:
        lines: Lines = []
        if not self.has("channels"):
            return lines
        for _ in range(self.rng.randint(1, 2)):
            channel = self.channel(self.name("c"))
            if self.has("channel array") and self.maybe(0.5):
                channel = replace(channel, length=2)
            elif self.has("exclusive") and self.maybe(0.6):
                channel = self.exclusive(channel)
            self.channels.append(channel)
            lines.append(self.channel_declaration(channel))
        if self.has("channels in messages"):
            self.carried = next((c for c in self.channels if not c.receiver and not c.sender), None)
            if self.carried:
                self.carrier = Channel(self.name("k"), int(not self.has("rendezvous")), ("chan",))
                lines.append(self.channel_declaration(self.carrier))
        if self.has("structures in messages"):
            self.message = Channel(self.name("m"), self.rng.randint(1, 2), ("T1",)), "T1"
            lines.append(self.channel_declaration(self.message[0]))
        return lines

    def channel(self, name: str) -> Channel:
        capacity = 0 if self.has("rendezvous") and self.maybe(0.5) else self.rng.choice((1, 1, 2))
        return Channel(name, capacity, tuple(self.any_type() for _ in range(self.rng.choice((1, 1, 2)))))

    def exclusive(self, channel: Channel) -> Channel:
        single = [p.name for p in self.processes if p.copies == 1]
        if not single:
            return channel
        sender, receiver = self.rng.choice(single), self.rng.choice(single)
        return replace(channel, sender=sender, receiver=receiver)

    def channel_declaration(self, channel: Channel) -> str:
        capacity = "N" if self.has("defines") and channel.capacity == 2 else str(channel.capacity)
        fields = ", ".join("byte" if type == "unsigned" else type for type in channel.fields)
        suffix = f"[{channel.length}]" if channel.length else ""
        return f"chan {channel.name}{suffix} = [{capacity}] of {{ {fields} }};"

    def macro_definitions(self) -> Lines:
        context = self.globally()
        self.macros.append("cond1")
        return [
            f"#define cond1 ({self.condition(context)})",
            "#define next(x, d) x = (x + d) % 3",
            "#define both(x, y) ((x) && (y))",
        ]

    def globally(self) -> Context:
        """Where only global variables can be seen."""
        return Context(Process("", None, 0, True), tuple(self.places), mode="global")

    # Expressions

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
        # Not _priority or get_priority(…): where a guard reads one, pan leaves out states whatever the value.
        result += context.process.counters[: context.counters]
        result += self.remote_references(context)
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

    # Channels

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
        if places and not poll and self.maybe(0.6):
            return self.text(self.rng.choice(places), context)
        form = self.rng.choice(("_", "_", "constant", "eval"))
        if form == "eval" and type not in self.mtypes and not (poll and self.has("random receive")):
            readable = self.readable(context)
            if readable:
                return f"eval({self.text(self.rng.choice(readable), context)})"
        return self.constant(type) if form != "_" or poll else "_"

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
        return f"{name}{operator}{patterns}"

    # Simple statements: one line each

    def assignment(self, context: Context) -> str:
        place = self.rng.choice(context.places)
        text = self.text(place, context)
        bounded = context.process.loops or context.repeated
        if not place.is_mtype:
            if self.maybe(0.2) and (not bounded or place.type in ("bit", "bool", "unsigned")) and place.readable:
                return f"{text}{self.rng.choice(('++', '--'))}"
            if self.macros and place.readable and self.maybe(0.2):
                return f"next({text}, {self.rng.randint(1, 2)})"
        if self.has("polls") and not place.is_mtype and self.maybe(0.1):
            channels = [c for c in self.observable(context) if c.capacity]
            if channels:
                return f"{text} = {self.poll(self.rng.choice(channels), context)}"
        return f"{text} = {self.value(place.type, context, bounded)}"

    def assertion(self, context: Context) -> str:
        if self.maybe(0.4):
            return f"assert({self.condition(context)})"
        places = self.readable(context)
        if not places:
            return "assert(true)"
        text = self.text(self.rng.choice(places), context)
        return f"assert({text} < 300000 || {self.condition(context, 0)})"

    def printing(self, context: Context) -> str:
        types = [p for p in context.places if p.is_mtype and p.readable and p.plain]
        if types and self.maybe(0.3):
            return f"printm({self.rng.choice(types).path[0][0]})"
        if self.maybe(0.5):
            return 'printf("here\\n")'
        return f'printf("%d\\n", {self.expression(context)})'

    def guard(self, context: Context, last: bool = False) -> Lines:
        """The first statement of an option."""
        kinds = {"condition": 5.0, "send": 2, "receive": 3, "assignment": 1.5, "skip": 0.3}
        kinds["atomic"] = 0.7 * self.has("atomic") * (context.mode == "" and context.depth < 3)
        kinds["d_step"] = 0.5 * self.has("d_step") * (context.mode != "d_step" and context.depth < 3)
        kinds["run"] = 0.3 * self.may_run(context)
        match self.weighted(kinds):
            case "send":
                return [self.send(context) or self.condition(context)]
            case "receive":
                return [self.receive(context) or self.condition(context)]
            case "assignment":
                return [self.assignment(context)]
            case "skip":
                return ["skip"]
            case "atomic":
                return self.atomic(context)
            case "d_step":
                return self.d_step(context)
            case "run":
                return [self.run(context)]
            case _:
                return [self.condition(context)]

    # Compound statements

    def statement(self, context: Context) -> Lines:
        """Without a separator at the end."""
        plain, deep = context.mode == "", context.depth >= 3
        weights = {
            "assignment": 6.0,
            "condition": (0.2 if self.has("lively") else 1.2) * (context.mode != "d_step"),
            "send": 2.5 * (context.mode != "d_step"),
            "receive": 2.5 * (context.mode != "d_step"),
            "printf": 0.4 * self.has("printf"),
            "assert": 0.8 * self.has("assert"),
            "if": 2.0 * (not deep),
            "do": 0.8 * (plain and not deep and self.has("do") and context.process.loops),
            "for": 1.0 * (not deep and self.has("for")),
            "for in": 0.8 * (not deep and self.has("for in") and self.has("arrays")),
            "for message": 1.0 * (plain and not deep and self.message is not None),
            "message": 2.0 * (context.mode != "d_step" and self.message is not None),
            "select": 1.0 * self.has("select") * (context.mode != "d_step"),
            "atomic": 1.2 * (plain and not deep and self.has("atomic")),
            "d_step": 1.0 * (context.mode != "d_step" and not deep and self.has("d_step")),
            "block": 0.7 * (context.mode != "d_step" and not deep and self.has("blocks")),
            "unless": 1.0 * (plain and not deep and self.has("unless")),
            "goto": 1.0 * (context.mode != "d_step" and self.has("goto") and bool(self.targets(context))),
            "inline": 1.0 * bool(self.callable(context)),
            "run": 1.5 * self.may_run(context),
            "run in loops": 0.8
            * (context.mode != "d_step" and self.has("run in loops") and bool(self.runnable(context))),
            "carry": 1.0 * (context.mode != "d_step" and self.carrier is not None),
            "timeout": 0.2 * (plain and self.has("timeout")),
            "priority": 0.5 * (self.has("priorities") and context.mode != "d_step"),
        }
        match self.weighted(weights):
            case "condition":
                return [self.condition(context)]
            case "send":
                return [self.send(context) or self.assignment(context)]
            case "receive":
                return [self.receive(context) or self.assignment(context)]
            case "printf":
                return [self.printing(context)]
            case "assert":
                return [self.assertion(context)]
            case "if":
                return self.selection(context)
            case "do":
                return self.repetition(context)
            case "for":
                return self.for_loop(context)
            case "for in":
                return self.for_elements(context)
            case "for message":
                return self.for_messages(context)
            case "message":
                return [self.structure_message(context)]
            case "select":
                return [self.select(context)]
            case "atomic":
                return self.atomic(context)
            case "d_step":
                return self.d_step(context)
            case "block":
                return self.block(context)
            case "unless":
                return self.unless(context)
            case "goto":
                return self.jump(context)
            case "inline":
                return [self.call(context)]
            case "run":
                return [self.run(context)]
            case "run in loops":
                limit = sum(p.copies for p in self.processes) + 1
                return ["atomic {", f"  _nr_pr < {limit} ->", f"  {self.run(context)};", "}"]
            case "carry":
                return self.carry(context)
            case "timeout":
                return ["timeout"]
            case "priority":
                return [f"set_priority(_pid, {self.rng.randint(1, 3)})"]
            case _:
                return [self.assignment(context)]

    def inside(self, context: Context) -> Context:
        return replace(context, depth=context.depth + 1)

    def sequence(self, statements: Sequence[Lines]) -> Lines:
        """With separators, one statement after the other, indented."""
        lines: Lines = []
        for statement in statements:
            if "d_step" in statement[0] and lines and lines[-1].rstrip(";")[-2:] in ("od", " }"):
                lines.append("  skip;")  # SPIN takes a `break` to a `d_step` for a jump into it
            lines += ("  " + line for line in self.ended(statement))
        return lines

    def ended(self, statement: Lines, arrow: bool = False) -> Lines:
        separator = ";"
        if self.has("line ends") and self.maybe(0.6) and statement[-1][-1] != ">":
            separator = ""
        elif arrow and self.maybe(0.7):
            separator = " ->"
        return [*statement[:-1], statement[-1] + separator]

    def statements(self, context: Context, low: int, high: int) -> list[Lines]:
        return [self.statement(context) for _ in range(self.rng.randint(low, high))]

    def option(self, guard: Lines, rest: list[Lines]) -> Lines:
        first = self.ended(guard, arrow=True) if rest else guard
        return [f":: {first[0]}", *("   " + line for line in first[1:]), *(" " + line for line in self.sequence(rest))]

    def options(self, context: Context, ending: float) -> Lines:
        """`ending`: how likely an option leaves the loop."""
        lines: Lines = []
        inside = self.inside(context)
        guards = [self.guard(inside) for _ in range(self.rng.choice((1, 2, 2, 3) if not ending else (2, 2, 3)))]
        communicates = any(
            "!" in line.replace("!=", "") or "?" in line or "full" in line or "empty" in line
            for guard in guards
            for line in guard
        )
        for guard in guards:
            rest = self.statements(inside, int(guard == ["skip"]), 2)
            if ending and self.maybe(ending):
                rest.append(["break"])
            lines += self.option(guard, rest)
        extra: list[tuple[Lines, list[Lines]]] = []
        if (
            self.has("else")
            and self.maybe(0.8 if self.has("lively") else 0.5)
            and (not communicates or self.has("else beside channels"))
        ):
            extra.append((["else"], self.statements(inside, 0, 1)))
        elif self.has("timeout") and context.mode == "" and self.maybe(0.3):
            extra.append((["timeout"], self.statements(inside, 0, 1)))
        if ending and self.maybe(0.3):
            lines += self.option(["break"], [])
        if not extra and self.has("lively") and self.maybe(0.6):
            lines += self.option([self.assignment(inside)], [])
        for guard, rest in extra:
            if ending and self.maybe(0.6):
                rest.append(["break"])
            lines += self.option(guard, rest)
        return lines

    def selection(self, context: Context) -> Lines:
        if context.mode == "d_step":
            inside = self.inside(context)
            lines: Lines = []
            for _ in range(self.rng.randint(1, 2)):
                guard = [self.condition(inside, polls=False)] if self.maybe(0.7) else [self.assignment(inside)]
                lines += self.option(guard, self.statements(inside, 0, 2))
            return ["if", *lines, *self.option(["else"], self.statements(inside, 0, 1)), "fi"]
        return ["if", *self.options(context, 0.15 * context.loop), "fi"]

    def repetition(self, context: Context) -> Lines:
        return ["do", *self.options(replace(context, loop=True, repeated=True), 0.2), "od"]

    def for_loop(self, context: Context) -> Lines:
        counter = self.counter(context)
        body = replace(
            self.inside(context), counters=context.counters + 1, loop=context.mode != "d_step", repeated=True
        )
        low = "0" if self.maybe(0.7) else str(self.rng.randint(0, 1))
        high = str(self.rng.randint(1, 2)) if self.maybe(0.7) else f"({self.expression(context)} & 1)"
        return [f"for ({counter} : {low} .. {high}) {{", *self.sequence(self.statements(body, 1, 2)), "}"]

    def counter(self, context: Context) -> str:
        while len(context.process.counters) <= context.counters:
            context.process.counters.append(self.name("i"))
        return context.process.counters[context.counters]

    def for_elements(self, context: Context) -> Lines:
        arrays = [p for p in context.places if len(p.path) == 1 and p.path[0][1] and not p.is_mtype]
        if not arrays:
            return self.for_loop(context)
        counter = self.counter(context)
        body = replace(
            self.inside(context), counters=context.counters + 1, loop=context.mode != "d_step", repeated=True
        )
        array = self.rng.choice(arrays).path[0][0]
        statements = self.statements(body, 0, 1)
        statements.append([f"{array}[{counter}] = {self.small(body)}"])
        return [f"for ({counter} in {array}) {{", *self.sequence(statements), "}"]

    def structure_variable(self, context: Context) -> str:
        assert self.message is not None
        return f"v{self.message[0].name}"

    def for_messages(self, context: Context) -> Lines:
        assert self.message is not None
        body = replace(self.inside(context), loop=True, repeated=True)
        channel, variable = self.message[0].name, self.structure_variable(context)
        statements = [self.statement(body)] if self.maybe(0.5) else [["skip"]]
        return [f"for ({variable} in {channel}) {{", *self.sequence(statements), "}"]

    def structure_message(self, context: Context) -> str:
        assert self.message is not None
        return f"{self.message[0].name}{self.rng.choice('!?')}{self.structure_variable(context)}"

    def select(self, context: Context) -> str:
        own = {*self.places, *context.process.locals}
        places = [p for p in context.places if p.type in COUNTING and p.readable and p.plain and p in own]
        if not places:
            return self.assignment(context)
        low = "0" if self.maybe(0.7) else f"({self.expression(context)} & 1)"
        return f"select ({self.rng.choice(places).path[0][0]} : {low} .. {self.rng.randint(1, 2)})"

    def atomic(self, context: Context) -> Lines:
        body = replace(self.inside(context), mode="atomic", loop=False)
        first = [self.guard(body)] if self.maybe(0.5) else []
        return ["atomic {", *self.sequence([*first, *self.statements(body, 1, 3)]), "}"]

    def d_step(self, context: Context) -> Lines:
        body = replace(self.inside(context), mode="d_step", loop=False)
        first = [self.d_step_guard(body)] if self.maybe(0.5) else []
        return ["d_step {", *self.sequence([*first, *self.statements(body, 1, 3)]), "}"]

    def d_step_guard(self, context: Context) -> Lines:
        """May block: nothing has been done yet."""
        buffered = [c for c in self.visible_channels(context) if c.capacity]
        name = context.process.name
        if buffered and self.maybe(0.5):
            channel = self.rng.choice(buffered)
            if channel.sender in (None, name) and self.maybe(0.5):
                return [self.send(context, channel) or "true"]
            if channel.receiver in (None, name):
                return [self.receive(context, channel) or "true"]
        return [self.condition(context)]

    def block(self, context: Context) -> Lines:
        inside = self.inside(context)
        declared: list[Place] = []
        first: list[Lines] = []
        if self.maybe(0.7):
            first.append([self.declare(declared, self.any_type(), self.name("b")).removesuffix(";")])
            if context.process.loops or context.repeated:
                first[-1][0] = first[-1][0].split(" = ")[0]
            inside = replace(inside, places=(*inside.places, *declared))
        return ["{", *self.sequence([*first, *self.statements(inside, 1, 2)]), "}"]

    def unless(self, context: Context) -> Lines:
        inside = replace(self.inside(context), loop=False)
        body = self.atomic(inside) if self.has("atomic") and self.maybe(0.2) else self.block(inside)
        escape = [[self.condition(inside)] if self.maybe(0.7) else [self.receive(inside) or "false"]]
        escape += self.statements(inside, 0, 1)
        kind = "atomic {" if self.has("atomic") and self.maybe(0.2) else "{"
        return [*body[:-1], f"}} unless {kind}", *self.sequence(escape), "}"]

    def targets(self, context: Context) -> list[str]:
        """Labels that a `goto` from here may name."""
        process = context.process
        back = self.has("backward") and process.loops and not process.runs and context.mode == ""
        return [label for position, label in process.labels if position > context.position or back]

    def jump(self, context: Context) -> Lines:
        goto = [f"goto {self.rng.choice(self.targets(context))}"]
        inside = self.inside(context)
        condition = [self.condition(inside, polls=False)]
        return ["if", *self.option(condition, [goto]), *self.option(["else"], []), "fi"]

    # Processes

    def runnable(self, context: Context) -> list[Process]:
        if not self.has("run"):
            return []
        position = self.processes.index(context.process) if context.process in self.processes else len(self.processes)
        return [p for p in self.processes[position + 1 :] if p.first_pid is None]

    def may_run(self, context: Context) -> bool:
        """Without a limit on the processes there are: where it happens once."""
        process = context.process
        return (
            context.mode != "d_step"
            and not context.repeated
            and (not process.loops or not self.has("backward"))
            and process.copies < 2
            and bool(self.runnable(context))
        )

    def run(self, context: Context) -> str:
        process = self.rng.choice(self.runnable(context))
        arguments = [
            self.constant(p.type) if p.is_mtype else self.value(p.type, context, process.loops)
            for p in process.parameters
        ]
        for parameter in process.channels:
            same = [c for c in self.observable(context) if c.signature == parameter.signature and not c.local]
            arguments.append(self.channel_text(self.rng.choice(same or [self.model_of(parameter)]), context))
        call = f"run {process.name}({', '.join(arguments)})"
        if process.priority:
            call += f" priority {process.priority}"
        pids = [p for p in context.places if p.type == "pid"]
        if pids and self.maybe(0.4):
            return f"{self.text(self.rng.choice(pids), context)} = {call}"
        return call

    def model_of(self, parameter: Channel) -> Channel:
        return next(c for c in self.channels if c.signature == parameter.signature and not c.sender)

    def carry(self, context: Context) -> Lines:
        assert self.carrier is not None
        assert self.carried is not None
        if self.maybe(0.5):
            same = [c for c in self.channels if c.signature == self.carried.signature and not c.sender]
            return [f"{self.carrier.name}!{self.channel_text(self.rng.choice(same), context)}"]
        received = replace(self.carried, name="carried", length=None)
        use = self.send(context, received) if self.maybe(0.5) else self.receive(context, received)
        return [f"{self.carrier.name}?carried;", use or "skip"]

    def process_definition(self, process: Process) -> Lines:
        declarations = self.local_declarations(process)
        places = (*self.places, *process.parameters, *process.locals)
        context = Context(process, places)
        body = self.body(context)
        for counter in process.counters:
            declarations.append(f"{self.rng.choice(('byte', 'int', 'short'))} {counter};")
        if process.first_pid is not None and process.name != "init" and self.has("remote"):
            self.remotes += [(process, f"@{label}") for at, label in process.labels if "d_step" not in body[at][0]]
            self.remotes += [(process, f":{place.path[0][0]}") for place in process.locals if place.plain]
        head = self.head(process)
        return [f"{head} {{", *("  " + line for line in declarations), *self.sequence(body), "}"]

    def partner(self) -> Lines:
        """A process that is always ready to send and receive, so that others do not wait for ever."""
        process = Process(self.name("Q"), 9, 1, True)
        context = Context(process, ())
        lines: Lines = []
        for channel in self.observable(context):
            if self.maybe(0.8):
                anything = ", ".join("_" for _ in channel.fields)
                lines += self.option([f"{self.channel_text(channel, context)}?{anything}"], [])
            if self.maybe(0.8):
                lines += self.option([self.send(context, channel) or ""], [])
        if self.carrier and self.maybe(0.7):
            lines += self.option([f"{self.carrier.name}?_"], [])
        if not lines:
            return []
        return [f"active proctype {process.name}() {{", "  end: do", *("  " + line for line in lines), "  od", "}"]

    def head(self, process: Process) -> str:
        priority = f" priority {process.priority}" if process.priority and process.first_pid is not None else ""
        if process.name == "init":
            return f"init{priority}"
        parameters = "; ".join(
            [f"{p.type} {p.path[0][0]}" for p in process.parameters]
            + [f"chan {c.name}" for c in process.channels if not c.local]
        )
        active = ""
        if process.first_pid is not None:
            active = f"active [{process.copies}] " if process.copies > 1 or self.maybe(0.1) else "active "
        provided = ""
        if self.has("provided") and self.maybe(0.4):
            provided = f" provided ({self.condition(self.globally())})"
        return f"{active}proctype {process.name}({parameters}){priority}{provided}"

    def local_declarations(self, process: Process) -> Lines:
        lines: Lines = []
        for channel in self.channels:
            if channel.receiver == process.name:
                lines.append(f"xr {channel.name};")
            if channel.sender == process.name:
                lines.append(f"xs {channel.name};")
        for _ in range(self.rng.choice((0, 0, 1, 1, 2))):
            prefix = "local " if self.has("visibility") and self.maybe(0.2) else ""
            line = self.declare(process.locals, self.any_type(), self.name("l"), prefix=prefix)
            lines.append(line)
        if self.has("structures") and self.maybe(0.2):
            name = self.name("s")
            lines.append(f"T1 {name};")
            process.locals += self.of_structure("T1", name, None)
        if self.has("channels") and self.has("local channels") and self.maybe(0.4):
            channel = replace(self.channel(self.name("d")), capacity=1, local=True)
            process.channels.append(channel)
            lines.append(self.channel_declaration(channel))
        if self.carrier:
            lines.append("chan carried;")
        if self.message:
            name = f"v{self.message[0].name}"
            lines.append(f"T1 {name};")
            process.locals += self.of_structure("T1", name, None)
        return lines

    def add_parameters(self, process: Process) -> None:
        for _ in range(self.rng.choice((0, 1, 1, 2))):
            type = self.any_type()
            process.parameters.append(Place(((self.name("p"), None),), "byte" if type == "unsigned" else type))
        free = [c for c in self.channels if not (c.sender or c.receiver)]
        if free and self.has("channels as arguments"):
            process.channels.append(replace(self.rng.choice(free), name=self.name("e"), length=None))

    def body(self, context: Context) -> list[Lines]:
        process = context.process
        length = self.rng.randint(3, 6) if not process.loops else self.rng.randint(1, 3)
        if self.has("run"):
            length = (length + 1) // 2
        main = self.rng.randint(0, length) if process.loops else None
        if main is not None:
            length += 1
        for position in range(length):
            if (self.has("goto") or self.has("remote") or self.has("end labels")) and self.maybe(0.4):
                stem = self.rng.choice(("L", "L", "end_", "progress", "accept_") if self.has("end labels") else ("L",))
                process.labels.append((position, self.name(stem)))
        if self.has("backward") and process.loops:
            process.runs = False
        result: list[Lines] = []
        for position in range(length):
            here = replace(context, position=position)
            if position == main:
                statement = self.repetition(here)
            elif self.starts_others(process, position):
                statement = [self.run(here)]
            else:
                statement = self.statement(here)
            labels = [label for at, label in process.labels if at == position]
            if position == main and not labels and self.has("end labels") and self.maybe(0.6):
                labels = [self.name("end")]
            if labels and "d_step" in statement[0]:
                statement = ["skip;", *statement]  # SPIN takes a `goto` to a `d_step` for a jump into it
            result.append([f"{labels[0]}: {statement[0]}", *statement[1:]] if labels else statement)
        return result

    def starts_others(self, process: Process, position: int) -> bool:
        """The first statements of the first process start others, so that `run` happens at all."""
        return (
            self.has("run")
            and process is self.processes[0]
            and position == 0
            and bool(self.runnable(Context(process, ())))
        )

    # Inlines

    def inline_definition(self) -> Lines:
        kinds = ["place", "value"][: self.rng.randint(1, 2)]
        places: tuple[Place, ...] = tuple(p for p in self.places if p.readable)
        names = []
        for kind in kinds:
            names.append(self.name("q"))
            places += (Place(((names[-1], None),), "int"),) if kind == "place" else ()
        free = [c for c in self.channels if not (c.sender or c.receiver) and c.length is None]
        blocks = bool(free) and self.maybe(0.4)
        process = Process("", None, 0, True)
        name = self.name("f")
        context = Context(process, places, mode="d_step" if not blocks else "atomic", depth=2, repeated=True)
        body = self.statements(context, 1, 2)
        if len(names) > 1:
            body.append([f"{names[0]} = (({names[1]}) & 1)"])
        if blocks:
            channel = self.rng.choice(free)
            kinds.append(channel.name)
            names.append(self.name("q"))
            parameter = replace(channel, name=names[-1])
            body.append([self.send(context, parameter) or "skip"])
        returns = self.has("return") and not blocks and self.maybe(0.5)
        if returns:
            body.append([f"return {self.small(context)}"])
        counters = [[f"byte {counter}"] for counter in process.counters]
        lines = [f"inline {name}({', '.join(names)}) {{", *self.sequence([*counters, *body]), "}"]
        self.inlines.append(Inline(name, tuple(kinds), blocks or bool(counters), returns))
        return lines

    def callable(self, context: Context) -> list[Inline]:
        return [i for i in self.inlines if not (context.mode == "d_step" and (i.blocks or i.returns))]

    def call(self, context: Context) -> str:
        inline = self.rng.choice(self.callable(context))
        arguments = []
        numeric = [p for p in context.places if p.readable and not p.is_mtype]
        for parameter in inline.parameters:
            if parameter == "place":
                arguments.append(self.text(self.rng.choice(numeric), context))
            elif parameter == "value":
                arguments.append(self.leaf(context))
            else:
                original = next(c for c in self.channels if c.name == parameter)
                same = [c for c in self.observable(context) if c.signature == original.signature]
                arguments.append(self.channel_text(self.rng.choice(same), context))
        call = f"{inline.name}({', '.join(arguments)})"
        if inline.returns:
            return f"{self.text(self.rng.choice(numeric), context)} = {call}"
        return call


def _reads_what_it_receives(channel: str, patterns: str) -> bool:
    """Whether a variable that gets a value is there twice, as an index or in `eval` perhaps. SPIN rejects some of that,
    and where pan takes back such a receive it looks at the new values, so that counts depend on its order of search."""
    targets = [match.split("[")[0].split(".")[0] for match in patterns.split(", ") if not match.startswith("eval(")]
    words = re.findall(r"[a-z_]\w*", f"{channel} {patterns}")
    return any(words.count(target) > 1 for target in targets if target in words and target != "_")


# Shrinking


def shrunk(program: str, still_differs: Callable[[str], bool]) -> str:
    """A smaller program that differs too: lines and statements are left out, blocks opened, expressions made simple."""
    lines = program.splitlines()
    tried: set[str] = set()
    progress = True
    while progress:
        progress = False
        for way in (_without_block, _without_lines, _with_open_block, _with_simpler_line):
            position = 0
            while (candidates := list(way(lines)))[position:]:
                candidate = candidates[position]
                text = "\n".join(candidate) + "\n"
                if text not in tried and still_differs(text):
                    lines, progress = candidate, True
                else:
                    position += 1
                tried.add(text)
    return "\n".join(lines) + "\n"


def _without_block(lines: Lines) -> Iterator[Lines]:
    for begin, end in _blocks(lines):
        yield lines[:begin] + lines[end + 1 :]


def _without_lines(lines: Lines) -> Iterator[Lines]:
    for size in (8, 4, 2, 1):
        for begin in range(0, len(lines), size):
            yield lines[:begin] + lines[begin + size :]


def _with_open_block(lines: Lines) -> Iterator[Lines]:
    """What is inside, or of one option what is inside, in place of the whole."""
    for begin, end in _blocks(lines):
        inner = lines[begin + 1 : end]
        yield [*lines[:begin], *inner, *lines[end + 1 :]]
        options = [i for i, line in enumerate(inner) if line.lstrip().startswith("::")]
        for first, last in pairwise([*options, len(inner)]):
            option = [inner[first].replace("::", "", 1), *inner[first + 1 : last]]
            yield [*lines[:begin], *option, *lines[end + 1 :]]


def _with_simpler_line(lines: Lines) -> Iterator[Lines]:
    for i, line in enumerate(lines):
        for simple in _simpler(line):
            yield [*lines[:i], simple, *lines[i + 1 :]]


def _blocks(lines: Lines) -> Iterator[tuple[int, int]]:
    """The first and the last line of everything with an end, larger ones first."""
    found: list[tuple[int, int]] = []
    opened: list[int] = []
    for i, line in enumerate(lines):
        words = line.strip().rstrip(";").removesuffix(" ->")
        closes = words.startswith("} unless") or ("{" not in words and words.endswith(("}", "fi", "od")))
        if closes and opened:
            found.append((opened.pop(), i))
        if words.endswith("{") or re.search(r"\b(if|do)$", words):
            opened.append(i)
    return iter(sorted(found, key=lambda block: block[0] - block[1]))


def _simpler(line: str) -> Iterator[str]:
    label = re.match(r"( *(?::: )?)[A-Za-z]\w*: ", line)
    if label:
        yield label.group(1) + line[label.end() :]
    assignment = re.match(r"(.*[^=!<>]=) (?![=\[])(.*?)(;?)$", line)
    if assignment and len(assignment.group(2)) > 1:
        for value in "01":
            yield f"{assignment.group(1)} {value}{assignment.group(3)}"
    condition = re.match(r"( *(?::: )?)([(!].*?)((?: ->|;)?)$", line)
    if condition:
        for value in ("true", "false"):
            yield condition.group(1) + value + condition.group(3)
    for match in re.finditer(r"\((?:[^()]|\([^()]*\))*\)", line):
        for value in "01":
            yield f"{line[: match.start()]} {value} {line[match.end() :]}"


# The command


def compare_seed(seed: int) -> tuple[int, str, SpinAnswer | str, str | None]:
    """The seed, its program, SPIN's answer or why there is none, and what differs."""
    program = random_program(random.Random(seed))
    try:
        answer = ask_spin(program)
    except NotComparableError as reason:
        return seed, program, str(reason), None
    found = first_difference(program, answer)
    return seed, program, answer, found.about if found else None


def differs_about(program: str, about: str) -> bool:
    only = about if about.startswith(QUESTIONS) else None
    try:
        found = first_difference(program, ask_spin(program), only)
    except NotComparableError:
        return False
    return found is not None and found.about == about


def first_difference(program: str, answer: SpinAnswer, only: str | None = None) -> Difference | None:
    """In a process of its own: if Mule dies, or does not end, that is a difference too."""
    here, there = Pipe(duplex=False)
    child = get_context("fork").Process(
        target=lambda: there.send(next(compare(program, answer, only), None)), daemon=True
    )
    child.start()
    there.close()
    try:
        if here.poll(SECONDS):
            received: Difference | None = here.recv()
            return received
        return Difference("time", str(answer.states), f"nothing after {SECONDS} s")
    except EOFError:
        child.join()
        return Difference("death", str(answer.states), f"exit status {child.exitcode}")
    finally:
        child.kill()
        child.join()


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare Mule with SPIN on random Promela programs.")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="folder for the shrunk programs")
    arguments = parser.parse_args()
    states: list[int] = []
    reasons: Counter[str] = Counter()
    differing: list[tuple[int, str, str]] = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        seeds = range(arguments.seed, arguments.seed + arguments.count)
        for seed, program, answer, about in pool.map(compare_seed, seeds):
            if isinstance(answer, str):
                reasons[re.sub(r"\d+", "N", answer)] += 1
            else:
                states.append(answer.states)
            if about:
                print(f"seed {seed} differs: {about}", flush=True)
                differing.append((seed, program, about))
        for (seed, _, _), small in zip(differing, pool.map(_shrunk_about, differing), strict=True):
            found = f"// seed {seed}: {first_difference(small, ask_spin(small))}"
            print(f"\n{found}\n{small}", flush=True)
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                (arguments.keep / f"{seed}.pml").write_text(f"{found}\n{small}")
    states.sort()
    print(f"{len(states)} of {arguments.count} programs compared, {len(differing)} differ")
    if states:
        print(
            "states, from the least to the most by tenths:", *(states[i * (len(states) - 1) // 10] for i in range(11))
        )
    for reason, count in reasons.most_common():
        print(f"{count} not compared: {reason}")


def _shrunk_about(differing: tuple[int, str, str]) -> str:
    _, program, about = differing
    return shrunk(program, lambda text: differs_about(text, about))


if __name__ == "__main__":
    main()
