"""Seed 004's Figure 8: a label visited again and again, in protocols, without reduction and with it.

The models are our own (`mule.benchmarks.protocols`), so the sizes differ from the seed's; what can be compared is the
share that is kept, and, in the same run, SPIN."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from mule.benchmarks.lines import show
from mule.benchmarks.products import Case, Kept, by_spin, own, percent, search, verdicts_agree
from mule.benchmarks.seed004 import FIGURE_8
from mule.options import Options

SECONDS = 120.0
"""For each search, if nothing else is said."""

CASES = tuple(own(name, name, "again") for name in FIGURE_8)

_HEAD = (
    f"{'protocol':<12} | {'full':>9}{'s':>6} | {'ample':>9}{'%':>7}{'s':>6} | {'C3':>9}{'%':>7}{'s':>6}"
    f" | {'auto':>9}{'%':>7}{'s':>6}"
    f" | {'SPIN full':>9}{'s':>6} | {'SPIN':>9}{'%':>7}{'s':>6} | {'seed: full':>10}{'kept':>9}{'%':>7}"
)


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    full: Kept
    ample: Kept
    stack: Kept
    auto: Kept
    """With C3', which is the default."""
    spin_full: Kept | None
    spin: Kept | None

    @property
    def sound(self) -> bool:
        """One verdict, and the same product without reduction as SPIN's."""
        same = self.spin_full is None or not self.full.complete or self.spin_full.states == self.full.states
        return same and verdicts_agree([self.full, self.ample, self.stack, self.auto, self.spin_full, self.spin])


def run(models: Path | None, console: Console, time: float = SECONDS, cases: tuple[Case, ...] = CASES) -> int:
    """`models` has no part in this: the protocols are ours."""
    show(console, "Figure 8: states of the product; %: of all of them")
    show(console, _HEAD)
    rows = []
    for case in cases:
        row = _row(case, time)
        rows.append(row)
        show(console, _line(row))
    sound = sum(row.sound for row in rows)
    show(console, f"Verdicts, and SPIN's full product where there is one, agree in {sound} of {len(rows)} protocols.")
    compared = [(row, row.spin.states) for row in rows if row.spin is not None]
    if compared:
        stack = sum(row.stack.states <= theirs for row, theirs in compared)
        auto = sum(row.auto.states <= theirs for row, theirs in compared)
        show(console, f"No more states than SPIN in {auto} of {len(compared)} protocols; with C3 in {stack}.")
    return int(sound < len(rows))


def _row(case: Case, time: float) -> Row:
    model = case.load()
    full, ample, auto = (
        search(model, case, Options(por=por, time=time, workers=1)) for por in ("none", "ample", "auto")
    )
    stack = search(model, case, Options(proviso="stack", time=time))
    return Row(case.name, full, ample, stack, auto, by_spin(case, False, time), by_spin(case, True, time))


def _line(row: Row) -> str:
    seed = FIGURE_8[row.name]
    reduced = "".join(_reduced(kept, row.full) for kept in (row.ample, row.stack, row.auto))
    ours = f"{row.full!s:>9}{row.full.seconds:>6.1f}{reduced}"
    spin_full = f"{'-' if row.spin_full is None else row.spin_full!s:>9}{_seconds(row.spin_full)}"
    kept = 100 * seed.reduced_states / seed.states
    figures = f"{seed.states:>10}{seed.reduced_states:>9}{kept:>7.1f}"
    problem = "" if row.sound else "  DIFFERS"
    return f"{row.name:<12} | {ours} | {spin_full}{_reduced(row.spin, row.spin_full)} | {figures}{problem}"


def _reduced(kept: Kept | None, full: Kept | None) -> str:
    return f" | {'-' if kept is None else kept!s:>9}{percent(kept, full):>7}{_seconds(kept)}"


def _seconds(kept: Kept | None) -> str:
    return f"{'-':>6}" if kept is None else f"{kept.seconds:>6.1f}"
