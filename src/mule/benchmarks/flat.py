"""Big flat models: how much processor time goes by until the search can begin, against `spin -a` and the C compiler."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from mule.benchmarks.lines import show
from mule.benchmarks.spin import installed

STATES = 10
"""Of the search, which is none: what comes before it is measured."""


def flat_dve(transitions: int = 5_000, processes: int = 100) -> str:
    """Processes that go round, each step with a guard and an effect of its own."""
    each = transitions // processes
    steps = ",\n".join(
        f"  s{i} -> s{(i + 1) % each} {{ guard a[{i % 100}] < 200 and v < 250; "
        f"effect a[{i % 100}] = v + {i % 7}, v = {i % 5}; }}"
        for i in range(each)
    )
    states = ", ".join(f"s{i}" for i in range(each))
    body = f"{{ byte v; state {states}; init s0; trans\n{steps}; }}"
    return "byte a[100];\n" + "".join(f"process P{p} {body}\n" for p in range(processes)) + "system async;\n"


def flat_promela(assignments: int = 2_000) -> str:
    """One process after another assignment."""
    lines = (
        f"  a[{i % 100}] = (a[{i * 7 % 100}] + {i % 5}) % 17;\n" if i % 2 else f"  x = (x + {i % 13}) % 1000;\n"
        for i in range(assignments)
    )
    return "byte a[100]; int x;\nactive proctype P() {\n" + "".join(lines) + "}\n"


def rendezvous(senders: int = 99, receivers: int = 70) -> str:
    """Each statement that sends can meet each that receives."""
    sends = "".join(f":: x == {i} -> c!{i % 7}; x = {(i + 1) % senders}\n" for i in range(senders))
    receives = "".join(f":: y == {i} -> c?z; y = {(i + 1) % receivers}\n" for i in range(receivers))
    return (
        "chan c = [0] of { byte };\n"
        f"active proctype S() {{ byte x; do\n{sends}od }}\n"
        f"active proctype R() {{ byte y, z; do\n{receives}od }}\n"
    )


def fifo(cells: int = 2_000) -> str:
    return (
        f"chan c = [{cells}] of {{ byte }};\n"
        "active proctype S() { byte i; do :: c!i; i = (i + 1) % 3 :: full(c) -> break od }\n"
        "active proctype R() { byte j; do :: c?j od }\n"
    )


MODELS: dict[str, tuple[str, Callable[[], str]]] = {
    "5,000 transitions": ("flat.dve", flat_dve),
    "2,000 assignments": ("flat.pml", flat_promela),
    "6,930 rendezvous": ("rendezvous.pml", rendezvous),
    "FIFO of 2,000 cells": ("fifo.pml", fifo),
}


def run(_: Path | None, console: Console) -> int:
    """Seconds of the processor, user and system, of a first run: nothing is in the cache."""
    show(console, f"{'model':<22}{'mule':>8}{'spin -a':>10}{'gcc -O2':>10}")
    for name, (file, text) in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / file).write_text(text())
            mule = [sys.executable, "-m", "mule", "check", file, "--max-states", str(STATES)]
            ours = _seconds(mule, folder)
            theirs = ["-", "-"]
            if file.endswith(".pml") and installed():
                theirs = [
                    f"{_seconds(command, folder):.2f} s"
                    for command in (["spin", "-a", file], ["gcc", "-O2", "-w", "-o", "pan", "pan.c"])
                ]
            show(console, f"{name:<22}{ours:>6.2f} s{theirs[0]:>10}{theirs[1]:>10}")
    return 0


def _seconds(command: list[str], folder: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "MULE_CACHE_DIR": str(Path(folder) / "cache")}
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
