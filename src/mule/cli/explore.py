"""`mule explore`: how large is the (reduced) state space?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import get_args

from mule.cli.arguments import add_full_trail, add_json, add_model, add_search, options_from
from mule.cli.running import load_model, print_result, search
from mule.cli.status import status_of
from mule.options import Preserve

DESCRIPTION = "Explore the (reduced) state space and count; nothing is judged."


def add_arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "--preserve",
        choices=get_args(Preserve),
        default="deadlocks",
        metavar="WHAT",
        help=f"what the reduction must not lose: {', '.join(get_args(Preserve))} (default: deadlocks)",
    )
    add_search(parser)
    add_full_trail(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    options = options_from(arguments)
    model = load_model(arguments)

    from mule.checking import explore

    result = search(lambda progress: explore(model, options, arguments.preserve, progress))
    print_result(result, arguments.json, arguments.full_trail)
    return status_of(result.verdict)
