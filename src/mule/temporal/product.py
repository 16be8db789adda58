"""The product of a system and a Büchi automaton: is there a run that the automaton accepts?

The automaton's state is one more variable of the packed state, which no transition of the system reads or writes: the
engine moves it along. A run without end inside transient states is no run, nor is one that ends in an error of the
model; a run that ends otherwise goes on by stuttering.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from mule import _engine
from mule.checkpoints import Saving
from mule.codegen import compiled, list_model
from mule.codegen.layout import Field
from mule.driving import Limits, Progress, ProgressCallback, native_limits, to_progress
from mule.engine import Algorithm, Aside, Engine, Team, bit_words, native_team
from mule.errors import MuleError
from mule.ltl.automaton import Automaton
from mule.ltl.stutter import is_self_looped
from mule.model import IntegerType, Model, Variable
from mule.model.abstraction import highest, lowest
from mule.model.domains import Domains
from mule.model.expressions import Expression
from mule.options import Fairness
from mule.records import replace
from mule.relations import Relations
from mule.relations.accesses import members
from mule.relations.derivation import derive
from mule.relations.sticky import sticky_transitions
from mule.relations.visibility import failing_transitions, in_no_reduced_set, visible, with_visible_dependent
from mule.temporal.fairness import Requirements, requirements, with_fair_dependencies, with_groups

Emptiness = Literal["ndfs", "scc"]
"""Nested depth-first search, for at most one acceptance mark, or strongly connected components."""
Visibility = Literal["c2", "vi", "fair"]
"""C2, or V and I (guard-based POR, Table 1), or V alone, for fair runs."""
Ignoring = Literal["stack", "duplicate", "c3prime", "static"]
"""C3 with the depth-first stack, or breadth first, with the levels (`duplicate`); C3', with either; or C3_static: no
sticky transition in a reduced set."""


_EMPTINESS: dict[Emptiness, _engine.EmptinessAlgorithm] = {
    "ndfs": _engine.EmptinessAlgorithm.NESTED_DEPTH_FIRST,
    "scc": _engine.EmptinessAlgorithm.COMPONENTS,
}
_VISIBILITY: dict[Visibility, _engine.Visibility] = {
    "c2": _engine.Visibility.C2,
    "vi": _engine.Visibility.VI,
    "fair": _engine.Visibility.FAIR,
}
_IGNORING: dict[Ignoring, _engine.Proviso] = {
    "stack": _engine.Proviso.STACK,
    "duplicate": _engine.Proviso.DUPLICATE,
    "c3prime": _engine.Proviso.C3_PRIME,
    "static": _engine.Proviso.STATIC,
}


@dataclass(frozen=True, slots=True)
class Reduction:
    algorithm: Algorithm
    visibility: Visibility = "c2"
    ignoring: Ignoring = "stack"
    fairness: Fairness = "none"
    """What the runs that count have in common: it must be at least this."""
    observed: tuple[frozenset[int], ...] | None = None
    """The atoms that the parts of the property read, where it is a boolean combination of such: two transitions may
    change places if no part sees both. Only with `fair` visibility and static sets. None: one part with all."""


class ProductStep(NamedTuple):
    transition: int | None
    """None: nothing is enabled, and the system stutters."""
    outcome: int
    edge: int | None
    """Among those of the automaton's state; None: the automaton does not move, because the state is transient."""


@dataclass(frozen=True, slots=True)
class ProductResult:
    progress: Progress
    """Of the product: transient states do not count."""
    stopped: str | None
    empty: bool
    """No run is accepted, as far as the search came."""
    prefix: tuple[ProductStep, ...]
    cycle: tuple[ProductStep, ...]
    """Where a run is accepted: one that repeats the cycle for ever."""
    failures: int
    """Steps that the model gives no meaning; they are not followed."""
    reduced: int
    """States of the product with a reduced set."""
    fully_expanded: int
    """States in which the ignoring proviso made the search give up a reduced set."""
    workers: int
    """That took part."""
    device: str | None = None
    """The GPU that has searched."""


@dataclass(frozen=True, slots=True)
class Runs:
    """What is asked of a product, as a value that travels."""

    automaton: Automaton
    """With an acceptance mark."""
    reduction: Reduction | None
    fairness: Fairness
    finite_runs: bool


@dataclass(frozen=True, slots=True)
class Share:
    """Which of several partitions of a product, and what it has for itself."""

    part: int
    parts: int
    max_bytes: int | None = None
    identity: tuple[int, ...] = ()
    """What tells the search from all others, for its files."""


_Asked: TypeAlias = tuple[
    _engine.Program,
    Sequence[int],
    _engine.EmptinessOptions,
    _engine.Reducer | None,
    list[list[tuple[Sequence[tuple[int, int]], int, int]]],
    int,
    int,
    tuple[int, int, int],
]


