"""check(model, properties, options) → Result: puts the pieces together, and nothing else does."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import get_args

from mule import relations as relations_room
from mule.codegen import compile_model
from mule.engine import Algorithm, Engine, Found, Order, Progress, ProgressCallback, SearchOptions, SearchResult
from mule.engine import Proviso as EngineProviso
from mule.errors import MuleError
from mule.memory import available_memory
from mule.model import Kind, Model
from mule.model.abstraction import highest, lowest
from mule.model.domains import Domains, compute_domains
from mule.model.expressions import Expression
from mule.model.failures import effects_may_fail, with_error_transitions
from mule.model.interpreter import Failure, Interpreter
from mule.options import Options, Por, Preserve, Proviso, Search
from mule.relations import Relations
from mule.relations.instances import split_on_indices
from mule.relations.visibility import (
    error_transitions,
    failing_transitions,
    visible,
    with_visible_dependent,
    without,
)
from mule.results import Result, Statistics, Trail, Verdict, Violation, ViolationKind, replay

__all__ = ["Progress", "Properties", "check", "explore"]

NO_ERROR = "no error of the model"

LONG_TRAIL = 12
"""A violation found depth first after more steps is looked for again, breadth first."""

BEST_POR: Por = "deletion"
"""What `--por auto` means; `mule bench table5` shows why."""


@dataclass(frozen=True, slots=True)
class Properties:
    """What to check; all of it must hold."""

    deadlock: bool = False
    assertions: bool = False
    invariants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StateProperty:
    """A predicate that must hold in every reachable state."""

    kind: ViolationKind
    text: str
    expression: Expression


class Analysis:
    """What is known of a model before anything is decided about the search."""

    def __init__(self, model: Model) -> None:
        self.domains: Domains = compute_domains(model)
        self.model = with_error_transitions(model, self.domains)
        """The model as written, and its error transitions: what trails speak of."""

    @cached_property
    def can_fail(self) -> bool:
        """Whether a run can end in an error of the model."""
        return any(
            transition.kind is Kind.ERROR or effects_may_fail(self.model, transition, self.domains)
            for transition in self.model.transitions
        )


class Preparation:
    """A model on its way into the engine: sharpened for the reduction, compiled."""

    def __init__(
        self,
        model: Model | Analysis,
        options: Options,
        preserve: Preserve,
        propositions: Sequence[Expression],
    ) -> None:
        analysis = model if isinstance(model, Analysis) else Analysis(model)
        self.options = options
        self.preserve = preserve
        self.propositions = propositions
        self.domains = analysis.domains
        self.model = analysis.model
        self.searched = self.model
        """The model as it is searched: transitions may be split."""
        if options.por != "none":
            self.searched = split_on_indices(self.model, self.domains)

    @cached_property
    def relations(self) -> Relations:
        derived = relations_room.derive(self.searched, self.domains)
        if self.preserve == "deadlocks":
            return without(derived, error_transitions(derived))
        return with_visible_dependent(derived, visible(derived, self.propositions) | failing_transitions(derived))

    @cached_property
    def engine(self) -> Engine:
        reduced = self.options.por != "none"
        return Engine(compile_model(self.searched, bounds(self.domains), self.propositions, with_guards=reduced))

    def search(self, options: SearchOptions, progress: ProgressCallback | None) -> SearchResult:
        reducer = None
        if self.options.por != "none":
            reducer = self.engine.reducer(self.relations, algorithm(self.options))
        return self.engine.search(options, reducer, progress)

    def trail(self, path: Sequence[tuple[int, int]]) -> Trail:
        """A path of the engine in terms of the model as written, followed by the reference interpreter."""
        return replay(self.model, [step for transition, outcome in path for step in self.origins(transition, outcome)])

    def origins(self, transition: int, outcome: int) -> list[tuple[int, int]]:
        """A searched transition and its outcome as steps of the model as written."""
        origins = self.searched.transitions[transition].origins
        if len(origins) > 1:
            return [(origin, 0) for origin in origins]
        return [(origins[0] if origins else transition, outcome)]


def bounds(domains: Domains) -> list[tuple[int, int]]:
    """For each slot the least and the greatest value it can have, even between two statements of one step."""
    return [(lowest(values), highest(values)) for values in domains.assigned]


def algorithm(options: Options) -> Algorithm:
    """`options` as `resolve` leaves them."""
    assert options.nds is not None
    return Algorithm(options.por, options.weak, options.nds, options.remember)


def explore(
    model: Model,
    options: Options | None = None,
    preserve: Preserve = "deadlocks",
    progress: ProgressCallback | None = None,
) -> Result:
    """Count the (reduced) state space; nothing is judged."""
    if preserve not in get_args(Preserve):
        raise MuleError(f"unknown preserve {preserve!r}: choose one of {', '.join(get_args(Preserve))}")
    resolved = resolve(options or Options(), preserve)
    started = time.perf_counter()
    prepared = Preparation(model, resolved, preserve, ())
    engine_options = search_options(resolved, preserve)
    _ = prepared.engine
    compiled = time.perf_counter()
    found = prepared.search(engine_options, progress)
    notes = [preserves_note(resolved, preserve)]
    if found.failures:
        notes.append(f"{found.failures} steps have no meaning in the model (see `mule check`); they were not followed")
    return Result(
        model=prepared.model,
        options=resolved,
        verdict=Verdict.INCOMPLETE if found.stopped else Verdict.HOLDS,
        statistics=statistics(found, compiled - started, time.perf_counter() - compiled),
        stopped=found.stopped,
        notes=tuple(filter(None, notes)),
    )


def check(
    model: Model,
    properties: Properties | None = None,
    options: Options | None = None,
    progress: ProgressCallback | None = None,
) -> Result:
    """Judge the properties (default: what the model itself declares) and explain the first violation."""
    wanted = properties or Properties(deadlock=True, assertions=True)
    asked = options or Options()
    state_properties = _state_properties(model, wanted)
    started = time.perf_counter()
    analysis = Analysis(model)
    preserve: Preserve = "safety" if state_properties or analysis.can_fail else "deadlocks"
    resolved = resolve(asked, preserve)
    prepared = Preparation(analysis, resolved, preserve, [p.expression for p in state_properties])
    _ = prepared.engine
    compiled = time.perf_counter()
    found = prepared.search(_stopping(resolved, preserve, wanted), progress)
    finished = time.perf_counter()
    notes = [preserves_note(resolved, preserve), *_not_checked(model, wanted)]
    if asked.search == "auto" and resolved.search == "dfs" and len(found.path) > LONG_TRAIL:
        shorter = _look_for_shorter(prepared, found, wanted, progress)
        if shorter is not None:
            notes.append(f"the trail was shortened from {len(found.path)} steps by a second search, breadth first")
            found = shorter
    violation = _violation(prepared, state_properties, found, resolved)
    verdict = Verdict.VIOLATED if violation else Verdict.INCOMPLETE if found.stopped else Verdict.HOLDS
    return Result(
        model=prepared.model,
        options=resolved,
        verdict=verdict,
        statistics=statistics(found, compiled - started, finished - compiled),
        properties=_in_words(wanted, state_properties),
        violations=(violation,) if violation else (),
        stopped=None if violation else found.stopped,
        notes=tuple(filter(None, notes)),
    )


def _stopping(options: Options, preserve: Preserve, wanted: Properties) -> SearchOptions:
    return search_options(options, preserve, stop_at_deadlock=wanted.deadlock, stop_at_failure=True)


def _look_for_shorter(
    prepared: Preparation, found: SearchResult, wanted: Properties, progress: ProgressCallback | None
) -> SearchResult | None:
    """Depth-first search finds violations soon, but far away: look again, breadth first, for as many states."""
    options = prepared.options
    enough = 2 * found.progress.states + 10_000
    again = options.but(
        search="bfs",
        proviso="none" if options.proviso == "none" else "duplicate-",
        max_states=enough if options.max_states is None else min(enough, options.max_states),
        time=None if options.time is None else max(options.time - found.progress.seconds, 0.0),
    )
    second = prepared.search(_stopping(again, prepared.preserve, wanted), progress)
    if second.found is Found.NOTHING or len(second.path) >= len(found.path):
        return None
    return replace(second, progress=found.progress, deadlocks=found.deadlocks)


def resolve(options: Options, preserve: Preserve) -> Options:
    """Replace every `auto` by what is best for this property and search."""
    por: Por = BEST_POR if options.por == "auto" else options.por
    needs_proviso = por != "none" and preserve == "safety"
    search: Search = options.search
    if search == "auto":
        search = "dfs" if needs_proviso else "bfs"
    proviso: Proviso = options.proviso
    if proviso == "auto":
        proviso = ("stack-" if search == "dfs" else "duplicate-") if needs_proviso else "none"
    if proviso == "stack-" and search == "bfs":
        raise MuleError("the stack proviso needs a stack: use --search dfs, or --proviso duplicate-")
    if proviso == "none" and needs_proviso:
        raise MuleError(
            "a reduction that preserves safety needs a proviso against ignoring transitions for ever: "
            "use --proviso auto, or --por none"
        )
    return options.but(
        por=por,
        search=search,
        proviso=proviso,
        nds=por != "deletion" if options.nds is None else options.nds,
        remember="valid" if options.remember == "auto" else options.remember,
    )


def search_options(options: Options, preserve: Preserve, **stops: bool) -> SearchOptions:
    return SearchOptions(
        order=Order(options.search),
        proviso=EngineProviso(options.proviso),
        failing_guards_are_transitions=preserve == "safety",
        max_states=options.max_states,
        max_bytes=options.memory if options.memory is not None else available_memory(),
        max_seconds=options.time,
        **stops,
    )


def statistics(found: SearchResult, compile_seconds: float, search_seconds: float) -> Statistics:
    return Statistics(
        states=found.progress.states,
        transitions=found.progress.transitions,
        deadlocks=found.deadlocks,
        depth=found.progress.depth,
        compile_seconds=compile_seconds,
        search_seconds=search_seconds,
        memory_bytes=found.progress.memory_bytes,
    )


def preserves_note(options: Options, preserve: Preserve) -> str:
    if options.por == "none":
        return ""
    kept = "deadlocks" if preserve == "deadlocks" else "deadlocks, invariants and assertions"
    return f"reduced by {options.por}{' (weak)' if options.weak else ''}; this preserves {kept}"


def _state_properties(model: Model, wanted: Properties) -> list[StateProperty]:
    found = []
    if wanted.assertions:
        found += [StateProperty(ViolationKind.ASSERTION, a.name, a.expression) for a in model.assertions]
    for text in wanted.invariants:
        if model.parse_expression is None:
            raise MuleError(f"{model.language} models have no expressions to write invariants in")
        found.append(StateProperty(ViolationKind.INVARIANT, text, model.parse_expression(text)))
    return found


def _in_words(wanted: Properties, state_properties: Sequence[StateProperty]) -> tuple[str, ...]:
    words = ["no deadlock"] if wanted.deadlock else []
    words += [f"{p.kind.value} {p.text}" for p in state_properties]
    return (*words, NO_ERROR)


def _not_checked(model: Model, wanted: Properties) -> list[str]:
    notes = []
    if not wanted.deadlock:
        notes.append("deadlocks were not looked for")
    if not wanted.assertions and model.assertions:
        notes.append("the model's assertions were not checked")
    if model.property_process is not None:
        name = model.processes[model.property_process].name
        notes.append(f"the property process {name} was not checked")
    return notes


def _violation(
    prepared: Preparation, properties: Sequence[StateProperty], found: SearchResult, options: Options
) -> Violation | None:
    if found.found is Found.NOTHING:
        return None
    trail = prepared.trail(found.path)
    shortest = options.search == "bfs" and options.por == "none"
    if found.found is Found.DEADLOCK:
        kind, text, message = ViolationKind.DEADLOCK, "no deadlock", "no process can move"
        _require(not any(True for _ in Interpreter(prepared.model).steps(trail.states[-1])), "is not a deadlock")
    elif found.found is Found.FAILURE:
        failure = trail.steps[-1].failure
        _require(failure is not None, "does not end in an error")
        kind, text, message = ViolationKind.MODEL_ERROR, NO_ERROR, str(failure)
    else:
        broken = properties[found.proposition]
        kind, text = broken.kind, broken.text
        message = _why_false(prepared.model, broken, trail)
    return Violation(kind, text, message, trail, shortest)


def _why_false(model: Model, broken: StateProperty, trail: Trail) -> str:
    try:
        value = Interpreter(model).evaluate(broken.expression, trail.states[-1])
    except Failure as failure:
        return f"{broken.kind.value} {broken.text} has no value: {failure}"
    _require(value == 0, "ends in a state in which the property holds")
    return f"{broken.kind.value} {broken.text} is false"


def _require(condition: bool, problem: str) -> None:
    if not condition:
        from mule.results import TrailError

        raise TrailError(f"the trail found {problem}: please report this defect of Mule")
