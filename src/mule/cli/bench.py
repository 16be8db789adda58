"""`mule bench`: the experiments and the races, each in a module of `mule.benchmarks`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from importlib import import_module
from pathlib import Path

from mule.cli.arguments import duration, positive
from mule.cli.running import page
from mule.errors import MuleError

DESCRIPTION = "Run one of the benchmarks on a folder of models."

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
}
LIMITED = {
    "promela-verdicts": ("time",),
    "promela-race": ("time", "rounds"),
    "table6": ("time",),
    "temporal": ("time",),
    "nested": ("rounds",),
    "lpor": ("time",),
    "table7": ("time",),
    "figure8": ("time",),
}
"""The options that a benchmark takes beside the models."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", choices=list(FUNCTIONS), metavar="NAME", help=f"one of {', '.join(FUNCTIONS)}")
    parser.add_argument("--models", type=Path, metavar="DIR", required=True, help="the folder that holds the models")
    parser.add_argument("--time", type=duration, metavar="SECONDS", help="the most that one search may take")
    parser.add_argument("--rounds", type=positive, metavar="N", help="how often to race; medians are shown")


def run(arguments: Namespace) -> int:
    if not arguments.models.is_dir():
        raise MuleError(f"{arguments.models} is not a folder")
    module_name, function = FUNCTIONS[arguments.name]
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name not in (module_name, "mule.benchmarks"):
            raise
        raise MuleError(f"the benchmark {arguments.name!r} is not part of this installation") from error
    return int(getattr(module, function)(arguments.models, page().console, **_limits(arguments)))


def _limits(arguments: Namespace) -> dict[str, float]:
    """The options given; an error for one that the benchmark has no use for."""
    given = {name: getattr(arguments, name) for name in ("time", "rounds") if getattr(arguments, name) is not None}
    for name in given:
        if name not in LIMITED.get(arguments.name, ()):
            raise MuleError(f"the benchmark {arguments.name} has no --{name}")
    return given
