"""Temporal properties of a model, judged: the question, the product, the answer as a trail."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from mule.budget import current, unless_ended
from mule.checkpoints import saving_for
from mule.driving import Progress, ProgressCallback, told_as
from mule.effects import for_states, limits_only, saves_runs, unsaved
from mule.ltl.translate import chosen_translator
from mule.model import Model
from mule.model.interpreter import Interpreter
from mule.notes import (
    BY_LEVELS,
    ERRORS_ELSEWHERE,
    RUNS_GO_WRONG,
    idle_note,
    nothing_happens_note,
    searched_by_note,
    shortened_note,
    smaller_note,
    statistics,
)
from mule.options import Options, Proviso
from mule.planning import (
    BEST_POR,
    Analysis,
    Plan,
    Preparation,
    Room,
    algorithm,
    limits_from,
    make_room,
    resolve_for_runs,
    team_for_runs,
    tried_first,
    unreduced,
)
from mule.planning.trial import NOTE
from mule.preservation import require_preserved
from mule.properties import Properties
from mule.records import replace
from mule.results import (
    Result,
    Statistics,
    Trail,
    Verdict,
    Violation,
    ViolationKind,
    combined,
    not_searched,
    temporal_judgement,
)
from mule.safety import NOT_FOLLOWED, check_steps, left_after, without_assertions
from mule.temporal.counterexample import Choice, goes_on, lasso
from mule.temporal.evaluable import doubtful, with_values
from mule.temporal.looks import Look, doubtful_looks, judged_look, without_value
from mule.temporal.product import Ignoring, Product, ProductResult, ProductStep, Reduction, Runs, with_one_mark
from mule.temporal.questions import Question, observed_by_parts, parts_of, questions_of
from mule.temporal.replay import replay_lasso
from mule.temporal.shortening import always_true, reached_breadth_first, reached_sooner
from mule.temporal.shorter_lassos import shorter_lasso
from mule.vacuity.runs import vacuous_on_runs
from mule.vacuity.states import Effort, Known

_IGNORING: dict[Proviso, Ignoring] = {
    "stack": "stack",
    "duplicate": "duplicate",
    "c3prime": "c3prime",
    "static": "static",
}

GLANCE = 300_000
"""After so many states the search for a run that violates `[] p` waits for a search, breadth first and of as many
states, for a state without p."""
NEVER_AGAIN = 1 << 62


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
    can_fail: bool
    """Whether there may be such steps, also where the property does not follow the runs."""


def check_temporal(
    model: Model, wanted: Properties, options: Options, progress: ProgressCallback | None = None
) -> Result:
    """The temporal properties alone, each with a search of its own."""
    return check_questions(model, wanted, questions_of(model, wanted, options.translator), options, progress)


def check_questions(
    model: Model,
    wanted: Properties,
    questions: Sequence[Question],
    options: Options,
    progress: ProgressCallback | None = None,
    has_room: bool = False,
    errors_known: bool = False,
) -> Result:
    """The questions are those that `wanted` asks of the model. A step without a meaning on the way is reported too:
    nobody knows how the run would go on. `has_room`: no guessed bound of the model is in the way of its runs;
    `errors_known`: somebody else looks for steps without a meaning."""
    require_preserved(options, "ltl")
    room = Room(model, None) if has_room else room_for(model, unsaved(options), progress)
    asked = list(questions if room.model is model else questions_of(room.model, wanted, options.translator))
    statements = [
        each
        for question in asked
        if question.formula is not None
        for each in doubtful(room.model, question.formula, dict(question.expressions))
    ]

    def judge() -> Result:
        return _judge_questions(room, asked, options, progress, errors_known)

    texts = [question.text for question in asked]
    looks = looked_through(room.model, asked, progress)
    return with_values(room, statements, texts, options, progress, judge, looks)


def looked_through(
    model: Model, questions: Sequence[Question], progress: ProgressCallback | None
) -> dict[Look, Callable[[Options], Result]]:
    """The automata that may look at what has no value, each with how to find out."""
    return {look: partial(_follow, model, look, progress) for look in doubtful_looks(model, questions)}


def _follow(model: Model, look: Look, progress: ProgressCallback | None, options: Options) -> Result:
    """Whether all that an automaton looks at has a value, on all runs, fair or not."""
    limits = limits_only(options).but(por="none" if options.por == "none" else "auto", as_written=options.as_written)
    return unless_ended(partial(_followed, model, look, progress, limits), partial(_not_followed, model, look, limits))


def _followed(model: Model, look: Look, progress: ProgressCallback | None, options: Options) -> Result:
    found = answer(model, without_value(look), options, progress)
    judgement = judged_look(look, found.violation, found.stopped)
    return Result(found.model, found.options, found.statistics, (judgement,), found.stopped)


def _not_followed(model: Model, look: Look, options: Options, reason: str) -> Result:
    return not_searched(model, options, (judged_look(look, None, reason),), reason)


def _judge_questions(
    room: Room,
    questions: Sequence[Question],
    options: Options,
    progress: ProgressCallback | None,
    errors_known: bool,
) -> Result:
    passing = room._replace(model=without_assertions(room.model))
    parts: list[Result] = []
    failing = False

    def judge(question: Question, left: Options) -> list[Result]:
        nonlocal failing
        result, answers = _answered(room if not errors_known else passing, question, left, progress)
        fails = any(each.failures for each in answers)
        failing |= fails
        if fails and not errors_known and passing.model is not room.model:
            # The better known part comes first in the report.
            return [*unless_ended(lambda: [_answered(passing, question, left, progress)[0]], lambda _: []), result]
        if answers[-1].can_fail and not fails and not errors_known:
            result = replace(result, notes=(*result.notes, ERRORS_ELSEWHERE))
        return [result]

    for question in questions:
        left = left_after(parts, options)
        found = unless_ended(partial(judge, question, left), partial(_not_asked, room.model, question, options))
        parts.append(combined(found))
    if failing and not errors_known:
        steps = check_steps(room.model, for_states(left_after(parts, unsaved(options))), progress)
        parts.append(steps)
    return combined(parts)


def _not_asked(model: Model, question: Question, options: Options, reason: str) -> list[Result]:
    unanswered = (temporal_judgement(question.text, None, reason),)
    return [not_searched(model, _resolved(question, options), unanswered, reason)]


def _answered(
    room: Room, question: Question, options: Options, progress: ProgressCallback | None
) -> tuple[Result, list[Answer]]:
    """The verdict on one property, and the answers that it follows from. Where it is not known that the model has room
    for all runs, nothing follows from what the search does not find."""
    answers: list[Answer] = []
    for part in _searched(question, options):
        answers.append(answer(room.model, part, options, progress))
        if answers[-1].violation is not None or answers[-1].stopped is not None:
            break
    last = answers[-1]
    stopped = cut = last.stopped or room.cut_short
    violation = last.violation
    if violation is not None and room.cut_short and not _in_the_room(last.model, violation.trail):
        violation = None
    if any(each.failures for each in answers):
        stopped = stopped or RUNS_GO_WRONG
    judgement = temporal_judgement(question.text, violation, stopped)
    if judgement.verdict is Verdict.HOLDS:
        effort = Effort(room.model, last.statistics.states)
        why = partial(vacuous_on_runs, room.model, question, unsaved(options), effort, _holds)
        judgement = replace(judgement, vacuous=unless_ended(why, lambda _: None))
    parts = [
        Result(each.model, each.options, each.statistics, (judgement,), None if violation else cut, each.notes)
        for each in answers
    ]
    return combined(parts), answers


def _holds(model: Model, question: Question, options: Options) -> Known:
    found = answer(model, question, options)
    holds = found.violation is None and found.stopped is None and not found.failures
    return Known(holds, found.statistics.states)


def _in_the_room(model: Model, trail: Trail) -> bool:
    """Whether no state of the trail is at the edge of the room that the translation has left: there something may be
    possible, or impossible, that is not so in the system."""
    interpreter = Interpreter(model)
    limits = [transition for transition in model.transitions if transition.limit]
    return not any(interpreter.enabled(limit, state) for state in trail.states for limit in limits)


def _searched(question: Question, options: Options) -> list[Question]:
    """Under fairness a reduction leaves fewer states the less a property can see: each part has a search of its own."""
    if options.fairness == "none" or options.por == "none" or options.visibility not in ("auto", "fair"):
        return [question]
    return parts_of(question)


def room_for(model: Model, options: Options, progress: ProgressCallback | None) -> Room:
    """As much room as the runs need, or as much as there was time to make."""
    return unless_ended(lambda: make_room(model, options, progress), lambda reason: Room(model, reason))


def answer(model: Model, question: Question, options: Options, progress: ProgressCallback | None = None) -> Answer:
    """Whether some run of the model violates the property."""
    require_preserved(options, "ltl")
    started = time.perf_counter()
    fair = options.fairness != "none"
    notes = []
    if not question.stutters and (options.por != "none" or not options.as_written):
        why = "the property counts steps" if question.stutters is False else "the automaton may count steps"
        notes.append(f"{why}, so nothing was reduced")
    chosen = _resolved(question, options)
    analysis = Analysis(model, question.atoms, ahead=not chosen.as_written, invariants=False)
    plan = Plan(analysis, chosen, "safety", question.atoms)
    worth_it = _worth_a_glance(question, chosen) and not analysis.can_fail
    glance = _Glance(model, question, options, progress) if worth_it else None
    searched = tried_first(
        plan, options, lambda: unreduced(chosen), lambda each: _search_product(model, each, question, progress, glance)
    )
    if glance is not None and glance.trail is not None:
        return _seen_at_once(model, question, chosen, searched, glance.trail, started, analysis.can_fail)
    prepared, _, compiled, found = searched
    if chosen.por != "none" and prepared.options.por == "none":
        chosen = unreduced(chosen)
        notes += [NOTE] if not found.stopped else []
    violation, stopped = None, found.stopped
    if not found.empty:
        explain = partial(_explained, model, question, options, searched)
        violation, more = unless_ended(explain, lambda _: (None, [NOT_FOLLOWED]))
        notes += more
        stopped = None if violation else current().ended or "interrupted"
    if chosen.por != "none":
        notes.append(f"reduced by {chosen.por}; this preserves the property{' under fairness' if fair else ''}")
    is_alone = chosen.workers == 1 and chosen.cluster is None
    levels = BY_LEVELS if saves_runs(chosen) and is_alone else ""
    notes += [smaller_note(prepared), nothing_happens_note(model), searched_by_note(found.device), levels]
    if violation is None:
        notes.append(idle_note(options, chosen, found.progress))
    return Answer(
        replace(prepared.model, start=None),
        chosen,
        violation,
        statistics(found.progress, 0, compiled - started, time.perf_counter() - compiled, found.device),
        stopped,
        tuple(filter(None, notes)),
        found.failures,
        analysis.can_fail,
    )


def _worth_a_glance(question: Question, chosen: Options) -> bool:
    """Whether a state that violates the property may be near the beginning, and the search go past it for ever: it
    judges a run only when this comes back to a state. Searches that cannot wait have no such glance."""
    is_alone = chosen.workers == 1 and chosen.cluster is None and not chosen.gpu and not saves_runs(chosen)
    has_room = chosen.max_states is None or chosen.max_states > GLANCE
    return is_alone and has_room and always_true(question) is not None


class _Glance:
    """A search for a state without p, once, while the search for runs waits."""

    def __init__(self, model: Model, question: Question, options: Options, progress: ProgressCallback | None) -> None:
        self._look = partial(reached_breadth_first, model, question, options, GLANCE)
        self._progress = progress
        self.due = GLANCE
        self.trail: Trail | None = None

    def __call__(self, so_far: Progress) -> Trail | None:
        self.due = NEVER_AGAIN
        self.trail = unless_ended(lambda: self._look(told_as(so_far, self._progress)), lambda _: None)
        return self.trail


def _seen_at_once(
    model: Model,
    question: Question,
    chosen: Options,
    searched: _Searched,
    trail: Trail,
    started: float,
    can_fail: bool,
) -> Answer:
    """The answer of a second search, breadth first. No step of the model fails: every run can go on, and fairly."""
    notes = (nothing_happens_note(model), f"found breadth first: {GLANCE:,} states of runs had shown nothing")
    violation = Violation(ViolationKind.TEMPORAL, question.text, "here it is violated, whatever comes next", trail)
    return Answer(
        replace(searched.prepared.model, start=None),
        chosen,
        violation,
        statistics(searched.found.progress, 0, searched.compiled - started, time.perf_counter() - searched.compiled),
        None,
        tuple(filter(None, notes)),
        searched.found.failures,
        can_fail,
    )


class _Searched(NamedTuple):
    prepared: Preparation
    product: Product
    compiled: float
    """When all was compiled that the search needs."""
    found: ProductResult

    @property
    def stopped(self) -> str | None:
        return self.found.stopped


def _search_product(
    model: Model, plan: Plan, question: Question, progress: ProgressCallback | None, glance: _Glance | None
) -> _Searched:
    chosen = plan.options
    # F is about what depends on what, and transitions that are split for a reduction depend on less.
    sharpened = replace(plan, options=chosen.but(por=BEST_POR)) if chosen.fairness == "F" else plan
    prepared = Preparation(sharpened)
    reduced = chosen.por != "none"
    states = question.automaton.states
    product = Product(prepared.searched, prepared.domains, question.atoms, states, reducible=reduced)
    if chosen.gpu:
        from mule.temporal.on_gpu import ProductOnGpu  # of use to few searches

        on_gpu = ProductOnGpu(product, question.automaton, question.finite_runs)
        compiled = time.perf_counter()
        found = on_gpu.search(limits_from(chosen), chosen.memory, progress)
        return _Searched(prepared, product, compiled, found)
    product.engine.optimising = plan.optimising
    compiled = time.perf_counter()
    reduction = _reduction(model, question, chosen) if reduced else None
    team = team_for_runs(chosen)
    saving = None
    if team is not None:
        goals = f"{question.text} {question.automaton} {question.atoms} {question.finite_runs}"
        saving = saving_for(prepared.searched, chosen, goals)
    if chosen.cluster is not None:
        from mule.cluster.on_ray import search_runs_on_ray  # of use to few searches

        automaton = question.automaton if question.automaton.marks else with_one_mark(question.automaton)
        runs = Runs(automaton, reduction, chosen.fairness, question.finite_runs)
        found = search_runs_on_ray(prepared, product, runs, limits_from(chosen), progress, saving)
        return _Searched(prepared, product, compiled, found)
    found = product.search(
        question.automaton,
        emptiness=chosen.emptiness,
        reduction=reduction,
        fairness=chosen.fairness,
        finite_runs=question.finite_runs,
        limits=limits_from(chosen),
        progress=progress,
        team=team,
        saving=saving,
        aside=glance,
    )
    return _Searched(prepared, product, compiled, found)


def _explained(
    model: Model, question: Question, options: Options, searched: _Searched
) -> tuple[Violation | None, list[str]]:
    """The run that was found, as short as may be, and notes on it."""
    found, fair = searched.found, options.fairness != "none"
    steps = len(found.prefix) + len(found.cycle)
    sooner = unless_ended(
        lambda: reached_sooner(model, question, options, found.progress.states, steps), lambda _: None
    )
    if sooner is not None:
        message = "here it is violated, whatever comes next"
        return Violation(ViolationKind.TEMPORAL, question.text, message, sooner), [shortened_note(steps)]
    required = searched.product.requirements(options.fairness)
    replay_lasso(searched.product.model, question.automaton, question.atoms, found.prefix, found.cycle, required)
    violation = _violation(searched.prepared, question, found, fair)
    shorter = unless_ended(
        lambda: shorter_lasso(violation.trail.model, question, violation.trail, fair), lambda _: None
    )
    if shorter is None:
        return violation, []
    note = f"the run was shortened from {_length(violation.trail)} steps to {_length(shorter)}"
    return replace(violation, trail=shorter, message=run_message(shorter, fair)), [note]


def _resolved(question: Question, options: Options) -> Options:
    """Every `auto` replaced by what is done for this property."""
    chosen = resolve_for_runs(options, question.stutters, question.automaton.marks)
    return chosen.but(translator=chosen_translator(options.translator))


def _reduction(model: Model, question: Question, chosen: Options) -> Reduction:
    sets = replace(algorithm(chosen), weak=False)
    ignoring, visibility = _IGNORING[chosen.proviso], chosen.visibility
    assert visibility != "auto"
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
    return Violation(ViolationKind.TEMPORAL, question.text, run_message(trail, fair), trail)


def run_message(trail: Trail, fair: bool) -> str:
    message = f"{'this fair run' if fair else 'this run'} violates the property"
    if changing := goes_on(trail.model, trail):
        message += f"; every turn of the loop changes {', '.join(changing)}, which makes no difference to the property"
    return message


def _length(trail: Trail) -> str:
    """Of the way to the cycle, and of the cycle."""
    entrance = len(trail) if trail.loop is None else trail.loop
    return f"{entrance}+{len(trail) - entrance}"
