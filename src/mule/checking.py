"""check(model, properties, options) → Result: puts the pieces together, and nothing else does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import get_args

from mule.driving import Progress, ProgressCallback
from mule.effects import for_runs, for_states, for_trees, require_effect
from mule.errors import MuleError
from mule.model import Model
from mule.notes import preserves_note, runs_note, smaller_note, statistics
from mule.options import Options, Preserve
from mule.planning import Preparation, in_what_is_left, resolve, search_options
from mule.properties import SAFETY, Properties
from mule.records import replace
from mule.results import Result, combined, not_searched
from mule.safety import Budget, Judged, judge_safety

__all__ = ["Progress", "Properties", "check", "explore"]


def explore(
    model: Model,
    options: Options | None = None,
    preserve: Preserve = "deadlocks",
    progress: ProgressCallback | None = None,
) -> Result:
    """Count the (reduced) state space; nothing is judged."""
    if preserve not in get_args(Preserve):
        raise MuleError(f"unknown preserve {preserve!r}: choose one of {', '.join(get_args(Preserve))}")
    asked = options or Options()
    require_effect(asked, {"states"})
    if any(transition.limit for transition in model.transitions):
        preserve = "safety"  # else a reduction could hide that the room is too small
    resolved = resolve(asked, preserve)
    started = time.perf_counter()
    prepared = Preparation(model, resolved, preserve, ())
    engine_options = search_options(resolved, preserve)
    _ = prepared.engine
    compiled = time.perf_counter()
    found = prepared.search(engine_options, progress)
    limits = prepared.too_narrow(found)
    if model.wider is not None and limits and not found.stopped:
        return explore(model.wider(limits), in_what_is_left(asked, compiled), preserve, progress)
    notes = [preserves_note(resolved, preserve), runs_note(resolved, found), smaller_note(prepared)]
    if found.assertions:
        notes.append(_not_followed(found.assertions, "violates an assertion", "violate assertions"))
    if found.failures:
        notes.append(_not_followed(found.failures, "has no meaning in the model", "have no meaning in the model"))
    return Result(
        model=prepared.model,
        options=resolved,
        statistics=statistics(found.progress, found.deadlocks, compiled - started, time.perf_counter() - compiled),
        stopped=found.stopped,
        notes=tuple(filter(None, notes)),
        unreached=prepared.unreached(found),
    )


def _not_followed(number: int, one: str, many: str) -> str:
    if number == 1:
        return f"1 step {one} (see `mule check`); it was not followed"
    return f"{number} steps {many} (see `mule check`); they were not followed"


def declared(model: Model) -> Properties:
    """All that a model says about itself: that it goes on, its assertions, and its temporal properties."""
    has_claims = bool(model.claims) or model.property_process is not None
    return replace(SAFETY, claims=("all",)) if has_claims else SAFETY


def check(
    model: Model,
    properties: Properties | None = None,
    options: Options | None = None,
    progress: ProgressCallback | None = None,
) -> Result:
    """Judge each of the properties (default: all that the model declares) and explain what is violated."""
    from mule.vacuity.steps import with_stillness, with_unreached

    wanted = properties or declared(model)
    asked = options or Options()
    require_effect(asked, wanted.parts)
    started = time.perf_counter()
    if not wanted.temporal:
        safe = judge_safety(model, wanted, asked, progress)
        judged = _marked(safe, wanted, in_what_is_left(asked, started))
    else:
        judged = _check_all(model, wanted, asked, progress)
    return with_unreached(model, with_stillness(model, judged), in_what_is_left(asked, started))


def _marked(safe: Judged, wanted: Properties, options: Options) -> Result:
    from mule.vacuity.states import mark_invariants

    return mark_invariants(safe.model, wanted, safe.result, options) if safe.has_room else safe.result


def _check_all(model: Model, wanted: Properties, asked: Options, progress: ProgressCallback | None) -> Result:
    """What can be seen in single states first, then the runs, then the tree of all runs. All of it is read before
    anything is searched; a violation or a limit in one part does not keep the others from being judged."""
    from mule.preservation import require_preserved
    from mule.temporal import check_questions, questions_of

    require_preserved(asked, "ctl" if wanted.ctl else "ltl")
    budget = Budget(asked)
    questions = questions_of(model, wanted, asked.translator)
    if wanted.ctl:
        from mule.graph import read_formulas

        read_formulas(model, wanted.ctl)
    has_room = False
    if wanted.safety:
        safe = judge_safety(model, wanted, for_states(asked), progress)
        budget.parts.append(_marked(safe, wanted, budget.left(asked)))
        has_room = safe.has_room
        if has_room and safe.model is not model:
            model, questions = safe.model, questions_of(safe.model, wanted, asked.translator)
    if questions:
        options = for_runs(budget.left(asked))
        known = wanted.assertions
        work = partial(check_questions, model, wanted, questions, options, progress, has_room, known)
        budget.parts.append(_unless_it_fails(work, budget, model, [question.text for question in questions]))
    if wanted.ctl:
        from mule.graph import check_branching

        options = for_trees(budget.left(asked))
        known = wanted.assertions or wanted.linear
        work = partial(check_branching, model, wanted.ctl, options, progress, known)
        budget.parts.append(_unless_it_fails(work, budget, model, wanted.ctl))
    return combined(budget.parts)


def _unless_it_fails(work: Callable[[], Result], budget: Budget, model: Model, texts: Sequence[str]) -> Result:
    """What is known to be violated stays known, also where a later search cannot be done: there may be no room for all
    runs of the model."""
    from mule.temporal import temporal_judgement

    try:
        return work()
    except MuleError as error:
        if not any(part.violations for part in budget.parts):
            raise
        judgements = tuple(temporal_judgement(text, None, error.message) for text in texts)
        return not_searched(model, budget.parts[-1].options, judgements, None)
