"""A model on its way into the engine: analysed, made smaller, sharpened for the reduction, compiled."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from mule import _engine
from mule import relations as relations_room
from mule.codegen import compile_model
from mule.coverage import unreached
from mule.driving import Limits, ProgressCallback
from mule.engine import Algorithm, Engine, Found, Order, SearchOptions, SearchResult
from mule.engine import Proviso as EngineProviso
from mule.errors import MuleError
from mule.memory import available_memory
from mule.model import Kind, Model
from mule.model.abstraction import highest, lowest
from mule.model.domains import Domains
from mule.model.expressions import Binary, Expression
from mule.model.failures import effects_may_fail, with_error_transitions
from mule.model.value_analysis import compute_domains
from mule.options import DYNAMIC, Options, Por, Preserve, Proviso, Remember, Search
from mule.records import replace
from mule.relations import Relations
from mule.relations.instances import split_on_indices
from mule.relations.user import UserRelations
from mule.relations.visibility import (
    error_transitions,
    failing_transitions,
    visible,
    with_visible_dependent,
    without,
)
from mule.results import Trail, Unreached, replay
from mule.transform import optimise
from mule.transform.run_ahead import run_ahead
from mule.trial import limited, worth_a_trial

WITHOUT_NDS: tuple[Por, ...] = ("ample", "deletion", "lpor", *DYNAMIC)
"""What makes no use of necessary disabling sets, or finds nothing more with them."""


BEST_POR: Por = "deletion"
"""What `--por auto` means; `mule bench table5` shows why."""


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

        self._smaller: dict[tuple[Expression, ...], tuple[Model, Domains]] = {}

    def smaller(self, observed: Sequence[Expression]) -> tuple[Model, Domains]:
        """What is left of the model when all that no property can see is taken out, and its values."""
        seen = tuple(_outside(self.model.transient, each) for each in observed)
        if seen not in self._smaller:
            model = optimise(self.model, self.domains, seen)
            self._smaller[seen] = model, self.domains if model is self.model else compute_domains(model)
        return self._smaller[seen]

    def searched(self, options: Options, observed: Sequence[Expression]) -> Model:
        """The model before it is sharpened for a reduction."""
        return self.model if options.as_written else self.smaller(observed)[0]

    @cached_property
    def can_fail(self) -> bool:
        """Whether a run can end in an error of the model, or in a violated assertion."""
        return self.can_err or any(transition.asserts for transition in self.model.transitions)

    @cached_property
    def can_err(self) -> bool:
        """Whether a run can end in an error of the model."""
        return any(
            (transition.kind is Kind.ERROR and not transition.asserts)
            or effects_may_fail(self.model, transition, self.domains)
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
        self.model = analysis.model
        self.smaller, self.domains = self.model, analysis.domains
        """What is left of the model when all that no property can see is taken out."""
        if not options.as_written:
            self.smaller, self.domains = analysis.smaller(propositions)
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

    def too_narrow(self, found: SearchResult, stops_there: bool = True) -> frozenset[str]:
        """The bounds that the translation had guessed and that the search came to, by the failures they are. A search
        that `stops_there` has found what it found before it came to one, unless that is what it found."""
        reached = {number for number, fired in enumerate(found.fired) if fired}
        if found.found is not Found.NOTHING and stops_there:
            reached = {found.path[-1][0]} if found.found is Found.FAILURE else set()
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


def wide_enough(model: Model, options: Options, progress: ProgressCallback | None = None) -> Model:
    """The model with as much room as its runs need, where a bound had to be guessed, as far as the limits allow."""
    return make_room(model, options, progress).model


class Room(NamedTuple):
    model: Model
    cut_short: str | None
    """Why it is not known whether all runs have room: the limit that ended the search."""


def make_room(model: Model, options: Options, progress: ProgressCallback | None = None) -> Room:
    """The model with as much room as its runs need, where a bound had to be guessed."""
    asked = options.but(proviso="auto", search="auto")
    started = time.perf_counter()
    while model.wider is not None and any(transition.limit for transition in model.transitions):
        analysis = Analysis(model, ahead=not asked.as_written)
        left = in_what_is_left(asked, started)
        prepared, _, found = safety_search(analysis, left, "safety", (), {}, progress)
        limits = prepared.too_narrow(found)
        if not limits or found.stopped:
            return Room(model, found.stopped)
        model = model.wider(limits)
    return Room(model, None)


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


def limits_from(options: Options) -> Limits:
    return Limits(
        options.max_states, options.memory if options.memory is not None else available_memory(), options.time
    )


def search_options(
    options: Options,
    preserve: Preserve,
    stop_at_deadlock: bool = False,
    stop_at_failure: bool = False,
) -> SearchOptions:
    limits = limits_from(options)
    return SearchOptions(
        order=Order(options.search),
        proviso=EngineProviso(options.proviso),
        failing_guards_are_transitions=preserve == "safety",
        max_states=limits.max_states,
        max_bytes=limits.max_bytes,
        max_seconds=limits.max_seconds,
        stop_at_deadlock=stop_at_deadlock,
        stop_at_failure=stop_at_failure,
    )
