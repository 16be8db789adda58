"""`mule compare`: every reduction side by side."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from mule.cli import status
from mule.cli.arguments import add_json, add_model, add_search, options_from
from mule.cli.running import load_model, page, print_json, within
from mule.cli.status import status_of

if TYPE_CHECKING:
    from mule.comparison import Comparison
    from mule.model import Model

DESCRIPTION = """Search once with each reduction, and show what each one saves.

examples:
  mule compare examples/philosophers.dve
  mule compare examples/peterson.dve --json"""


def add_arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    add_search(parser, reduction=False)
    add_json(parser)


def run(arguments: Namespace) -> int:
    options = options_from(arguments)

    from mule.comparison import compare

    def otherwise(model: Model, reason: str) -> Comparison:
        from mule.comparison import nothing_compared

        return nothing_compared(model, reason)

    rows = within(arguments, lambda progress: compare(load_model(arguments), options, progress), otherwise)
    if arguments.json:
        from mule.report.comparison import comparison_object

        print_json(comparison_object(rows.model, rows))
    else:
        from mule.report.comparison_text import comparison_table

        comparison_table(rows.model, rows, page())
    stopped = {row.stopped for row in rows} - {None}
    return status_of("incomplete", "interrupted" if "interrupted" in stopped else None) if stopped else status.HOLDS
