"""`mule check`: does the model do what it should?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mule.cli.arguments import add_full_trail, add_json, add_model, add_search, add_temporal, options_from
from mule.cli.running import load_model, page, print_result, search
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
    group.add_argument(
        "--ltl",
        metavar="FORMULA",
        action="append",
        default=[],
        help="FORMULA, in linear temporal logic over the model's expressions, holds on every run; may be repeated",
    )
    group.add_argument(
        "--claim",
        metavar="NAME",
        action="append",
        default=[],
        help="a temporal property that the model declares (ltl block, never claim, property process); `all`: every one",
    )
    group.add_argument("--progress", action="store_true", help="no run goes on for ever without progress")
    group.add_argument("--acceptance", action="store_true", help="no run comes to accepting places again and again")
    add_search(parser)
    add_temporal(parser)
    add_full_trail(parser)
    parser.add_argument("-c", "--chart", action="store_true", help="draw who sends which message to whom in the trail")
    add_json(parser)


def run(arguments: Namespace) -> int:
    options = options_from(arguments)
    model = load_model(arguments)

    from mule.checking import check
    from mule.properties import Properties

    properties = None
    asked = Properties(
        deadlock=arguments.deadlock,
        assertions=arguments.assertions,
        invariants=tuple(arguments.invariant),
        ltl=tuple(arguments.ltl),
        claims=tuple(arguments.claim),
        progress=arguments.progress,
        acceptance=arguments.acceptance,
    )
    if asked.safety or asked.temporal:
        properties = asked
    result = search(lambda progress: check(model, properties, options, progress))
    print_result(result, arguments.json, arguments.full_trail)
    if arguments.chart and not arguments.json:
        from mule.report.sequence_chart import show_chart, steps_of

        for violation in result.violations:
            show_chart(result.model, steps_of(violation.trail), page())
    return status_of(result.verdict)
