"""Workers of a real Ray cluster that are killed at random moments.

`python -m tests.cluster.faults --count 20 --seed 0` makes 20 runs; with `--runs` they judge a temporal property. Each
search goes on by itself, and ends with the counts and the verdict of one that nobody disturbed."""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from mule.cluster import connection, on_ray
from mule.cluster.assignment import Assignment, assignment_of
from mule.cluster.leading import lead
from mule.cluster.places import Place
from mule.cluster.runs import lead_runs, marks_of
from mule.driving import Limits
from mule.engine import SearchOptions
from mule.frontends import load_text
from mule.options import Options
from mule.planning import Preparation, plan_for, resolve, search_options
from mule.properties import Properties
from mule.temporal.product import Product, Runs
from mule.temporal.questions import questions_of
from tests.cluster.questions import counted

Found = TypeVar("Found")

WORKERS = 3
FULL = Options(por="none", search="bfs", as_written=True, cluster=f"local:{WORKERS}")
COUNTERS = """
byte a, b, c;
active proctype A() { do :: atomic { a < %(most)d -> a++ } :: atomic { a > 0 -> a-- } od }
active proctype B() { do :: atomic { b < %(most)d -> b++ } :: atomic { b > 0 -> b-- } od }
active proctype C() { do :: atomic { c < %(most)d -> c++ } :: atomic { c > 0 -> c-- } od }
active proctype D() { (a + b + c == %(end)d); assert(false) }
"""
"""Many states, and one assertion that is violated far from the beginning, or never."""


class Killed:
    """A search on a cluster one of whose workers is killed after a while, and perhaps another one later."""

    def __init__(self, assignment: Assignment, chosen: random.Random, seconds: float) -> None:
        threads = 1 if assignment.runs is not None else chosen.choice((1, 2))
        self.team = on_ray.RayTeam(assignment, [Place(threads)] * WORKERS)
        self.kills = 0
        self._delays = [chosen.uniform(0.0, seconds) for _ in range(chosen.choice((1, 1, 2)))]
        self._chosen = chosen
        self._over = threading.Event()

    def run(self, search: Callable[[on_ray.RayTeam], Found]) -> Found:
        killer = threading.Thread(target=self._kill)
        processes = self.team.processes
        self._processes = processes
        killer.start()
        try:
            found = search(self.team)
        finally:
            self._over.set()
            killer.join()
            self.team.dismiss()
        return found

    def _kill(self) -> None:
        for delay in self._delays:
            if self._over.wait(delay):
                return
            try:
                os.kill(self._chosen.choice(self._processes), signal.SIGKILL)
                self.kills += 1
            except ProcessLookupError:
                pass


def prepared_for(most: int, end: int) -> tuple[Preparation, SearchOptions]:
    model = load_text(COUNTERS % {"most": most, "end": end}, "counters.pml", "promela")
    options = resolve(FULL, "safety")
    prepared = Preparation(plan_for(model, options, "safety", ()))
    return prepared, search_options(options, "safety", stop_at_assertion=True, stop_at_error=True)


def try_once(seed: int) -> str:
    """What came of it; an AssertionError where a count or a verdict is another one."""
    chosen = random.Random(seed)
    most = chosen.choice((60, 80))
    violated = chosen.random() < 0.3
    prepared, options = prepared_for(most, 2 * most if violated else 4 * most)
    expected = prepared.engine.search(options)
    search = Killed(assignment_of(prepared, options), chosen, seconds=0.5)
    began = time.perf_counter()
    between_cuts = chosen.choice((0.1, 0.5, 60.0))
    found = search.run(lambda team: lead(team, options, between_cuts=between_cuts))
    assert found.found is expected.found, f"seed {seed}: {found.found}, not {expected.found}"
    if not violated:
        assert counted(found) == counted(expected), f"seed {seed}: {counted(found)}, not {counted(expected)}"
    else:
        assert prepared.trail(found.path).steps[-1].failure is not None
    states = found.progress.states
    return f"seed {seed}: {search.kills} killed, {states:,} states, {time.perf_counter() - began:.1f} s"


def try_runs(seed: int) -> str:
    """The same for a temporal property, which holds."""
    chosen = random.Random(seed)
    model = load_text(COUNTERS % {"most": 80, "end": 320}, "counters.pml", "promela")
    [question] = questions_of(model, Properties(ltl=("[] (a + b + c < 250)",)))
    options = resolve(FULL, "safety")
    prepared = Preparation(plan_for(model, options, "safety", question.atoms))
    product = Product(prepared.searched, prepared.domains, question.atoms, question.automaton.states, reducible=False)
    runs = Runs(question.automaton, None, "none", question.finite_runs)
    expected = product.search(question.automaton, "scc")
    search = Killed(assignment_of(prepared, SearchOptions(), (product, runs)), chosen, seconds=0.5)
    marks = marks_of(product, runs)
    began = time.perf_counter()
    found = search.run(lambda team: lead_runs(team, marks, Limits(), between_cuts=0.1))
    counts = [(each.empty, each.progress.states, each.progress.transitions) for each in (found, expected)]
    assert counts[0] == counts[1], f"seed {seed}: {counts}"
    assert found.empty
    states = found.progress.states
    return f"seed {seed}: {search.kills} killed, {states:,} states of a product, {time.perf_counter() - began:.1f} s"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", action="store_true", help="of searches for runs that violate a temporal property")
    arguments = parser.parse_args()
    connection.connect(Options(cluster=f"local:{WORKERS + 2}"))
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        print(try_runs(seed) if arguments.runs else try_once(seed), flush=True)
    connection.disconnect()
    left = list(Path(on_ray.cut_folder()).parent.glob("mule-cluster-*"))
    print(f"{arguments.count} runs: the same verdicts and counts; {len(left)} folders left")
    return int(bool(left))


if __name__ == "__main__":
    sys.exit(main())
