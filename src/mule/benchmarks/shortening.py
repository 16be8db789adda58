"""Depth-first trails made shorter: each method, against the shortest trail that breadth-first search finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from itertools import islice
from pathlib import Path
from statistics import median

from rich.console import Console

from mule.benchmarks.corpus import entries
from mule.benchmarks.lines import show
from mule.benchmarks.promela_corpus import NO_ERRORS, promela_entries
from mule.checking import check
from mule.errors import MuleError
from mule.frontends import load
from mule.model import Model
from mule.options import Options
from mule.properties import SAFETY, Properties
from mule.safety import judge_safety
from mule.trails.directed import TO_THE_STATE, TO_THE_VIOLATION, asked_for
from mule.trails.shortening import COMMUTED, LEFT_OUT, LOOPS, Shortening, is_same, shorten

SECONDS = 60.0
"""For each search, and for each shortening, if nothing else is said."""
MOST_STATES = 5_000_000
BEEM, PROMELA = 30, 16
"""So many models of each kind, and our own protocols, are 50."""
OWN = (("election", "N=4"), ("giop", "USERS=2"), ("marriage", "N=3"), ("switch", "N=2"))
METHODS = (LOOPS, COMMUTED, LEFT_OUT, TO_THE_STATE, TO_THE_VIOLATION)

_HEAD = (
    f"{'model':<34}{'dfs':>8}{'loops':>8}{'indep.':>8}{'left':>8}{'state':>8}{'any':>8}{'states':>9}{'s':>6}"
    f"{'bfs':>8}{'states':>9}"
)


@dataclass(frozen=True, slots=True)
class Case:
    """A model and a property that it violates."""

    name: str
    model: partial[Model]
    properties: Properties


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    shortening: Shortening
    optimal: int | None
    """The length of the shortest trail, where breadth-first search came to it."""
    states: int
    """Of that search."""

    @property
    def lengths(self) -> list[int]:
        """Of the given trail, and after each method."""
        after = {gain.method: gain.after for gain in self.shortening.gains}
        found = [len(self.shortening.given.trail)]
        for method in METHODS:
            found.append(after.get(method, found[-1]))
        return found


def run(models: Path, console: Console, time: float = SECONDS) -> int:
    """`models` is BEEM's folder; the Promela models lie beside it."""
    show(console, "Steps of a trail: found depth first, after each method, and found breadth first")
    show(console, _HEAD)
    rows = [*islice(_rows(_beem(models), console, time), BEEM)]
    rows += islice(_rows(_promela(models.parent / "promela"), console, time), PROMELA)
    rows += _rows(_own(), console, time)
    known = [row for row in rows if row.optimal is not None]
    longer = [row.name for row in known if row.lengths[-1] > (row.optimal or 0)]
    proven = sum(row.shortening.violation.shortest for row in rows)
    show(
        console,
        f"{len(rows)} trails; as short as breadth-first search's in {len(known) - len(longer)} of {len(known)}, proven "
        f"in {proven} of all. Median lengths: {', '.join(f'{median(each):g}' for each in _columns(rows))}; shortest "
        f"{median(row.optimal or 0 for row in known):g}.",
    )
    # A violation of the same statement is sought, which may be farther away than another one.
    wrong = [row.name for row in known if row.shortening.violation.shortest and row.lengths[-1] < (row.optimal or 0)]
    return int(bool(wrong))


def _columns(rows: list[Row]) -> list[tuple[int, ...]]:
    return list(zip(*(row.lengths for row in rows), strict=True))


def _rows(cases: Iterator[Case], console: Console, time: float) -> Iterator[Row]:
    for case in cases:
        row = _row(case, time)
        if row is not None:
            show(console, _line(row))
            yield row


def _row(case: Case, time: float) -> Row | None:
    """None: depth-first search finds nothing in time, or nothing that could be shorter."""
    try:
        model = case.model()
    except MuleError:
        return None
    deep = Options(search="dfs", por="none", as_written=True, time=time)
    found = next(iter(check(model, case.properties, deep).violations), None)
    if found is None or len(found.trail) < 2:
        return None
    wanted, left_out = asked_for(found, found.trail.model)
    wide = judge_safety(
        model, wanted, Options(search="bfs", por="none", time=time, workers=1), left_out=left_out
    ).result
    best = [violation for violation in wide.violations if is_same(violation, found) and violation.shortest]
    optimal = min((len(violation.trail) for violation in best), default=None)
    return Row(case.name, shorten(found, Options(time=time)), optimal, wide.states)


def _line(row: Row) -> str:
    lengths = "".join(f"{each:>8}" for each in row.lengths)
    states = sum(gain.states for gain in row.shortening.gains)
    seconds = sum(gain.seconds for gain in row.shortening.gains)
    mark = "" if row.shortening.violation.shortest else "  not proven"
    optimal = "-" if row.optimal is None else row.optimal
    return f"{row.name:<34}{lengths}{states:>9}{seconds:>6.1f}{optimal:>8}{row.states:>9}{mark}"


def _beem(models: Path) -> Iterator[Case]:
    """BEEM's questions that are answered with yes, of small models first, one for each model."""
    known = [entry for entry in entries(models) if entry.states is not None and entry.states <= MOST_STATES]
    for entry in sorted(known, key=lambda entry: (entry.states, entry.name)):
        for question in entry.facts["reachability"]:
            if question["answer"] == "yes" and question["length"] > 2:
                invariant = f"not ({question['expression']})"
                yield Case(entry.name, partial(load, entry.path), Properties(invariants=(invariant,)))
                break


def _promela(models: Path) -> Iterator[Case]:
    """Models in which SPIN finds an error, one for each folder of variants of one model."""
    seen: set[Path] = set()
    for entry in promela_entries(models):
        chained = entry.path.parent.parent.name == "SystemC-TLM"
        if entry.verdict in (None, NO_ERRORS) or (chained and entry.path.parent in seen):
            continue
        seen.add(entry.path.parent)
        yield Case(entry.name, partial(load, entry.path, "promela"), SAFETY)


def _own() -> Iterator[Case]:
    for name, size in OWN:
        path = str(files("mule.benchmarks") / "protocols" / f"{name}.pml")
        yield Case(f"{name} {size}", partial(load, path, defines=(size, "ERROR")), SAFETY)
