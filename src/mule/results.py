"""Verdicts, statistics and trails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from mule.errors import Place
from mule.model import Model
from mule.model.interpreter import Interpreter, State, Step
from mule.options import Options
from mule.trails import Trail as Trail


class Verdict(Enum):
    HOLDS = "holds"
    VIOLATED = "violated"
    INCOMPLETE = "incomplete"


class ViolationKind(Enum):
    DEADLOCK = "deadlock"
    INVARIANT = "invariant"
    ASSERTION = "assertion"
    MODEL_ERROR = "model error"
    TEMPORAL = "temporal property"


@dataclass(frozen=True, slots=True)
class Violation:
    kind: ViolationKind
    property: str
    """The violated property as the user or the model wrote it."""
    message: str
    """One sentence: what is wrong in the last state."""
    trail: Trail
    shortest: bool = False
    """Whether no shorter trail exists (breadth-first search without reduction)."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One property and what is known about it."""

    property: str
    """In words, as the report prints it."""
    kind: ViolationKind
    verdict: Verdict
    violation: Violation | None = None
    """Replayed by the reference interpreter; there is one if and only if the verdict is that it is violated."""
    vacuous: str | None = None
    """Why it holds without saying anything about the model, if it does."""
    notes: tuple[str, ...] = ()
    """What the reader of the verdict must know: why it was not decided, of which runs it speaks."""


def judged(
    property: str, kind: ViolationKind, violation: Violation | None, stopped: str | None, notes: tuple[str, ...] = ()
) -> Judgement:
    """A violation decides; without one a property holds only if nothing was cut short."""
    if violation is not None:
        return Judgement(property, kind, Verdict.VIOLATED, violation, notes=notes)
    return Judgement(property, kind, Verdict.INCOMPLETE if stopped else Verdict.HOLDS, notes=notes)


@dataclass(frozen=True, slots=True)
class Unreached:
    """A statement that no run comes to."""

    process: str
    """The name of the declaration (proctype) it is in, or of the process; empty for a rule without a process."""
    text: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Statistics:
    states: int
    transitions: int
    deadlocks: int
    depth: int
    compile_seconds: float
    search_seconds: float
    memory_bytes: int
    """What the state store and the search held at the end."""


@dataclass(frozen=True, slots=True)
class Result:
    """What `explore` and `check` give back."""

    model: Model
    options: Options
    """With every `auto` resolved to what was done."""
    statistics: Statistics
    judgements: tuple[Judgement, ...] = ()
    """What was judged, one for each property; empty for `explore`."""
    stopped: str | None = None
    """Why a search ended early ("time", "memory", "states", "interrupted"), if one did."""
    notes: tuple[str, ...] = ()
    """What the user should know: what was not checked, what the reduction preserves."""
    unreached: tuple[Unreached, ...] | None = None
    """The statements that no run comes to; None where the search cannot tell, because it is incomplete or because its
    reduction preserves deadlocks only."""

    @property
    def verdict(self) -> Verdict:
        """Of all properties together; of a mere exploration, whether it came to its end."""
        verdicts = {judgement.verdict for judgement in self.judgements}
        if Verdict.VIOLATED in verdicts:
            return Verdict.VIOLATED
        return Verdict.INCOMPLETE if self.stopped or Verdict.INCOMPLETE in verdicts else Verdict.HOLDS

    @property
    def properties(self) -> tuple[str, ...]:
        """What was judged, in words."""
        return tuple(judgement.property for judgement in self.judgements)

    @property
    def holding(self) -> tuple[str, ...]:
        """Those of the properties that are known to hold, whatever is known about the others."""
        return tuple(each.property for each in self.judgements if each.verdict is Verdict.HOLDS)

    @property
    def violations(self) -> tuple[Violation, ...]:
        return tuple(each.violation for each in self.judgements if each.violation is not None)


class TrailError(Exception):
    """A trail that the reference interpreter cannot follow: a defect of Mule itself."""


def replay(model: Model, choices: Sequence[tuple[int, int]], last: int = 1, begin: State | None = None) -> Trail:
    """Follow (transition, outcome) pairs from the initial state, or from `begin`, with the reference interpreter.

    The last ones, `last` of them, may fail, and what is left of them is then dropped."""
    interpreter = Interpreter(model)
    states = [interpreter.initial if begin is None else begin]
    steps: list[Step] = []
    for position, (transition, outcome) in enumerate(choices):
        state = states[-1]
        if not interpreter.enabled(model.transitions[transition], state):
            raise TrailError(f"step {position + 1}: {model.transitions[transition].name} is not enabled")
        step = next((s for s in interpreter.fire(transition, state) if s.outcome == outcome), None)
        if step is None:
            raise TrailError(f"step {position + 1}: outcome {outcome} is not possible")
        steps.append(step)
        if step.failure is not None:
            if position < len(choices) - last:
                raise TrailError(f"step {position + 1} fails, and the trail goes on")
            break
        states.append(step.target)
    return Trail(model, tuple(states), tuple(steps))
