"""Calls of inlines, and the creation of processes."""

from __future__ import annotations

from tests.differential.generator.declarations import Declarations
from tests.differential.generator.elements import Channel, Context, Inline, Process


class Calls(Declarations):
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
