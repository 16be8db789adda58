"""The (reduced) state graph of a model: states with the truth of some propositions, edges with transitions.

What a reduced set must be so that the graph preserves LTL without next: strong and stubborn, without visible
transitions (C2), and on every cycle some state is expanded fully (C3, by the stack or by sticky transitions). For CTL
also: it is a single transition with one successor (Gerth, Kuiper, Peled and Penczek, "A partial order approach to
branching time logic model checking", 1999). Outcomes accord one by one, so those that are impossible in a state stay so
as long as nothing of the set runs. Errors of the model are visible, and so is what leads into and out of
transient states, so that the steps that a language takes for one can be passed over afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from mule import _engine
from mule.budget import apart, spend
from mule.codegen import compile_model
from mule.driving import ProgressCallback, native_limits, to_progress
from mule.effects import require_effect
from mule.engine import Engine
from mule.graph.propositions import Proposition, read_proposition
from mule.model import Model
from mule.model.expressions import Expression
from mule.notes import statistics
from mule.options import Kept, Options
from mule.planning import Analysis, Plan, Preparation, algorithm, bounds, limits_from, resolve_for_graph
from mule.records import replace
from mule.relations import Relations
from mule.relations.sticky import sticky_transitions
from mule.relations.visibility import failing_transitions, in_no_reduced_set, visible
from mule.results import Result, Statistics, not_searched

Preserved = Literal["ltl", "ctl", "all"]
"""What a graph preserves; "all" where nothing was reduced."""

GOES_WRONG = "some steps go wrong (see `mule check`); runs that take them do not count"
"""A note on a graph in which some runs end in an error of the model or in a violated assertion."""

_MEANING = {"ltl": "LTL without next", "ctl": "LTL and CTL without next"}


@dataclass(frozen=True, slots=True)
class StateGraph:
    native: _engine.Graph
    model: Model
    """As written, with its error transitions: what trails speak of."""
    observed: tuple[Proposition, ...]
    preserves: Preserved
    options: Options
    statistics: Statistics
    notes: tuple[str, ...] = ()
    file: str | None = None
    """Of one that was saved."""


class Construction(NamedTuple):
    graph: StateGraph | None
    """None where the construction was stopped."""
    result: Result
    """What `explore` gives back: counts, nothing judged."""


def construct(
    model: Model,
    observed: Sequence[Proposition],
    preserve: Kept,
    options: Options | None = None,
    progress: ProgressCallback | None = None,
) -> Construction:
    """The graph of the model as it is written: the transformations are not known to keep CTL."""
    asked = options or Options()
    require_effect(asked, {"trees"})
    chosen = resolve_for_graph(asked, preserve)

    def not_built(reason: str) -> Construction:
        return Construction(None, not_searched(model, chosen, (), reason))

    return spend(
        asked.time,
        asked.memory,
        lambda: _construct(model, observed, preserve, chosen, progress),
        not_built,
    )


def _construct(
    model: Model,
    observed: Sequence[Proposition],
    preserve: Kept,
    chosen: Options,
    progress: ProgressCallback | None,
) -> Construction:
    started = time.perf_counter()
    builder = GraphBuilder(model, [each.expression for each in observed], preserve, chosen)
    reducer = builder.reducer()
    compiled = time.perf_counter()
    found, seconds = builder.build(reducer, progress)
    limits = _too_narrow(builder.searched, found.fired)
    if model.wider is not None and limits and not found.stopped:
        wider = model.wider(limits)
        again = [read_proposition(wider, each.text) for each in observed]
        return _construct(wider, again, preserve, chosen, progress)
    reached = to_progress(found.progress, seconds)
    counted = statistics(reached, found.deadlocks, compiled - started, time.perf_counter() - compiled)
    reduced = chosen.por != "none"
    notes = [f"reduced by {chosen.por}; this preserves {_MEANING[preserve]}"] if reduced else []
    if found.failures + found.assertions:
        notes.append(GOES_WRONG)
    result = Result(
        model=builder.model,
        options=chosen,
        statistics=counted,
        stopped=found.stopped or None,
        notes=tuple(notes),
    )
    if found.stopped:
        return Construction(None, result)
    kept: Preserved = preserve if reduced else "all"
    graph = StateGraph(found.graph, builder.model, tuple(observed), kept, chosen, counted, tuple(notes))
    return Construction(graph, result)


def not_saved(built: Construction) -> Result:
    """Of a graph that should have been saved."""
    return replace(built.result, notes=(*built.result.notes, "nothing was saved: the graph is incomplete"))


def _too_narrow(searched: Model, fired: bytes) -> frozenset[str]:
    return frozenset(each.failure for number, each in enumerate(searched.transitions) if each.limit and fired[number])


class GraphBuilder:
    """A model on its way into a graph."""

    def __init__(self, model: Model, expressions: Sequence[Expression], preserve: Kept, options: Options) -> None:
        """`options` with every `auto` resolved."""
        self._prepared = Preparation(Plan(Analysis(model), options, "safety", tuple(expressions)))
        self.model, self.searched = self._prepared.model, self._prepared.searched
        self.observed = tuple(expressions)
        self.options = options
        self.single = preserve == "ctl"
        self.reduced = options.por != "none"
        # Transient states are passed over afterwards: here the propositions are asked in every state.
        within = bounds(self._prepared.domains)
        compiled = compile_model(self.searched, within, self.observed, with_guards=self.reduced)
        self.engine = Engine(compiled)

    def reducer(self) -> _engine.Reducer | None:
        return self.engine.reducer(self.relations(), algorithm(self.options)) if self.reduced else None

    def build(
        self, reducer: _engine.Reducer | None, progress: ProgressCallback | None = None
    ) -> tuple[_engine.GraphResult, float]:
        """The graph, and the seconds it took."""
        native = _engine.GraphOptions()
        native.proviso = _engine.Proviso.STATIC if self.options.proviso == "static" else _engine.Proviso.STACK
        native.single = self.single
        native.origins = [
            transition.origins[0] if transition.origins else number
            for number, transition in enumerate(self.searched.transitions)
        ]
        limits = limits_from(self.options)
        native.limits = native_limits(limits)
        layout = self.engine.compiled.layout
        initial = layout.pack(self.searched.initial_state)
        search = _engine.make_graph_construction(self.engine.program, initial, native, reducer)
        seconds = self.engine.drive(search, limits, progress).seconds
        return apart(search.take_result), seconds

    def relations(self) -> Relations:
        """With what keeps transitions out of reduced sets."""
        kept_out = self.visible
        if self.options.proviso == "static":
            kept_out = sticky_transitions(self.searched, kept_out)
        return in_no_reduced_set(replace(self._prepared.derived, visible=self.visible), kept_out)

    @cached_property
    def visible(self) -> int:
        """What changes a proposition, leads into or out of a transient state, or can end the run."""
        transient = self.searched.transient
        seen = self.observed if transient is None else (*self.observed, transient)
        derived = self._prepared.derived
        return visible(derived, seen) | failing_transitions(derived)
