"""What several workers bring: one of them against the serial search, and two and all processors against one."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from mule.benchmarks.corpus import Entry, entries
from mule.cores import available_cores
from mule.engine import Team
from mule.frontends import load
from mule.options import Options, Por
from mule.planning import Preparation, plan_for, resolve, search_options
from mule.records import replace

LEAST_STATES = 1_000_000
MOST_STATES = 8_000_000
ROUNDS = 3


class Lane(NamedTuple):
    """States in a second."""

    serial: float
    one: float
    two: float
    all: float


def run(models: Path, console: Console, rounds: int = ROUNDS) -> int:
    """Breadth-first searches that store more than a million states, full and reduced; medians of runs in turn. Rates,
    because the reduction by several workers keeps other states in each run."""
    many = available_cores()
    for por in ("none", "auto"):
        about = "without reduction" if por == "none" else "reduced, with the proviso closed-"
        console.print(f"{about}: thousands of states in a second, and ratios of these", highlight=False)
        head = f"{'model':<20}{'states':>10} {'serial':>8} {'1/serial':>9} {'2/1':>6} {f'{many}/1':>6}"
        console.print(head, highlight=False)
        lanes = []
        for entry in entries(models):
            if entry.states is None or not LEAST_STATES < entry.states <= MOST_STATES:
                continue
            states, lane = _measure(entry, por, many, rounds)
            if lane is None:
                continue
            lanes.append(lane)
            console.print(
                f"{entry.name:<20}{states:>10} {lane.serial / 1000:>8.0f} {lane.one / lane.serial:>9.2f} "
                f"{lane.two / lane.one:>6.2f} {lane.all / lane.one:>6.2f}",
                highlight=False,
            )
        _print_means(console, lanes, many)
    return 0


def _print_means(console: Console, lanes: Sequence[Lane], many: int) -> None:
    if not lanes:
        return console.print("no search stores so many states", highlight=False)
    one, two, most = (
        statistics.geometric_mean(ratios)
        for ratios in (
            [lane.one / lane.serial for lane in lanes],
            [lane.two / lane.one for lane in lanes],
            [lane.all / lane.one for lane in lanes],
        )
    )
    console.print(
        f"{len(lanes)} models, geometric means: one worker has {one:.2f} times the serial rate, "
        f"two have {two:.2f} times the rate of one, {many} have {most:.2f} times\n",
        highlight=False,
    )


def _measure(entry: Entry, por: Por, many: int, rounds: int) -> tuple[int, Lane | None]:
    """None where the search stores too few states."""
    resolved = resolve(Options(por=por, search="bfs", as_written=True, workers=1), "safety")
    prepared = Preparation(plan_for(load(str(entry.path)), resolved, "safety", ()))
    prepared.engine.optimise()
    options = search_options(resolved, "safety")
    states = 0

    def rate(team: Team | None) -> float:
        nonlocal states
        started = time.perf_counter()
        states = prepared.search(replace(options, team=team), None).progress.states
        return states / (time.perf_counter() - started)

    rate(None)
    if states <= LEAST_STATES:
        return states, None
    teams = [None, Team(1), Team(2)] + [Team(many)] * (many > 2)
    found = [[rate(team) for team in teams] for _ in range(rounds)]
    rates = [statistics.median(column) for column in zip(*found, strict=True)]
    return states, Lane(rates[0], rates[1], rates[2], rates[-1])
