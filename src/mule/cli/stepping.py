"""A run that a person chooses, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.text import Text

from mule.model.interpreter import State, Step
from mule.numbers import count
from mule.report.layout import Page
from mule.report.simulation import explain, headline, in_words
from mule.report.trail_text import show_state, show_step
from mule.results import Trail
from mule.simulation import SimulatedStep, Simulator, at_random

HELP = (
    ("number", "take that step"),
    ("r", "take a random one"),
    ("b", "go one step back"),
    ("s", "show the whole state"),
    ("q", "quit (as Ctrl-C and the end of the input do)"),
    ("?", "show this"),
)


class Session:
    """Questions to `page`, answers from a stream that may as well be a pipe."""

    def __init__(self, simulator: Simulator, seed: int, page: Page, answers: TextIO) -> None:
        self.simulator = simulator
        self.seed = seed
        self.at_random = at_random(simulator.model, seed)
        self.page = page
        self.answers = answers
        self.left = False
        self.here: State = simulator.state
        """Where the next part of a step begins."""

    def run(self) -> None:
        headline(self.simulator.model, self.seed, self.page)
        try:
            while not self.left:
                self._one_round()
        except KeyboardInterrupt:
            self.page.blank()
        self.page.item("", f"left after {count(len(self.simulator.run), 'step')}")

    def _one_round(self) -> None:
        self.here = self.simulator.state
        ending = self.simulator.ending()
        if ending is not None:
            style = "bold green" if ending.violation is None else "bold red"
            sign = self.page.signs.good if ending.violation is None else self.page.signs.bad
            self.page.item(Text(f"{sign} ", style=style), Text(in_words(ending), style=style))
            self._ask(())
            return
        step = self.simulator.advance(self._choose)
        if step is not None:
            self.page.blank()
            show_step(self.simulator.model, explain(self.simulator.model, step), self.page, 4)

    def _choose(self, options: Sequence[Step]) -> Step | None:
        within = self.here != self.simulator.state
        if within and len(options) == 1:
            chosen: Step | None = options[0]
        else:
            self._list(options, within)
            chosen = self._ask(options, within)
        if chosen is not None:
            self.here = chosen.target
        return chosen

    def _list(self, options: Sequence[Step], within: bool) -> None:
        model = self.simulator.model
        self.page.heading("Within the same atomic step:" if within else "Possible steps:")
        for number, option in enumerate(options, 1):
            states = (self.here,) if option.failure is not None else (self.here, option.target)
            preview = SimulatedStep(number, Trail(model, states, (option,)))
            show_step(model, explain(model, preview), self.page, len(str(len(options))))

    def _ask(self, options: Sequence[Step], within: bool = False) -> Step | None:
        """The chosen step; None where there is something else to do than to take one."""
        numbers = {0: "", 1: "1, r, "}.get(len(options), f"1-{len(options)}, r, ")
        while True:
            answer = self._read(f"{numbers}b, s, q, ?: ")
            if answer is None or answer == "q":
                self.left = True
                return None
            if answer == "b":
                if not within and not self.simulator.back():
                    self.page.item("", "this is the initial state: there is no step to take back")
                    continue
                return None
            if answer == "s":
                show_state(self.simulator.model, self.here, self.page)
            elif answer in ("?", "h", "help"):
                for word, meaning in HELP:
                    self.page.item(f"  {word:<8}", meaning)
            elif answer == "r" and options:
                return self.at_random(options)
            elif answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(options):
                return options[int(answer) - 1]
            elif answer:
                wanted = f"a number from 1 to {len(options)}, or " if options else ""
                self.page.item("", f"{answer!r} is none of these: {wanted}{numbers and 'r, '}b, s, q, ? (for help)")

    def _read(self, prompt: str) -> str | None:
        """One answer, or None at the end of the input; what a pipe says is shown as if it had been typed."""
        output = self.page.console.file
        output.write(prompt)
        output.flush()
        line = self.answers.readline()
        if not line:
            output.write("\n")
            return None
        if not self.answers.isatty():
            output.write(line.rstrip("\n") + "\n")
        return line.strip()
