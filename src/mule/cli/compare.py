"""`mule compare`: every reduction side by side."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mule.cli import status
from mule.cli.arguments import add_json, add_model, add_search, options_from
from mule.cli.running import load_model, page, print_json, search

DESCRIPTION = "Search once with each reduction, and show what each one saves."


def add_arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    add_search(parser, reduction=False)
    add_json(parser)


def run(arguments: Namespace) -> int:
    options = options_from(arguments)
    model = load_model(arguments)

    from mule.comparison import compare

    rows = search(lambda progress: compare(model, options, progress))
    if arguments.json:
        from mule.report.comparison import comparison_object

        print_json(comparison_object(model, rows))
    else:
        from mule.report.comparison_text import comparison_table

        comparison_table(model, rows, page())
    return status.INCOMPLETE if any(row.stopped is not None for row in rows) else status.HOLDS
