"""Statements."""

from __future__ import annotations

from mule.records import replace
from tests.differential.generator.calls import Calls
from tests.differential.generator.elements import COUNTING, Context, Lines, Place


class Statements(Calls):
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
        nested = self.has("nested guards") and context.mode != "d_step" and context.depth < 3
        kinds["if"] = 1.0 * nested
        kinds["block"] = 0.5 * nested
        kinds["for"] = 0.4 * (nested and self.has("for"))
        kinds["inline"] = 0.4 * (nested and bool(self.callable(context)))
        kinds["goto"] = 0.3 * (nested and bool(self.targets(context)))
        kinds["assert"] = 0.3 * (nested and self.has("assert"))
        kinds["printf"] = 0.3 * (nested and self.has("printf"))
        kinds["bind"] = 0.4 * (nested and self.binds(context))
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
            case "if":
                return self.selection(context)
            case "block":
                return self.block(context)
            case "for":
                return self.for_loop(context)
            case "inline":
                return [self.call(context)]
            case "goto":
                return [f"goto {self.rng.choice(self.targets(context))}"]
            case "assert":
                return [self.assertion(context)]
            case "printf":
                return [self.printing(context)]
            case "bind":
                return self.bind(context)
            case _:
                return [self.condition(context)]

    def binds(self, context: Context) -> bool:
        """Whether there is a variable for channels; inlines have none."""
        return self.has("channel variables") and self.has("channels") and context.process in self.processes

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
            "unless": 1.0
            * (
                context.mode != "d_step" and not deep and self.has("unless") and (plain or self.has("unless in atomic"))
            ),
            "goto": 1.0 * (context.mode != "d_step" and self.has("goto") and bool(self.targets(context))),
            "inline": 1.0 * bool(self.callable(context)),
            "run": 1.5 * self.may_run(context),
            "run in loops": 0.8
            * (context.mode != "d_step" and self.has("run in loops") and bool(self.runnable(context))),
            "carry": 1.0 * (context.mode != "d_step" and self.carrier is not None),
            "bind": 0.8 * (context.mode != "d_step" and self.binds(context)),
            "timeout": 0.2 * (context.mode != "d_step" and self.has("timeout")),
            "leap": 1.0 * (not deep and self.has("jumps in steps") and (not plain or self.maybe(0.2))),
            "await": 1.2
            * (context.mode != "d_step" and self.has("inner labels") and context.process in self.processes),
            "priority": 0.5 * self.has("priorities"),
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
            case "bind":
                return self.bind(context)
            case "leap":
                return self.leap(context)
            case "await":
                name = self.name(self.label_stem())
                context.process.awaited.append(name)
                return self.jump(context, name)
            case "timeout":
                return ["timeout"]
            case "priority":
                whose = self.rng.choice(("_pid", "_pid", "0"))  # surely alive: docs/promela.md
                return [f"set_priority({whose}, {self.rng.randint(1, 3)})"]
            case _:
                return [self.assignment(context)]

    def inside(self, context: Context) -> Context:
        return replace(context, depth=context.depth + 1)

    def statements(self, context: Context, low: int, high: int) -> list[Lines]:
        return [self.labelled(context, self.statement(context)) for _ in range(self.rng.randint(low, high))]

    def labelled(self, context: Context, statement: Lines) -> Lines:
        """Perhaps with a label that earlier statements jump to."""
        awaited = context.process.awaited
        if context.mode == "d_step" or not context.enterable or not awaited or not self.maybe(0.5):
            return statement
        if "d_step" in statement[0] or any(awaited[0] in line for line in statement):
            return statement
        return [f"{awaited.pop(0)}: {statement[0]}", *statement[1:]]

    def label_stem(self) -> str:
        return self.rng.choice(("L", "L", "end_", "progress", "accept_") if self.has("end labels") else ("L",))

    def options(self, context: Context, ending: float) -> Lines:
        """`ending`: how likely an option leaves the loop."""
        lines: Lines = []
        inside = self.inside(context)
        guards = [self.guard(inside) for _ in range(self.rng.choice((1, 2, 2, 3) if not ending else (2, 2, 3)))]
        others = [number for number, guard in enumerate(guards) if _may_begin_with_else(guard)]
        for number in others[1:]:
            guards[number] = [self.condition(inside)]  # SPIN has one `else` at a place
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
            and not others
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
            self.inside(context),
            counters=context.counters + 1,
            loop=context.mode != "d_step",
            repeated=True,
            enterable=False,
        )
        array = self.rng.choice(arrays).path[0][0]
        statements = self.statements(body, 0, 1)
        statements.append([f"{array}[{counter}] = {self.small(body)}"])
        return [f"for ({counter} in {array}) {{", *self.sequence(statements), "}"]

    def for_messages(self, context: Context) -> Lines:
        assert self.message is not None
        body = replace(self.inside(context), loop=True, repeated=True)
        channel, variable = self.message[0].name, self.structure_variable(context)
        statements = [self.statement(body)] if self.maybe(0.5) else [["skip"]]
        return [f"for ({variable} in {channel}) {{", *self.sequence(statements), "}"]

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
        statements = [*first, *self.statements(body, 1, 3)]
        if self.has("rendezvous") and self.is_unguarded(statements[0]):
            statements.insert(0, ["skip"])
        return ["d_step {", *self.sequence(statements), "}"]

    def is_unguarded(self, statement: Lines) -> bool:
        names = ("assert", "printf", "printm", *(inline.name for inline in self.inlines if inline.unguarded))
        return statement[0].startswith(tuple(name + "(" for name in names))

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

    def leap(self, context: Context) -> Lines:
        """A jump over a statement, into nothing and out of nothing."""
        name = self.name("J")
        inside = replace(self.inside(context), enterable=False)
        over = self.statement(inside)
        first = self.jump(context, name)
        return [*first[:-1], "fi;", *self.ended(over), f"{name}: {self.assignment(context)}"]

    def jump(self, context: Context, target: str | None = None) -> Lines:
        goto = [f"goto {target or self.rng.choice(self.targets(context))}"]
        inside = self.inside(context)
        condition = [self.condition(inside, polls=False)]
        return ["if", *self.option(condition, [goto]), *self.option(["else"], []), "fi"]


def _may_begin_with_else(guard: Lines) -> bool:
    return guard[0] != "d_step {" and any(":: else" in line for line in guard)