class Product:
    """A model with room for the state of an automaton over some of its propositions, and all searches of the two."""

    def __init__(
        self,
        model: Model,
        domains: Domains,
        atoms: Sequence[Expression],
        automaton_states: int,
        reducible: bool = True,
    ) -> None:
        """`model` must have its error transitions; the automata that are searched with it have the atoms `atoms`, in
        order, and at most so many states. Searches without reduction are ready sooner if nothing else is asked for."""
        self.model = model
        self.domains = domains
        self.atoms = tuple(atoms)
        self._state = Variable("automaton", IntegerType("automaton", 0, automaton_states - 1), (0,))
        bounds = [(lowest(values), highest(values)) for values in domains.assigned]
        extended = replace(model, variables=(*model.variables, self._state))
        self.listing = list_model(extended, [*bounds, (0, automaton_states - 1)], self.atoms, with_guards=reducible)
        """The model with the automaton's state, which nobody moves, for any machine."""
        self._reducers: dict[Reduction, _engine.Reducer] = {}
        self._requirements: dict[Fairness, Requirements | None] = {}
        self._with_fairness: dict[Fairness, Relations] = {}

    @cached_property
    def engine(self) -> Engine:
        return Engine(compiled(self.listing))

    @cached_property
    def relations(self) -> Relations:
        return derive(self.model, self.domains)

    @property
    def field(self) -> Field:
        """Where the automaton's state is."""
        return self.listing.layout.fields[self._state]

    @cached_property
    def visible(self) -> int:
        """The transitions that the property can see. The letters of transient states are left out of the word, so that
        it also matters where they are; an error ends the run."""
        return self._seen_by(range(len(self.atoms))) | failing_transitions(self.relations)

    def _seen_by(self, atoms: Iterable[int]) -> int:
        observed = [self.atoms[atom] for atom in atoms]
        if self.model.transient is not None:
            observed.append(self.model.transient)
        return visible(self.relations, observed)

    def requirements(self, fairness: Fairness) -> Requirements | None:
        """What a run must do to be fair."""
        if fairness not in self._requirements:
            relations = self.relations if fairness == "F" else None
            self._requirements[fairness] = requirements(fairness, self.model, relations)
        return self._requirements[fairness]

    def search(
        self,
        automaton: Automaton,
        emptiness: Emptiness = "ndfs",
        reduction: Reduction | None = None,
        fairness: Fairness = "none",
        finite_runs: bool = True,
        limits: Limits | None = None,
        progress: ProgressCallback | None = None,
        team: Team | None = None,
        start: Sequence[int] | None = None,
        saving: Saving | None = None,
        aside: Aside[object] | None = None,
    ) -> ProductResult:
        """With `finite_runs`, also those count that come to an end. A team searches breadth first, by components.
        `start`: the packed state that the runs begin with, if it is not the first one. `saving`: of a team, which goes
        on from where the search was written last. `aside`: what is looked at on the way; not by a team."""
        limits = limits or Limits()
        asked = self._asked(automaton, reduction, fairness, finite_runs, "scc" if team else emptiness, limits, start)
        if team is None:
            search = _engine.make_emptiness_search(*asked)
        elif saving is None:
            search = _engine.make_parallel_emptiness_search(*asked, native_team(team))
        else:
            search = _saved(asked, team, saving)
        started = time.perf_counter()
        if aside is None:
            self.engine.drive(search, limits, progress, saving=saving)
        elif self.engine.drive_looking_aside(search, limits, progress, aside) is not None:
            search.stop("interrupted")  # as by the user: nobody begins it again with other options
        seconds = time.perf_counter() - started
        native = search.take_result()
        return ProductResult(
            progress=to_progress(native.progress, seconds),
            stopped=native.stopped or None,
            empty=native.empty,
            prefix=product_steps(native.prefix),
            cycle=product_steps(native.cycle),
            failures=native.failures,
            reduced=native.reduced,
            fully_expanded=native.fully_expanded,
            workers=native.workers,
        )

    def partition(self, runs: Runs, share: Share) -> _engine.ProductPartition:
        """The states of the product that one of several owns. Fairness must be one that marks tell."""
        return _engine.make_product_partition(*self._asked_of(runs, share), share.part, share.parts)

    def read_partition(self, runs: Runs, share: Share, file: Path) -> _engine.ProductPartition:
        """The same, as it was written; a RuntimeError where the file does not hold it."""
        return _engine.read_product_partition(*self._asked_of(runs, share), share.part, share.parts, str(file))

    def _asked_of(self, runs: Runs, share: Share) -> _Asked:
        limits = Limits(None, share.max_bytes)
        asked = self._asked(runs.automaton, runs.reduction, runs.fairness, runs.finite_runs, "scc", limits)
        asked[2].identity = list(share.identity)
        return asked

    def _asked(
        self,
        automaton: Automaton,
        reduction: Reduction | None,
        fairness: Fairness,
        finite_runs: bool,
        emptiness: Emptiness,
        limits: Limits,
        start: Sequence[int] | None = None,
    ) -> _Asked:
        """What every search of the product is told."""
        if len(automaton.atoms) != len(self.atoms) or automaton.states - 1 > self._state.type.high:
            raise ValueError("this product was not made for such an automaton")
        if self.model.transient is not None and automaton.marks == 0:
            automaton = with_one_mark(automaton)
        options = _engine.EmptinessOptions()
        options.limits = native_limits(limits)
        options.algorithm = _EMPTINESS[emptiness]
        options.finite_runs = finite_runs
        reducer = None
        if reduction is not None:
            reducer = self._reducer(automaton, replace(reduction, fairness=fairness), options)
        required = self.requirements(fairness)
        if required is not None:
            options.set_fairness(
                required.compassion,
                required.count,
                [list(members(bits)) for bits in required.raising],
                [list(members(bits)) for bits in required.meeting],
            )
        field = self.field
        return (
            self.engine.program,
            self.listing.layout.pack((*self.model.initial_state, automaton.initial)) if start is None else start,
            options,
            reducer,
            [[(automaton.cubes(edge), edge.target, edge.marks) for edge in out] for out in automaton.edges],
            len(self.atoms),
            automaton.marks,
            (field.word, field.shift, field.mask),
        )

    def _reducer(
        self, automaton: Automaton, reduction: Reduction, options: _engine.EmptinessOptions
    ) -> _engine.Reducer:
        if reduction.ignoring != "static" and not is_stutter_closed(automaton):
            raise MuleError(
                "a set that depends on the automaton's state needs an automaton in stutter-closed form: "
                "use mule.ltl.stutter_closed, or the static proviso"
            )
        if reduction.visibility == "fair" and reduction.fairness == "none":
            raise ValueError("this visibility condition needs fairness")
        options.visibility = _VISIBILITY[reduction.visibility]
        options.proviso = _IGNORING[reduction.ignoring]
        options.visible = list(bit_words(self.visible, len(self.model.transitions)))
        sticky = 0
        if reduction.ignoring == "static":
            sticky = sticky_transitions(self.model, self.visible if reduction.visibility == "c2" else 0)
            options.sticky = list(bit_words(sticky, len(self.model.transitions)))
        if reduction not in self._reducers:
            relations = in_no_reduced_set(self._seeing(reduction), sticky)
            self._reducers[reduction] = self.engine.reducer(relations, reduction.algorithm)
        return self._reducers[reduction]

    def _fair_relations(self, fairness: Fairness) -> Relations:
        if fairness not in self._with_fairness:
            self._with_fairness[fairness] = with_fair_dependencies(self.relations, fairness)
        return self._with_fairness[fairness]

    def _seeing(self, reduction: Reduction) -> Relations:
        relations = self._fair_relations(reduction.fairness)
        if reduction.visibility == "c2":
            return replace(in_no_reduced_set(relations, self.visible), visible=self.visible)
        if reduction.visibility == "vi":
            return with_visible_dependent(relations, self.visible)
        parts = reduction.observed
        if parts is None or reduction.ignoring != "static":
            parts = (frozenset(range(len(self.atoms))),)
        return with_groups(relations, [self._seen_by(sorted(part)) for part in parts])


