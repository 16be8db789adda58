"""Seed 003's Table 6 (and, after it, Tables 2 to 4): what is kept of the Promela models, against LTSmin and SPIN.

Three races in states kept: `auto` preserving deadlocks, as LTSmin's figures do, against its better algorithm; `auto`
preserving safety, as SPIN does, against SPIN's ample sets; our ample sets on the model as written against SPIN's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from mule.benchmarks import tables2to4
from mule.benchmarks.corpus import ltsmin_rows
from mule.benchmarks.lines import show
from mule.benchmarks.promela_corpus import Counts, PromelaEntry, promela_entries
from mule.benchmarks.seed003 import TABLE_6, Compared
from mule.checking import explore
from mule.errors import MuleError
from mule.frontends import load
from mule.model import Model
from mule.options import Options, Preserve
from mule.results import Statistics, Verdict

SECONDS = 300.0
"""For each search, if nothing else is said."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One of our searches."""

    counts: Counts
    complete: bool
    deadlocks: int
    seconds: float
    bytes: int

    def __str__(self) -> str:
        return f"{'' if self.complete else '>'}{self.counts.states}"


@dataclass(frozen=True, slots=True)
class Race:
    """One of our reductions against a peer's."""

    title: str
    peer: str
    ours: Callable[[Row], Kept]
    theirs: Callable[[Row], Counts | None]
    strictly: bool
    """Whether as many states as the peer's are too many."""
    needed: int
    """Of the 16 rows."""

    def lost(self, row: Row) -> bool | None:
        """None: there is no figure of the peer."""
        theirs = self.theirs(row)
        if theirs is None:
            return None
        ours = self.ours(row)
        enough = ours.counts.states < theirs.states if self.strictly else ours.counts.states <= theirs.states
        return not (ours.complete and enough)

    def why(self, row: Row) -> str:
        """More steps a state mean larger sets; as many or fewer, that the sets are as small, and differently chosen."""
        ours, theirs = self.ours(row), self.theirs(row)
        assert theirs is not None
        kept = f"{self.peer} keeps {theirs.states} states, we {ours}"
        if not ours.counts.states:  # the time was over before the search began
            return kept
        steps = f"{ours.counts.transitions / ours.counts.states:.3f} steps a state against "
        return f"{kept}; {steps}{theirs.transitions / theirs.states:.3f}"


@dataclass(frozen=True, slots=True)
class Row:
    model: str
    seed: Compared
    spin_full: Counts | None
    spin: Counts | None
    ltsmin_full: Counts | None
    ltsmin: Counts | None
    full: Kept
    """After our own optimisations, without reduction."""
    deadlocks: Kept
    safety: Kept
    ample: Kept

    @property
    def deadlocks_agree(self) -> bool:
        """The optimisations may join states, dead ones too, so that only being free of deadlocks can be compared
        with the model as written."""
        optimised = {kept.deadlocks for kept in (self.full, self.deadlocks, self.safety) if kept.complete}
        free = {kept.deadlocks == 0 for kept in (self.deadlocks, self.safety, self.ample) if kept.complete}
        return len(optimised) <= 1 and len(free) <= 1


RACES = (
    Race("auto, preserving deadlocks", "LTSmin", lambda row: row.deadlocks, lambda row: row.ltsmin, False, 13),
    Race("auto, preserving safety", "SPIN", lambda row: row.safety, lambda row: row.spin, True, 16),
    Race("ample as written, preserving safety", "SPIN", lambda row: row.ample, lambda row: row.spin, False, 12),
)


