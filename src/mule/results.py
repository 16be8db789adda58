"""Verdicts, statistics and trails."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from math import expm1
from os import PathLike, fspath
from typing import Any, Literal

from mule.driving import Node
from mule.errors import MuleError, Place
from mule.model import Model
from mule.model.interpreter import Interpreter, State, Step
from mule.options import Fairness, Options, Store
from mule.records import Record
from mule.trails import Trail as Trail
from mule.trails.compact import LARGE, States, Steps


class Verdict(Enum):
    HOLDS = "holds"
    VIOLATED = "violated"
    INCOMPLETE = "incomplete"


STOPPED = {
    "time": "the time limit was reached",
    "memory": "the memory limit was reached",
    "disk": "the disk is full, or cannot be written to",
    "states": "the limit on states was reached",
    "interrupted": "interrupted",
    "omissions": "states may have been left out",
}
"""Why a search ended early, in words."""
AT_THE_VIOLATION = "the search ended at a violation"


class ViolationKind(Enum):
    DEADLOCK = "deadlock"
    INVARIANT = "invariant"
    ASSERTION = "assertion"
    MODEL_ERROR = "model error"
    TEMPORAL = "temporal property"


class Violation(Record, frozen=True):
    """A property that is violated, and a run that shows it; `str` explains it step by step."""

    kind: ViolationKind
    property: str
    """The violated property as the user or the model wrote it."""
    message: str
    """One sentence: what is wrong in the last state."""
    trail: Trail
    shortest: bool = False
    """Whether no shorter trail exists (breadth-first search without reduction)."""

    def shortened(
        self, *, time: float | None = None, memory: int | None = None, max_states: int | None = None
    ) -> Violation:
        """The same violation with the shortest trail that is found within the limits (see docs/trails.md).

        >>> import mule
        >>> violation = mule.load("examples/philosophers.dve").check(search="dfs", por="none").violation
        >>> shorter = violation.shortened()
        >>> len(violation.trail), len(shorter.trail), shorter.shortest
        (36, 4, True)
        """
        from mule.trails.shortening import shorten

        # Of a fair run it is not known here in which way it is fair: strong fairness implies the other ways.
        fairness: Fairness = "strong" if self.message.startswith("this fair run") else "none"
        return shorten(self, Options(time=time, memory=memory, max_states=max_states), fairness=fairness).violation

    def __str__(self) -> str:
        from mule.report.plain import violation_text

        return violation_text(self)

    def __repr__(self) -> str:
        return f"<Violation: {self.message}; {len(self.trail)} steps>"

    def _repr_html_(self) -> str:
        """A notebook shows what is wrong, and the steps as a table."""
        from mule.report.notebook import violation_html

        return violation_html(self)


class Judgement(Record, frozen=True):
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


def judged(property: str, kind: ViolationKind, violation: Violation | None, stopped: str | None) -> Judgement:
    """A violation decides; without one a property holds only if nothing was cut short."""
    if violation is not None:
        return Judgement(property, kind, Verdict.VIOLATED, violation)
    if stopped:
        return Judgement(property, kind, Verdict.INCOMPLETE, notes=(not_decided_by(stopped),))
    return Judgement(property, kind, Verdict.HOLDS)


def not_decided_by(reason: str) -> str:
    return f"not decided: {STOPPED.get(reason, reason)}"


def temporal_judgement(text: str, violation: Violation | None, stopped: str | None) -> Judgement:
    return judged(f"{ViolationKind.TEMPORAL.value} {text}", ViolationKind.TEMPORAL, violation, stopped)


class Unreached(Record, frozen=True):
    """A statement that no run comes to."""

    process: str
    """The name of the declaration (proctype) it is in, or of the process; empty for a rule without a process."""
    text: str
    place: Place | None


class Statistics(Record, frozen=True):
    states: int
    transitions: int
    deadlocks: int
    depth: int
    compile_seconds: float
    search_seconds: float
    memory_bytes: int
    """What the state store and the search held at the end."""
    nodes: tuple[Node, ...] = ()
    """What each worker of a cluster did."""
    disk_bytes: int = 0
    """The same on disk."""
    device: str | None = None
    """The GPU that has searched, if one has."""


class Omissions(Record, frozen=True):
    """What a store that may take a new state for a known one has probably left out."""

    store: Store
    expected: float
    """How many of the new states that the search came to; what only these lead to is not counted."""
    hash_factor: float | None = None
    """Bitstate hashing: bits of the array for each state that was stored."""

    @property
    def probability(self) -> float:
        """That at least one state was left out."""
        return -expm1(-self.expected)


class Effort(Record, frozen=True):
    """One search."""

    properties: tuple[str, ...]
    """What it was for, in words."""
    options: Options
    """With every `auto` resolved to what was done."""
    statistics: Statistics


class Result(Record, frozen=True):
    """What `explore` and `check` give back; `str` is the report.

    >>> import mule
    >>> result = mule.load("examples/philosophers.dve").check(deadlock=True)
    >>> result
    <Result philosophers: violated, no deadlock; 34 states>
    >>> result.violated, result.violation.message, len(result.violation.trail)
    (True, 'no process can move', 4)
    """

    model: Model
    options: Options
    """With every `auto` resolved to what was done; where there were several searches, those of the last one."""
    statistics: Statistics
    """Of all searches together."""
    judgements: tuple[Judgement, ...] = ()
    """What was judged, one for each property; empty for `explore`."""
    stopped: str | None = None
    """Why a search ended early ("time", "memory", "disk", "states", "interrupted"), if one did; "omissions": it
    came to its end, but its store may have left states out."""
    notes: tuple[str, ...] = ()
    """What the user should know: what was not checked, what the reduction preserves."""
    unreached: tuple[Unreached, ...] | None = None
    """The statements that no run comes to; None where the search cannot tell, because it is incomplete or because its
    reduction preserves deadlocks only."""
    efforts: tuple[Effort, ...] = ()
    """The searches, where there were several."""
    omissions: Omissions | None = None
    """Where states may have been left out; of several searches, the one that has probably left out most."""

    @property
    def searches(self) -> tuple[Effort, ...]:
        return self.efforts or (Effort(self.properties, self.options, self.statistics),)

    @property
    def verdict(self) -> Verdict:
        """Of all properties together; of a mere exploration, whether it came to its end."""
        verdicts = {judgement.verdict for judgement in self.judgements}
        if Verdict.VIOLATED in verdicts:
            return Verdict.VIOLATED
        return Verdict.INCOMPLETE if self.stopped or Verdict.INCOMPLETE in verdicts else Verdict.HOLDS

    @property
    def holds(self) -> bool:
        """Whether every property that was judged holds; False where it is violated and where it was not decided."""
        if not self.judgements:
            raise MuleError("nothing was judged here: ask check(), not explore()")
        return self.verdict is Verdict.HOLDS

    @property
    def violated(self) -> bool:
        return self.verdict is Verdict.VIOLATED

    @property
    def incomplete(self) -> bool:
        """Whether something was not decided, and nothing is violated; `stopped` says why."""
        return self.verdict is Verdict.INCOMPLETE

    def assert_holds(self) -> None:
        """For test suites: an AssertionError with the whole report unless every property holds.

        >>> import mule
        >>> mule.load("examples/peterson.dve").check().assert_holds()
        """
        __tracebackhide__ = True
        if self.holds:
            return
        why = "" if self.violated else "not decided, so nobody knows whether it holds: give it more room or time\n\n"
        raise AssertionError(f"{why}{self}")

    def __bool__(self) -> bool:
        raise TypeError(
            "a result is neither true nor false, because a search can also end without an answer: "
            "write result.holds, result.violated, or result.assert_holds() in a test"
        )

    @property
    def states(self) -> int:
        """How many the search found."""
        return self.statistics.states

    @property
    def transitions(self) -> int:
        return self.statistics.transitions

    @property
    def violation(self) -> Violation | None:
        """The first one, if there is one."""
        return next(iter(self.violations), None)

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints (see docs/json.md)."""
        from mule.report.json import result_object

        return result_object(self)

    def to_records(self, of: Literal["properties", "searches"] = "properties") -> list[dict[str, Any]]:
        """A table that pandas takes, `pandas.DataFrame(result.to_records())`: one row for each property that was
        judged, or for each search that was made.

        >>> import mule
        >>> result = mule.load("examples/broken_mutex.dve").check()
        >>> [(row["property"], row["verdict"], row["steps"]) for row in result.to_records()][:2]
        [('no deadlock', 'holds', None), ('assertion left.critical: not right.critical', 'violated', 4)]
        >>> [row["states"] for row in result.to_records(of="searches")]
        [8, 13]
        """
        from mule.report.records import property_records, search_records

        if of not in ("properties", "searches"):
            raise MuleError(f"to_records() has no table of {of!r}: properties or searches")
        return property_records(self) if of == "properties" else search_records(self)

    def save_report(self, path: str | PathLike[str]) -> None:
        """Write a page for a browser: the runs step by step, the source, the search (see docs/report.md)."""
        from mule.report.html import write_report

        write_report(self, fspath(path))

    def __str__(self) -> str:
        from mule.report.plain import result_text

        return result_text(self)

    def __repr__(self) -> str:
        what = self.verdict.value if self.judgements or self.incomplete else "explored"
        broken = "".join(f", {each.property}" for each in self.judgements if each.verdict is Verdict.VIOLATED)
        return f"<Result {self.model.name}: {what}{broken}; {self.states} states>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """In IPython a result shows its report."""
        printer.text(repr(self) if cycle else str(self))

    def _repr_html_(self) -> str:
        """In a notebook it shows the page that `save_report` writes."""
        from mule.report.html import framed_report

        return framed_report(self)

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


def not_searched(model: Model, options: Options, judgements: tuple[Judgement, ...], stopped: str | None) -> Result:
    """For what there was no time left, or nothing to search."""
    return Result(model, options, Statistics(0, 0, 0, 0, 0.0, 0.0, 0), judgements, stopped)


def combined(parts: Sequence[Result]) -> Result:
    """One result of several searches. Of a property that several of them judged what is decided counts, and a violation
    above all."""
    if len(parts) == 1:
        return parts[0]
    judgements: dict[str, Judgement] = {}
    for judgement in (each for part in parts for each in part.judgements):
        known = judgements.get(judgement.property)
        looked_again = known is not None and known.notes == (not_decided_by(AT_THE_VIOLATION),)
        if known is None or looked_again or _WEIGHT[judgement.verdict] > _WEIGHT[known.verdict]:
            judgements[judgement.property] = judgement
    is_open = any(each.verdict is Verdict.INCOMPLETE for each in judgements.values())
    efforts = tuple(effort for part in parts for effort in part.searches if effort.statistics.states)
    efforts = efforts or parts[-1].searches
    return Result(
        model=parts[0].model,
        options=parts[-1].options,
        statistics=together([effort.statistics for effort in efforts]),
        judgements=tuple(judgements.values()),
        stopped=next((part.stopped for part in parts if part.stopped), None) if is_open else None,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        unreached=next((part.unreached for part in parts if part.unreached is not None), None),
        efforts=efforts,
        omissions=max(
            (part.omissions for part in parts if part.omissions), key=lambda each: each.expected, default=None
        ),
    )


_WEIGHT = {Verdict.INCOMPLETE: 0, Verdict.HOLDS: 1, Verdict.VIOLATED: 2}


def together(searches: Sequence[Statistics]) -> Statistics:
    """What several searches took; they may have found the same deadlocks, and had the memory one after the other."""
    return Statistics(
        states=sum(each.states for each in searches),
        transitions=sum(each.transitions for each in searches),
        deadlocks=max(each.deadlocks for each in searches),
        depth=max(each.depth for each in searches),
        compile_seconds=sum(each.compile_seconds for each in searches),
        search_seconds=sum(each.search_seconds for each in searches),
        memory_bytes=max(each.memory_bytes for each in searches),
        disk_bytes=max(each.disk_bytes for each in searches),
        device=next((each.device for each in searches if each.device is not None), None),
    )


class TrailError(Exception):
    """A trail that the reference interpreter cannot follow: a defect of Mule itself."""


def replay(model: Model, choices: Sequence[tuple[int, int]], last: int = 1, begin: State | None = None) -> Trail:
    """Follow (transition, outcome) pairs from the initial state, or from `begin`, with the reference interpreter.

    The last ones, `last` of them, may fail, and what is left of them is then dropped."""
    interpreter = Interpreter(model)
    first = interpreter.initial if begin is None else begin
    states, steps = _kept(first, len(choices) * len(first))
    for position, (transition, outcome) in enumerate(choices):
        state = states[-1]
        if not 0 <= transition < len(model.transitions):
            raise TrailError(f"step {position + 1}: there is no transition {transition}")
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
    if isinstance(states, States):
        return Trail(model, states, steps)
    return Trail(model, tuple(states), tuple(steps))


def _kept(first: State, slots: int) -> tuple[list[State], list[Step]] | tuple[States, Steps]:
    """Where the states and steps of a run go, which has so many slots in all."""
    if slots < LARGE:
        return [first], []
    states = States(first)
    return states, Steps(states)
