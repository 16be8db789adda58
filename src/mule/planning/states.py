"""Searches for what can be seen in single states."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mule.directed.goals import Goals
from mule.driving import ProgressCallback
from mule.engine import SearchResult
from mule.model.expressions import Expression
from mule.options import Options, Preserve
from mule.planning.analysis import Analysis
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
    """Search for what can be seen in single states, without reduction if that is soon done. `cut_at_limits`: runs are
    followed only as far as the room goes that the translation leaves."""

    def search(plan: Plan) -> Searched:
        prepared = Preparation(plan)
        prepared.engine.optimising = plan.optimising
        compiled = time.perf_counter()
        engine_options = search_options(plan.options, preserve, **stops)
        if cut_at_limits:
            limits = tuple(int(transition.limit) for transition in prepared.searched.transitions)
            engine_options = replace(engine_options, cuts=limits)
        return Searched(prepared, compiled, prepared.search(engine_options, progress))

    goals = Goals(deadlock=stops.get("stop_at_deadlock", False), failures=stops.get("stop_at_failure", False))
    plan = Plan(analysis, resolve(asked, preserve), preserve, tuple(propositions), goals)
    return tried_first(plan, asked, lambda: resolve(asked.but(por="none"), preserve), search)
