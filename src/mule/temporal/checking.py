"""Temporal properties of a model, judged: the question, the product, the answer as a trail."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from mule.checking import check_safety, nothing_happens_note, shortened_note, statistics
from mule.engine import ProgressCallback
from mule.errors import MuleError
from mule.model import Model
from mule.options import Options, Proviso
from mule.preparation import BEST_POR, Analysis, Preparation, algorithm, limits_from, resolve, wide_enough
from mule.preservation import require_preserved
from mule.properties import Properties
from mule.records import replace
from mule.results import Judgement, Result, Statistics, Trail, Verdict, Violation, ViolationKind, judged
from mule.temporal.counterexample import Choice, goes_on, lasso
from mule.temporal.evaluable import doubtful, with_values
from mule.temporal.product import Ignoring, Product, ProductResult, ProductStep, Reduction, Visibility
from mule.temporal.questions import Question, observed_by_parts, parts_of, questions_of
from mule.temporal.replay import replay_lasso
from mule.temporal.shortening import reached_sooner
from mule.temporal.shorter_lassos import shorter_lasso
from mule.temporal.vacuity import why_vacuous
from mule.trial import NOTE, limited, worth_a_trial

_IGNORING: dict[Proviso, Ignoring] = {"stack": "stack", "c3prime": "c3prime", "static": "static"}


@dataclass(frozen=True, slots=True)
class Answer:
    model: Model
    options: Options
    """With every `auto` resolved."""
    violation: Violation | None
    statistics: Statistics
    stopped: str | None
    notes: tuple[str, ...]
    failures: int
    """Steps of the model without a meaning, which end a run."""


def check_temporal(
    model: Model, wanted: Properties, options: Options, progress: ProgressCallback | None = None
) -> Result:
    """Safety first, if it is asked for; then one temporal property after the other, up to the first violation. An error
    of the model on the way is a violation too: nobody knows how the run would go on."""
    require_preserved(options, "ltl")
    model = wide_enough(model, options, progress)
    questions = questions_of(model, wanted, options.translator)
    statements = [
        each
        for question in questions
        if question.formula is not None
        for each in doubtful(model, question.formula, dict(question.expressions))
    ]
    texts = [question.text for question in questions]
    judge = partial(_check_temporal, model, wanted, questions, options, progress)
    return with_values(model, statements, wanted, texts, options, progress, judge)


def _check_temporal(
    model: Model,
    wanted: Properties,
    questions: Sequence[Question],
    options: Options,
    progress: ProgressCallback | None,
) -> Result:
    judgements: list[Judgement] = []
    if wanted.safety:
        safe = check_safety(model, wanted, options, progress)
        if safe.verdict is not Verdict.HOLDS:
            rest = [temporal_judgement(question.text, None, "violation") for question in questions]
            return replace(safe, judgements=(*safe.judgements, *rest))
        judgements += safe.judgements
    answered: dict[str, tuple[Violation | None, str | None]] = {}
    for question in _searched(questions, options):
        given = answer(model, question, options, progress)
        if given.violation is None and given.failures:
            errors = check_safety(model, Properties(assertions=True), options, progress)
            if errors.verdict is Verdict.VIOLATED:
                rest = [temporal_judgement(question.text, None, "violation") for question in questions]
                return replace(errors, judgements=(*judgements, *rest, *errors.judgements))
        answered[question.text] = given.violation, given.stopped
        if given.violation is not None or given.stopped is not None:
            break
    left = None, "violation" if given.violation is not None else given.stopped
    for question in questions:
        judgement = temporal_judgement(question.text, *answered.get(question.text, left))
        if judgement.verdict is Verdict.HOLDS:
            vacuous = why_vacuous(model, question, options, given.statistics.states)
            judgement = replace(judgement, vacuous=vacuous)
        judgements.append(judgement)
    return Result(
        model=given.model,
        options=given.options,
        statistics=given.statistics,
        judgements=tuple(judgements),
        stopped=given.stopped,
        notes=tuple(filter(None, (*given.notes, nothing_happens_note(model)))),
    )


def _searched(questions: Sequence[Question], options: Options) -> list[Question]:
    """Under fairness a reduction leaves fewer states the less a property can see: each part has a search of its own."""
    if options.fairness == "none" or options.por == "none" or options.visibility not in ("auto", "fair"):
        return list(questions)
    return [part for question in questions for part in parts_of(question)]


def temporal_judgement(text: str, violation: Violation | None, stopped: str | None) -> Judgement:
    return judged(f"{ViolationKind.TEMPORAL.value} {text}", ViolationKind.TEMPORAL, violation, stopped)


def answer(model: Model, question: Question, options: Options, progress: ProgressCallback | None = None) -> Answer:
    """Whether some run of the model violates the property."""
    require_preserved(options, "ltl")
    started = time.perf_counter()
    fair = options.fairness != "none"
    notes = []
    untouched = not question.stutters
    if not question.stutters and (options.por != "none" or not options.as_written):
        why = "the property counts steps" if question.stutters is False else "the automaton may count steps"
        notes.append(f"{why}, so nothing was reduced")
    # The transformations are known to keep what runs look like, not which of them are fair.
    written = options.as_written or fair or untouched
    chosen = resolve(options.but(proviso="auto", search="dfs", weak=False, as_written=written), "safety")
    chosen = chosen.but(por="none") if untouched else chosen
    analysis = Analysis(model, question.atoms, ahead=not chosen.as_written, invariants=False)
    tried = None
    if chosen.por != "none" and worth_a_trial(analysis.searched(chosen, question.atoms), options):
        tried = _search_product(
            model, analysis, question, limited(chosen), limited(options), progress, optimising=False
        )
    if tried is not None and tried[3].stopped in (None, "interrupted"):
        chosen = chosen.but(por="none")
        notes.append(NOTE)
        prepared, product, compiled, found = tried
    else:
        prepared, product, compiled, found = _search_product(model, analysis, question, chosen, options, progress)
    violation = None
    steps = len(found.prefix) + len(found.cycle)
    left = None if options.time is None else max(options.time - (time.perf_counter() - started), 0.0)
    sooner = None
    if not found.empty:
        sooner = reached_sooner(model, question, options.but(time=left), found.progress.states, steps)
    if sooner is not None:
        notes.append(shortened_note(steps))
        violation = Violation(ViolationKind.TEMPORAL, question.text, "here it is violated, whatever comes next", sooner)
    elif not found.empty:
        required = product.requirements(options.fairness)
        replay_lasso(product.model, question.automaton, question.atoms, found.prefix, found.cycle, required)
        violation = _violation(prepared, question, found, fair)
        shorter = shorter_lasso(violation.trail.model, question, violation.trail, fair)
        if shorter is not None:
            notes.append(f"the run was shortened from {_length(violation.trail)} steps to {_length(shorter)}")
            violation = replace(violation, trail=shorter, message=_message(shorter, fair))
    if chosen.por != "none":
        notes.append(f"reduced by {chosen.por}; this preserves the property{' under fairness' if fair else ''}")
    return Answer(
        replace(prepared.model, start=None),
        chosen,
        violation,
        statistics(found.progress, 0, compiled - started, time.perf_counter() - compiled),
        None if violation else found.stopped,
        tuple(notes),
        found.failures,
    )


def _search_product(
    model: Model,
    analysis: Analysis,
    question: Question,
    chosen: Options,
    asked: Options,
    progress: ProgressCallback | None,
    optimising: bool = True,
) -> tuple[Preparation, Product, float, ProductResult]:
    """The search, and when all was compiled that it needs."""
    # F is about what depends on what, and transitions that are split for a reduction depend on less.
    sharpened = chosen.but(por=BEST_POR) if asked.fairness == "F" else chosen
    prepared = Preparation(analysis, sharpened, "safety", question.atoms)
    reduced = chosen.por != "none"
    states = question.automaton.states
    product = Product(prepared.searched, prepared.domains, question.atoms, states, reducible=reduced)
    product.engine.optimising = optimising
    compiled = time.perf_counter()
    by_components = asked.fairness != "none" or question.automaton.marks > 1
    found = product.search(
        question.automaton,
        emptiness="scc" if by_components else asked.emptiness,
        reduction=_reduction(model, question, chosen, asked) if reduced else None,
        fairness=asked.fairness,
        finite_runs=question.finite_runs,
        limits=limits_from(asked),
        progress=progress,
    )
    return prepared, product, compiled, found


def _reduction(model: Model, question: Question, chosen: Options, asked: Options) -> Reduction:
    """The sets must be a function of the state, so they are remembered exactly or not at all."""
    fair = asked.fairness != "none"
    if fair and asked.proviso == "c3prime":
        raise MuleError("under fairness no step may be put off for ever: use --proviso stack or static, not c3prime")
    if asked.visibility == "fair" and not fair:
        raise MuleError("the visibility condition fair is for fair runs: use --fairness, or --visibility vi")
    memory = "none" if chosen.por == "ample" else "exact"
    ignoring: Ignoring = _IGNORING.get(asked.proviso, "stack" if fair else "c3prime")
    visibility: Visibility = asked.visibility if asked.visibility != "auto" else "fair" if fair else "vi"
    sets = replace(algorithm(chosen), weak=False, remember=memory)
    # Inside a step nothing is seen: what a part says about the first state is then not the same for all runs.
    return Reduction(sets, visibility, ignoring, observed=None if model.transient else observed_by_parts(question))


def _violation(prepared: Preparation, question: Question, found: ProductResult, fair: bool) -> Violation:
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
    return Violation(ViolationKind.TEMPORAL, question.text, _message(trail, fair), trail)


def _message(trail: Trail, fair: bool) -> str:
    message = f"{'this fair run' if fair else 'this run'} violates the property"
    if changing := goes_on(trail.model, trail):
        message += f"; every turn of the loop changes {', '.join(changing)}, which makes no difference to the property"
    return message


def _length(trail: Trail) -> str:
    """Of the way to the cycle, and of the cycle."""
    entrance = len(trail) if trail.loop is None else trail.loop
    return f"{entrance}+{len(trail) - entrance}"
