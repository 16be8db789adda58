"""Every reduction side by side: what a comparison says, and its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from mule.model import Model


class CompareRow(Protocol):
    @property
    def algorithm(self) -> str: ...
    @property
    def states(self) -> int: ...
    @property
    def transitions(self) -> int: ...
    @property
    def deadlocks(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def stopped(self) -> str | None:
        """Why this search ended early, if it did."""


def comparison_object(model: Model, rows: Sequence[CompareRow]) -> dict[str, Any]:
    """What `mule compare --json` prints."""
    return {
        "model": model.name,
        "language": model.language,
        "rows": [
            {
                "algorithm": row.algorithm,
                "states": row.states,
                "transitions": row.transitions,
                "deadlocks": row.deadlocks,
                "seconds": row.seconds,
                "stopped": row.stopped,
            }
            for row in rows
        ],
    }
