"""The Promela models with SPIN's figures beside them (`expected.json`), and LTSmin's where they lie near."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mule.benchmarks.corpus import read_json
from mule.errors import MuleError, Place

NO_ERRORS = "no errors"


class Counts(NamedTuple):
    """The size of a (reduced) state space."""

    states: int
    transitions: int


@dataclass(frozen=True, slots=True)
class PromelaEntry:
    """One model and what SPIN says of it."""

    path: Path
    facts: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.facts["file"])

    @property
    def full(self) -> Counts | None:
        """All states and edges, where SPIN came to the end of them."""
        return _counts(self.facts.get("full"))

    @property
    def ample(self) -> Counts | None:
        """What SPIN's own reduction keeps, where SPIN came to the end."""
        return _counts(self.facts.get("por"))

    @property
    def verdict(self) -> str | None:
        """SPIN's words about the first error, or NO_ERRORS; None where it came to no verdict."""
        default = self.facts.get("default") or {}
        return str(default["verdict"]) if default.get("complete") else None


def promela_entries(models: Path) -> Iterator[PromelaEntry]:
    expected = read_json(models / "expected.json")
    if not isinstance(expected, dict) or "models" not in expected:
        raise MuleError("expected an object with the figures of Promela models", Place(str(models / "expected.json")))
    for facts in expected["models"]:
        yield PromelaEntry(models / facts["file"], facts)


def _counts(search: dict[str, Any] | None) -> Counts | None:
    """SPIN's `transitions` are the states stored and matched: the edges and one for the initial state."""
    if not search or not search.get("complete"):
        return None
    return Counts(search["states"], search["transitions"] - 1)
