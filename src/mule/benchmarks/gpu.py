"""What a GPU brings: full explorations of models as written, against all processors of this computer; and whether its
answers are those of the reference tools."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from mule.benchmarks.beem import reachability_by
from mule.benchmarks.corpus import entries, read_json
from mule.benchmarks.lines import show
from mule.benchmarks.promela_corpus import promela_entries
from mule.exploring import explore
from mule.frontends import load
from mule.gpu import require_gpu
from mule.options import Options
from mule.results import Statistics

LEAST_STATES = {"dve": 1_000_000, "promela": 100_000}
"""Of a model that is explored."""
LEAST_FOR_AN_ANSWER, MOST_FOR_AN_ANSWER = 100_000, 600_000_000
_COLUMNS = ("model", "states", "depth", "here, s", "GPU, s", "compile", "search", "million states/s")

_DEVICE = Options(gpu=True, as_written=True)


class Sized(NamedTuple):
    """A model, and how many states it has by the reference tool."""

    name: str
    path: Path
    language: str
    states: int


class Run(NamedTuple):
    seconds: float
    """From reading the model to the counts."""
    statistics: Statistics
    stopped: str | None

    @property
    def counts(self) -> tuple[int, int, int]:
        return self.statistics.states, self.statistics.transitions, self.statistics.deadlocks


def run(models: Path, console: Console, time: float | None = None) -> int:
    """`time`: seconds for a search on this computer; Nonzero if it is done in time and counts something else than
    the GPU. The count of the reference tool is shown where it is another one."""
    require_gpu()
    wrong = 0
    show(console, "{:<44}{:>12}{:>8}{:>9}{:>9}{:>9}{:>9}{:>18}".format(*_COLUMNS))
    for model in _large(models):
        device = _explore(model, _DEVICE)
        here = _explore(model, Options(por="none", search="bfs", as_written=True, time=time))
        found = device.statistics
        fine = here.stopped is not None or here.counts == device.counts
        fine &= device.stopped is None
        known = "" if found.states == model.states else f"  (reference: {model.states})"
        wrong += not fine
        rate = found.states / found.search_seconds / 1e6
        show(
            console,
            f"{model.name:<44}{found.states:>12}{found.depth:>8}{here.seconds:>9.2f}{device.seconds:>9.2f}"
            f"{found.compile_seconds:>9.2f}{found.search_seconds:>9.3f}{rate:>18.0f}"
            f"{'' if fine else '  OTHER COUNTS'}{'  (here: not finished)' if here.stopped else ''}{known}",
        )
    show(console, f"{wrong} models have other counts" if wrong else "the same counts everywhere")
    return int(wrong > 0)


def reachability(models: Path, console: Console) -> int:
    """BEEM's questions about large models, and the lengths of its shortest paths."""
    require_gpu()
    return reachability_by((_DEVICE,), models, console, LEAST_FOR_AN_ANSWER, MOST_FOR_AN_ANSWER)


def _large(models: Path) -> Iterator[Sized]:
    """The models whose states the reference tool has counted."""
    if isinstance(read_json(models / "expected.json"), dict):
        sized = [
            Sized(each.name, each.path, "promela", each.full.states) for each in promela_entries(models) if each.full
        ]
    else:
        sized = [Sized(each.name, each.path, "dve", each.states) for each in entries(models) if each.states is not None]
    return (each for each in sized if each.states >= LEAST_STATES[each.language])


def _explore(model: Sized, options: Options) -> Run:
    started = clock.perf_counter()
    result = explore(load(str(model.path), model.language), options, "safety")
    return Run(clock.perf_counter() - started, result.statistics, result.stopped)
