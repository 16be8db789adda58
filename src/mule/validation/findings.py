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


@dataclass(slots=True, repr=False)
class Validation:
    model: Model
    states: int = 0
    checks: int = 0
    findings: list[Finding] = field(default_factory=list)
    seconds: float = 0.0
    stopped: str | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether nothing was refuted in the states that were tested, which are all of them or a sample."""
        from mule.report.validation import verdict

        return verdict(self) == "holds"

    def __str__(self) -> str:
        from mule.report.plain import text_of
        from mule.report.validation_text import validation_text

        return text_of(lambda page: validation_text(self, page))

    def __repr__(self) -> str:
        return f"<Validation of {self.model.name}: {len(self.findings)} refuted, {self.states} states>"


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
