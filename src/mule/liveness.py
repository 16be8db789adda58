"""Temporal properties of a model, judged: the question, the product, the answer as a trail."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mule.checking import Analysis, Preparation, algorithm, check_safety, resolve, wide_enough
from mule.engine import ProgressCallback
from mule.errors import MuleError
from mule.memory import available_memory
from mule.model import Model
from mule.options import Options
from mule.product import Ignoring, Limits, Product, ProductResult, ProductStep, Reduction, Visibility
from mule.properties import Properties
from mule.results import Result, Statistics, Verdict, Violation, ViolationKind
from mule.temporal import (
    Choice,
    Question,
    asked_about_acceptance,
    asked_about_progress,
    asked_by_claim,
    asked_by_formula,
    asked_by_property_process,
    lasso,
)

ALL = "all"
"""The name that stands for every claim of a model."""


@dataclass(frozen=True, slots=True)
class Answer:
    model: Model
    options: Options
    """With every `auto` resolved."""
    violation: Violation | None
    statistics: Statistics
    stopped: str | None
    notes: tuple[str, ...]


def check_temporal(
    model: Model, wanted: Properties, options: Options, progress: ProgressCallback | None = None
) -> Result:
    """Safety first, if it is asked for; then one temporal property after the other, up to the first violation."""
    model = wide_enough(model, options, progress)
    questions = questions_of(model, wanted)
    words: list[str] = []
    if wanted.safety:
        safe = check_safety(model, wanted, options, progress)
        if safe.verdict is not Verdict.HOLDS:
            undecided = tuple(f"{ViolationKind.TEMPORAL.value} {question.text}" for question in questions)
            return replace(safe, properties=(*safe.properties, *undecided))
        words += safe.properties
    words += [f"{ViolationKind.TEMPORAL.value} {question.text}" for question in questions]
    for question in questions:
        given = answer(model, question, options, progress)
        if given.violation is not None or given.stopped is not None:
            break
    return Result(
        model=given.model,
        options=given.options,
        verdict=_verdict(given),
        statistics=given.statistics,
        properties=tuple(words),
        violations=(given.violation,) if given.violation else (),
        stopped=given.stopped,
        notes=given.notes,
    )


def _verdict(given: Answer) -> Verdict:
    if given.violation is not None:
        return Verdict.VIOLATED
    return Verdict.HOLDS if given.stopped is None else Verdict.INCOMPLETE


def questions_of(model: Model, wanted: Properties) -> list[Question]:
    """What is asked of the model, in the order in which it is answered."""
    found = [asked_by_formula(model, text) for text in wanted.ltl]
    found += [question for name in wanted.claims for question in _claimed(model, name)]
    if wanted.progress:
        found.append(asked_about_progress(model))
    if wanted.acceptance:
        found.append(asked_about_acceptance(model))
    return found


def claim_names(model: Model) -> list[str]:
    """The temporal properties that a model declares."""
    names = [claim.name for claim in model.claims]
    if model.property_process is not None:
        names.append(model.processes[model.property_process].name)
    return names


def _claimed(model: Model, name: str) -> list[Question]:
    found = [asked_by_claim(model, claim) for claim in model.claims if name in (claim.name, ALL)]
    process = model.property_process
    if process is not None and name in (model.processes[process].name, ALL):
        found.append(asked_by_property_process(model))
    if not found and name != ALL:
        known = ", ".join(claim_names(model)) or "none"
        raise MuleError(f"the model declares no temporal property {name}: it declares {known}")
    return found


def answer(model: Model, question: Question, options: Options, progress: ProgressCallback | None = None) -> Answer:
    """Whether some run of the model violates the property."""
    started = time.perf_counter()
    fair = options.fairness != "none"
    notes = []
    untouched = fair or not question.stutters
    if not question.stutters and (options.por != "none" or not options.as_written):
        why = "the property counts steps" if question.stutters is False else "the automaton may count steps"
        notes.append(f"{why}, so nothing was reduced")
    if fair and options.por not in ("none", "auto"):
        notes.append("under fairness nothing was reduced")
    # The transformations are known to keep deadlocks and safety, so here the model is searched as it is written.
    chosen = resolve(options.but(proviso="auto", search="dfs", weak=False, as_written=True), "safety")
    chosen = chosen.but(por="none") if untouched else chosen
    analysis = Analysis(model, question.atoms, ahead=not chosen.as_written, invariants=False)
    prepared = Preparation(analysis, chosen, "safety", question.atoms)
    reduced = chosen.por != "none"
    states = question.automaton.states
    product = Product(prepared.searched, prepared.domains, question.atoms, states, reducible=reduced)
    compiled = time.perf_counter()
    found = product.search(
        question.automaton,
        emptiness="scc" if fair or question.automaton.marks > 1 else options.emptiness,
        reduction=_reduction(chosen, options) if reduced else None,
        fair=fair,
        finite_runs=question.finite_runs,
        limits=Limits(options.max_states, options.memory or available_memory(), options.time),
        progress=progress,
    )
    violation = None if found.empty else _violation(prepared, question, found)
    if reduced:
        notes.append(f"reduced by {chosen.por}; this preserves the property")
    return Answer(
        replace(prepared.model, start=None),
        chosen,
        violation,
        _statistics(found, compiled - started, time.perf_counter() - compiled),
        None if violation else found.stopped,
        tuple(notes),
    )


def _reduction(chosen: Options, asked: Options) -> Reduction:
    """The sets must be a function of the state, so they are remembered exactly or not at all."""
    memory = "none" if chosen.por == "ample" else "exact"
    ignoring: Ignoring = "static" if asked.proviso == "static" else "c3prime" if asked.proviso == "c3prime" else "stack"
    visibility: Visibility = asked.visibility if asked.visibility != "auto" else "vi"
    return Reduction(replace(algorithm(chosen), weak=False, remember=memory), visibility, ignoring)


def _violation(prepared: Preparation, question: Question, found: ProductResult) -> Violation:
    def as_written(steps: Sequence[ProductStep]) -> list[Choice]:
        choices: list[Choice] = []
        for step in steps:
            if step.transition is None:
                choices.append(None)
            else:
                choices += prepared.origins(step.transition, step.outcome)
        return choices

    model = replace(prepared.model, start=None)
    prefix: list[Choice] = [*prepared.analysis.prefix, *as_written(found.prefix)]
    trail = lasso(model, question, prefix, as_written(found.cycle))
    return Violation(ViolationKind.TEMPORAL, question.text, "this run violates the property", trail)


def _statistics(found: ProductResult, compile_seconds: float, search_seconds: float) -> Statistics:
    return Statistics(
        states=found.progress.states,
        transitions=found.progress.transitions,
        deadlocks=0,
        depth=found.progress.depth,
        compile_seconds=compile_seconds,
        search_seconds=search_seconds,
        memory_bytes=found.progress.memory_bytes,
    )
