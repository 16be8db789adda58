"""`mule validate` over a folder of models: every algorithm, strong and weak, and every relation."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from mule.benchmarks.corpus import entries
from mule.frontends import load
from mule.validation import validate

MOST_STATES = 5_000_000


def run(models: Path, console: Console) -> int:
    """All states of models up to 2,000, 200 states of the larger ones."""
    wrong = tried = 0
    for entry in entries(models):
        if entry.states is None or entry.states > MOST_STATES:
            continue
        tried += 1
        found = validate(load(str(entry.path)))
        wrong += bool(found.findings)
        verdict = "REFUTED" if found.findings else "valid  "
        console.print(
            f"{verdict} {entry.name:<22}{found.states:>6} states {found.checks:>12} facts {found.seconds:>7.2f} s",
            highlight=False,
        )
        for finding in found.findings:
            console.print(f"        {finding.relation}: {finding.message}", highlight=False, markup=False)
        for note in found.notes:
            console.print(f"        {note}", highlight=False, markup=False)
    console.print(f"{tried - wrong} of {tried} models: D1, D2 and the relations hold")
    return int(wrong > 0)
