"""What travels between partitions, and what Ray carries: the figures in docs/cluster.md.

`python -m tests.cluster.travel` counts the bytes that are sent for each state, in this process, for several numbers of
partitions and threads; measures what a partition of threads spends on them alone; and then how many batches of which
size one Ray actor sends to another on this machine in a second."""

from __future__ import annotations

import random
import time
from typing import Any

from mule.benchmarks.distributed import CASES, FULL, Case
from mule.cluster.connection import connect, disconnect, ray_module
from mule.cluster.in_process import InProcess
from mule.cluster.leading import lead
from mule.cluster.partition import WINDOW
from mule.cluster.workers import for_partition
from mule.options import Options
from mule.planning import search_options

COUNTED, TIMED = CASES[4], CASES[5]
PARTS = (2, 4, 8, 16, 64)
BATCHES = ((64, 2000), (256, 500), (1024, 200), (4096, 100))
"""KiB, and how many are sent."""


def bytes_per_state(case: Case, parts: int, threads: int) -> float:
    prepared = case.prepared(FULL.but(cluster="local:1"))
    options = search_options(prepared.options, "safety")
    team = InProcess(prepared, options, parts, random.Random(0), states=5000, threads=(threads,) * parts)
    found = lead(team, options, None, between_cuts=float("inf"))
    return sum(node.sent_bytes for node in found.progress.nodes) / found.progress.states


def time_alone(case: Case, threads: int) -> str:
    """Two partitions after each other: what is done by all threads, and what by one."""
    prepared = case.prepared(FULL.but(cluster="local:1"))
    options = search_options(prepared.options, "safety")
    asked = [for_partition(options, part, (threads, threads)) for part in range(2)]
    engine = prepared.engine
    engine.optimise()
    searches = [engine.exploration(each, None, part, 2, each.team) for part, each in enumerate(asked)]
    together = alone = 0.0
    sent = 0
    while any(search.has_work for search in searches):
        for part, search in enumerate(searches):
            began = time.perf_counter()
            search.step(200_000)
            stepped = time.perf_counter()
            batch = search.outbox(1 - part)
            searches[1 - part].receive(batch)
            together += stepped - began
            alone += time.perf_counter() - stepped
            sent += len(batch)
    return f"{threads} threads: {together:.2f} s together, {alone:.2f} s alone, for {sent / 1e6:,.0f} MB"


class Taker:
    def take(self, batch: bytes) -> None:
        pass

    def send(self, to: Any, batch: bytes, count: int) -> float:
        ray = ray_module()
        began = time.perf_counter()
        under_way: list[Any] = []
        for _ in range(count):
            under_way.append(to.take.remote(batch))
            if len(under_way) == WINDOW:
                _, under_way = ray.wait(under_way, num_returns=WINDOW // 2)
        ray.get(under_way)
        return time.perf_counter() - began


def main() -> None:
    for threads in (1, 2, 16):
        known = [(parts, bytes_per_state(COUNTED, parts, threads)) for parts in PARTS if parts <= 8 or threads < 16]
        counted = [f"{parts}: {each:.0f}" for parts, each in known]
        print(f"bytes per state, partitions of {threads} threads: {', '.join(counted)}", flush=True)
    for threads in (1, 2):
        print(time_alone(TIMED, threads), flush=True)
    connect(Options(cluster="local:2"))
    actor = ray_module().remote(Taker)
    one, other = actor.remote(), actor.remote()
    ray_module().get([each.take.remote(b"") for each in (one, other)])
    for size, count in BATCHES:
        seconds = ray_module().get(one.send.remote(other, bytes(size * 2**10), count))
        print(
            f"{size} KiB: {count / seconds:,.0f} batches and {count * size * 2**10 / seconds / 1e6:,.0f} MB per second"
        )
    disconnect()


if __name__ == "__main__":
    main()
