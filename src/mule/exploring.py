"""explore(model, options) → Result: the (reduced) state space, counted."""

from __future__ import annotations

import time
from functools import partial
from typing import get_args

from mule.budget import spend, unless_ended
from mule.checkpoints import in_order, run_for
from mule.driving import ProgressCallback
from mule.effects import require_effect
from mule.errors import MuleError
from mule.model import Model
from mule.notes import (
    idle_note,
    memory_note,
    omissions,
    preserves_note,
    runs_note,
    smaller_note,
    statistics,
    store_note,
    workers_note,
)
from mule.options import GUIDED, Options, Preserve
from mule.planning import Preparation, plan_for, resolve, search_options
from mule.records import replace
from mule.results import Result, not_searched


def explore(
    model: Model,
    options: Options | None = None,
    preserve: Preserve = "deadlocks",
    progress: ProgressCallback | None = None,
) -> Result:
    """Count the (reduced) state space; nothing is judged."""
    if options is not None and options.search in GUIDED:
        raise MuleError(f"nothing is looked for, so nothing can guide --search {options.search}: use bfs or dfs")
    if preserve not in get_args(Preserve):
        raise MuleError(f"unknown preserve {preserve!r}: choose one of {', '.join(get_args(Preserve))}")
    asked = options or Options()
    require_effect(asked, {"states"})
    asked = in_order(asked)
    if any(transition.limit for transition in model.transitions):
        preserve = "safety"  # else a reduction could hide that the room is too small
    resolved = resolve(asked, preserve)

    def work() -> Result:
        return spend(
            asked.time,
            asked.memory,
            lambda: _explore(model, asked, resolved, preserve, progress),
            lambda reason: not_searched(model, resolved, (), reason),
        )

    if asked.checkpoint is None:
        return work()
    with run_for("explore", model, asked, preserve=preserve) as run:
        return run.end(work())


def _explore(
    model: Model, asked: Options, resolved: Options, preserve: Preserve, progress: ProgressCallback | None
) -> Result:
    started = time.perf_counter()
    prepared = Preparation(plan_for(model, resolved, preserve, ()))
    engine_options = search_options(resolved, preserve)
    prepared.compile()
    compiled = time.perf_counter()
    found = prepared.search(engine_options, progress)
    notes = [preserves_note(resolved, preserve), runs_note(resolved, found), smaller_note(prepared)]
    notes += [store_note(resolved, found), memory_note(resolved, found), workers_note(resolved, found)]
    notes.append(idle_note(asked, resolved, found.progress))
    if found.assertions:
        notes.append(_not_followed(found.assertions, "violates an assertion", "violate assertions"))
    if found.failures:
        notes.append(_not_followed(found.failures, "has no meaning in the model", "have no meaning in the model"))
    result = Result(
        model=prepared.model,
        options=resolved.but(workers=resolved.workers or found.workers),
        statistics=statistics(
            found.progress, found.deadlocks, compiled - started, time.perf_counter() - compiled, found.device
        ),
        stopped=found.stopped,
        notes=tuple(filter(None, notes)),
        unreached=prepared.unreached(found),
        omissions=omissions(resolved, found),
    )
    limits = prepared.too_narrow(found)
    if model.wider is None or not limits or found.stopped not in (None, "omissions"):
        return result
    wider = partial(model.wider, limits)
    return unless_ended(
        lambda: _explore(wider(), asked, resolved, preserve, progress), lambda reason: _of_a_part(result, reason)
    )


def _of_a_part(result: Result, reason: str) -> Result:
    """Of a model that has too little room for some of its runs."""
    note = "the room that some runs need could not be made in time: only the others are counted"
    return replace(result, stopped=reason, unreached=None, notes=(*result.notes, note))


def _not_followed(number: int, one: str, many: str) -> str:
    if number == 1:
        return f"1 step {one} (see `mule check`); it was not followed"
    return f"{number} steps {many} (see `mule check`); they were not followed"