def _saved(asked: _Asked, team: Team, saving: Saving) -> _engine.EmptinessSearch:
    """From where it was written last, by however many workers."""
    options = asked[2]
    options.identity = list(saving.identity)
    options.whole_batches = True
    file = saving.file()
    if file is None:
        return _engine.make_parallel_emptiness_search(*asked, native_team(team))
    try:
        return _engine.read_parallel_emptiness_search(*asked, native_team(team), str(file))
    except RuntimeError as error:
        raise saving.refused(file, error) from None


def product_steps(native: Sequence[tuple[int, int, int]]) -> tuple[ProductStep, ...]:
    return tuple(
        ProductStep(
            None if transition == _engine.STUTTER else transition, outcome, None if edge == _engine.NO_EDGE else edge
        )
        for transition, outcome, edge in native
    )


def with_one_mark(automaton: Automaton) -> Automaton:
    """An automaton in which every infinite run accepts, with a mark on each edge."""
    edges = [[edge._replace(marks=1) for edge in out] for out in automaton.edges]
    return Automaton(automaton.atoms, edges, automaton.initial, 1, automaton.names)


def is_stutter_closed(automaton: Automaton) -> bool:
    """Does each edge lead to a state with a loop under its letters, and can an edge that repeats the letter of the one
    before be skipped, the marks of both taken along?"""
    return is_self_looped(automaton) and all(
        not first.label & second.label & ~_covered(automaton, state, second.target, first.marks | second.marks)
        for state, out in enumerate(automaton.edges)
        for first in out
        for second in automaton.edges[first.target]
    )


def _covered(automaton: Automaton, source: int, target: int, marks: int) -> int:
    """The letters of edges between two states with at least these marks."""
    letters = 0
    for edge in automaton.edges[source]:
        if edge.target == target and edge.marks & marks == marks:
            letters |= edge.label
    return letters
