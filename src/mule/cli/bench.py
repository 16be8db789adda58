"""`mule bench`: the experiments and the races, each in a module of `mule.benchmarks`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from importlib import import_module
from pathlib import Path

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
}


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", choices=list(FUNCTIONS), metavar="NAME", help=f"one of {', '.join(FUNCTIONS)}")
    parser.add_argument("--models", type=Path, metavar="DIR", required=True, help="the folder that holds the models")


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
    return int(getattr(module, function)(arguments.models, page().console))
