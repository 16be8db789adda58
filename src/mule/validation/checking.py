"""Everything that a search relies on, tested in the states of one model."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from mule.budget import spend
from mule.comparison import REDUCTIONS
from mule.driving import ProgressCallback
from mule.engine import Engine, SearchOptions
from mule.errors import MuleError
from mule.model import Model
from mule.options import DYNAMIC, Options, Remember
from mule.planning import Preparation, limits_from, make_room, plan_for, resolve
from mule.relations import Relations
from mule.relations.lpor import derive_local
from mule.validation.findings import Finding, Validation, Words
from mule.validation.lpor import LocalChecker, false_guard_sets
from mule.validation.relations import RelationChecker
from mule.validation.searched_model import same_ends, steps_as_compiled
from mule.validation.sets import check_sets

EXHAUSTIVE = 2_000
"""Up to so many states all of them are tested, unless the user asks for fewer."""
SAMPLE = 200
_MOST_STATES = 2_000_000
"""The sample is drawn from at most so many states."""

SETS: tuple[Remember, ...] = ("exact", "valid")
"""The sets as the algorithm computes them, and those that a search takes from memory."""


def validate(
    model: Model,
    options: Options | None = None,
    sample: int | None = None,
    progress: ProgressCallback | None = None,
    relations: Relations | None = None,
    invariants: Sequence[str] = (),
) -> Validation:
    """Test one algorithm (`options.por`) or, with `auto`, all of them, strong and weak; and the relations.

    `relations` replaces the derived ones: for those who bring their own. `invariants`, and the model's assertions, are
    what the visibility of LPOR relations is tested with."""
    wanted = options or Options()
    if wanted.por in DYNAMIC:
        raise MuleError(f"--por {wanted.por} has no sets that could be tested state by state")
    result = Validation(model)
    started = time.perf_counter()

    def cut_short(reason: str) -> None:
        result.stopped = reason

    spend(
        wanted.time,
        wanted.memory,
        lambda: _validate(model, wanted, sample, progress, relations, invariants, result),
        cut_short,
    )
    result.seconds = time.perf_counter() - started
    return result


def _validate(
    model: Model,
    wanted: Options,
    sample: int | None,
    progress: ProgressCallback | None,
    relations: Relations | None,
    invariants: Sequence[str],
    result: Validation,
) -> None:
    if relations is None:
        model, result.stopped = make_room(model, wanted.but(por="auto", weak=False, lpor=None), progress)
    prepared = Preparation(plan_for(model, resolve(wanted.but(proviso="none"), "deadlocks"), "deadlocks", ()))
    facts = relations or prepared.relations
    result.model = prepared.searched
    states = _states(prepared.engine, wanted, sample, result, progress)
    result.states = len(states)
    result.findings += steps_as_compiled(prepared, states, result)
    result.findings += same_ends(model, prepared, result)
    checker = RelationChecker(prepared.engine, facts)
    result.findings += checker.check(states)
    result.checks += checker.checks
    result.findings += _check_local(prepared, facts, states, invariants, result)
    for variant in _variants(wanted):
        for remember in SETS if variant.por != "lpor" else SETS[:1]:
            check_sets(prepared, facts, variant.but(remember=remember), states, result)


def _variants(options: Options) -> Iterator[Options]:
    if options.por not in ("auto", "none") or options.lpor is not None:
        yield resolve(options, "deadlocks")
        return
    for name, weak in REDUCTIONS:
        yield resolve(options.but(por=name, weak=weak), "deadlocks")


def _states(
    engine: Engine, asked: Options, sample: int | None, result: Validation, progress: ProgressCallback | None
) -> list[Words]:
    """All reachable states, or an even sample of them."""
    wanted = EXHAUSTIVE if sample is None else sample
    limits = limits_from(asked if asked.max_states is not None else asked.but(max_states=_MOST_STATES))
    kept = max(wanted, EXHAUSTIVE)
    searching = SearchOptions(limits.max_states, limits.max_bytes, limits.max_seconds, sample=kept)
    found = engine.search(searching, None, progress)
    if found.stopped == "interrupted" or (found.stopped and limits.max_states != _MOST_STATES):
        result.stopped = found.stopped
    reached = found.progress.states - found.error_states
    states = list(found.sample)
    if sample is None and reached <= EXHAUSTIVE:
        return states
    wanted = SAMPLE if sample is None else sample
    if len(states) > wanted or reached > len(states):
        result.stopped = result.stopped or "sample"
        result.notes.append(f"{min(wanted, len(states))} states picked evenly from {reached:,}")
    step = max(len(states) / wanted, 1)
    return [states[int(i * step)] for i in range(min(wanted, len(states)))]


def _check_local(
    prepared: Preparation, facts: Relations, states: Sequence[Words], invariants: Sequence[str], result: Validation
) -> list[Finding]:
    """The relations of LPOR: what the user brings, or else what is derived."""
    engine, model, user = prepared.engine, prepared.model, prepared.user
    local = derive_local(facts) if user is None else user.local(facts)
    sets = None if user is None else user.enabling_sets(engine.compiled.layout)
    propositions = [assertion.expression for assertion in model.assertions]
    for text in invariants:
        if model.parse_expression is None:
            raise MuleError(f"{model.language} models have no expressions to write invariants in")
        propositions.append(model.parse_expression(text))
    checker = LocalChecker(engine, local)
    found = checker.check(
        states if user is not None else states[:SAMPLE],
        sets or false_guard_sets(engine, facts.enabling),
        None if user is None else user.visible,
        propositions,
    )
    result.checks += checker.checks
    return found
