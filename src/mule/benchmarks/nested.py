"""Transitions a second: nested depth-first search of the product against plain depth-first search of the model."""

from __future__ import annotations

import statistics
from pathlib import Path

from rich.console import Console

from mule.benchmarks.lines import show
from mule.benchmarks.temporal import Claimed, claims
from mule.checking import explore
from mule.driving import Limits
from mule.frontends import load
from mule.options import Options
from mule.planning import Analysis, Plan, Preparation, resolve
from mule.temporal import questions_of
from mule.temporal.product import Product

LEAST = 200_000
"""States of the model; smaller ones are over before anything can be measured."""
ROUNDS = 3


def run(models: Path, console: Console, rounds: int = ROUNDS) -> int:
    """Medians, without reduction, of properties that hold: the whole product is searched."""
    show(console, f"{'property':<28}{'plain':>12}{'nested':>12}{'plain/nested':>14}")
    ratios = []
    for claimed in claims(models):
        if not claimed.holds or claimed.states < LEAST:
            continue
        plain, nested = _rates(claimed, rounds)
        ratios.append(plain / nested)
        show(console, f"{claimed.name:<28}{plain:>12,.0f}{nested:>12,.0f}{plain / nested:>14.2f}")
    if not ratios:
        show(console, "no property of a model of that size holds")
        return 0
    show(
        console,
        f"transitions a second, plain over nested: median {statistics.median(ratios):.2f}, most {max(ratios):.2f} "
        f"({len(ratios)} properties)",
    )
    return 0


def _rates(claimed: Claimed, rounds: int) -> tuple[float, float]:
    options = resolve(Options(por="none", search="dfs", as_written=True), "safety")
    model = load(str(claimed.path), claimed.language)
    [question] = questions_of(model, claimed.wanted)
    prepared = Preparation(Plan(Analysis(model, question.atoms), options, "safety", question.atoms))
    atoms, states = question.atoms, question.automaton.states
    product = Product(prepared.searched, prepared.domains, atoms, states, reducible=False)
    plain, nested = [], []
    for _ in range(rounds):
        counted = explore(model, options).statistics
        plain.append(counted.transitions / counted.search_seconds)
        found = product.search(question.automaton, "ndfs", finite_runs=question.finite_runs, limits=Limits()).progress
        nested.append(found.transitions / found.seconds)
    return statistics.median(plain), statistics.median(nested)
