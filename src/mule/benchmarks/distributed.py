"""Seed 002's experiments: fragmented depth-first search against the full search and SPIN's condition, and the cluster.

The models are our own (`mule.benchmarks.protocols`), of the seed's four families; their counts differ from the seed's,
and what can be compared is the share that is kept. As in the seed, no step is in a reduced set that a formula would see
(C2): a process enters or leaves its critical section, the receiver gets a bit. Models are searched as written."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rich.console import Console

from mule.benchmarks.lines import show
from mule.benchmarks.protocols import protocol
from mule.benchmarks.seed002 import FIGURES
from mule.cluster.in_process import search_in_process
from mule.engine import SearchResult
from mule.errors import MuleError
from mule.frontends import load
from mule.model import Model
from mule.options import FRAGMENTED, Options
from mule.planning import Analysis, Plan, Preparation, resolve, search_options

SECONDS = 120.0
"""For each search, if nothing else is said."""
NODES = 4
"""Of the heuristics, which make no difference on one."""
MANY = 1_000_000
"""States of a model of which only the seed's heuristic, that with histories, is tried on several nodes."""
WORKERS = (1, 2, 4, 8)
SPIN = Options(por="deletion", search="dfs", proviso="stack")
FULL = Options(por="none", search="bfs")


@dataclass(frozen=True)
class Case:
    name: str
    """As the seed has it."""
    file: str
    size: int
    seen: str
    """What a formula would see."""

    @cached_property
    def model(self) -> Model:
        return load(protocol(self.file), "promela", (f"N={self.size}",))

    def prepared(self, options: Options) -> Preparation:
        assert self.model.parse_expression is not None
        watched = (self.model.parse_expression(self.seen),)
        resolved = resolve(options.but(as_written=True), "safety")
        return Preparation(Plan(Analysis(self.model), resolved, "safety", (), watched=watched))

    def search(self, options: Options, nodes: int = 1) -> SearchResult:
        """By one worker, or by several in this process."""
        prepared = self.prepared(options.but(cluster="local:1") if nodes > 1 else options)
        engine_options = search_options(prepared.options, "safety")
        if nodes > 1:
            return search_in_process(prepared, engine_options, nodes)
        return prepared.search(engine_options, None)


ABP = "Receiver@zero || Receiver@one"
CASES = (
    Case("PA(2)", "peterson_n", 2, "P[0]@cs"),
    Case("PA(3)", "peterson_n", 3, "P[0]@cs"),
    Case("TRA(6)", "token_ring", 6, "P[1]@cs"),
    Case("TRA(8)", "token_ring", 8, "P[1]@cs"),
    Case("ABP(2)", "lossy_abp", 2, ABP),
    Case("ABP(20)", "lossy_abp", 20, ABP),
    Case("SRP(2)", "sender_receiver", 2, ABP),
    Case("SRP(50)", "sender_receiver", 50, ABP),
)
ON_CLUSTER = (CASES[5], CASES[7])


def run(models: Path | None, console: Console, time: float = SECONDS) -> int:
    """Nonzero where a row keeps more than the seed's does, or the cluster counts other states than one search."""
    worse = [case.name for case in CASES if _show_reductions(case, console, time)]
    show(console, "")
    wrong = [case.name for case in ON_CLUSTER if _show_cluster(case, console, time)]
    for name in worse:
        show(console, f"{name}: WORSE than the seed")
    for name in wrong:
        show(console, f"{name}: the cluster has OTHER COUNTS than one search")
    return int(bool(worse or wrong))


def _show_reductions(case: Case, console: Console, time: float) -> bool:
    """Whether fragmented search, with the histories that the seed used, keeps a larger share than the seed's."""
    if case is CASES[0]:
        show(console, "States kept, in % of all: SPIN's condition and C3'' on one node, each condition on 4 nodes")
        show(
            console, f"{'':<9}{'full':>11}{'SPIN':>8}{'1 node':>8}" + f"{'C3':>8}{'order':>8}{'history':>9}{'seed':>8}"
        )
    full = case.search(FULL.but(time=time))
    spin = case.search(SPIN.but(time=time))
    alone = case.search(SPIN.but(proviso="fragmented", time=time))
    states = full.progress.states
    shared = [
        case.search(SPIN.but(proviso=proviso, time=time), NODES)
        if proviso == "fragmented-history" or states < MANY
        else None
        for proviso in FRAGMENTED
    ]
    shares = [_share(each, states) for each in (spin, alone, *shared)]
    seed = FIGURES.get(case.name)
    cells = [f"{share:>8}" for share in shares[:-1]] + [f"{shares[-1]:>9}"]
    known = f"{states:,}" if full.stopped is None else f">{states:,}"
    show(console, f"{case.name:<9}{known:>11}{''.join(cells)}{f'{seed.kept:.1f}' if seed else '':>8}")
    rated = [each for each in (alone, shared[-1]) if each is not None]
    return seed is not None and any(100 * each.progress.states / states > seed.kept for each in rated)


def _share(found: SearchResult | None, states: int) -> str:
    if found is None:
        return "-"
    share = f"{100 * found.progress.states / states:.1f}"
    return share if found.stopped is None else f">{share}"


def _show_cluster(case: Case, console: Console, time: float) -> bool:
    """Whether some number of workers counts other states than one search does, or gives up before the end."""
    from mule.cluster.connection import connect, disconnect
    from mule.cluster.on_ray import search_on_ray

    show(console, f"{case.name} on a cluster on this machine: workers x threads; one search has {_sizes(case)}")
    show(
        console,
        f"{'':<10}{'':<20}{'states':>10}{'seconds':>9}{'states/s':>11}{'batches':>9}{'MB':>8}{'bytes/state':>13}",
    )
    expected = case.search(FULL).progress.states
    wrong = False
    for workers in WORKERS:
        for options in (FULL, SPIN.but(proviso="fragmented-history"), SPIN.but(search="bfs", proviso="duplicate")):
            prepared = case.prepared(options.but(cluster=f"local:{workers}", time=time))
            connect(prepared.options)
            _ = prepared.engine
            began = clock.perf_counter()
            found = search_on_ray(prepared, search_options(prepared.options, "safety"))
            _show_run(console, options, found, clock.perf_counter() - began)
            wrong |= options is FULL and found.progress.states != expected
        disconnect()
    return wrong


def _sizes(case: Case) -> str:
    found = case.search(FULL)
    return f"{found.progress.states:,} states in {found.progress.seconds:.2f} s"


def _show_run(console: Console, options: Options, found: SearchResult, seconds: float) -> None:
    """`seconds`: with the time that the workers take to make the model."""
    if found.stopped is not None:
        raise MuleError(f"the cluster was stopped: {found.stopped}")
    nodes = found.progress.nodes
    batches, volume = sum(node.sent_batches for node in nodes), sum(node.sent_bytes for node in nodes)
    states = found.progress.states
    name = f"{len(nodes)} x {nodes[0].threads}"
    kind = "full" if options is FULL else options.proviso
    rate = states / found.progress.seconds
    show(
        console,
        f"{name:<10}{kind:<20}{states:>10,}{found.progress.seconds:>9.2f}{rate:>11,.0f}{batches:>9,}"
        f"{volume / 1e6:>8.1f}{volume / states:>13.1f}",
    )
