"""What every command does around its work: load, search with progress, print."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from mule.budget import Budget
from mule.cli.arguments import UsageError, missing
from mule.cli.interrupts import Interrupts
from mule.errors import MuleError, Place
from mule.options import Options
from mule.report.progress import ProgressLine

if TYPE_CHECKING:
    from mule.checking import Progress
    from mule.checkpoints import Command, Written
    from mule.model import Model
    from mule.model.recipe import Recipe
    from mule.report.html.growth import Growth
    from mule.report.layout import Page
    from mule.report.text import Detail
    from mule.results import Result

Outcome = TypeVar("Outcome")


def load_model(arguments: Namespace) -> Model:
    """The model that the arguments of `add_model` name, or that of the run to go on with."""
    if arguments.model is None:
        from mule.frontends import rebuild

        recipe: Recipe = arguments.recipe
        try:
            return rebuild(recipe)
        except MuleError as error:
            raise MuleError(f"the model of this run cannot be read: {error}", Place(arguments.resume)) from None
    from mule.frontends import load

    return load(arguments.model, arguments.language, arguments.defines, arguments.processes)


def resumed(arguments: Namespace, options: Options, command: Command) -> tuple[Options, Written | None]:
    """The options of the run that the arguments name, with those that are given besides, and what else it was asked."""
    if arguments.resume is None:
        if arguments.model is None:
            raise UsageError(missing("MODEL", f"mule {command} MODEL [OPTION]..."), f"mule {command}")
        return options, None
    if arguments.checkpoint is not None:
        raise UsageError("--resume DIR goes on writing to DIR: leave out --checkpoint", f"mule {command}")
    from mule.checkpoints import read_run

    written = read_run(arguments.resume, command)
    _require_trust(arguments, options, written)
    given = {each.name: getattr(options, each.name) for each in fields(options) if each.name in arguments.given}
    merged = written.options_now().but(**given, checkpoint=arguments.resume)
    arguments.recipe, arguments.memory, arguments.time = written.recipe, merged.memory, merged.time
    return merged, written


def _require_trust(arguments: Namespace, options: Options, written: Written) -> None:
    """A run may come from a stranger as any file may: nothing that it names is run or trusted unless its user names it,
    too."""
    from mule.frontends import require_trust

    place = Place(arguments.resume)
    if arguments.model is None:
        require_trust(written.recipe.source, arguments.language, place, "this run")
        for name, value in (("-D", arguments.defines), ("--processes", arguments.processes)):
            if value:
                raise MuleError(f"this run has its model in it: {name} has no effect", place)
    relations = written.options["lpor"]
    if relations is not None and options.lpor is None:
        raise MuleError(f"this run uses relations in Python, which are run: to go on, say --lpor {relations}", place)
    cluster = written.options["cluster"]
    if cluster is not None and not cluster.startswith("local:") and options.cluster is None:
        # Ray runs what a cluster sends back.
        message = f"this run uses the Ray cluster {cluster}, which is trusted: to go on, say --cluster {cluster}"
        raise MuleError(f"{message}, or another address", place)


def require_machine(options: Options) -> None:
    """Said before anything is read: there is a GPU, where one is asked for. It is opened in the meantime."""
    if options.gpu:
        from mule.gpu import begin_opening

        begin_opening()


def finish(options: Options, result: Result, command: Command) -> None:
    """After the report: of a run that is complete nothing need be kept."""
    if options.checkpoint is None:
        return
    from mule.checkpoints import finish as finish_run
    from mule.checkpoints import is_complete

    sys.stdout.flush()
    if not is_complete(result):
        return
    try:
        finish_run(options.checkpoint, command)
    except MuleError as error:  # which changes nothing about the answer
        print(f"mule: the run has come to its end, but its files stay: {error}", file=sys.stderr)


def is_archive(path: str) -> bool:
    """Whether a file may be a saved graph: looked at before anything is imported for it. What can be read once only is
    none."""
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return file.read(2) == b"PK"
    except (OSError, ValueError):
        return False


def within(
    arguments: Namespace,
    work: Callable[[Callable[[Progress], bool]], Outcome],
    otherwise: Callable[[Model, str], Outcome],
    growth: Growth | None = None,
) -> Outcome:
    """Run `work`, which reads the model too, within the limits of the command, and until Ctrl-C; its callback shows the
    progress, and notes it in `growth`. `otherwise`: what comes out when the budget ends before there is anything to
    tell, for this reason. The model is then one of which only the name is known."""
    from mule.memory import available_memory
    from mule.unanswered import unread

    line = ProgressLine(sys.stderr, silent=getattr(arguments, "quiet", False))
    name = Path(arguments.recipe.source.file if arguments.model is None else arguments.model).stem
    memory = available_memory() if arguments.memory is None else arguments.memory
    budget = Budget(arguments.time, memory, arguments.started)

    def progress(snapshot: Progress) -> bool:
        line.show(snapshot)
        if growth is not None:
            growth.note(snapshot)
        return True

    with Interrupts(budget):
        try:
            return budget.spend(
                lambda: work(progress),
                lambda reason: otherwise(unread(name, arguments.language or ""), reason),
            )
        finally:
            line.clear()


def heard(work: Callable[[], Outcome]) -> Outcome:
    """For commands without limits: also what keeps Python's lock for long hears Ctrl-C."""
    from mule.memory import available_memory

    def ended(reason: str) -> NoReturn:
        raise MemoryError if reason == "memory" else KeyboardInterrupt

    budget = Budget(memory=available_memory())
    with Interrupts(budget):
        return budget.spend(work, ended)


def print_json(value: dict[str, Any]) -> None:
    from mule.report.streaming import pieces

    for piece in pieces(value):
        sys.stdout.write(piece)
    sys.stdout.write("\n")


def print_result(result: Result, arguments: Namespace) -> None:
    if arguments.json:
        from mule.report.json import result_object

        print_json(result_object(result, streamed=True))
    else:
        from mule.report.text import report

        report(result, page(), arguments.full_trail, detail_of(arguments))


def detail_of(arguments: Namespace) -> Detail:
    return "verdicts" if arguments.quiet else "everything" if arguments.verbose else "usual"


def refuse_detail_of_json(arguments: Namespace, command: str) -> None:
    """One object has everything, always."""
    for option in ("quiet", "verbose"):
        if arguments.json and getattr(arguments, option):
            raise UsageError(f"--{option} has no effect on --json: leave out one of the two", f"mule {command}")


def report_of(arguments: Namespace) -> Growth | None:
    """What a report is to show of the search; None: nobody asked for one. A file that cannot be written is refused
    before the search."""
    if arguments.report is None:
        return None
    from mule.files import require_writable
    from mule.report.html.growth import Growth

    require_writable(arguments.report)
    return Growth()


def tell(result: Result, arguments: Namespace, growth: Growth | None) -> None:
    """Write the report, and print the result: also where the first cannot be done, or nobody reads the second."""
    problem: OSError | None = None
    if growth is not None:
        from mule.report.html import write_report

        try:
            write_report(result, arguments.report, growth)
        except OSError as error:
            problem = error
    print_result(result, arguments)
    if problem is not None:
        raise MuleError(f"cannot write it: {problem.strerror}", Place(arguments.report))


def page() -> Page:
    from mule.report.layout import Page

    return Page(file=sys.stdout)
