"""BEEM's own figures against ours: state counts, and reachability with and without reduction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from mule.benchmarks.corpus import Entry, entries
from mule.checking import Properties, check, explore
from mule.frontends import load
from mule.options import Options
from mule.results import Verdict

MOST_STATES = 5_000_000

_FULL = (
    Options(por="none", search="bfs", as_written=True, workers=1),
    Options(por="none", search="dfs", as_written=True),
)
_REDUCED = (
    Options(por="deletion", search="dfs"),
    Options(por="beam", search="dfs"),
    Options(por="deletion", search="bfs", workers=1),
)


def counts(models: Path, console: Console) -> int:
    """States (and transitions where BEEM has them) of the full state space."""
    wrong = tried = 0
    for entry in entries(models):
        if entry.states is None or entry.states > MOST_STATES:
            continue
        tried += 1
        found = explore(load(str(entry.path)), Options(por="none", as_written=True, workers=1)).statistics
        transitions = entry.facts.get("transitions", found.transitions)
        fine = (found.states, found.transitions) == (entry.states, transitions)
        wrong += not fine
        figures = f"{found.states:>9} states {found.transitions:>10} transitions"
        expected = "" if fine else f"  BEEM has {entry.states} and {transitions}"
        console.print(f"{'same ' if fine else 'WRONG'}  {entry.name:<22}{figures}{expected}", highlight=False)
    console.print(f"{tried - wrong} of {tried} models have BEEM's counts")
    return int(wrong > 0)


def reachability(models: Path, console: Console) -> int:
    """BEEM's reachability questions, as invariants; lengths under full breadth-first search.

    BEEM's `length` is the number of states on the shortest path, both ends included: our steps plus one."""
    return reachability_by((*_FULL, *_REDUCED), models, console, 0, MOST_STATES)


def reachability_by(ways: Sequence[Options], models: Path, console: Console, least: int, most: int) -> int:
    """Of models that have from `least` to `most` states."""
    wrong = tried = 0
    for entry in entries(models):
        if entry.states is None or not least <= entry.states <= most:
            continue
        for question in entry.facts["reachability"]:
            if question["answer"] not in ("yes", "no"):
                continue
            tried += 1
            reachable = question["answer"] == "yes"
            problems = _answer(ways, entry, question["expression"], reachable, question["length"])
            wrong += bool(problems)
            verdict = "DIFFERS" if problems else "same   "
            line = f"{verdict} {entry.name:<22}{question['answer']:<4}{question['expression']}"
            console.print(line + "".join(f"\n       {p}" for p in problems), highlight=False, markup=False)
    console.print(f"{tried - wrong} of {tried} questions have BEEM's answer{_told(ways)}")
    return int(wrong > 0)


def _told(ways: Sequence[Options]) -> str:
    return ", with and without reduction" if any(options.por != "none" for options in ways) else ""


def _answer(ways: Sequence[Options], entry: Entry, expression: str, reachable: bool, length: int) -> list[str]:
    model = load(str(entry.path))
    properties = Properties(invariants=(f"not ({expression})",))
    expected = Verdict.VIOLATED if reachable else Verdict.HOLDS
    problems = []
    for options in ways:
        result = check(model, properties, options)
        name = "--gpu" if options.gpu else f"--por {options.por} --search {options.search}"
        if result.verdict is not expected:
            problems.append(f"{name}: {result.verdict.value}")
        elif reachable and result.violations[0].shortest and len(result.violations[0].trail) + 1 != length:
            problems.append(f"{name}: {len(result.violations[0].trail) + 1} states on the path, not {length}")
    return problems
