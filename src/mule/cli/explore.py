"""`mule explore`: how large is the (reduced) state space?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, _ArgumentGroup
from collections.abc import Callable
from typing import TYPE_CHECKING, get_args

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
    options_from,
    port,
)
from mule.cli.running import (
    finish,
    load_model,
    refuse_detail_of_json,
    report_of,
    require_machine,
    resumed,
    tell,
    within,
)
from mule.cli.status import status_of
from mule.errors import MuleError, Place
from mule.options import Kept, Options, Preserve

if TYPE_CHECKING:
    from mule.driving import Progress
    from mule.model import Model
    from mule.results import Result

DESCRIPTION = """Explore the (reduced) state space and count; nothing is judged.

With --preserve ltl or ctl it becomes a graph over some propositions, and --save
keeps it for `mule check`.

examples:
  mule explore examples/pipeline.dve --por none
  mule explore examples/mailbox.pml --preserve ctl --observe waiting --save m.mule-graph
  mule check m.mule-graph --ltl '[]<> !waiting' --ctl 'AG EF !waiting'
  mule explore examples/philosophers.dve --serve      # a page to walk through it by hand"""

PRESERVED = (*get_args(Preserve), *get_args(Kept))


def add_arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "--preserve",
        choices=PRESERVED,
        default="deadlocks",
        metavar="WHAT",
        help=f"what the reduction must not lose: {', '.join(PRESERVED)} (default: deadlocks)",
    )
    group = parser.add_argument_group("graphs for temporal properties (--preserve ltl, ctl)")
    _add_texts(group, "--observe", "EXPR", "a proposition, in the model's language, that formulas may speak of")
    _add_texts(group, "--ltl", "FORMULA", "observe the propositions of this formula")
    _add_texts(group, "--ctl", "FORMULA", "observe the propositions of this formula")
    group.add_argument("--save", metavar="FILE", help="write the graph to FILE, for `mule check FILE`")
    parser.add_argument(
        "--serve",
        type=port,
        nargs="?",
        const=0,
        metavar="PORT",
        help="open a page, on this machine alone, to walk through the states by hand; ends with Ctrl-C",
    )
    add_search(parser)
    add_keeping(parser)
    add_checkpoints(parser)
    add_cluster(parser)
    add_gpu(parser)
    add_detail(parser)
    add_full_trail(parser)
    add_report(parser)
    add_json(parser)


def _add_texts(group: _ArgumentGroup, name: str, metavar: str, meaning: str) -> None:
    group.add_argument(name, metavar=metavar, action="append", default=[], help=f"{meaning}; may be repeated")


def run(arguments: Namespace) -> int:
    if arguments.serve is not None:
        from mule.cli.serving import serve

        return serve(arguments)
    options, written = resumed(arguments, options_from(arguments), "explore")
    refuse_detail_of_json(arguments, "explore")
    require_machine(options)
    if written is not None:
        if "preserve" in arguments.given and arguments.preserve != written.preserve:
            message = f"this run preserves {written.preserve}: leave out --preserve, or begin anew with --checkpoint"
            raise MuleError(message, Place(arguments.resume))
        arguments.preserve = written.preserve
    if arguments.preserve in get_args(Kept):
        work = _as_graph(arguments, options)
    else:
        for name in ("observe", "ltl", "ctl", "save"):
            if getattr(arguments, name):
                raise UsageError(f"--{name} needs --preserve ltl or --preserve ctl", "mule explore")
        work = _counted(arguments, options)

    def otherwise(model: Model, reason: str) -> Result:
        from mule.results import not_searched

        return not_searched(model, options, (), reason)

    growth = report_of(arguments)
    result = within(arguments, work, otherwise, growth)
    tell(result, arguments, growth)
    finish(options, result, "explore")
    return status_of(result.verdict, result.stopped)


Work = Callable[[Callable[["Progress"], bool]], "Result"]


def _counted(arguments: Namespace, options: Options) -> Work:
    from mule.checking import explore

    preserve: Preserve = arguments.preserve
    return lambda progress: explore(load_model(arguments), options, preserve, progress)


def _as_graph(arguments: Namespace, options: Options) -> Work:
    from mule.graph import construct, not_saved, observed_by, save_graph

    def work(progress: Callable[[Progress], bool]) -> Result:
        model = load_model(arguments)
        observed = observed_by(model, arguments.observe, arguments.ltl, arguments.ctl)
        if not observed:
            raise UsageError("say what formulas will speak of: --observe EXPR, --ltl or --ctl", "mule explore")
        built = construct(model, observed, arguments.preserve, options, progress)
        if not arguments.save:
            return built.result
        if built.graph is None:
            return not_saved(built)
        save_graph(built.graph, arguments.save)
        return built.result

    return work
