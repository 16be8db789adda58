"""`mule check`: does the model do what it should?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from mule.cli.arguments import (
    UsageError,
    add_checkpoints,
    add_cluster,
    add_detail,
    add_full_trail,
    add_gpu,
    add_json,
    add_keeping,
    add_model,
    add_report,
    add_search,
    add_temporal,
    options_from,
)
from mule.cli.running import (
    finish,
    is_archive,
    load_model,
    page,
    refuse_detail_of_json,
    report_of,
    require_machine,
    resumed,
    tell,
    within,
)
from mule.cli.status import status_of

if TYPE_CHECKING:
    from mule.driving import Progress
    from mule.model import Model
    from mule.options import Options
    from mule.properties import Properties
    from mule.results import Result

DESCRIPTION = """Check a model; with no property given, everything that the model itself declares:
that it cannot deadlock, its assertions, and each of its temporal properties
(--deadlock --assertions asks for the first two alone). Each property has its own
verdict. A violation comes with a trail, a run that leads to it step by step.

MODEL may also be a graph that `mule explore --save` has written: then --ltl, --ctl
and --claim are judged on it, over the propositions that it observes.

examples:
  mule check examples/mailbox.pml --ltl '[] (waiting -> <> !waiting)'
  mule check examples/mailbox.pml --ctl 'AG EF !waiting'
  mule check examples/broken_mutex.dve --report found.html
  mule check examples/philosophers.dve --deadlock --search bfs --por none"""


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
        "--ctl",
        metavar="FORMULA",
        action="append",
        default=[],
        help="FORMULA, in computation tree logic (AG, EF, A[p U q], ...), holds in the initial state; may be repeated",
    )
    group.add_argument(
        "--claim",
        metavar="NAME",
        action="append",
        default=[],
        help="a temporal property that the model declares (ltl block, never claim, property process), `all`, or "
        "a file with an automaton of the runs that must not be (HOA, never claim)",
    )
    group.add_argument("--progress", action="store_true", help="no run goes on for ever without progress")
    group.add_argument("--acceptance", action="store_true", help="no run comes to accepting places again and again")
    add_search(parser)
    add_keeping(parser)
    add_checkpoints(parser)
    add_cluster(parser)
    add_gpu(parser)
    add_temporal(parser)
    add_detail(parser)
    add_full_trail(parser)
    parser.add_argument("-c", "--chart", action="store_true", help="draw who sends which message to whom in the trail")
    add_report(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    from mule.properties import Properties

    options = options_from(arguments)
    asked = Properties(
        deadlock=arguments.deadlock,
        assertions=arguments.assertions,
        invariants=tuple(arguments.invariant),
        ltl=tuple(arguments.ltl),
        claims=tuple(arguments.claim),
        progress=arguments.progress,
        acceptance=arguments.acceptance,
        ctl=tuple(arguments.ctl),
    )
    if arguments.chart and arguments.json:
        raise UsageError("--chart has no effect on --json: leave out one of the two", "mule check")
    options, written = resumed(arguments, options, "check")
    refuse_detail_of_json(arguments, "check")
    require_machine(options)
    if written is not None and written.properties is not None and not (asked.safety or asked.temporal):
        asked = written.properties
    work = _on_graph(arguments, asked, options) or _on_model(arguments, asked, options)

    def otherwise(model: Model, reason: str) -> Result:
        from mule.unanswered import unanswered

        return unanswered(model, asked, options, reason)

    growth = report_of(arguments)
    result = within(arguments, work, otherwise, growth)
    tell(result, arguments, growth)
    if arguments.chart:
        from mule.report.sequence_chart import show_chart, steps_of

        for violation in result.violations:
            trail, full = violation.trail, arguments.full_trail or arguments.verbose
            show_chart(trail.model, steps_of(trail), page(), violation.message, trail.loop, full)
    finish(options, result, "check")
    return status_of(result.verdict, result.stopped)


Work = Callable[[Callable[["Progress"], bool]], "Result"]


def _on_model(arguments: Namespace, asked: Properties, options: Options) -> Work:
    from mule.checking import check

    properties = asked if asked.safety or asked.temporal else None
    return lambda progress: check(load_model(arguments), properties, options, progress)


def _on_graph(arguments: Namespace, asked: Properties, options: Options) -> Work | None:
    """None: it is no saved graph."""
    path = arguments.model
    if path is None or not is_archive(path):
        return None
    from mule.graph import check_graph, is_graph, load_graph

    if not is_graph(path):
        return None
    if arguments.defines or arguments.processes or arguments.language:
        raise UsageError("the graph has its model in it: -D, --processes or --language has no effect", "mule check")
    return lambda progress: check_graph(load_graph(path), asked, options, progress)
