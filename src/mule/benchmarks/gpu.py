"""What a GPU brings: full explorations of models as written, against all processors of this computer."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from mule.benchmarks.corpus import entries
from mule.exploring import explore
from mule.frontends import load
from mule.gpu import require_gpu
from mule.options import Options
from mule.results import Statistics

LEAST_STATES = 1_000_000
_COLUMNS = ("model", "states", "depth", "here, s", "GPU, s", "compile", "search", "million states/s")


class Run(NamedTuple):
    seconds: float
    """From reading the model to the counts."""
    statistics: Statistics
    stopped: str | None

    @property
    def counts(self) -> tuple[int, int, int]:
        return self.statistics.states, self.statistics.transitions, self.statistics.deadlocks


def run(models: Path, console: Console, time: float | None = None) -> int:
    """`time`: seconds for a search on this computer. Nonzero where the two do not count the same."""
    require_gpu()
    wrong = 0
    console.print("{:<20}{:>12}{:>8}{:>9}{:>9}{:>9}{:>9}{:>18}".format(*_COLUMNS), highlight=False)
    for entry in entries(models):
        if entry.states is None or entry.states < LEAST_STATES:
            continue
        device = _explore(entry.path, Options(gpu=True, as_written=True))
        here = _explore(entry.path, Options(por="none", search="bfs", as_written=True, time=time))
        fine = here.stopped is not None or here.counts == device.counts
        wrong += not fine
        found = device.statistics
        rate = found.states / found.search_seconds / 1e6
        console.print(
            f"{entry.name:<20}{found.states:>12}{found.depth:>8}{here.seconds:>9.2f}{device.seconds:>9.2f}"
            f"{found.compile_seconds:>9.2f}{found.search_seconds:>9.3f}{rate:>18.0f}"
            f"{'' if fine else '  OTHER COUNTS'}{'  (here: not finished)' if here.stopped else ''}",
            highlight=False,
        )
    console.print(f"{wrong} models have other counts" if wrong else "the same counts everywhere", highlight=False)
    return int(wrong > 0)


def _explore(path: Path, options: Options) -> Run:
    started = clock.perf_counter()
    result = explore(load(str(path)), options, "safety")
    return Run(clock.perf_counter() - started, result.statistics, result.stopped)