def run(models: Path, console: Console, time: float = SECONDS) -> int:
    peers = ltsmin_rows(models, "promela")
    found = {entry.name: entry for entry in promela_entries(models)}
    entries = [found[name] for name in TABLE_6 if name in found]
    if not entries:
        raise MuleError(f"{models} has none of the models of the seed's Table 6")
    show(console, "Table 6: states kept; %: of the full state space, as the seed gives them")
    show(console, _HEAD)
    rows = []
    for entry in entries:
        row = _row(entry, peers.get(entry.name, {}), time)
        rows.append(row)
        show(console, _line(row))
    for race in RACES:
        _summary(race, rows, console)
    agree = sum(row.deadlocks_agree for row in rows)
    show(console, f"Deadlocks agree with those of the full search in {agree} of {len(rows)} rows.")
    return max(int(agree < len(rows)), tables2to4.run(models, console, time))


def _row(entry: PromelaEntry, ltsmin: dict[str, Any], time: float) -> Row:
    model = load(str(entry.path), "promela")
    limit = Options(time=time)
    better = [counts for counts in map(_counts, map(ltsmin.get, ("beam", "deletion"))) if counts is not None]
    return Row(
        model=entry.name,
        seed=TABLE_6[entry.name],
        spin_full=entry.full,
        spin=entry.ample,
        ltsmin_full=_counts(ltsmin.get("none")),
        ltsmin=min(better, default=None),
        full=_kept(model, limit.but(por="none"), "safety"),
        deadlocks=_kept(model, limit, "deadlocks"),
        safety=_kept(model, limit, "safety"),
        ample=_kept(model, limit.but(por="ample", as_written=True), "safety"),
    )


def _counts(run: dict[str, Any] | None) -> Counts | None:
    return Counts(run["states"], run["transitions"]) if run and run.get("states") is not None else None


def _kept(model: Model, options: Options, preserve: Preserve) -> Kept:
    result = explore(model, options, preserve)
    found: Statistics = result.statistics
    return Kept(
        counts=Counts(found.states, found.transitions),
        complete=result.verdict is not Verdict.INCOMPLETE,
        deadlocks=found.deadlocks,
        seconds=found.compile_seconds + found.search_seconds,
        bytes=found.memory_bytes,
    )


_HEAD = (
    f"{'model':<24} | {'full: seed':>11}{'SPIN':>11}{'LTSmin':>10}{'ours':>10}"
    f" | {'deadlocks: seed':>15}{'LTSmin':>9}{'auto':>9}{'s':>7}{'MB':>5}     "
    f" | {'safety: seed':>12}{'SPIN':>10}{'auto':>10}     {'ample':>10}     "
)


def _line(row: Row) -> str:
    marks = [{True: " LOST", False: "     ", None: " ?   "}[race.lost(row)] for race in RACES]
    full = f"{row.seed.states:>11}{_states(row.spin_full):>11}{_states(row.ltsmin_full):>10}{row.full!s:>10}"
    cost = f"{row.deadlocks.seconds:>7.1f}{row.deadlocks.bytes / 2**20:>5.0f}"
    deadlocks = f"{row.seed.guard_states:>13.0f} %{_states(row.ltsmin):>9}{row.deadlocks!s:>9}{cost}{marks[0]}"
    safety = f"{row.seed.ample_states:>10.0f} %{_states(row.spin):>10}{row.safety!s:>10}{marks[1]}"
    problem = "" if row.deadlocks_agree else "  DEADLOCKS DIFFER"
    return f"{row.model:<24} | {full} | {deadlocks} | {safety}{row.ample!s:>10}{marks[2]}{problem}"


def _states(counts: Counts | None) -> str:
    return "-" if counts is None else str(counts.states)


def _summary(race: Race, rows: list[Row], console: Console) -> None:
    outcomes = [(row, race.lost(row)) for row in rows]
    lost = [row for row, outcome in outcomes if outcome]
    compared = sum(outcome is not None for _, outcome in outcomes)
    aim = "fewer" if race.strictly else "no more"
    show(
        console,
        f"{race.title}: {aim} states than {race.peer} in {compared - len(lost)} of {compared} models "
        f"(aim: {race.needed} of {len(TABLE_6)})",
    )
    for row in lost:
        show(console, f"  {row.model}: {race.why(row)}")
