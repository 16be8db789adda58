"""`mule trail`: a saved trail, replayed, explained and made shorter."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from mule.cli import status
from mule.cli.arguments import (
    UsageError,
    add_detail,
    add_full_trail,
    add_json,
    add_model,
    add_report,
    duration,
    positive,
    size,
)
from mule.cli.running import detail_of, load_model, page, print_json, refuse_detail_of_json, within
from mule.errors import MuleError, Place
from mule.frontends import STANDARD_INPUT

if TYPE_CHECKING:
    from mule.driving import Progress
    from mule.model import Model
    from mule.trails.replaying import Replayed

DESCRIPTION = """Follow a saved trail step by step, and say what it violates. FILE is what
`mule check --json` printed, what -o saved, or a .trail file of SPIN; `-` is
standard input. If the trail does not fit the model, Mule says at which step, and
what is possible there instead.

--shorten looks for a shorter trail to the same violation. It cuts out loops, and
steps that commute with all that comes after them; then A* looks for the shortest
way to the same error state, and to any state with the same violation.

examples:
  mule check examples/philosophers.dve --search dfs --json > found.json
  mule trail examples/philosophers.dve found.json --chart
  mule trail examples/philosophers.dve found.json --shorten -o shorter.json
  mule trail examples/philosophers.dve shorter.json --report found.html
  mule trail m.pml m.pml.trail                        # after SPIN's ./pan"""


def add_arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("file", metavar="FILE", help="the file that holds the trail, or - for standard input")
    parser.add_argument(
        "--property", metavar="TEXT", help="which violation, where FILE has several: a part of its property or kind"
    )
    group = parser.add_argument_group("a shorter trail")
    group.add_argument("--shorten", action="store_true", help="look for a shorter trail to the same violation")
    group.add_argument("--memory", type=size, metavar="SIZE", help="stop at this much memory: 4G, 512M")
    group.add_argument("--time", type=duration, metavar="SECONDS", help="stop after this much time")
    group.add_argument("--max-states", type=positive, metavar="N", help="states of each search (default: 1,000,000)")
    add_detail(parser)
    add_full_trail(parser)
    parser.add_argument("-c", "--chart", action="store_true", help="draw who sends which message to whom in the trail")
    add_report(parser)
    add_json(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="save the trail in FILE, for mule trail")


def run(arguments: Namespace) -> int:
    _refuse_nonsense(arguments)
    replayed = within(arguments, lambda progress: _replayed(arguments, progress), lambda _, reason: reason)
    if isinstance(replayed, str):
        return _ended(replayed)
    _print(replayed, arguments)
    if replayed.violation is None:
        return status.INCOMPLETE if replayed.undecided else status.HOLDS
    return status.VIOLATED


def _ended(reason: str) -> int:
    from mule.results import STOPPED

    print(f"mule: {STOPPED[reason]} before the trail was followed", file=sys.stderr)
    return status.interrupted() if reason == "interrupted" else status.INCOMPLETE


def _refuse_nonsense(arguments: Namespace) -> None:
    def wrong(message: str) -> UsageError:
        return UsageError(message, "mule trail")

    if arguments.chart and arguments.json:
        raise wrong("--chart has no effect on --json: leave out one of the two")
    refuse_detail_of_json(arguments, "trail")
    if arguments.report is not None:
        from mule.files import require_writable

        require_writable(arguments.report)
    if arguments.max_states is not None and not arguments.shorten:
        raise wrong("--max-states limits the searches of --shorten: add --shorten, or leave it out")
    if arguments.model in STANDARD_INPUT and arguments.file in STANDARD_INPUT:
        raise wrong("the model and the trail cannot both come from standard input: name a file for one of them")


def _replayed(arguments: Namespace, progress: Callable[[Progress], bool]) -> Replayed | str:
    from mule.options import Options
    from mule.trails.replaying import replay_file

    model: Model = load_model(arguments)
    replayed = replay_file(model, arguments.file, arguments.property)
    if not arguments.shorten:
        return replayed
    options = Options(time=arguments.time, memory=arguments.memory, max_states=arguments.max_states)
    return replayed.shortened(options, progress)


def _save(replayed: Replayed, path: str) -> None:
    from mule.files import written_whole
    from mule.report.replayed import replayed_object
    from mule.report.streaming import pieces

    try:
        with written_whole(path) as file:
            for piece in pieces(replayed_object(replayed, streamed=True)):
                file.write(piece.encode())
            file.write(b"\n")
    except OSError as error:
        raise MuleError(f"cannot write it: {error.strerror}", Place(path)) from None


def _save_page(replayed: Replayed, path: str) -> None:
    from mule.report.html import write_replayed

    try:
        write_replayed(replayed, path)
    except OSError as error:
        raise MuleError(f"cannot write it: {error.strerror}", Place(path)) from None


def _print(replayed: Replayed, arguments: Namespace) -> None:
    from mule.report.replayed import replayed_object, show_replayed

    for path, save in ((arguments.output, _save), (arguments.report, _save_page)):
        if path and replayed.violation is None:
            print(f"mule: {path} was not written: the run shows no violation", file=sys.stderr)
        elif path:
            save(replayed, path)
    if arguments.json:
        print_json(replayed_object(replayed, streamed=True))
        return
    show_replayed(replayed, page(), arguments.full_trail, detail_of(arguments))
    if arguments.chart:
        from mule.report.sequence_chart import show_chart, steps_of

        trail, ending = replayed.trail, "" if replayed.violation is None else replayed.violation.message
        show_chart(trail.model, steps_of(trail), page(), ending, trail.loop, arguments.full_trail or arguments.verbose)
