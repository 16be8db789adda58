"""Seed 003's Tables 7 and 8: temporal properties, by algorithm and by proviso, and SPIN's ample sets beside them.

Peterson's algorithm has no progress label in the corpus: that somebody is in the critical section again and again
stands for progress there. The pacemakers are models of our own, with properties of the seed's form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from mule.benchmarks.lines import show
from mule.benchmarks.products import Case, Kept, by_spin, own, percent, search, verdicts_agree
from mule.benchmarks.seed003 import TABLES_7_AND_8
from mule.options import Options, Por
from mule.properties import Properties

SECONDS = 120.0
"""For each search, if nothing else is said."""

ALGORITHMS: tuple[Por, ...] = ("deletion", "beam", "closure-h", "closure", "ample")
SETTINGS = {
    "V, I, C3'": Options(visibility="vi", proviso="c3prime"),
    "C2, C3'": Options(visibility="c2", proviso="c3prime"),
    "V, I, C3": Options(visibility="vi", proviso="stack"),
    "V, I, static": Options(visibility="vi", proviso="static"),
}
"""What a reduced set must do about visible transitions, and about cycles; the seed has the first three."""
_SEED_SETTINGS = tuple(SETTINGS)[:3]


@dataclass(frozen=True, slots=True)
class Row:
    case: Case
    full: Kept
    kept: dict[tuple[str, Por], Kept]
    spin_full: Kept | None
    spin: Kept | None

    @property
    def sound(self) -> bool:
        return verdicts_agree([self.full, *self.kept.values(), self.spin_full, self.spin])


def cases(models: Path) -> tuple[Case, ...]:
    """Those of the seed's models that are there, with smaller relatives, and our own."""
    progress = Properties(progress=True)
    entered = Properties(ltl=("[]<>(ncrit > 0)",))
    spin = models / "i-protocol" / "code" / "spin"
    found = (
        Case("iprotocol4", spin / "i4", progress),
        Case("iprotocol3", spin / "i3", progress),
        Case("iprotocol2", spin / "i2", progress),
        Case("peterson3", models / "Tests" / "peterson3", entered),
        Case("peterson4", models / "Tests" / "peterson4", entered),
        Case("garp", models / "garp" / "garp-a" / "garp", progress),
    )
    pacemakers = (
        own("pacemaker-con", "pacemaker_concurrent", "paced"),
        own("pacemaker-dis", "pacemaker_distributed", "paced"),
    )
    return (*pacemakers, *(case for case in found if case.path.exists()))


def run(models: Path, console: Console, time: float = SECONDS, chosen: tuple[Case, ...] | None = None) -> int:
    rows = []
    show(console, f"Tables 7 and 8: % of the product's states kept; > means that a search was not done in {time:g} s")
    for case in cases(models) if chosen is None else chosen:
        row = _row(case, time)
        rows.append(row)
        _show(row, console)
    sound = sum(row.sound for row in rows)
    show(console, f"\nAll searches of a model come to one verdict in {sound} of {len(rows)} models.")
    return int(sound < len(rows))


def _row(case: Case, time: float) -> Row:
    model = case.load()
    full = search(model, case, Options(por="none", time=time))
    kept = {
        (setting, por): search(model, case, options.but(por=por, time=time))
        for setting, options in SETTINGS.items()
        for por in ALGORITHMS
    }
    return Row(case, full, kept, by_spin(case, False, time), by_spin(case, True, time))


def _show(row: Row, console: Console) -> None:
    """The seed's percentages in brackets after ours; states where the full product is not known."""
    full = row.full
    show(console, f"\n{row.case.name}: {full} states, {full.transitions} transitions, {full.seconds:.1f} s")
    show(console, f"  {'':<14}" + "".join(f"{por:>26}" for por in ALGORITHMS))
    for setting in SETTINGS:
        cells = "".join(f"{_cell(row, setting, por):>26}" for por in ALGORITHMS)
        show(console, f"  {setting:<14}{cells}")
    seed = TABLES_7_AND_8.get(row.case.name)
    theirs = "" if seed is None else f" ({seed.spin:.1f})"
    if row.spin is not None:
        known = row.spin_full if row.spin_full is not None else full
        show(console, f"  SPIN's ample sets: {row.spin} states, {percent(row.spin, known)} %{theirs}")
    elif theirs:
        show(console, f"  SPIN's ample sets: not asked{theirs}")
    if not row.sound:
        show(console, "  VERDICTS DIFFER")


def _cell(row: Row, setting: str, por: Por) -> str:
    kept = row.kept[setting, por]
    share = percent(kept, row.full)
    ours = str(kept) if share == "-" else f"{share} %"
    return f"{ours}{_seed(row.case.name, setting, por)} {kept.seconds:.1f} s"


def _seed(model: str, setting: str, por: Por) -> str:
    seed = TABLES_7_AND_8.get(model)
    if seed is None or setting not in _SEED_SETTINGS or por not in ("deletion", "beam"):
        return ""
    figures = seed.deletion if por == "deletion" else seed.beam
    return f" ({figures[_SEED_SETTINGS.index(setting)]:.1f})"
