"""`mule simulate`: one run, random or step by step."""

from __future__ import annotations

import argparse
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from mule.cli import status
from mule.cli.arguments import UsageError, add_model
from mule.cli.running import load_model, page, print_json
from mule.errors import printable
from mule.frontends import STANDARD_INPUT

if TYPE_CHECKING:
    from mule.simulation import Chooser, Ending, SimulatedStep, Simulator

DESCRIPTION = """Follow one run of a model: a random one, or with --interactive one that you choose
step by step. It ends at a violation, where no step is possible, or after --steps.

examples:
  mule simulate examples/mailbox.pml --steps 20
  mule simulate examples/mailbox.pml --seed 7 --steps 20 --chart
  mule simulate examples/philosophers.dve --interactive"""

STEPS = 100


def whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number: 0, 1, 2, ...")
    return int(text)


def add_arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    group = parser.add_argument_group("run")
    group.add_argument("--seed", type=whole, metavar="N", help="repeat the random run that showed this seed")
    group.add_argument(
        "--steps", type=whole, metavar="N", help=f"stop after this many steps (default: {STEPS}); 0: go on to the end"
    )
    group.add_argument("--interactive", action="store_true", help="choose each step from a list")
    shown = parser.add_argument_group("output").add_mutually_exclusive_group()
    shown.add_argument("--quiet", action="store_true", help="print only what the model itself prints")
    shown.add_argument("-c", "--chart", action="store_true", help="draw who sends which message to whom")
    shown.add_argument(
        "--json", action="store_true", help="print one JSON object a line: the model, each step, the end"
    )


def run(arguments: Namespace) -> int:
    _refuse_nonsense(arguments)
    model = load_model(arguments)

    from mule.simulation import Simulator, at_random, with_room

    seed = _new_seed() if arguments.seed is None else arguments.seed
    limit = STEPS if arguments.steps is None else arguments.steps
    if arguments.interactive:
        return _interactive(Simulator(model), seed, arguments.chart)
    model = with_room(model, seed, limit)
    return _Output(Simulator(model), seed, arguments).follow(at_random(model, seed), limit)


def _refuse_nonsense(arguments: Namespace) -> None:
    if arguments.interactive:
        if arguments.model in STANDARD_INPUT:
            raise UsageError(
                "argument --interactive: the model comes from standard input, so the choices cannot: name a file",
                "mule simulate",
            )
        for option in ("quiet", "json", "steps"):
            if getattr(arguments, option) not in (None, False):
                raise UsageError(f"argument --{option}: not allowed with argument --interactive", "mule simulate")


def _new_seed() -> int:
    import random

    return random.SystemRandom().randrange(10**6)


def _interactive(simulator: Simulator, seed: int, with_chart: bool) -> int:
    from mule.cli.stepping import Session
    from mule.report.sequence_chart import show_chart

    sheet = page()
    Session(simulator, seed, sheet, sys.stdin).run()
    if with_chart:
        show_chart(simulator.model, simulator.run, sheet)
    return _status(simulator.ending())


def _status(ending: Ending | None) -> int:
    return status.VIOLATED if ending is not None and ending.violation is not None else status.HOLDS


class _Output:
    """A random run as the user wants to see it."""

    def __init__(self, simulator: Simulator, seed: int, arguments: Namespace) -> None:
        self.simulator = simulator
        self.seed = seed
        self.quiet, self.json, self.chart = arguments.quiet, arguments.json, arguments.chart
        self.page = page()

    def follow(self, chooser: Chooser, limit: int) -> int:
        simulator = self.simulator
        why, interrupted = "", False
        self.begin()
        try:
            while (ending := simulator.ending()) is None:
                if limit and len(simulator.run) >= limit:
                    why = "that is the limit; --steps N sets another, 0 none"
                    break
                step = simulator.advance(chooser)
                assert step is not None, "random choosers always choose"
                self.show(step)
        except KeyboardInterrupt:
            why, interrupted, ending = "interrupted", True, None
        self.end(ending, why)
        return status.interrupted() if interrupted else _status(ending)

    def begin(self) -> None:
        from mule.report.simulation import beginning_object, headline

        if self.json:
            print_json(beginning_object(self.simulator.model, self.seed))
        elif not self.quiet:
            headline(self.simulator.model, self.seed, self.page)

    def show(self, step: SimulatedStep) -> None:
        from mule.report.simulation import explain, output_of, simulated_object
        from mule.report.trail_text import show_step

        if self.chart:
            return
        explained = explain(self.simulator.model, step)
        if self.json:
            print_json(simulated_object(explained))
        elif self.quiet:
            output = output_of(explained)
            sys.stdout.write(printable(output) if sys.stdout.isatty() else output)
            sys.stdout.flush()
        else:
            show_step(self.simulator.model, explained, self.page, 4)

    def end(self, ending: Ending | None, why: str) -> None:
        from mule.report.sequence_chart import show_chart
        from mule.report.simulation import ending_object, in_words, show_ending

        simulator = self.simulator
        model, state, steps = simulator.model, simulator.state, len(simulator.run)
        if self.json:
            print_json(ending_object(model, state, steps, ending, why))
        elif self.quiet:
            if ending is None:
                print(f"mule: stopped after {steps} steps: {why} (seed {self.seed})", file=sys.stderr)
            elif ending.violation is not None:
                print(f"mule: {printable(in_words(ending))} (seed {self.seed})", file=sys.stderr)
        else:
            if self.chart:
                show_chart(model, simulator.run, self.page)
            show_ending(model, state, steps, ending, why, self.page)
