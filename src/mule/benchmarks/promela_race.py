"""Whole time to the verdict, compilation included: `mule check` against `spin -a`, `gcc -O2` and the verifier."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time as clock
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from rich.console import Console

from mule.benchmarks import spin
from mule.benchmarks.lines import show
from mule.benchmarks.promela_corpus import PromelaEntry, promela_entries

SECONDS = 60.0
"""For each run of either tool, if nothing else is said."""
ROUNDS = 3

_HEAD = f"{'model':<42}{'SPIN':>8}{'cold':>8}{'warm':>8}{'SPIN/cold':>11}{'SPIN/warm':>11}"


@dataclass(frozen=True, slots=True)
class Finish:
    """One run of one tool, or the median of several."""

    seconds: float
    erroneous: bool | None
    """Whether an error was found; None: the tool came to no verdict, and `seconds` is the time limit."""


@dataclass(frozen=True, slots=True)
class Lane:
    model: str
    spin: Finish
    cold: Finish
    """Mule with nothing compiled before."""
    warm: Finish
    """Mule when the machine code of an earlier run is at hand."""

    @property
    def decided(self) -> bool:
        """A tool that came to no verdict counts with the time limit, which flatters it; two such tell nothing."""
        return self.spin.erroneous is not None or self.cold.erroneous is not None

    @property
    def verdicts_differ(self) -> bool:
        return None not in (self.spin.erroneous, self.cold.erroneous) and self.spin.erroneous != self.cold.erroneous

    def speed(self, ours: Finish) -> float:
        return self.spin.seconds / ours.seconds


def run(models: Path, console: Console, time: float = SECONDS, rounds: int = ROUNDS) -> int:
    """Medians of `rounds` runs in turn, for every model on which one of the two comes to a verdict in time."""
    spin.require_spin()
    differ = 0
    for title, por, flags in (("with reduction", "auto", ()), ("without reduction", "none", ("-DNOREDUCE",))):
        show(console, f"{title}: seconds to the verdict")
        show(console, _HEAD)
        lanes = []
        for entry in promela_entries(models):
            lane = _race(entry, por, flags, time, rounds)
            lanes.append(lane)
            show(console, _line(lane))
        _summary(title, lanes, console)
        differ += sum(lane.verdicts_differ for lane in lanes)
    return int(differ > 0)


def _race(entry: PromelaEntry, por: str, flags: tuple[str, ...], time: float, rounds: int) -> Lane:
    spins, colds, warms = [], [], []
    for _ in range(rounds):
        spins.append(_spin(entry.path, flags, time))
        with tempfile.TemporaryDirectory() as cache:
            colds.append(_mule(entry.path, por, cache, time))
            warms.append(_mule(entry.path, por, cache, time))
        if spins[-1].erroneous is None and colds[-1].erroneous is None:
            break
    return Lane(entry.name, _median(spins), _median(colds), _median(warms))


def _median(finishes: list[Finish]) -> Finish:
    verdicts = {finish.erroneous for finish in finishes}
    return Finish(
        statistics.median(finish.seconds for finish in finishes),
        verdicts.pop() if len(verdicts) == 1 else None,
    )


def _spin(model: Path, flags: tuple[str, ...], time: float) -> Finish:
    run = spin.judge(model, ("-DSAFETY", "-DNOCLAIM", *flags), time)
    return Finish(time, None) if run is None else Finish(run.whole_seconds, run.errors > 0)


def _mule(model: Path, por: str, cache: str, time: float) -> Finish:
    safety = ["--deadlock", "--assertions"]
    command = [
        sys.executable,
        "-m",
        "mule",
        "check",
        str(model),
        *safety,
        "--language",
        "promela",
        "--por",
        por,
        "--json",
    ]
    environment = {**os.environ, "MULE_CACHE_DIR": cache}
    started = clock.perf_counter()
    try:
        finished = subprocess.run(command, capture_output=True, check=False, env=environment, timeout=time)
    except subprocess.TimeoutExpired:
        return Finish(time, None)
    seconds = clock.perf_counter() - started
    return Finish(seconds, bool(finished.returncode)) if finished.returncode in (0, 1) else Finish(time, None)


def _line(lane: Lane) -> str:
    figures = "".join(f"{finish.seconds:>8.2f}" for finish in (lane.spin, lane.cold, lane.warm))
    speeds = f"{lane.speed(lane.cold):>11.2f}{lane.speed(lane.warm):>11.2f}" if lane.decided else f"{'-':>11}{'-':>11}"
    notes = [
        *(["VERDICTS DIFFER"] if lane.verdicts_differ else []),
        *(["SPIN: no verdict"] if lane.spin.erroneous is None else []),
        *(["Mule: no verdict"] if lane.cold.erroneous is None else []),
    ]
    return f"{lane.model:<42}{figures}{speeds}  {', '.join(notes)}".rstrip()


def _summary(title: str, lanes: list[Lane], console: Console) -> None:
    decided = [lane for lane in lanes if lane.decided]
    if not decided:
        show(console, f"{title}: no model was decided in time")
        return
    cold = _geometric_mean([lane.speed(lane.cold) for lane in decided])
    warm = _geometric_mean([lane.speed(lane.warm) for lane in decided])
    slower = [lane for lane in decided if lane.speed(lane.cold) < 1]
    show(
        console,
        f"{title}: geometric mean of SPIN's time over ours {cold:.2f} (cold), {warm:.2f} (warm) over {len(decided)} of "
        f"{len(lanes)} models; slower than SPIN on {len(slower)}"
        + "".join(f"\n  {lane.model}: {lane.speed(lane.cold):.2f}" for lane in slower),
    )


def _geometric_mean(ratios: list[float]) -> float:
    return exp(sum(map(log, ratios)) / len(ratios))
