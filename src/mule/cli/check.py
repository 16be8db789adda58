"""`mule check`: does the model do what it should?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mule.cli.arguments import add_full_trail, add_json, add_model, add_search, options_from
from mule.cli.running import load_model, print_result, search
from mule.cli.status import status_of

DESCRIPTION = """Check a model; with no property given, everything that the model itself declares:
that it cannot deadlock, and its assertions. A violation comes with a trail, a run
that leads to it step by step."""


def add_arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    group = parser.add_argument_group("properties")
    group.add_argument("--deadlock", action="store_true", help="no reachable state is a deadlock")
    group.add_argument("--assertions", action="store_true", help="the model's assertions hold")
    group.add_argument(
        "--invariant",
        metavar="EXPR",
        action="append",
        default=[],
        help="EXPR, in the model's language, holds in every reachable state; may be repeated",
    )
    add_search(parser)
    add_full_trail(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    options = options_from(arguments)
    model = load_model(arguments.model, arguments.language)

    from mule.checking import Properties, check

    properties = None
    if arguments.deadlock or arguments.assertions or arguments.invariant:
        properties = Properties(
            deadlock=arguments.deadlock, assertions=arguments.assertions, invariants=tuple(arguments.invariant)
        )
    result = search(lambda progress: check(model, properties, options, progress))
    print_result(result, arguments.json, arguments.full_trail)
    return status_of(result.verdict)
