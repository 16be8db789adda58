"""Processes, inlines and whole programs."""

from __future__ import annotations

import random

from mule.records import replace
from tests.differential.generator.elements import ARGUMENT, Channel, Context, Inline, Lines, Place, Process
from tests.differential.generator.statements import Statements


def random_program(rng: random.Random, required: frozenset[str] = frozenset()) -> str:
    """`required`: features it has for sure, or as far as they go together."""
    return Programs(rng, required).program()


class Programs(Statements):
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
        for process in self.processes:
            definition = self.process_definition(process)
            if self.has("defines") and self.maybe(0.2):
                definition = ["#if N == 2", *definition, "#else", "not a program", "#endif"]
            lines += definition
        if self.has("trace"):
            lines += self.trace()
        if self.has("lively") and self.has("channels"):
            lines += self.partner()
        if self.has("ltl"):
            place = self.rng.choice(self.readable(self.globally()))
            lines.append(f"ltl p1 {{ [] ({self.text(place, self.globally())} >= 0) }}")
        return "\n".join(lines) + "\n"

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
        asks = any("else" in line or "enabled" in line for part in body for line in part)
        if self.has("enabled") and process.first_pid is not None and not asks:
            self.plain_pids += range(process.first_pid, process.first_pid + process.copies)
        head = self.head(process)
        return [f"{head} {{", *("  " + line for line in declarations), *self.sequence(body), "}"]

    def trace(self) -> Lines:
        """Which messages a channel may, or may not, see."""
        channels = [c for c in self.channels if c.capacity and c.length is None and not c.sender and not c.receiver]
        if not channels:
            return []
        channel = self.rng.choice(channels)
        lines: Lines = []
        for _ in range(self.rng.randint(1, 2)):
            events = [[self.event(channel)] for _ in range(self.rng.randint(1, 2))]
            lines += self.option(events[0], events[1:])
        if self.maybe(0.3):
            return ["notrace {", f"  {self.event(channel)};", f"  {self.event(channel)}", "}"]
        return ["trace {", "  do", *("  " + line for line in lines), "  od", "}"]

    def event(self, channel: Channel) -> str:
        ordered = not self.has("random receive") and not self.has(
            "sorted send"
        )  # else SPIN takes other messages for it
        fields = ", ".join(self.constant(type) if not self.maybe(0.8) and ordered else "_" for type in channel.fields)
        return f"{channel.name}{self.rng.choice('!?')}{fields}"

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
        if self.has("channel variables") and self.has("channels"):
            lines.append("chan bound;")
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
                process.labels.append((position, self.name(self.label_stem())))
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
            if not labels:
                statement = self.labelled(context, statement)
            result.append([f"{labels[0]}: {statement[0]}", *statement[1:]] if labels else statement)
        return result + [[f"{label}: skip"] for label in process.awaited]

    def starts_others(self, process: Process, position: int) -> bool:
        """The first statements of the first process start others, so that `run` happens at all."""
        return (
            self.has("run")
            and process is self.processes[0]
            and position == 0
            and bool(self.runnable(Context(process, ())))
        )

    def inline_definition(self) -> Lines:
        kinds = ["place", "value"][: self.rng.randint(1, 2)]
        places: tuple[Place, ...] = tuple(p for p in self.places if p.readable)
        names = []
        for kind in kinds:
            names.append(self.name("q"))
            places += (Place(((names[-1], None),), ARGUMENT),) if kind == "place" else ()
        free = [c for c in self.channels if not (c.sender or c.receiver) and c.length is None]
        blocks = bool(free) and self.maybe(0.4)
        process = Process("", None, 0, True)
        name = self.name("f")
        context = Context(process, places, mode="d_step" if not blocks else "atomic", depth=2, repeated=True)
        body = self.statements(context, 1, 2)
        unguarded = self.is_unguarded(body[0])
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
        self.inlines.append(Inline(name, tuple(kinds), blocks or bool(counters), returns, unguarded))
        return lines
