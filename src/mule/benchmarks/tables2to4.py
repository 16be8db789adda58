"""Seed 003's Tables 2, 3 and 4: what each stubborn-set algorithm keeps of the Promela models, and how fast.

The seed's full counts are those of the models as written, so ours are too. Each set is the one that the algorithm
computes in that state (`remember="exact"`), as in the seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from mule.benchmarks.lines import show
from mule.benchmarks.promela_corpus import Counts, promela_entries
from mule.benchmarks.seed003 import TABLES_2_TO_4, VARIANTS, Measured
from mule.checking import explore
from mule.frontends import load
from mule.options import Options
from mule.results import Statistics, Verdict

LEAST_STATES = 5_000
"""A smaller search says nothing about the speed."""

_EXACT = Options(remember="exact", as_written=True, nds=True, workers=1)
_OPTIONS: dict[str, Options] = {
    "deletion": _EXACT.but(por="deletion"),
    "beam": _EXACT.but(por="beam"),
    "closure-h": _EXACT.but(por="closure-h"),
    "beam-noh": _EXACT.but(por="beam-noh"),
    "closure": _EXACT.but(por="closure"),
    "deletion no NDS": _EXACT.but(por="deletion", nds=False),
    "beam no NDS": _EXACT.but(por="beam", nds=False),
    "weak deletion": _EXACT.but(por="deletion", weak=True),
    "weak beam": _EXACT.but(por="beam", weak=True),
}
_TABLE_2 = VARIANTS[:5]
_TABLE_4 = ("deletion", "beam", *VARIANTS[5:])


@dataclass(frozen=True, slots=True)
class Reduced:
    """One algorithm on one model."""

    statistics: Statistics
    complete: bool


@dataclass(frozen=True, slots=True)
class Row:
    model: str
    full: Counts
    """SPIN's, and ours too where `mule bench promela-counts` says so."""
    seed: Measured
    ours: dict[str, Reduced]

    @property
    def deadlocks_agree(self) -> bool:
        return len({reduced.statistics.deadlocks for reduced in self.ours.values() if reduced.complete}) <= 1


def run(models: Path, console: Console, time: float) -> int:
    rows = []
    for entry in promela_entries(models):
        if entry.name in TABLES_2_TO_4 and entry.full is not None:
            model = load(str(entry.path), "promela")
            ours = {}
            for name in VARIANTS:
                result = explore(model, _OPTIONS[name].but(time=time))
                ours[name] = Reduced(result.statistics, result.verdict is not Verdict.INCOMPLETE)
            rows.append(Row(entry.name, entry.full, TABLES_2_TO_4[entry.name], ours))
    _show(console, "Table 2: states kept, in %, ours / the seed's", _TABLE_2, rows, _percent)
    _show(console, "Table 2: thousands of states a second, ours / the seed's", _TABLE_2, rows, _rate)
    _show(console, "Table 3: transitions a state, ours / the seed's", ("none", *VARIANTS), rows, _branching)
    _show(console, "Table 4: states kept, in %, ours / the seed's", _TABLE_4, rows, _percent)
    _show(console, "Table 4: thousands of states a second, ours / the seed's", _TABLE_4, rows, _rate)
    agree = sum(row.deadlocks_agree for row in rows)
    show(
        console,
        f"\nAll algorithms keep the same number of deadlocks in {agree} of {len(rows)} models. "
        f"> and ~ mean that the search was not done after {time:g} s.",
    )
    return int(agree < len(rows))


def _show(
    console: Console, title: str, columns: tuple[str, ...], rows: list[Row], cell: Callable[[Row, str], str]
) -> None:
    show(console, f"\n{title}")
    show(console, f"{'model':<26}" + "".join(f"{name:>17}" for name in columns))
    for row in rows:
        cells = "".join(f"{cell(row, name):>17}" for name in columns)
        show(console, f"{row.model:<26}{cells}")


def _percent(row: Row, name: str) -> str:
    reduced = row.ours[name]
    kept = 100 * reduced.statistics.states / row.full.states
    return f"{'' if reduced.complete else '>'}{kept:.1f} / {row.seed.percent[VARIANTS.index(name)]:.1f}"


def _branching(row: Row, name: str) -> str:
    """The seed's first figure is that of the full state space."""
    if name == "none":
        return f"{row.full.transitions / row.full.states:.2f} / {row.seed.branching[0]:.2f}"
    reduced = row.ours[name]
    found = reduced.statistics
    ours = f"{'' if reduced.complete else '~'}{found.transitions / found.states:.2f}"
    return f"{ours} / {row.seed.branching[1 + VARIANTS.index(name)]:.2f}"


def _rate(row: Row, name: str) -> str:
    found = row.ours[name].statistics
    ours = found.states / found.search_seconds if found.states >= LEAST_STATES else None
    seed = row.seed.rate[VARIANTS.index(name)]
    return " / ".join("-" if rate is None else f"{rate / 1000:.0f}" for rate in (ours, seed))
