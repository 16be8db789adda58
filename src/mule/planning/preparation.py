"""A model on its way into the engine: made smaller, sharpened for the reduction, compiled."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from mule import _engine
from mule.checkpoints import Saving, saving_for
from mule.codegen import CompiledModel, Listing, compiled, list_model
from mule.coverage import unreached
from mule.directed.goals import Estimate, Goals
from mule.driving import ProgressCallback
from mule.engine import Aside, Engine, Found, Order, SearchOptions, SearchResult, bit_words
from mule.errors import MuleError
from mule.options import DYNAMIC, GUIDED, Options
from mule.planning.analysis import bounds, outside
from mule.planning.plan import Plan
from mule.planning.resolution import algorithm
from mule.records import replace
from mule.relations import Relations
from mule.relations.visibility import (
    error_transitions,
    failing_transitions,
    in_no_reduced_set,
    visible,
    with_visible_dependent,
    without,
)
from mule.results import Trail, Unreached, replay

if TYPE_CHECKING:
    from mule.directed.patterns import Pattern
    from mule.gpu.sets import Sets
    from mule.relations.user import UserRelations


PLAIN_WORDS = 4
"""One worker compresses larger states, several do not: who has not asked for them should not need more memory."""


class Preparation:
    """A model on its way into the engine: sharpened for the reduction, compiled."""

    def __init__(self, plan: Plan, tried: CompiledModel | None = None) -> None:
        """`tried`: the code of a trial, which serves for the same model again."""
        analysis = self.analysis = plan.analysis
        options = self.options = plan.options
        self.preserve = plan.preserve
        self.is_trial = not plan.optimising
        self._tried = tried
        self.goals = plan.goals
        self.guides = plan.guides
        self.observed, self.watched = plan.observed, plan.watched
        self.propositions = [outside(analysis.model.transient, each) for each in plan.observed]
        self.model = analysis.model
        self.smaller, self.domains = self.model, analysis.domains
        """What is left of the model when all that no property can see is taken out."""
        if not options.as_written:
            self.smaller, self.domains = analysis.smaller(plan.seen)
        self.searched = self.smaller
        """The model as it is searched: transitions may be split."""
        if options.por != "none" and options.lpor is None:
            from mule.relations.instances import split_on_indices

            self.searched = split_on_indices(self.smaller, self.domains)

    @cached_property
    def derived(self) -> Relations:
        """What the model alone says about what interferes with what."""
        from mule.relations.derivation import derive  # of no use to small models

        return derive(self.searched, self.domains)

    @cached_property
    def relations(self) -> Relations:
        """With what a search for properties of states makes of them."""
        derived = self.derived
        if self.sticky:
            derived = in_no_reduced_set(derived, self.sticky)
        if self.watched:
            derived = in_no_reduced_set(derived, visible(derived, self.watched))
        if self.preserve == "deadlocks":
            return without(derived, error_transitions(derived))
        seen = self.user.visible if self.user is not None else None
        if seen is None:
            seen = visible(derived, self.propositions)
        return with_visible_dependent(derived, seen | failing_transitions(derived))

    @cached_property
    def sticky(self) -> int:
        """The transitions that the static proviso keeps out of reduced sets."""
        if self.options.proviso != "static":
            return 0
        from mule.relations.sticky import sticky_transitions  # of use to few searches

        return sticky_transitions(self.searched, bounds=bounds(self.domains))

    @cached_property
    def user(self) -> UserRelations | None:
        """The relations that the user brings."""
        if self.options.lpor is None:
            return None
        from mule.relations.user import UserRelations

        return UserRelations(self.options.lpor, self.searched)

    @cached_property
    def listing(self) -> Listing:
        """The model for any machine."""
        reduced = self.options.por != "none" or self.is_trial  # which may be followed by a search that is
        functions = [] if self.estimate is None else [self.estimate.value]
        return list_model(self.searched, bounds(self.domains), self.propositions, reduced, functions)

    @cached_property
    def engine(self) -> Engine:
        if self._tried is not None and self._tried.model is self.searched and self.estimate is None:
            return Engine(self._tried)
        return Engine(compiled(self.listing))

    @cached_property
    def estimate(self) -> Estimate | None:
        """What guides the search, where something does."""
        if self.options.search not in GUIDED or self.options.estimate == "none":
            return None
        from mule.directed.estimate import estimate_for, largest, users  # of use to few searches

        known = [
            estimate_for(self.searched, self.domains, bounds(self.domains), self._all_goals, bound=each == "bound")
            for each in self.options.estimates
            if each in ("bound", "sum")
        ]
        return largest([*known, *map(users, self.guides)])

    @cached_property
    def _all_goals(self) -> Goals:
        return replace(self.goals, propositions=tuple(self.propositions))

    @cached_property
    def pattern(self) -> Pattern | None:
        """The distances in a projection of the model, where these guide the search."""
        guides = self.options.search in GUIDED and "pattern" in self.options.estimates
        return self.projection if guides else None

    @cached_property
    def projection(self) -> Pattern | None:
        """How far states are from what is looked for, at least, as far as a projection of the model can tell."""
        from mule.directed.patterns import find_pattern  # of use to few searches

        layout = self.engine.compiled.layout
        return find_pattern(self.searched, self.domains, bounds(self.domains), layout, self._all_goals)

    def is_shortest(self, found: SearchResult) -> bool:
        """Whether no trail to what was found has fewer steps of the model as written. Workers of a cluster do not wait
        for each other, so that one of them may find a longer one first."""
        joined = any(len(transition.origins) > 1 for transition in self.searched.transitions)
        shared = self.options.cluster is not None
        if self.options.por != "none" or joined or shared or found.expected_omissions:
            return False
        if self.options.search in ("astar", "idastar") and self.options.weight == 1:
            sought = found.found is not Found.FAILURE or self.goals.failures
            return found.bounded and (self.estimate is None or (self.estimate.admissible and sought))
        return self.options.search == "bfs"

    @cached_property
    def gpu_sets(self) -> Sets | None:
        """How the threads of a GPU find stubborn sets."""
        if self.options.por == "none":
            return None
        from mule.gpu.reduction import sets_of

        assert self.options.nds is not None
        safe = self.preserve == "safety"
        return sets_of(self.listing, self.relations, self.options.por, self.options.nds, safe)

    def compile(self, optimising: bool = True) -> None:
        """For the machine that will search. `optimising`: whether a search that goes on has better code made."""
        if self.options.gpu:
            from mule.gpu import compile_for_gpu  # of use to few searches

            compile_for_gpu(self.listing, self.gpu_sets)
        else:
            self.engine.optimising = optimising

    def reducer(self, options: Options) -> _engine.Reducer:
        if self.user is None:
            return self.engine.reducer(self.relations, algorithm(options))
        sets = self.user.enabling_sets(self.engine.compiled.layout) if options.net else None
        return self.engine.reducer(self.relations, algorithm(options), self.user.local(self.relations), sets)

    def search(
        self,
        options: SearchOptions,
        progress: ProgressCallback | None,
        aside: Aside[SearchResult] | None = None,
        reduced: bool = True,
    ) -> SearchResult:
        """`aside`: for searches that store states. `reduced`: as far as the options are for a reduction."""
        if self.pattern is not None:
            options = replace(options, patterns=(self.pattern.distances,))
        options = replace(options, sticky=bit_words(self.sticky, len(self.searched.transitions)))
        if self.options.cluster is not None:
            from mule.cluster.on_ray import search_on_ray  # of use to few searches

            found = search_on_ray(self, options, progress, self._saving(options))
        elif self.options.gpu:
            from mule.gpu import search_on_gpu  # of use to few searches

            within = replace(options, max_bytes=self.options.memory)
            found = search_on_gpu(self.listing, self.gpu_sets, within, progress)
        elif self.options.por in DYNAMIC:
            found = self._search_dynamic(options, progress)
        else:
            if self.options.workers is None and self.engine.compiled.layout.words > PLAIN_WORDS:
                options = replace(options, team=None)
            reducer = self.reducer(self.options) if reduced and self.options.por != "none" else None
            if self.options.stateless:
                found = self.engine.search_stateless(options, reducer, progress)
            else:
                found = self.engine.search(options, reducer, progress, aside, self._saving(options))
        if found.stopped == "cyclic":
            raise MuleError(
                "a run of this model comes back to a state that it has been in: a search that stores no states would "
                "never end. Use --por lpor, or another --por, without --stateless"
            )
        return found

    def _saving(self, options: SearchOptions) -> Saving | None:
        """Where the search is written, if its command has checkpoints."""
        if options.order not in (Order.BREADTH_FIRST, Order.DEPTH_FIRST):
            return None
        stops = f"{options.stop_at_deadlock} {options.stop_at_assertion} {options.stop_at_error}"
        how = f"{options.order.name} {options.proviso.name}"
        return saving_for(self.searched, self.options, f"{self.preserve} {how} {stops} {options.cuts}")

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
        before = [transition for transition, _ in self.analysis.prefix]
        missed = unreached(self.model, self.searched, found.fired, before)
        ignores = self.options.por != "none" and self.preserve == "deadlocks"
        return None if missed and ignores else missed
