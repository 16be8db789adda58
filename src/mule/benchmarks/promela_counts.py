"""SPIN's counts of the full state space against ours."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from mule.benchmarks.lines import show
from mule.benchmarks.promela_corpus import Counts, PromelaEntry, promela_entries
from mule.checking import explore
from mule.errors import MuleError
from mule.frontends import load
from mule.options import Options

MOST_STATES = 5_000_000

_FULL = Options(por="none", as_written=True, workers=1)


def run(models: Path, console: Console) -> int:
    """States must be SPIN's; transitions are, unless SPIN counts steps inside atomic sequences (docs/promela.md)."""
    tried = 0
    wrong, other_transitions = [], []
    for entry in promela_entries(models):
        if entry.full is None or entry.full.states > MOST_STATES:
            continue
        tried += 1
        ours = _count(entry)
        fine = isinstance(ours, Counts) and ours.states == entry.full.states
        if not fine:
            wrong.append(entry.name)
        elif ours != entry.full:
            other_transitions.append(entry.name)
        show(console, f"{'same ' if fine else 'WRONG'}  {entry.name:<42}{_line(ours, entry.full)}")
    show(
        console,
        f"{tried - len(wrong)} of {tried} models have SPIN's number of states; "
        f"{len(other_transitions)} of these have another number of transitions"
        + "".join(f"\n  {name}" for name in other_transitions),
    )
    return int(bool(wrong))


def _count(entry: PromelaEntry) -> Counts | MuleError:
    try:
        found = explore(load(str(entry.path), "promela"), _FULL).statistics
    except MuleError as error:
        return error
    return Counts(found.states, found.transitions)


def _line(ours: Counts | MuleError, theirs: Counts) -> str:
    if isinstance(ours, MuleError):
        return str(ours)
    figures = f"{ours.states:>9} states {ours.transitions:>10} transitions"
    return figures if ours == theirs else f"{figures}  SPIN has {theirs.states} and {theirs.transitions}"
