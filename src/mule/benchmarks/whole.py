"""Does the reduction pay? Whole runs, from the start of the process to the result, with and without it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from mule.benchmarks.corpus import Entry, entries

LEAST_STATES = 500_000
MOST_STATES = 20_000_000
ROUNDS = 3


def run(models: Path, console: Console) -> int:
    """Every model over 500,000 states of which the reduction keeps less than half; medians of runs in turn.

    `cold`: nothing compiled before; `warm`: the machine code of an earlier run is at hand."""
    head = f"{'model':<20}{'states':>10} {'kept':>6}   {'cold: reduced, full':>20}   {'warm: reduced, full':>20}"
    console.print(head, highlight=False)
    tried = won = 0
    for entry in entries(models):
        if entry.states is None or not LEAST_STATES < entry.states <= MOST_STATES:
            continue
        with tempfile.TemporaryDirectory() as cache:
            _, reduced = _explore(entry, "auto", cache)
        kept = reduced["states"] / entry.states
        if kept >= 0.5:
            continue
        tried += 1
        cold_reduced, cold_full = _cold(entry, "auto"), _cold(entry, "none")
        with tempfile.TemporaryDirectory() as cache:
            for por in ("auto", "none"):
                _explore(entry, por, cache)
            warm = [(_explore(entry, "auto", cache)[0], _explore(entry, "none", cache)[0]) for _ in range(ROUNDS)]
        warm_reduced, warm_full = (statistics.median(column) for column in zip(*warm, strict=True))
        fine = cold_reduced < cold_full and warm_reduced < warm_full
        won += fine
        console.print(
            f"{entry.name:<20}{entry.states:>10} {kept:>6.1%}   {cold_reduced:>9.2f} {cold_full:>9.2f} s"
            f"   {warm_reduced:>9.2f} {warm_full:>9.2f} s{'' if fine else '   LOST'}",
            highlight=False,
        )
    console.print(f"{won} of {tried} models are done sooner with reduction, cold and warm")
    return 0


def _cold(entry: Entry, por: str) -> float:
    times = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as cache:
            times.append(_explore(entry, por, cache)[0])
    return statistics.median(times)


def _explore(entry: Entry, por: str, cache: str) -> tuple[float, dict[str, Any]]:
    command = [
        sys.executable,
        "-m",
        "mule",
        "explore",
        str(entry.path),
        "--por",
        por,
        "--as-written",
        "--workers",
        "1",
        "--json",
    ]
    started = time.perf_counter()
    environment = {**os.environ, "MULE_CACHE_DIR": cache}
    finished = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return time.perf_counter() - started, json.loads(finished.stdout)
