"""Table I of seed 000 on protocols of our own: unreduced, DPOR, LPOR in three forms, and our own stubborn sets."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from mule.benchmarks.lines import show
from mule.benchmarks.seed000 import ROWS, Row
from mule.checking import check
from mule.errors import MuleError
from mule.frontends import load
from mule.options import Options
from mule.planning import make_room
from mule.properties import SAFETY
from mule.results import Verdict

SECONDS = 60.0
"""For each search, if nothing else is said."""

COLUMNS: dict[str, Options] = {
    "unreduced": Options(por="none", search="dfs"),
    "DPOR": Options(por="dpor-classic"),
    "DPOR, source sets": Options(por="dpor"),
    "stateless LPOR": Options(por="lpor", stateless=True),
    "LPOR": Options(por="lpor", net=False, workers=1),
    "LPOR + NET": Options(por="lpor", workers=1),
    "auto": Options(workers=1),
}
_SEEDS = {"DPOR": "dpor", "stateless LPOR": "stateless", "LPOR": "lpor", "LPOR + NET": "net"}


@dataclass(frozen=True, slots=True)
class Run:
    states: int
    seconds: float
    verdict: Verdict


def run(models: Path, console: Console, time: float = SECONDS) -> int:
    """`models` holds the protocols: the folder `examples` of this project."""
    failures = []
    for row in ROWS:
        path = models / row.file
        if not path.is_file():
            raise MuleError(f"{row.file} is not in {models}: use the folder `examples` of Mule's sources")
        model = make_room(load(str(path), "actors", row.defines), Options()).wide_enough
        show(console, f"{row.name}, {'holds' if row.holds else 'violated'}  ({' '.join([row.file, *row.defines])})")
        runs = {}
        for name, options in COLUMNS.items():
            started = clock.perf_counter()
            result = check(model, SAFETY, options.but(time=time))
            runs[name] = Run(result.statistics.states, clock.perf_counter() - started, result.verdict)
            show(console, _line(name, runs[name], runs["unreduced"], row))
        failures += _failures(row, runs)
    for failure in failures:
        show(console, failure)
    show(console, f"{len(failures)} rows fall short" if failures else "every row is as it should be")
    return int(bool(failures))


def _line(name: str, run: Run, unreduced: Run, row: Row) -> str:
    complete = run.verdict is not Verdict.INCOMPLETE and unreduced.verdict is not Verdict.INCOMPLETE
    share = f"{run.states / unreduced.states:>8.1%}" if complete and row.holds else f"{'':>8}"
    seed = row.unreduced if name == "unreduced" else getattr(row, _SEEDS[name], 0) if name in _SEEDS else 0
    theirs = f"{'>' if row.at_least and name == 'unreduced' else ''}{seed:,}" if seed else ""
    their_share = f"{seed / row.unreduced:>8.1%}" if seed and row.holds and not row.at_least else f"{'':>8}"
    mark = {Verdict.INCOMPLETE: "not done in time", Verdict.VIOLATED: "violated"}.get(run.verdict, "")
    return (
        f"  {name:<20}{run.states:>12,}{share}{run.seconds:>9.2f} s   seed {theirs:>12}{their_share}  {mark}".rstrip()
    )


def _failures(row: Row, runs: dict[str, Run]) -> list[str]:
    """What the table is to show: LPOR + NET keeps no larger a share than the seed's, and no more than DPOR; our own
    sets keep no more than LPOR + NET."""
    expected = Verdict.HOLDS if row.holds else Verdict.VIOLATED
    found = [
        f"{row.name}: {name} says {run.verdict.value}"
        for name, run in runs.items()
        if run.verdict not in (expected, Verdict.INCOMPLETE)
    ]
    if not row.holds:
        return found
    net, full, dpor = runs["LPOR + NET"], runs["unreduced"], runs["DPOR"]
    if Verdict.INCOMPLETE in (net.verdict, runs["auto"].verdict):
        found.append(f"{row.name}: not verified in time")
    if not row.at_least and full.verdict is expected and net.states / full.states > row.net / row.unreduced:
        found.append(
            f"{row.name}: LPOR + NET keeps {net.states / full.states:.1%}, the seed's {row.net / row.unreduced:.1%}"
        )
    if net.states >= dpor.states:
        found.append(f"{row.name}: LPOR + NET visits {net.states:,} states, DPOR {dpor.states:,}")
    if runs["auto"].states > net.states:
        found.append(f"{row.name}: auto keeps {runs['auto'].states:,} states, LPOR + NET {net.states:,}")
    return found
