"""The temporal properties of the corpora: BEEM's and SPIN's answers, without reduction and with every one."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from mule.benchmarks.corpus import read_json
from mule.benchmarks.lines import show
from mule.driving import Limits
from mule.engine import Algorithm
from mule.errors import MuleError
from mule.frontends import load
from mule.options import Options
from mule.planning import Analysis, Plan, Preparation, resolve
from mule.properties import ALL_CLAIMS, Properties
from mule.temporal import Question, questions_of
from mule.temporal.product import Emptiness, Ignoring, Product, Reduction, Visibility

SECONDS = 60.0
"""For each search, if nothing else is said."""
MOST_STATES = 1_000_000
"""Of the models that are looked at, without the automaton."""

_ALGORITHMS = ("ample", "closure", "closure-h", "beam", "beam-noh", "deletion")
_VISIBILITIES: tuple[Visibility, ...] = ("c2", "vi")
_IGNORINGS: tuple[Ignoring, ...] = ("stack", "c3prime", "static")
_SEARCHES: tuple[Emptiness, ...] = ("ndfs", "scc")

Way = tuple[Emptiness, Reduction | None]
WAYS: tuple[Way, ...] = tuple(
    (search, reduction)
    for search in _SEARCHES
    for reduction in (
        None,
        *(
            Reduction(Algorithm(name, remember="none" if name == "ample" else "exact"), visibility, ignoring)
            for name in _ALGORITHMS
            for visibility in _VISIBILITIES
            for ignoring in _IGNORINGS
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Claimed:
    """One temporal property and what the reference tool says of it."""

    name: str
    path: Path
    language: str
    wanted: Properties
    holds: bool
    states: int
    """Of the model, without the automaton."""


@dataclass(frozen=True, slots=True)
class Found:
    holds: bool | None
    """None: the search did not come to an end."""
    states: int


def run(models: Path, console: Console, time: float = SECONDS) -> int:
    """Every way to search gives the reference's answer; a search that is not done in time tells nothing."""
    checks = wrong = undecided = properties = 0
    for claimed in claims(models):
        started = clock.perf_counter()
        try:
            found = answers(claimed, time)
        except MuleError as error:
            show(console, f"not read   {claimed.name}: {error}")
            wrong += 1
            continue
        properties += 1
        differ = [way for way, each in found.items() if each.holds not in (claimed.holds, None)]
        checks += len(found)
        wrong += len(differ)
        undecided += sum(each.holds is None for each in found.values())
        mark = "DIFFERS" if differ else "same"
        states = [each.states for (_, reduction), each in found.items() if reduction is not None]
        show(
            console,
            f"{mark:<9} {claimed.name:<34}{'holds' if claimed.holds else 'violated':<10}"
            f"{found['ndfs', None].states:>10} product states, reduced {min(states)} to {max(states)}"
            f" ({clock.perf_counter() - started:.1f} s)",
        )
        for way in differ:
            show(console, f"          {way}")
    show(
        console,
        f"{properties} properties, {checks} searches ({len(WAYS)} ways each): {wrong} wrong, {undecided} not done in "
        f"{time:g} s",
    )
    return int(wrong > 0)


def answers(claimed: Claimed, time: float) -> dict[Way, Found]:
    """Of every way; where the model has one question or all must hold."""
    model = load(str(claimed.path), claimed.language)
    found: dict[Way, Found] = {}
    for question in questions_of(model, claimed.wanted):
        options = resolve(Options(por="deletion", search="dfs", as_written=True), "safety")
        analysis = Analysis(model, question.atoms)
        prepared = Preparation(Plan(analysis, options, "safety", question.atoms))
        product = Product(prepared.searched, prepared.domains, question.atoms, question.automaton.states)
        for way in WAYS if question.stutters else [way for way in WAYS if way[1] is None]:
            given = _answer(product, question, way, time)
            before = found.get(way)
            if before is None or before.holds:
                found[way] = Found(given.holds, given.states + (before.states if before else 0))
    return found


def _answer(product: Product, question: Question, way: Way, time: float) -> Found:
    search, reduction = way
    limits = Limits(max_seconds=time)
    given = product.search(question.automaton, search, reduction, finite_runs=question.finite_runs, limits=limits)
    violated = not given.empty or given.failures > 0  # BEEM's error states are states in which a run stays
    return Found(False if violated else None if given.stopped else True, given.progress.states)


def claims(models: Path) -> Iterator[Claimed]:
    """Those with a known answer, of models that are not too large."""
    expected = read_json(models / "expected.json")
    return _of_promela(models, expected) if isinstance(expected, dict) else _of_dve(models, expected)


def _of_dve(models: Path, expected: list[dict[str, Any]]) -> Iterator[Claimed]:
    for facts in expected:
        for claim in facts["ltl"]:
            if claim["file"] and claim["holds"] is not None and (facts["states"] or MOST_STATES + 1) <= MOST_STATES:
                wanted = Properties(claims=(ALL_CLAIMS,))
                yield Claimed(claim["file"], models / claim["file"], "dve", wanted, claim["holds"], facts["states"])


def _of_promela(models: Path, expected: dict[str, Any]) -> Iterator[Claimed]:
    for facts in expected["models"]:
        for claim in facts.get("ltl", ()):
            verdict = claim["nopor"].get("verdict")
            if not claim["nopor"].get("complete") or facts["full"].get("states", MOST_STATES + 1) > MOST_STATES:
                continue
            text = claim["property"]
            if text.startswith("progress"):
                wanted = Properties(progress=True)
            elif text.startswith("accept"):
                wanted = Properties(acceptance=True)
            else:
                wanted = Properties(claims=(ALL_CLAIMS,))
            name, path, states = f"{facts['file']} {text}", models / facts["file"], facts["full"]["states"]
            yield Claimed(name, path, "promela", wanted, verdict == "no errors", states)
