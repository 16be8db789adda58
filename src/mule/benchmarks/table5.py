"""Seed 003's Table 5: how much of the state space each algorithm keeps on the BEEM models chosen there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from mule.benchmarks.corpus import Entry, entries, ltsmin_rows
from mule.checking import explore
from mule.frontends import load
from mule.options import Options

_EXACT = Options(remember="exact", as_written=True, workers=1)
ALGORITHMS: tuple[tuple[str, Options], ...] = (
    ("closure", _EXACT.but(por="closure")),
    ("closure-h", _EXACT.but(por="closure-h")),
    ("beam-noh", _EXACT.but(por="beam-noh", nds=False)),
    ("beam-nonds", _EXACT.but(por="beam", nds=False)),
    ("beam", _EXACT.but(por="beam")),
    ("deletion", _EXACT.but(por="deletion")),
    ("auto", Options(as_written=True, workers=1)),
)
WEAK: tuple[tuple[str, Options], ...] = (
    ("weak beam", _EXACT.but(por="beam", weak=True)),
    ("weak deletion", _EXACT.but(por="deletion", weak=True)),
)
_SEED_COLUMNS = ("beam_noh_nonds", "beam_h_nonds", "beam_h_nds")


@dataclass(frozen=True, slots=True)
class Kept:
    states: int
    transitions: int


@dataclass(frozen=True, slots=True)
class Row:
    model: str
    full: int
    kept: dict[str, int]
    transitions: dict[str, int]
    seed: dict[str, int]
    ltsmin: Kept | None
    deadlocks_agree: bool

    @property
    def best(self) -> int:
        return min(self.kept[name] for name, _ in ALGORITHMS)

    @property
    def best_percent(self) -> int:
        return round(100 * self.best / self.full)

    @property
    def seed_best(self) -> int:
        return min(self.seed[column] for column in _SEED_COLUMNS)

    @property
    def losses(self) -> list[str]:
        lost = []
        if self.ltsmin is not None and self.best > self.ltsmin.states:
            lost.append(f"LTSmin keeps {self.ltsmin.states} states, we {self.best}; {self._why(self.ltsmin)}")
        if self.best_percent > self.seed_best:
            lost.append(f"the seed keeps {self.seed_best} %, we {self.best_percent} %")
        return lost

    def _why(self, ltsmin: Kept) -> str:
        """Smaller sets mean fewer steps a state; where we have no more of them, the sets are as small, and what differs
        is which of several equally small ones is taken."""
        name = min((name for name, _ in ALGORITHMS), key=lambda name: self.kept[name])
        ours, theirs = self.transitions[name] / self.kept[name], ltsmin.transitions / ltsmin.states
        steps = f"{ours:.3f} steps a state against {theirs:.3f}"
        if ours <= theirs:
            return f"our sets are no larger ({steps}): another choice among equally small ones"
        return f"our sets are larger ({steps}): their relations or their search are better here"


def run(models: Path, console: Console) -> int:
    ltsmin = _ltsmin_figures(models)
    names = [name for name, _ in (*ALGORITHMS, *WEAK)]
    head = f"{'model':<20}{'states':>8}  " + "".join(f"{name:>14}" for name in names)
    console.print(head + f"{'LTSmin':>8}  seed (ample; beam -h-d, +h-d, +h+d)", highlight=False, soft_wrap=True)
    rows = []
    for entry in entries(models):
        if "seed_table5_percent" in entry.facts:
            row = _row(entry, ltsmin.get(entry.name))
            rows.append(row)
            console.print(_line(row, names), highlight=False, soft_wrap=True)
    lost = [row for row in rows if row.losses]
    console.print(
        f"{len(rows) - len(lost)} of {len(rows)} rows: our best strong algorithm keeps {_compared_with(rows)}. "
        "Deadlock counts agree with the full search in "
        f"{sum(row.deadlocks_agree for row in rows)} of {len(rows)} rows.",
        highlight=False,
    )
    for row in lost:
        console.print(f"  {row.model}: {'; '.join(row.losses)}", highlight=False)
    return int(not all(row.deadlocks_agree for row in rows))


def _compared_with(rows: Sequence[Row]) -> str:
    seed = "no larger a percentage than the seed's best stubborn column"
    known = sum(row.ltsmin is not None for row in rows)
    if not known:
        return f"{seed}; there are no figures of LTSmin to compare with"
    peer = "no more states than LTSmin's better one"
    if known < len(rows):
        peer += f", whose figures are there for {known} rows"
    return f"{peer}, and {seed}"


def _ltsmin_figures(models: Path) -> dict[str, Kept]:
    """What LTSmin's better algorithm keeps, where the peers' figures lie beside the models."""
    figures: dict[str, Kept] = {}
    for name, row in ltsmin_rows(models, "dve").items():
        runs = (row.get("beam"), row.get("deletion"))
        kept = [Kept(run["states"], run["transitions"]) for run in runs if run and run.get("states") is not None]
        if kept:
            figures[name] = min(kept, key=lambda run: run.states)
    return figures


def _row(entry: Entry, ltsmin: Kept | None) -> Row:
    model = load(str(entry.path))
    full = explore(model, Options(por="none", as_written=True, workers=1)).statistics
    kept, transitions, agree = {}, {}, True
    for name, options in (*ALGORITHMS, *WEAK):
        reduced = explore(model, options).statistics
        kept[name], transitions[name] = reduced.states, reduced.transitions
        agree = agree and reduced.deadlocks == full.deadlocks
    return Row(entry.name, full.states, kept, transitions, entry.facts["seed_table5_percent"], ltsmin, agree)


def _line(row: Row, names: list[str]) -> str:
    cells = "".join(f"{row.kept[name]:>8}{100 * row.kept[name] / row.full:>5.0f}%" for name in names)
    seed = row.seed
    ltsmin = "-" if row.ltsmin is None else str(row.ltsmin.states)
    figures = f"{seed['ample']} %; {', '.join(str(seed[column]) for column in _SEED_COLUMNS)} %"
    mark = "  LOST" if row.losses else ""
    deadlocks = "" if row.deadlocks_agree else "  DEADLOCKS DIFFER"
    return f"{row.model:<20}{row.full:>8}  {cells}{ltsmin:>8}  {figures}{mark}{deadlocks}"
