"""What SPIN and Mule are asked about a mutant: states, verdicts about states, and claims, without and with fairness.

Fairness is that of `pan -f`: weak, of processes.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from mule.checking import Properties, check, explore
from mule.errors import MuleError
from mule.frontends.promela import load
from mule.model import Model
from mule.options import Options, Por
from mule.results import Result, Verdict, ViolationKind
from mule.temporal import questions_of
from tests.differential.spin_runner import (
    ASSERTION,
    DEADLOCK,
    KINDS,
    MAX_STATES,
    Difference,
    NotComparableError,
    SearchStoppedError,
    SpinAnswer,
    ask_about_states,
    compile_verifier,
    error_kinds,
    pan,
    states_of,
    translate,
)

SECONDS = 8
"""For one question to Mule."""
PAN_SECONDS = 3
"""For one question to pan."""
HOLDS = Verdict.HOLDS.value
TEMPORAL = ViolationKind.TEMPORAL.value
MODEL_ERROR = ViolationKind.MODEL_ERROR.value
CLAIM_ERRORS = ("acceptance cycle", "claim violated", "end state in claim", "non-progress cycle")
REDUCTIONS: tuple[Por, ...] = ("none", "auto")


@dataclass(frozen=True, slots=True)
class Temporal:
    """A question about infinite runs."""

    about: str
    properties: Properties
    fair: bool


@dataclass(frozen=True, slots=True)
class SpinOpinion:
    states: SpinAnswer | None
    """None: pan stopped at an error of the model."""
    kinds: frozenset[str]
    """Of all errors that it found."""
    temporal: dict[Temporal, bool] = field(default_factory=dict)
    """Whether there is such a run; questions that pan could not answer within its limits are left out."""

    @property
    def model_errors(self) -> frozenset[str]:
        return frozenset(kind for kind in self.kinds if kind not in (ASSERTION, DEADLOCK))


def spin_opinion(program: str) -> SpinOpinion:
    with tempfile.TemporaryDirectory() as folder:
        printed = translate(program, Path(folder))
        try:
            states = ask_about_states(folder, PAN_SECONDS)
        except SearchStoppedError as stopped:
            too_large = any(kind == "aborting" or kind.startswith("VECTORSZ") for kind in stopped.kinds)
            if too_large or not stopped.kinds:
                raise
            return SpinOpinion(None, frozenset(stopped.kinds))
        if frozenset(states.kinds) - {ASSERTION, DEADLOCK}:
            return SpinOpinion(states, states.kinds)
        return SpinOpinion(states, states.kinds, dict(_temporal_opinions(folder, program, printed)))


def _temporal_opinions(folder: str, program: str, printed: str) -> Iterator[tuple[Temporal, bool]]:
    has_claim = re.search(r"\b(never|ltl)\b", program) is not None
    if has_claim or re.search(r"\baccept\w*\s*:", program):
        compile_verifier(folder, "-DNFAIR=5")
        names = re.search(r"the model contains \d+ never claims: (.*)", printed)
        for name in names.group(1).split(", ") if names else [None]:
            chosen = () if name is None else ("-N", name.strip())
            wanted = Properties(claims=("all" if name is None else name.strip(),))
            for fair in (False, True):
                about = f"claim {name.strip()}" if name else "claim" if has_claim else "accept labels"
                question = Temporal(about, wanted if has_claim else Properties(acceptance=True), fair)
                yield from _answered(folder, question, ["-a", *chosen])
    if re.search(r"\bprogress\w*\s*:", program):
        compile_verifier(folder, "-DNFAIR=5", "-DNP", "-DNOCLAIM")
        for fair in (False, True):
            yield from _answered(folder, Temporal("progress labels", Properties(progress=True), fair), ["-l"])


def _answered(folder: str, question: Temporal, options: list[str]) -> Iterator[tuple[Temporal, bool]]:
    try:
        output = pan(folder, "-c0", "-E", *options, *(["-f"] if question.fair else []), seconds=PAN_SECONDS)
    except NotComparableError:
        return
    violated = any(kind.startswith(CLAIM_ERRORS) for kind in error_kinds(output))
    yield question, violated or bool(_failed_assertions(output) & _assertions_of_claims(folder))


def _failed_assertions(output: str) -> set[str]:
    return {
        _unspaced(text) for text in re.findall(r"^pan:\d+: assertion violated (.*) \(at depth", output, re.MULTILINE)
    }


def _assertions_of_claims(folder: str) -> set[str]:
    """SPIN writes claims of some formulas with assertions, which fail where the formula does."""
    moves = (Path(folder) / "pan.m").read_text()
    claims = re.findall(r"/\* CLAIM .*?(?=/\* PROC|\Z)", moves, re.DOTALL)
    return {_unspaced(text) for claim in claims for text in re.findall(r'spin_assert\(.*, "(.*)", II, tt, t\)', claim)}


def _unspaced(text: str) -> str:
    """Without blanks, brackets and `now.`: the verifier writes them in another way in its messages."""
    return re.sub(r"[\s()]|\bnow\.", "", text)


@dataclass(slots=True)
class Comparison:
    """What was asked about a mutant that both tools accept, and what differs."""

    asked: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """For each difference, what Mule says of its violation."""
    undecided: list[str] = field(default_factory=list)
    """Questions for which Mule has no answer within its limits."""


def compare_with_mule(program: str, opinion: SpinOpinion, only: str | None = None) -> Comparison:
    found = Comparison()
    try:
        model = load(program, "mutant.pml")
        for about, spins, ask in _questions(model, opinion):
            if only not in (None, about):
                continue
            ours, note = ask()
            if ours == Verdict.INCOMPLETE.value:
                found.undecided.append(about)
                continue
            found.asked.append(about)
            if ours != spins:
                found.differences.append(Difference(about, spins, ours))
                found.notes.append(note)
    except MuleError as error:
        found.differences.append(Difference("rejected", "accepted", str(error)))
        found.notes.append(str(error))
    except Exception as error:
        found.differences.append(Difference(f"crash: {type(error).__name__}", "an answer", str(error)))
        found.notes.append(str(error))
    return found


Ask = Callable[[], tuple[str, str]]


def _questions(model: Model, opinion: SpinOpinion) -> Iterator[tuple[str, str, Ask]]:
    for por in REDUCTIONS:
        options = Options(por=por, as_written=por == "none", max_states=10 * MAX_STATES, time=SECONDS)
        if opinion.model_errors or opinion.states is None:
            yield f"errors of the model, --por {por}", MODEL_ERROR, partial(_verdict, model, Properties(), options)
            continue
        if por == "none":
            yield "states", str(opinion.states.states), partial(_states, model, options)
            for about, (kind, properties) in KINDS.items():
                spins = kind.value if about in opinion.kinds else HOLDS
                yield f"{about}, --por {por}", spins, partial(_verdict, model, properties, options)
        else:
            violated = sorted(KINDS[kind][0].value for kind in opinion.kinds)
            yield f"safety, --por {por}", " or ".join(violated) or HOLDS, partial(_safety, model, violated, options)
        for question, violable in opinion.temporal.items():
            fairly = options.but(fairness="weak") if question.fair else options
            about = f"{question.about}{' -f' if question.fair else ''}, --por {por}"
            ask = partial(_verdict, model, question.properties, fairly)
            yield about, TEMPORAL if violable else HOLDS, partial(_temporal, ask, opinion)


def _safety(model: Model, violated: list[str], options: Options) -> tuple[str, str]:
    """All at once, as the command line asks: whichever violation of SPIN's comes first is right."""
    ours, note = _verdict(model, Properties(deadlock=True, assertions=True), options)
    return (" or ".join(violated) if ours in violated else ours), note


def _states(model: Model, options: Options) -> tuple[str, str]:
    result = explore(model, options)
    return (Verdict.INCOMPLETE.value if result.stopped == "time" else states_of(result)), ""


def _verdict(model: Model, properties: Properties, options: Options) -> tuple[str, str]:
    result = check(model, properties, options)
    if not result.violations:
        return result.verdict.value, ""
    return result.violations[0].kind.value, _description(result)


def _temporal(ask: Ask, opinion: SpinOpinion) -> tuple[str, str]:
    """A failing assertion is a violation to both tools, whichever they come to first."""
    ours, note = ask()
    known = ours == ViolationKind.ASSERTION.value and ASSERTION in opinion.kinds
    return (Verdict.INCOMPLETE.value if known else ours), note


def _description(result: Result) -> str:
    violation = result.violations[0]
    loop = violation.trail.loop
    ends = loop is not None and loop >= len(violation.trail.steps)
    return violation.message + (" [the run ends]" if ends else "")


def acceptance(program: str) -> str | None:
    """Why Mule rejects it, or one of its formulas, if it does."""
    try:
        model = load(program, "mutant.pml")
        if model.claims:
            questions_of(model, Properties(claims=("all",)))
    except MuleError as error:
        return str(error)
    return None
