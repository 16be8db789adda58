"""`mule validate`: are the relations and the stubborn sets right about this model?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from mule.cli.arguments import add_json, add_model, add_search, options_from, positive
from mule.cli.running import load_model, page, print_json, within
from mule.cli.status import status_of

if TYPE_CHECKING:
    from mule.driving import Progress
    from mule.model import Model
    from mule.validation import Validation

DESCRIPTION = """Test every derived relation, and the stubborn sets themselves (D1, D2), against the real state
space.

examples:
  mule validate examples/peterson.dve
  mule validate examples/pipeline.dve --sample 50 --por beam
  mule validate examples/philosophers.pnml --lpor src/mule/frontends/pnml/lpor.py:NetRelations"""


def add_arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("--sample", type=positive, metavar="N", help="test in only N of the reachable states")
    parser.add_argument(
        "--invariant",
        metavar="EXPR",
        action="append",
        default=[],
        help="test the visibility that --lpor claims with EXPR, and with the model's assertions; may be repeated",
    )
    add_search(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    options = options_from(arguments)

    from mule.report.validation import validation_object, verdict
    from mule.validation import validate

    def work(progress: Callable[[Progress], bool]) -> Validation:
        return validate(load_model(arguments), options, arguments.sample, progress, None, arguments.invariant)

    def otherwise(model: Model, reason: str) -> Validation:
        from mule.validation import Validation

        return Validation(model, stopped=reason)

    validation = within(arguments, work, otherwise)
    if arguments.json:
        print_json(validation_object(validation))
    else:
        from mule.report.validation_text import validation_text

        validation_text(validation, page())
    return status_of(verdict(validation), validation.stopped)
