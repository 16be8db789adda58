"""What every command does around its work: load, search with progress, print."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mule.budget import Budget
from mule.cli.interrupts import Interrupts
from mule.report.progress import ProgressLine

if TYPE_CHECKING:
    from mule.checking import Progress
    from mule.model import Model
    from mule.report.layout import Page
    from mule.results import Result

Outcome = TypeVar("Outcome")


def load_model(arguments: Namespace) -> Model:
    """The model that the arguments of `add_model` name."""
    from mule.frontends import load

    return load(arguments.model, arguments.language, arguments.defines, arguments.processes)


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
) -> Outcome:
    """Run `work`, which reads the model too, within the limits of the command, and until Ctrl-C; its callback shows the
    progress. `otherwise`: what comes out when the budget ends before there is anything to tell, for this reason. The
    model is then one of which only the name is known."""
    from mule.memory import available_memory
    from mule.unanswered import unread

    line = ProgressLine(sys.stderr)
    memory = available_memory() if arguments.memory is None else arguments.memory
    budget = Budget(arguments.time, memory, arguments.started)

    def progress(snapshot: Progress) -> bool:
        line.show(snapshot)
        return True

    with Interrupts(budget):
        try:
            return budget.spend(
                lambda: work(progress),
                lambda reason: otherwise(unread(Path(arguments.model).stem, arguments.language or ""), reason),
            )
        finally:
            line.clear()


def print_json(value: dict[str, Any]) -> None:
    import json

    print(json.dumps(value, ensure_ascii=False))


def print_result(result: Result, as_json: bool, full_trail: bool) -> None:
    if as_json:
        from mule.report.json import result_object

        print_json(result_object(result))
    else:
        from mule.report.text import report

        report(result, page(), full_trail)


def page() -> Page:
    from mule.report.layout import Page

    return Page(file=sys.stdout)
