"""check(model, properties, options) → Result: puts the pieces together, and nothing else does."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import get_args

from mule import _engine
from mule import relations as relations_room
from mule.codegen import compile_model
from mule.coverage import unreached
from mule.engine import Algorithm, Engine, Found, Order, Progress, ProgressCallback, SearchOptions, SearchResult
from mule.engine import Proviso as EngineProviso
from mule.errors import MuleError
from mule.memory import available_memory
from mule.model import Kind, Model
from mule.model.abstraction import highest, lowest
from mule.model.domains import Domains, compute_domains
from mule.model.expressions import FALSE, Binary, Expression
from mule.model.failures import effects_may_fail, with_error_transitions
from mule.model.interpreter import Failure, Interpreter, State
from mule.options import DYNAMIC, Options, Por, Preserve, Proviso, Remember, Search
from mule.properties import Properties
from mule.relations import Relations
from mule.relations.instances import split_on_indices
from mule.relations.visibility import (
    error_transitions,
    failing_transitions,
    visible,
    with_visible_dependent,
    without,
)
from mule.results import Result, Statistics, Trail, Unreached, Verdict, Violation, ViolationKind, replay
from mule.transform import optimise
from mule.transform.run_ahead import run_ahead
from mule.user_relations import UserRelations

__all__ = ["Progress", "Properties", "check", "explore"]

NO_ERROR = "no error of the model"
NO_VIOLATED_ASSERTION = "no violated assertion"

LONG_TRAIL = 12
"""A violation found depth first after more steps is looked for again, breadth first."""

WITHOUT_NDS: tuple[Por, ...] = ("ample", "deletion", "lpor", *DYNAMIC)
"""What makes no use of necessary disabling sets, or finds nothing more with them."""

BEST_POR: Por = "deletion"
"""What `--por auto` means; `mule bench table5` shows why."""


@dataclass(frozen=True, slots=True)
class StateProperty:
    """A predicate that must hold in every reachable state."""

    kind: ViolationKind
    text: str
    expression: Expression


class Analysis:
    """What is known of a model before anything is decided about the search."""

    def __init__(
        self, model: Model, observed: Sequence[Expression] = (), ahead: bool = False, invariants: bool = True
    ) -> None:
        """With `ahead` the steps that every run begins with are taken here, if nobody who observes can see them."""
        self.prefix: list[tuple[int, int]] = []
        """The steps before the state in which the search begins."""
        if ahead:
            seen = [_outside(model.transient, each) for each in observed]
            self.prefix, start = run_ahead(model, seen, all_hold=invariants)
            model = replace(model, start=start) if self.prefix else model
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
        if not isinstance(model, Analysis):
            model = Analysis(model, propositions, ahead=not options.as_written)
        analysis = self.analysis = model
        self.options = options
        self.preserve = preserve
        self.propositions = [_outside(analysis.model.transient, each) for each in propositions]
        self.domains = analysis.domains
        self.model = analysis.model
        self.smaller = self.model
        """What is left of the model when all that no property can see is taken out."""
        if not options.as_written:
            self.smaller = optimise(self.model, self.domains, self.propositions)
            if self.smaller is not self.model:
                self.domains = compute_domains(self.smaller)
        self.searched = self.smaller
        """The model as it is searched: transitions may be split."""
        if options.por != "none" and options.lpor is None:
            self.searched = split_on_indices(self.smaller, self.domains)

    @cached_property
    def relations(self) -> Relations:
        derived = relations_room.derive(self.searched, self.domains)
        if self.preserve == "deadlocks":
            return without(derived, error_transitions(derived))
        seen = self.user.visible if self.user is not None else None
        if seen is None:
            seen = visible(derived, self.propositions)
        return with_visible_dependent(derived, seen | failing_transitions(derived))

    @cached_property
    def user(self) -> UserRelations | None:
        """The relations that the user brings."""
        return None if self.options.lpor is None else UserRelations(self.options.lpor, self.searched)

    @cached_property
    def engine(self) -> Engine:
        reduced = self.options.por != "none"
        return Engine(compile_model(self.searched, bounds(self.domains), self.propositions, with_guards=reduced))

    def reducer(self, options: Options) -> _engine.Reducer:
        if self.user is None:
            return self.engine.reducer(self.relations, algorithm(options))
        sets = self.user.enabling_sets(self.engine.compiled.layout) if options.net else None
        return self.engine.reducer(self.relations, algorithm(options), self.user.local(self.relations), sets)

    def search(self, options: SearchOptions, progress: ProgressCallback | None) -> SearchResult:
        if self.options.por in DYNAMIC:
            found = self._search_dynamic(options, progress)
        else:
            reducer = None if self.options.por == "none" else self.reducer(self.options)
            search = self.engine.search_stateless if self.options.stateless else self.engine.search
            found = search(options, reducer, progress)
        if found.stopped == "cyclic":
            raise MuleError(
                "a run of this model comes back to a state that it has been in: a search that stores no states would "
                "never end. Use --por lpor, or another --por, without --stateless"
            )
        return found

    def _search_dynamic(self, options: SearchOptions, progress: ProgressCallback | None) -> SearchResult:
        relations = self.relations
        if self.options.por == "dpor":
            return self.engine.search_source_dpor(options, relations, progress)
        ignored = error_transitions(relations) if self.preserve == "deadlocks" else 0
        return self.engine.search_dpor(options, relations, ignored, progress)

    def trail(self, path: Sequence[tuple[int, int]]) -> Trail:
        """A path of the engine in terms of the model as written, followed by the reference interpreter."""
        steps = [self.origins(transition, outcome) for transition, outcome in path]
        taken = [*self.analysis.prefix, *(each for step in steps for each in step)]
        return replay(replace(self.model, start=None), taken, last=len(steps[-1]) if steps else 1)

    def origins(self, transition: int, outcome: int) -> list[tuple[int, int]]:
        """A searched transition and its outcome as steps of the model as written."""
        origins = self.searched.transitions[transition].origins
        if len(origins) > 1:
            return [(origin, 0) for origin in origins]
        return [(origins[0] if origins else transition, outcome)]

    def too_narrow(self, found: SearchResult) -> frozenset[str]:
        """The bounds that the translation had guessed and that the search came to, by the failures they are."""
        reached = {number for number, fired in enumerate(found.fired) if fired}
        if found.found is Found.FAILURE:
            reached = {found.path[-1][0]}
        limits = (self.searched.transitions[number] for number in reached)
        return frozenset(transition.failure for transition in limits if transition.limit)

    def unreached(self, found: SearchResult) -> tuple[Unreached, ...] | None:
        """Where the search can tell: a reduction that preserves safety ignores no transition for ever, one that
        preserves deadlocks may."""
        if found.stopped or found.found is not Found.NOTHING:
            return None
        if self.options.por != "none" and self.preserve == "deadlocks":
            return None
        before = [transition for transition, _ in self.analysis.prefix]
        return unreached(self.model, self.searched, found.fired, before)


def _outside(transient: Expression | None, proposition: Expression) -> Expression:
    """A proposition that asks nothing of transient states."""
    return proposition if transient is None else Binary("or", transient, proposition)


def bounds(domains: Domains) -> list[tuple[int, int]]:
    """For each slot the least and the greatest value it can have, even between two statements of one step."""
    return [(lowest(values), highest(values)) for values in domains.assigned]


def algorithm(options: Options) -> Algorithm:
    """`options` as `resolve` leaves them."""
    assert options.nds is not None
    return Algorithm(options.por, options.weak, options.nds, options.remember, options.net)


def explore(
    model: Model,
    options: Options | None = None,
    preserve: Preserve = "deadlocks",
    progress: ProgressCallback | None = None,
) -> Result:
    """Count the (reduced) state space; nothing is judged."""
    if preserve not in get_args(Preserve):
        raise MuleError(f"unknown preserve {preserve!r}: choose one of {', '.join(get_args(Preserve))}")
    if any(transition.limit for transition in model.transitions):
        preserve = "safety"  # else a reduction could hide that the room is too small
    resolved = resolve(options or Options(), preserve)
    started = time.perf_counter()
    prepared = Preparation(model, resolved, preserve, ())
    engine_options = search_options(resolved, preserve)
    _ = prepared.engine
    compiled = time.perf_counter()
    found = prepared.search(engine_options, progress)
    limits = prepared.too_narrow(found)
    if model.wider is not None and limits:
        return explore(model.wider(limits), options, preserve, progress)
    notes = [preserves_note(resolved, preserve), runs_note(resolved, found)]
    if prepared.smaller is not prepared.model:
        notes.append("the model was made smaller first: --as-written counts what its author wrote")
    if found.assertions:
        notes.append(_not_followed(found.assertions, "violates an assertion", "violate assertions"))
    if found.failures:
        notes.append(_not_followed(found.failures, "has no meaning in the model", "have no meaning in the model"))
    return Result(
        model=prepared.model,
        options=resolved,
        verdict=Verdict.INCOMPLETE if found.stopped else Verdict.HOLDS,
        statistics=statistics(found, compiled - started, time.perf_counter() - compiled),
        stopped=found.stopped,
        notes=tuple(filter(None, notes)),
        unreached=prepared.unreached(found),
    )


def wide_enough(model: Model, options: Options, progress: ProgressCallback | None = None) -> Model:
    """The model with as much room as its runs need, where a bound had to be guessed."""
    while model.wider is not None and any(transition.limit for transition in model.transitions):
        prepared = Preparation(model, resolve(options.but(proviso="auto", search="auto"), "safety"), "safety", ())
        found = prepared.search(search_options(prepared.options, "safety"), progress)
        limits = prepared.too_narrow(found)
        if not limits:
            break
        model = model.wider(limits)
    return model


def check(
    model: Model,
    properties: Properties | None = None,
    options: Options | None = None,
    progress: ProgressCallback | None = None,
) -> Result:
    """Judge the properties (default: that there is no deadlock, and the model's assertions) and explain the first
    violation."""
    wanted = properties or Properties(deadlock=True, assertions=True)
    if wanted.ctl:
        from mule.graph import check_branching

        return check_branching(model, wanted, options or Options(), progress)
    if wanted.temporal:
        from mule.liveness import check_temporal

        return check_temporal(model, wanted, options or Options(), progress)
    return check_safety(model, wanted, options or Options(), progress)


def check_safety(model: Model, wanted: Properties, asked: Options, progress: ProgressCallback | None = None) -> Result:
    """What can be seen in single states: deadlocks, assertions, invariants, errors of the model."""
    asked = asked.but(as_written=True) if asked.lpor is not None else asked
    state_properties = _state_properties(model, wanted)
    started = time.perf_counter()
    judged = model if wanted.assertions else without_assertions(model)
    analysis = Analysis(judged, [p.expression for p in state_properties], ahead=not asked.as_written)
    preserve: Preserve = "safety" if state_properties or analysis.can_fail else "deadlocks"
    resolved = resolve(asked, preserve)
    prepared = Preparation(analysis, resolved, preserve, [p.expression for p in state_properties])
    _ = prepared.engine
    compiled = time.perf_counter()
    found = prepared.search(_stopping(resolved, preserve, wanted), progress)
    finished = time.perf_counter()
    if model.wider is not None and found.found is Found.FAILURE and (limits := prepared.too_narrow(found)):
        return check_safety(model.wider(limits), wanted, asked, progress)
    notes = [preserves_note(resolved, preserve), runs_note(resolved, found), *_not_checked(model, wanted)]
    if asked.search == "auto" and resolved.search == "dfs" and not resolved.stateless and len(found.path) > LONG_TRAIL:
        shorter = _look_for_shorter(prepared, found, wanted, progress)
        if shorter is not None:
            if model.wider is not None and (limits := prepared.too_narrow(shorter)):
                return check_safety(model.wider(limits), wanted, asked, progress)
            notes.append(f"the trail was shortened from {len(found.path)} steps by a second search, breadth first")
            found = shorter
    violation = _violation(prepared, state_properties, found, resolved)
    verdict = Verdict.VIOLATED if violation else Verdict.INCOMPLETE if found.stopped else Verdict.HOLDS
    return Result(
        model=prepared.model,
        options=resolved,
        verdict=verdict,
        statistics=statistics(found, compiled - started, finished - compiled),
        properties=_in_words(analysis.model, wanted, state_properties),
        violations=(violation,) if violation else (),
        stopped=None if violation else found.stopped,
        notes=tuple(filter(None, notes)),
        unreached=prepared.unreached(found),
    )


def without_assertions(model: Model) -> Model:
    """The model without the transitions that stand for violated assertions: nobody asks for them."""
    kept = tuple(transition for transition in model.transitions if not transition.asserts)
    return model if len(kept) == len(model.transitions) else replace(model, transitions=kept)


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
    if options.lpor is not None:
        por = "lpor" if options.por == "auto" else por
        if por != "lpor":
            raise MuleError(f"relations for LPOR are of no use to --por {por}: use --por lpor")
    if options.weak and por == "ample":
        raise MuleError("ample sets have no weak form: leave out --weak, or use another --por")
    if options.weak and por in ("lpor", *DYNAMIC):
        raise MuleError(f"--por {por} has no weak form: leave out --weak, or use another --por")
    stateless = options.stateless or por in DYNAMIC
    if stateless and (options.search == "bfs" or options.proviso not in ("auto", "none")):
        raise MuleError(
            "a search that stores no states is depth first and needs no proviso: leave out --search and --proviso"
        )
    needs_proviso = por != "none" and preserve == "safety" and not stateless
    search: Search = options.search
    if search == "auto":
        search = "dfs" if needs_proviso or stateless else "bfs"
    proviso: Proviso = options.proviso
    if proviso == "auto":
        proviso = ("stack-" if search == "dfs" else "duplicate-") if needs_proviso else "none"
    if proviso in ("stack", "static", "c3prime"):
        raise MuleError(f"the proviso {proviso} is for temporal properties: use --proviso auto, stack- or duplicate-")
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
        nds=por not in WITHOUT_NDS if options.nds is None else options.nds,
        remember=_memory(por, options.remember),
        stateless=stateless,
        as_written=options.as_written or options.lpor is not None,
    )


def _memory(por: Por, asked: Remember) -> Remember:
    """Ample sets are found as fast as they would be looked up; of LPOR's sets it is not known where else they hold."""
    if por == "lpor" and asked == "valid":
        return "none"
    if asked != "auto":
        return asked
    return "none" if por in ("ample", "lpor", *DYNAMIC) else "valid"


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


def runs_note(options: Options, found: SearchResult) -> str:
    """What a search without a state store counted."""
    if not options.stateless:
        return ""
    cut = f", {found.cut_runs:,} given up as repetitions" if found.cut_runs else ""
    return f"no states were stored: each counts as often as it was visited; {found.runs:,} runs to their end{cut}"


def _not_followed(number: int, one: str, many: str) -> str:
    if number == 1:
        return f"1 step {one} (see `mule check`); it was not followed"
    return f"{number} steps {many} (see `mule check`); they were not followed"


def _state_properties(model: Model, wanted: Properties) -> list[StateProperty]:
    found = []
    if wanted.assertions:
        found += [StateProperty(ViolationKind.ASSERTION, a.name, a.expression) for a in model.assertions]
    for text in wanted.invariants:
        if model.parse_expression is None:
            raise MuleError(f"{model.language} models have no expressions to write invariants in")
        found.append(StateProperty(ViolationKind.INVARIANT, text, model.parse_expression(text)))
    return found


def _in_words(model: Model, wanted: Properties, state_properties: Sequence[StateProperty]) -> tuple[str, ...]:
    words = ["no deadlock"] if wanted.deadlock else []
    words += [f"{p.kind.value} {p.text}" for p in state_properties]
    words += [NO_VIOLATED_ASSERTION] if any(transition.asserts for transition in model.transitions) else []
    return (*words, NO_ERROR)


def _not_checked(model: Model, wanted: Properties) -> list[str]:
    notes = []
    if not wanted.deadlock:
        notes.append("deadlocks were not looked for")
    asserts = bool(model.assertions) or any(transition.asserts for transition in model.transitions)
    if not wanted.assertions and asserts:
        notes.append("the model's assertions were not checked")
    claims = [claim.name for claim in model.claims]
    if model.property_process is not None:
        claims.append(model.processes[model.property_process].name)
    if claims and not wanted.claims:
        notes.append(f"temporal properties were not checked: {', '.join(claims)} (use --claim)")
    return notes


def _violation(
    prepared: Preparation, properties: Sequence[StateProperty], found: SearchResult, options: Options
) -> Violation | None:
    if found.found is Found.NOTHING:
        return None
    trail = prepared.trail(found.path)
    joined = any(len(transition.origins) > 1 for transition in prepared.searched.transitions)
    shortest = options.search == "bfs" and options.por == "none" and not joined
    if found.found is Found.DEADLOCK:
        kind, text, message = ViolationKind.DEADLOCK, "no deadlock", _why_dead(prepared.model, trail.states[-1])
    elif found.found is Found.FAILURE:
        failure = trail.steps[-1].failure
        _require(failure is not None, "does not end in an error")
        kind, text, message = ViolationKind.MODEL_ERROR, NO_ERROR, str(failure)
        if prepared.model.transitions[trail.steps[-1].transition].asserts:
            kind, text = ViolationKind.ASSERTION, NO_VIOLATED_ASSERTION
    else:
        broken = properties[found.proposition]
        kind, text = broken.kind, broken.text
        message = _why_false(prepared.model, broken, trail)
    return Violation(kind, text, message, trail, shortest)


def _why_dead(model: Model, state: State) -> str:
    interpreter = Interpreter(model)
    dead = not any(True for _ in interpreter.steps(state)) and not interpreter.evaluate(model.end_states, state)
    _require(dead, "is not a deadlock")
    if model.end_states == FALSE:
        return "no process can move"
    places = ((process, state[model.slot_of[process.location]]) for process in model.processes)
    stuck = [
        f"{process.name} in {process.locations[at]}"
        for process, at in places
        if not interpreter.evaluate(process.may_stop, state)
    ]
    return f"invalid end state: no process can move, with {', '.join(stuck)}"


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
