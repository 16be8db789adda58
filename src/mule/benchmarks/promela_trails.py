"""The length of trails, and the whole time to them: `mule check` against SPIN's iterative shortening (`pan -i`).

Seconds are those of the processor, compilers included: what else the machine does has less of a say in them. SPIN's
trails are replayed by Mule, and counted in its steps: an `atomic`, a `d_step` or a rendezvous is one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from statistics import median

from rich.console import Console

from mule.benchmarks import spin
from mule.benchmarks.lines import show
from mule.benchmarks.promela_corpus import NO_ERRORS, promela_entries
from mule.benchmarks.shortening import OWN
from mule.errors import MuleError
from mule.frontends import load
from mule.trails.spin import follow_spin_trail, parse_spin_trail

SECONDS = 60.0
"""For each run of either tool, if nothing else is said."""
WAYS = (("default", ()), ("A*", ("--search", "astar", "--por", "none")))
"""How Mule is asked."""

_HEAD = f"{'model':<42}{'pan -i':>8}{'s':>7}" + "".join(f"{name:>10}{'s':>7}" for name, _ in WAYS)


@dataclass(frozen=True, slots=True)
class Found:
    """A trail, and the whole time to it."""

    length: int
    seconds: float
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    spin: Found | None
    """None: it finds nothing in time, or its trail cannot be replayed."""
    ours: tuple[Found | None, ...]


def run(models: Path, console: Console, time: float = SECONDS) -> int:
    spin.require_spin()
    show(console, "Steps of the trail, and seconds of the processor to it (+: the search did not come to its end)")
    show(console, _HEAD)
    rows = []
    for name, path, defines in _cases(models):
        row = Row(name, _by_spin(path, defines, time), tuple(_by_mule(path, defines, more, time) for _, more in WAYS))
        rows.append(row)
        show(console, _line(row))
    for number, (way, _) in enumerate(WAYS):
        _compare(rows, number, way, console)
    return 0


def _compare(rows: list[Row], number: int, way: str, console: Console) -> None:
    pairs = [(row.spin, row.ours[number]) for row in rows]
    both = [(theirs, ours) for theirs, ours in pairs if theirs is not None and ours is not None]
    if not both:
        show(console, f"{way}: nothing to compare")
        return
    shorter = sum(ours.length <= theirs.length for theirs, ours in both)
    sooner = sum(ours.seconds < theirs.seconds for theirs, ours in both)
    lengths = f"{median(ours.length for _, ours in both):g} against {median(theirs.length for theirs, _ in both):g}"
    times = f"{median(o.seconds for _, o in both):.2f} s against {median(t.seconds for t, _ in both):.2f} s"
    show(
        console,
        f"{way}: median length {lengths}, median time {times}; at most as long in {shorter} of {len(both)}, sooner in "
        f"{sooner}",
    )


def _cases(models: Path) -> Iterator[tuple[str, Path, tuple[str, ...]]]:
    for entry in promela_entries(models):
        if entry.verdict not in (None, NO_ERRORS):
            yield entry.name, entry.path, ()
    for name, size in OWN:
        path = Path(str(files("mule.benchmarks") / "protocols" / f"{name}.pml"))
        yield f"{name} {size}", path, (size, "ERROR")


def _by_spin(path: Path, defines: tuple[str, ...], time: float) -> Found | None:
    try:
        found = spin.shortest_error(path, defines, time)
        if found is None:
            return None
        trails = follow_spin_trail(load(path, "promela", defines), parse_spin_trail(found.trail, path.name))
    except MuleError:
        return None
    return Found(min(map(len, trails)), found.seconds, found.complete)


def _by_mule(path: Path, defines: tuple[str, ...], more: tuple[str, ...], time: float) -> Found | None:
    """The shortest of its trails, with nothing compiled before."""
    asked = ["--deadlock", "--assertions", "--language", "promela", *(f"-D{each}" for each in defines), *more]
    command = [sys.executable, "-m", "mule", "check", str(path), *asked, "--json", "--time", f"{time:g}"]
    with tempfile.TemporaryDirectory() as cache:
        started = spin.seconds_of_children()
        environment = {**os.environ, "MULE_CACHE_DIR": cache}
        done = subprocess.run(command, capture_output=True, check=False, env=environment, text=True)
        seconds = spin.seconds_of_children() - started
    if done.returncode != 1:
        return None
    violations = json.loads(done.stdout)["violations"]
    return Found(min(violation["length"] for violation in violations), seconds)


def _line(row: Row) -> str:
    return f"{row.name:<42}{_figures(row.spin, 8)}" + "".join(_figures(each, 10) for each in row.ours)


def _figures(found: Found | None, width: int) -> str:
    if found is None:
        return f"{'-':>{width}}{'-':>7}"
    length = f"{found.length}{'' if found.complete else '+'}"
    return f"{length:>{width}}{found.seconds:>7.2f}"
