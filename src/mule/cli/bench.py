"""`mule bench`: the experiments and the races, each in a module of `mule.benchmarks`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from importlib import import_module
from pathlib import Path

from mule.cli.arguments import UsageError, duration, positive
from mule.cli.running import page
from mule.errors import MuleError

FUNCTIONS = {
    "table5": ("mule.benchmarks.table5", "run"),
    "race": ("mule.benchmarks.race", "run"),
    "whole": ("mule.benchmarks.whole", "run"),
    "soundness": ("mule.benchmarks.soundness", "run"),
    "reachability": ("mule.benchmarks.beem", "reachability"),
    "counts": ("mule.benchmarks.beem", "counts"),
    "promela-counts": ("mule.benchmarks.promela_counts", "run"),
    "promela-verdicts": ("mule.benchmarks.promela_verdicts", "run"),
    "promela-race": ("mule.benchmarks.promela_race", "run"),
    "table6": ("mule.benchmarks.table6", "run"),
    "temporal": ("mule.benchmarks.temporal", "run"),
    "nested": ("mule.benchmarks.nested", "run"),
    "lpor": ("mule.benchmarks.lpor", "run"),
    "table7": ("mule.benchmarks.table7", "run"),
    "figure8": ("mule.benchmarks.figure8", "run"),
    "directed": ("mule.benchmarks.directed", "run"),
    "distributed": ("mule.benchmarks.distributed", "run"),
    "shortening": ("mule.benchmarks.shortening", "run"),
    "promela-trails": ("mule.benchmarks.promela_trails", "run"),
    "workers": ("mule.benchmarks.workers", "run"),
    "flat": ("mule.benchmarks.flat", "run"),
    "gpu": ("mule.benchmarks.gpu", "run"),
    "gpu-reachability": ("mule.benchmarks.gpu", "reachability"),
}
MEANINGS = {
    "counts": "DVE: BEEM's numbers of states and transitions against ours",
    "reachability": "DVE: BEEM's answers about reachability, with and without reduction",
    "soundness": "DVE: mule validate on every model",
    "table5": "DVE: how many states each reduction keeps",
    "whole": "DVE: does the reduction pay, from start to result?",
    "workers": "DVE: what several workers bring",
    "gpu": "DVE or PROMELA: what a GPU brings, and whether it counts the same",
    "gpu-reachability": "DVE: BEEM's answers about reachability, by a GPU",
    "temporal": "DVE or PROMELA: the temporal properties, with every reduction",
    "nested": "DVE: nested depth-first search against plain search",
    "shortening": "DVE: depth-first trails made shorter; with PROMELA beside it",
    "race": "PROMELA: full exploration against SPIN's verifier",
    "promela-counts": "PROMELA: SPIN's counts against ours",
    "promela-verdicts": "PROMELA: SPIN's verdicts against ours",
    "promela-race": "PROMELA: whole time to the verdict against SPIN",
    "promela-trails": "PROMELA: length of trails, and time to them, against SPIN's pan -i",
    "table6": "PROMELA: what is kept, against LTSmin and SPIN",
    "table7": "PROMELA: temporal properties, by algorithm and proviso",
    "figure8": "no folder: temporal properties of protocols that come with Mule",
    "directed": "no folder: A*, IDA* and reductions on protocols that come with Mule",
    "distributed": "no folder: fragmented search, and a cluster of 1 to 8 workers here",
    "flat": "no folder: big flat models, until the search can begin; against SPIN where it is installed",
    "lpor": "EXAMPLES: LPOR, DPOR and stubborn sets on protocols",
}
FOLDERS = """what the folder DIR holds:
  DVE       models in DVE (BEEM), and expected.json with their figures
  PROMELA   programs in Promela, and expected.json with SPIN's figures
  EXAMPLES  the folder examples of Mule's repository

The models of BEEM and of SPIN are not part of Mule; docs/benchmarks.md shows
what came out. Races against SPIN need spin and gcc."""
DESCRIPTION = "\n".join(
    (
        "Run one of the benchmarks, most of them on a folder of models.",
        "",
        "names:",
        *(f"  {name:<17}{meaning}" for name, meaning in MEANINGS.items()),
        "",
        FOLDERS,
        "",
        "examples:",
        "  mule bench flat",
        "  mule bench lpor --models examples --time 15",
        "  mule bench promela-race --models PROMELA --rounds 3",
    )
)
LIMITED = {
    "promela-verdicts": ("time",),
    "promela-race": ("time", "rounds"),
    "table6": ("time",),
    "temporal": ("time",),
    "nested": ("rounds",),
    "workers": ("rounds",),
    "gpu": ("time",),
    "lpor": ("time",),
    "table7": ("time",),
    "figure8": ("time",),
    "directed": ("time",),
    "distributed": ("time",),
    "shortening": ("time",),
    "promela-trails": ("time",),
}
"""The options that a benchmark takes beside the models."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="the benchmark: one of the names above")
    parser.add_argument("--models", type=Path, metavar="DIR", help="the folder that holds the models, see above")
    parser.add_argument("--time", type=duration, metavar="SECONDS", help="the most that one search may take")
    parser.add_argument("--rounds", type=positive, metavar="N", help="how often to race; medians are shown")


def run(arguments: Namespace) -> int:
    _refuse_nonsense(arguments)
    module_name, function = FUNCTIONS[arguments.name]
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name not in (module_name, "mule.benchmarks"):
            raise
        raise MuleError(f"the benchmark {arguments.name!r} is not part of this installation") from error
    return int(getattr(module, function)(arguments.models, page().console, **_limits(arguments)))


def _refuse_nonsense(arguments: Namespace) -> None:
    def wrong(message: str) -> UsageError:
        return UsageError(message, "mule bench")

    if arguments.name not in FUNCTIONS:
        asked = "which benchmark?" if arguments.name is None else f"there is no benchmark {arguments.name!r}:"
        raise wrong(f"{asked} choose one of {', '.join(MEANINGS)}")
    _limits(arguments)
    kind = MEANINGS[arguments.name].partition(":")[0]
    if arguments.models is None:
        if kind == "no folder":
            return
        raise wrong(f"{arguments.name} needs --models DIR, a folder of this kind: {kind}")
    if not arguments.models.is_dir():
        raise wrong(f"{arguments.models} is not a folder; {arguments.name} needs one of this kind: {kind}")
    if "DVE" in kind or "PROMELA" in kind:
        places = (arguments.models, arguments.models / "promela", arguments.models.parent / "promela")
        if not any((place / "expected.json").is_file() for place in places):
            raise wrong(f"{arguments.models} has no expected.json; {arguments.name} needs one of this kind: {kind}")


def _limits(arguments: Namespace) -> dict[str, float]:
    """The options given; an error for one that the benchmark has no use for."""
    given = {name: getattr(arguments, name) for name in ("time", "rounds") if getattr(arguments, name) is not None}
    for name in given:
        if name not in LIMITED.get(arguments.name, ()):
            raise MuleError(f"the benchmark {arguments.name} has no --{name}")
    return given
