"""Directed searches on BEEM's reachable goals: `python -m tests.directed.beem MODELS`, the folder with BEEM's files.

For every goal of a model with at most 5,000,000 states: the length that A* finds next to BEEM's, the states that A* and
breadth-first search expand, and the states and seconds of best-first search with reduction next to those of depth-first
and breadth-first search."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from mule.benchmarks.beem import MOST_STATES
from mule.benchmarks.corpus import Entry, entries
from mule.engine import Found
from mule.frontends import load
from mule.options import Options, Por, Search
from mule.planning.analysis import Analysis
from mule.planning.states import Searched, safety_search
from mule.records import Record

MANY = 10_000
"""Depth-first search has much to do if it visits more states."""


class Run(Record, frozen=True):
    """One search: what it found, and what it took."""

    length: int
    """Steps to the goal; -1: it was not found in time."""
    expanded: int
    states: int
    seconds: float
    """From the model to the trail."""


class Row(Record, frozen=True):
    name: str
    goal: str
    length: int
    """BEEM's, which counts the states on the way and not the steps."""
    breadth_first: Run
    a_star: Run
    depth_first: Run
    best_first: Run

    @property
    def share(self) -> float:
        """Of the states that breadth-first search expands, those that A* expands."""
        return self.a_star.expanded / max(self.breadth_first.expanded, 1)

    @property
    def gain(self) -> float:
        """How many times fewer states best-first search has than depth-first search."""
        return self.depth_first.states / max(self.best_first.states, 1)

    @property
    def is_faster(self) -> bool:
        return self.best_first.seconds < min(self.breadth_first.seconds, self.depth_first.seconds)

    @property
    def text(self) -> str:
        runs = (self.breadth_first, self.depth_first, self.best_first)
        states = "".join(f"{run.states:>10}" for run in runs)
        seconds = "".join(f"{run.seconds:>8.2f}" for run in runs)
        fine = "same   " if self.a_star.length + 1 == self.length else "DIFFERS"
        expanded = f"{self.a_star.expanded:>9} of{self.breadth_first.expanded:>9} {self.share:>5.2f}"
        return f"{fine} {self.name:<20}{self.length:>4} {expanded} |{states} {self.gain:>8.1f} |{seconds}  {self.goal}"


def run(entry: Entry, goal: str, limit: float | None, por: Por, search: Search, as_written: bool) -> Run:
    started = time.perf_counter()
    model = load(str(entry.path))
    assert model.parse_expression is not None
    observed = [model.parse_expression(f"not ({goal})")]
    options = Options(por=por, search=search, as_written=as_written, time=limit)
    analysis = Analysis(model, observed, ahead=not as_written)
    stops = {"stop_at_deadlock": False, "stop_at_error": analysis.can_err}
    searched: Searched = safety_search(analysis, options, "safety", observed, stops, None)
    found = searched.found
    reached = found.found is Found.PROPOSITION
    length = len(searched.prepared.trail(found.path)) if reached else -1
    return Run(length, found.expanded, found.progress.states, time.perf_counter() - started)


def rows(models: Path, limit: float | None, only: list[str]) -> Iterator[Row]:
    for entry in entries(models):
        if entry.states is None or entry.states > MOST_STATES or (only and entry.name not in only):
            continue
        for question in entry.facts["reachability"]:
            if question["answer"] != "yes":
                continue
            goal = question["expression"]
            yield Row(
                entry.name,
                goal,
                question["length"],
                run(entry, goal, limit, "none", "bfs", True),
                run(entry, goal, limit, "none", "astar", True),
                run(entry, goal, limit, "none", "dfs", False),
                run(entry, goal, limit, "auto", "best-first", False),
            )


def summary(table: list[Row]) -> str:
    same = sum(row.a_star.length + 1 == row.length for row in table)
    worse = [row.name for row in table if row.a_star.expanded > row.breadth_first.expanded]
    third = sum(row.share <= 1 / 3 for row in table)
    long = [row for row in table if row.depth_first.states > MANY]
    lines = [
        f"{same} of {len(table)} trails of A* have BEEM's length",
        f"A* expands more states than breadth-first search: {', '.join(worse) or 'never'}",
        f"A* expands at most a third of them: {third} of {len(table)}",
    ]
    if long:
        faster = sum(row.is_faster for row in long)
        lines.append(f"best first, where depth-first search visits over {MANY:,} states: {len(long)} goals")
        lines.append(f"  median of the times fewer states: {median(row.gain for row in long):.1f}")
        lines.append(f"  faster than both others: {faster} of {len(long)}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path)
    parser.add_argument("--time", type=float, default=60.0, help="seconds for each search")
    parser.add_argument("--only", nargs="*", default=[], help="these models alone")
    asked = parser.parse_args()
    table = []
    for row in rows(asked.models, asked.time, asked.only):
        table.append(row)
        print(row.text, flush=True)
    print(summary(table))
    sys.exit(any(row.a_star.length + 1 != row.length for row in table))


if __name__ == "__main__":
    main()
