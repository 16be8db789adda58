"""What `mule validate` found out about the relations and the stubborn sets, and its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from mule.model import Model


class Finding(Protocol):
    """One fact that the state space refutes."""

    @property
    def relation(self) -> str:
        """What claimed it: "D1", "D2", "accords", "may be co-enabled", "necessary enabling set", …"""

    @property
    def message(self) -> str:
        """One sentence with the names of the guards and transitions and the state that refutes it."""


class Validation(Protocol):
    @property
    def model(self) -> Model: ...
    @property
    def states(self) -> int:
        """In how many states the facts were tested."""

    @property
    def checks(self) -> int:
        """How many facts were tested in them."""

    @property
    def findings(self) -> Sequence[Finding]: ...
    @property
    def seconds(self) -> float: ...
    @property
    def stopped(self) -> str | None:
        """Why not all reachable states were tested ("sample", "time", "states", "interrupted"), if so."""

    @property
    def notes(self) -> Sequence[str]: ...


def validation_object(validation: Validation) -> dict[str, Any]:
    """What `mule validate --json` prints."""
    return {
        "model": validation.model.name,
        "language": validation.model.language,
        "verdict": verdict(validation),
        "states": validation.states,
        "checks": validation.checks,
        "seconds": validation.seconds,
        "stopped": validation.stopped,
        "notes": list(validation.notes),
        "findings": [{"relation": finding.relation, "message": finding.message} for finding in validation.findings],
    }


def verdict(validation: Validation) -> str:
    if validation.findings:
        return "violated"
    return "holds" if validation.stopped in (None, "sample") else "incomplete"
