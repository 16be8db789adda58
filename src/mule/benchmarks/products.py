"""One temporal property of one model, searched in several ways: what is kept of the product."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mule.benchmarks import spin
from mule.benchmarks.protocols import protocol
from mule.frontends import load
from mule.model import Model
from mule.options import Options
from mule.properties import Properties
from mule.results import Verdict
from mule.temporal import check_temporal


@dataclass(frozen=True, slots=True)
class Case:
    """A property of a model."""

    name: str
    """As the seed has it."""
    path: Path
    properties: Properties
    defines: tuple[str, ...] = ()

    def load(self) -> Model:
        return load(self.path, "promela", self.defines)


@dataclass(frozen=True, slots=True)
class Kept:
    """One search of a product."""

    states: int
    transitions: int | None
    seconds: float
    verdict: Verdict

    @property
    def complete(self) -> bool:
        return self.verdict is not Verdict.INCOMPLETE

    def __str__(self) -> str:
        return f"{'' if self.complete else '>'}{self.states}"


def own(name: str, file: str, claim: str, *defines: str) -> Case:
    """A claim of one of our own models."""
    return Case(name, protocol(file), Properties(claims=(claim,)), defines)


def search(model: Model, case: Case, options: Options) -> Kept:
    """On the model as written, which is what SPIN and the seeds count."""
    result = check_temporal(model, case.properties, options.but(as_written=True))
    found = result.statistics
    return Kept(found.states, found.transitions, found.search_seconds, result.verdict)


def by_spin(case: Case, reduced: bool, time: float) -> Kept | None:
    """What SPIN makes of the same property: None where it is not installed, was not done in time, or cannot be asked
    without a change of the model (a formula that the model does not declare)."""
    wanted = case.properties
    if not spin.installed() or wanted.ltl:
        return None
    flags = (() if reduced else ("-DNOREDUCE",)) + (("-DNP",) if wanted.progress else ())
    claim = wanted.claims[0] if wanted.claims else None
    found = spin.search_product(case.path, "-l" if wanted.progress else "-a", time, claim, flags, case.defines)
    if found is None:
        return None
    return Kept(found.states, None, found.seconds, Verdict.VIOLATED if found.errors else Verdict.HOLDS)


def percent(kept: Kept | None, full: Kept | None) -> str:
    """How much of the states is kept; nothing where the full product is not known."""
    if kept is None or full is None or not full.complete:
        return "-"
    return f"{'' if kept.complete else '>'}{100 * kept.states / full.states:.1f}"


def verdicts_agree(searches: list[Kept | None]) -> bool:
    return len({kept.verdict for kept in searches if kept is not None and kept.complete}) <= 1
