"""Searches for what can be seen in single states."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple, get_args

from mule.codegen import CompiledModel
from mule.directed.goals import Goals
from mule.driving import ProgressCallback
from mule.engine import SearchResult
from mule.errors import MuleError
from mule.model import Model
from mule.model.expressions import Expression
from mule.options import DYNAMIC, KnownEstimate, Options, Preserve
from mule.planning.analysis import Analysis
from mule.planning.detour import Detour
from mule.planning.plan import Plan
from mule.planning.preparation import Preparation
from mule.planning.resolution import resolve, search_options
from mule.planning.trial import tried_first
from mule.records import replace


class Searched(NamedTuple):
    prepared: Preparation
    """With the options that were used."""
    compiled: float
    """When its model was compiled."""
    found: SearchResult
    detour: Detour | None = None

    @property
    def stopped(self) -> str | None:
        return self.found.stopped


def safety_search(
    analysis: Analysis,
    asked: Options,
    preserve: Preserve,
    propositions: Sequence[Expression],
    stops: Mapping[str, bool],
    progress: ProgressCallback | None,
    cut_at_limits: bool = False,
) -> Searched:
    """Search for what can be seen in single states, without reduction if that is soon done. `stops`: at what, by
    the names of `search_options`. `cut_at_limits`: runs are followed only as far as the room goes that the translation
    leaves."""

    tried: CompiledModel | None = None

    def search(plan: Plan) -> Searched:
        nonlocal tried
        prepared = Preparation(plan, tried)
        prepared.compile(plan.optimising)
        if prepared.is_trial:
            tried = prepared.engine.compiled
        compiled = time.perf_counter()
        engine_options = search_options(plan.options, preserve, **stops)
        if cut_at_limits:
            limits = tuple(int(transition.limit) for transition in prepared.searched.transitions)
            engine_options = replace(engine_options, cuts=limits)
        sought = bool(propositions) or any(stops.values())
        looks_aside = sought and not cut_at_limits and may_look_aside(asked, plan.options)
        detour = Detour(prepared, engine_options, progress) if looks_aside else None
        return Searched(prepared, compiled, prepared.search(engine_options, progress, detour), detour)

    at_deadlock, at_assertion, at_error = (
        stops.get(f"stop_at_{what}", False) for what in ("deadlock", "assertion", "error")
    )
    # An error of the model ends the search, but where something else is asked for it is not what guides there.
    goals = Goals((), at_deadlock, at_assertion or (at_error and not (at_deadlock or propositions)))
    guides = guides_of(analysis.model, asked)
    plan = Plan(analysis, resolve(asked, preserve), preserve, tuple(propositions), goals, guides)
    return tried_first(plan, asked, lambda: resolve(asked.but(por="none"), preserve), search)


def may_look_aside(asked: Options, resolved: Options) -> bool:
    """Who asks for an order, for all states, or for a way to keep them, gets what was asked for."""
    anything = asked.search == "auto" and asked.store == "exact" and asked.cluster is None and resolved.workers == 1
    anything = anything and asked.checkpoint is None
    return anything and resolved.por not in ("none", *DYNAMIC) and not resolved.stateless


def guides_of(model: Model, asked: Options) -> tuple[Expression, ...]:
    """The estimates that the user gave, in terms of the model."""
    read = model.parse_number or model.parse_expression
    found = []
    for each in asked.estimates:
        if each in get_args(KnownEstimate):
            continue
        name = each if isinstance(each, str) else each.__name__
        if read is None or (not isinstance(each, str) and model.parse_number is None):
            raise MuleError(
                f"{model.language} models have no {'expressions' if read is None else 'functions'} to estimate with"
            )
        try:
            found.append(read(each))  # type: ignore[arg-type]
        except MuleError as error:
            words = ", ".join(get_args(KnownEstimate))
            message = f"the estimate {name} is none of {words}, and no number of the model: {error.message}"
            raise MuleError(message, error.place) from error
    return tuple(found)
