"""`mule relations`: what may interfere with what."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mule.cli import status
from mule.cli.arguments import add_json, add_model
from mule.cli.running import load_model, page, print_json

DESCRIPTION = """Show the relations that the reductions rely on, derived from the model alone.

examples:
  mule relations examples/peterson.dve
  mule graph examples/philosophers.dve --of interference -o forks.svg    # one of them as a picture"""


def add_arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    from mule.model.value_analysis import compute_domains
    from mule.relations.derivation import derive
    from mule.report.relations import relations_object

    model = load_model(arguments)
    derived = derive(model, compute_domains(model))
    if arguments.json:
        print_json(relations_object(model, derived))
    else:
        from mule.report.relations_text import relations_text

        relations_text(model, derived, page())
    return status.HOLDS
