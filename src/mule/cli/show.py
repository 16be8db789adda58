"""`mule show`: the guarded transitions that a model became."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mule.cli import status
from mule.cli.arguments import add_model
from mule.cli.running import load_model
from mule.errors import printable

DESCRIPTION = """Show the variables, guards and guarded transitions that a model became.

examples:
  mule show examples/peterson.dve
  mule show examples/two_phase_commit.py -D participants=1"""


def add_arguments(parser: ArgumentParser) -> None:
    add_model(parser)


def run(arguments: Namespace) -> int:
    from mule.model.printer import format_model

    print(printable(format_model(load_model(arguments))))
    return status.HOLDS
