"""What every command does around its work: load, search with progress, print."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

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


def search(work: Callable[[Callable[[Progress], bool]], Outcome]) -> Outcome:
    """Run `work` with a callback that shows the progress and tells it to stop after Ctrl-C."""
    line = ProgressLine(sys.stderr)
    with Interrupts() as interrupts:

        def progress(snapshot: Progress) -> bool:
            interrupts.searching = True
            line.show(snapshot)
            return not interrupts.wanted

        try:
            return work(progress)
        finally:
            line.clear()


def print_json(value: dict[str, Any]) -> None:
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
