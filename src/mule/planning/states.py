"""Searches for what can be seen in single states."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from mule.driving import ProgressCallback
from mule.engine import SearchResult
from mule.model.expressions import Expression
from mule.options import Options, Preserve
from mule.planning.analysis import Analysis
from mule.planning.preparation import Preparation
from mule.planning.resolution import resolve, search_options
from mule.planning.trial import limited, worth_a_trial
from mule.records import replace


def in_what_is_left(asked: Options, started: float) -> Options:
    """The options with the time that remains when a search begins again."""
    return asked if asked.time is None else asked.but(time=max(asked.time - (time.perf_counter() - started), 0.0))


def safety_search(
    analysis: Analysis,
    asked: Options,
    preserve: Preserve,
    propositions: Sequence[Expression],
    stops: Mapping[str, bool],
    progress: ProgressCallback | None,
    cut_at_limits: bool = False,
) -> tuple[Preparation, float, SearchResult]:
    """Search for what can be seen in single states, without reduction if that is soon done. The preparation has the
    options that were used; the time is that at which its model was compiled. `cut_at_limits`: runs are followed only as
    far as the room goes that the translation leaves."""

    def search(options: Options, optimising: bool = True) -> tuple[Preparation, float, SearchResult]:
        prepared = Preparation(analysis, options, preserve, propositions)
        prepared.engine.optimising = optimising
        compiled = time.perf_counter()
        engine_options = search_options(options, preserve, **stops)
        if cut_at_limits:
            limits = tuple(int(transition.limit) for transition in prepared.searched.transitions)
            engine_options = replace(engine_options, cuts=limits)
        return prepared, compiled, prepared.search(engine_options, progress)

    if worth_a_trial(analysis.searched(asked, propositions), asked):
        tried = search(resolve(limited(asked), preserve), optimising=False)
        if tried[2].stopped in (None, "interrupted"):
            return tried
        del tried
    return search(resolve(asked, preserve))
