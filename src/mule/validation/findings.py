"""What a validation finds, and states in words."""

from __future__ import annotations

from dataclasses import dataclass, field

from mule.engine import Engine
from mule.model import Model

Words = tuple[int, ...]
"""A packed state."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact that the state space refutes."""

    relation: str
    message: str


@dataclass(slots=True)
class Validation:
    model: Model
    states: int = 0
    checks: int = 0
    findings: list[Finding] = field(default_factory=list)
    seconds: float = 0.0
    stopped: str | None = None
    notes: list[str] = field(default_factory=list)


def describe(engine: Engine, words: Words) -> str:
    """A state on one line: the locations, and the variables that are not 0."""
    model = engine.compiled.model
    state = engine.compiled.layout.unpack(words)
    locations = {process.location for process in model.processes}
    shown = [
        f"{model.slot_name(slot)}={model.slot_value(slot, value)}"
        for slot, value in enumerate(state)
        if value != 0 or model.slot_variables[slot][0] in locations
    ]
    return f"<{' '.join(shown)}>"
