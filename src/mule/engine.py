"""The thin, typed face of the native engine."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol, TypeVar

from mule import _engine
from mule.budget import start
from mule.checkpoints import Saving
from mule.codegen import CompiledModel, MachineCode
from mule.driving import Driven, Limits, Progress, ProgressCallback, drive, set_limits, to_progress
from mule.model import Role
from mule.model.expressions import Binary, Constant, Expression, Read, subexpressions
from mule.records import Record, replace
from mule.relations import Relations
from mule.relations.agents import find_agents
from mule.relations.ample import NO_LABELS, AmpleLabels, label_locations
from mule.relations.dependence import dependent, may_disable
from mule.relations.lpor import NO_LOCAL_RELATIONS, EnablingSets, LocalRelations, derive_local


class Order(Enum):
    BREADTH_FIRST = "bfs"
    DEPTH_FIRST = "dfs"
    ASTAR = "astar"
    BEST_FIRST = "best-first"
    IDASTAR = "idastar"


class Keeping(Enum):
    EXACT = "exact"
    COMPACT = "compact"
    BITSTATE = "bitstate"


class Proviso(Enum):
    NONE = "none"
    STACK = "stack"
    STACK_MINUS = "stack-"
    DUPLICATE = "duplicate"
    DUPLICATE_MINUS = "duplicate-"
    STATIC = "static"
    FRAGMENTED = "fragmented"
    FRAGMENTED_ORDER = "fragmented-order"
    FRAGMENTED_HISTORY = "fragmented-history"
    CLOSED_MINUS = "closed-"


class Frontier(Protocol):
    """What comes next: each state of a search is pushed once and popped once, by its number."""

    def push(self, number: int) -> None: ...
    def pop(self) -> int: ...


class Found(Enum):
    NOTHING = "nothing"
    DEADLOCK = "deadlock"
    PROPOSITION = "proposition"
    FAILURE = "failure"


class Team(Record, frozen=True):
    """Several workers on one table, breadth first."""

    workers: int
    alone_until: int = 0
    """The first worker is alone until so many states are stored."""
    worth_sharing: int = 500
    """And where a level has fewer states left."""
    capacity: int = 1 << 12
    """Cells of the table, at first."""
    first: int = 0
    """Where teams share the states: the number of the first worker among those of all teams."""


class SearchOptions(Limits, frozen=True, kw_only=True):
    order: Order = Order.BREADTH_FIRST
    keeping: Keeping = Keeping.EXACT
    """How a breadth-first search keeps what it has met."""
    bitstate_bytes: int = 0
    """The size of the array of bits, where bits are kept."""
    spill: str = ""
    """The directory in which a breadth-first search goes on when `max_bytes` are reached; empty: it stops there."""
    weight: int = 1
    """How often an estimate counts in A*."""
    patterns: tuple[_engine.Pattern, ...] = ()
    """Distances in projections of the model, for what guides a search."""
    proviso: Proviso = Proviso.NONE
    sticky: tuple[int, ...] = ()
    """Words with one bit per transition: those that are in no reduced set, for the static proviso."""
    stop_at_deadlock: bool = False
    stop_at_assertion: bool = False
    stop_at_error: bool = False
    failing_guards_are_transitions: bool = False
    sample: int = 0
    team: Team | None = None
    """Who searches; None: one worker, in any order."""
    identity: tuple[int, ...] = ()
    """What tells the search from all others, where it is written to a file."""
    whole_batches: bool = False
    """Look at the limit on states only where the search can be written."""
    sets_aside: bool = False
    """Do not stop where the memory is full, but set states aside: of an exploration whose caller writes it then."""
    cuts: tuple[int, ...] = ()
    """For each transition whether runs are cut in states in which it is enabled; empty: none are."""


class SearchResult(Record, frozen=True):
    progress: Progress
    deadlocks: int
    failures: int
    """Steps that the model gives no meaning."""
    assertions: int
    """Steps that violate an assertion."""
    stopped: str | None
    """Why it is not complete; "omissions": it came to its end, but may have taken new states for known ones."""
    found: Found
    proposition: int
    path: tuple[tuple[int, int], ...]
    """(transition, outcome) pairs from the initial state to what was found."""
    sample: tuple[tuple[int, ...], ...]
    fully_expanded: int
    error_states: int
    """States after an error of the model, where the language counts them."""
    fired: bytes
    """For each transition 1 if it was enabled in some state of the search, else 0."""
    runs: int = 0
    """How many runs a search without a state store followed to their end."""
    cut_runs: int = 0
    """How many of its runs sleep sets cut short."""
    expanded: int = 0
    """How many states were expanded, by a search that an estimate may guide; one that was reopened counts again."""
    rounds: int = 0
    """IDA*: how many bounds it has searched below."""
    table_full: bool = False
    """IDA*: some states were not stored."""
    workers: int = 1
    """How many took part."""
    bounded: bool = False
    """A*, IDA*: the path is as short as its estimate says that one can be."""
    expected_omissions: float = 0.0
    """How many new states a store that may leave some out has probably taken for known ones."""
    hash_factor: float = 0.0
    """Bitstate hashing: bits of the array for each state."""
    device: str | None = None
    """The GPU that has searched, if one has."""


Outcome = TypeVar("Outcome", covariant=True)


class Aside(Protocol[Outcome]):
    """A second search, while one that has gone on for long waits."""

    due: int
    """After so many states of the first one."""

    def __call__(self, so_far: Progress) -> Outcome | None:
        """What it found, if it did; otherwise it may be due again, later."""


@dataclass(frozen=True)
class Algorithm:
    """How ample or stubborn sets are computed."""

    name: str
    weak: bool = False
    nds: bool = True
    remember: str = "exact"
    net: bool = True
    """LPOR: use what is necessary for a disabled transition to be enabled."""


class Engine:
    """One compiled model, ready to be searched."""

    def __init__(self, compiled: CompiledModel) -> None:
        self.compiled = compiled
        self.optimising = True
        """Whether a search that goes on has better code made. Where the search is given up, who uses LLVM next would
        have to wait for that."""
        self._optimiser: threading.Thread | None = None
        model, code = compiled.model, compiled.code
        self.program = _engine.Program(
            words=compiled.layout.words,
            transitions=len(model.transitions),
            guards=len(model.guards),
            propositions=compiled.propositions,
            functions=compiled.functions,
            max_successors=compiled.max_successors,
            end_states=compiled.end_states,
            transient=compiled.transient,
            **_addresses(code),
        )

    def evaluate(self, state: Sequence[int]) -> list[int | None]:
        """The values of the integer functions in a state; None where one is undefined."""
        return _engine.functions(self.program, self.compiled.layout.pack(state))

    def reducer(
        self,
        relations: Relations,
        algorithm: Algorithm,
        local: LocalRelations | None = None,
        enabling_sets: EnablingSets | None = None,
    ) -> _engine.Reducer:
        """`local` and `enabling_sets` replace what LPOR would derive from the relations."""
        model = self.compiled.model
        labels = label_locations(relations) if algorithm.name == "ample" else NO_LABELS
        if algorithm.name != "lpor":
            local = NO_LOCAL_RELATIONS
        elif local is None:
            local = derive_local(relations)
        return _engine.Reducer(
            self.program,
            guards_of=[list(transition.guards) for transition in model.transitions],
            do_not_accord=rows_of(relations.do_not_accord, len(model.transitions)),
            do_not_left_accord=rows_of(relations.do_not_left_accord, len(model.transitions)) if algorithm.weak else b"",
            enabling=rows_of(relations.enabling, len(model.transitions)),
            disabling=rows_of(relations.disabling, len(model.transitions)),
            never_coenabled=rows_of(relations.never_coenabled, len(model.guards)),
            algorithm=algorithm.name,
            weak=algorithm.weak,
            nds=algorithm.nds,
            control_mask=self.compiled.layout.mask(v for v in model.variables if v.role is Role.LOCATION),
            is_control=[tests_only_locations(guard.expression) for guard in model.guards],
            bit_tests=[self._bit_test(guard.expression) for guard in model.guards],
            memory=_engine.Memory[algorithm.remember.upper()],
            processes=len(labels.transitions_of),
            transitions_of=rows_of(labels.transitions_of, len(model.transitions)),
            ample_locations=_plain(labels),
            ample_starts=labels.starts,
            dependent_on=rows_of(local.dependent_on, len(model.transitions)),
            can_enable=rows_of(local.can_enable, len(model.transitions)),
            net=algorithm.net,
            enabling_sets=enabling_sets,
        )

    def _bit_test(self, expression: Expression) -> tuple[int, int, int, bool]:
        """A guard `place == constant` (or !=) as (word, mask, value, negated); a mask of 0: it is no such guard."""
        match expression:
            case Binary("==" | "!=" as operator, Read(variable, None | Constant() as index), Constant(value)):
                field = self.compiled.layout.fields[variable]
                position = 0 if index is None else index.value
                if 0 <= position < variable.size and 0 <= value - field.low <= field.mask and field.width:
                    word, shift = field.place(position)
                    return word, field.mask << shift, (value - field.low) << shift, operator == "!="
        return 0, 0, 0, False

    def search(
        self,
        options: SearchOptions,
        reducer: _engine.Reducer | None = None,
        progress: ProgressCallback | None = None,
        aside: Aside[SearchResult] | None = None,
        saving: Saving | None = None,
    ) -> SearchResult:
        if saving is not None:
            return self._search_saved(options, reducer, progress, saving)
        return self._run(self._begun(self._with_error_states(options), options.team, reducer), options, progress, aside)

    def _begun(
        self, native: _engine.SearchOptions, team: Team | None, reducer: _engine.Reducer | None
    ) -> _engine.Search:
        if team is None:
            return _engine.make_search(self.program, self._initial, native, reducer)
        return _engine.make_parallel_search(self.program, self._initial, native, reducer, native_team(team))

    def _read(
        self, native: _engine.SearchOptions, team: Team | None, reducer: _engine.Reducer | None, file: Path
    ) -> _engine.Search:
        if team is None:
            return _engine.read_search(self.program, native, reducer, str(file))
        return _engine.read_parallel_search(self.program, native, reducer, native_team(team), str(file))

    def _search_saved(
        self,
        options: SearchOptions,
        reducer: _engine.Reducer | None,
        progress: ProgressCallback | None,
        saving: Saving,
    ) -> SearchResult:
        """From where it was written last, by however many workers."""
        native = self._with_error_states(replace(options, identity=saving.identity, whole_batches=True))
        file = saving.file()
        if file is None:
            search = self._begun(native, options.team, reducer)
        else:
            try:
                search = self._read(native, options.team, reducer, file)
            except RuntimeError as error:
                raise saving.refused(file, error) from None
        driven = self.drive(search, options, progress, saving=saving)
        return self.result_of(search, driven.seconds)

    def exploration(
        self,
        options: SearchOptions,
        reducer: _engine.Reducer | None = None,
        part: int = 0,
        parts: int = 1,
        team: Team | None = None,
    ) -> _engine.Exploration:
        """A breadth-first search for the caller to step, to write and to share: of the states that `part` owns. `team`:
        of several threads, numbered among those of all parts; it is not that of the options, which search alone."""
        native = self._with_error_states(options)
        if team is None:
            return _engine.make_exploration(self.program, self._initial, native, reducer, part, parts)
        threads = native_team(team)
        return _engine.make_parallel_exploration(self.program, self._initial, native, reducer, threads, part, parts)

    def read_exploration(
        self,
        options: SearchOptions,
        path: Path,
        reducer: _engine.Reducer | None = None,
        part: int = 0,
        parts: int = 1,
        team: Team | None = None,
    ) -> _engine.Exploration:
        """What was written by an exploration of the same part of the same model with the same options."""
        native = self._with_error_states(options)
        if team is None:
            return _engine.read_exploration(self.program, native, reducer, str(path))
        threads = native_team(team)
        return _engine.read_parallel_exploration(self.program, native, reducer, threads, part, parts, str(path))

    def _with_error_states(self, options: SearchOptions) -> _engine.SearchOptions:
        native = _native_options(options)
        native.error_state_mask = self.compiled.error_mask or []
        return native

    def search_in_order(
        self,
        options: SearchOptions,
        frontier: Frontier,
        reducer: _engine.Reducer | None = None,
        progress: ProgressCallback | None = None,
    ) -> SearchResult:
        """In the order that an object of the caller's gives; far slower than the engine's own orders."""
        native = _native_options(options)
        search = _engine.make_search_in_order(self.program, self._initial, native, reducer, frontier)
        return self._run(search, options, progress)

    def search_stateless(
        self,
        options: SearchOptions,
        reducer: _engine.Reducer | None = None,
        progress: ProgressCallback | None = None,
    ) -> SearchResult:
        """Every run to its end, no state stored; states count as often as they are visited."""
        search = _engine.make_stateless_search(self.program, self._initial, _native_options(options), reducer)
        return self._run(search, options, progress)

    def search_dpor(
        self,
        options: SearchOptions,
        relations: Relations,
        ignored: int,
        progress: ProgressCallback | None = None,
    ) -> SearchResult:
        """Dynamic partial-order reduction; `ignored` transitions do not count as steps."""
        model = self.compiled.model
        agents = find_agents(relations, ignored)
        locations, alternatives = [], []
        for location, known in zip(agents.locations, agents.alternatives, strict=True):
            if location is None:
                locations.append((0, 0, 0))
                alternatives.append([known[0]])
                continue
            field = self.compiled.layout.fields[location]
            locations.append((*field.place(0), field.mask))
            alternatives.append([known.get(value + field.low, []) for value in range(field.mask + 1)])
        search = _engine.make_dpor_search(
            self.program,
            self._initial,
            _native_options(options),
            guards_of=[list(transition.guards) for transition in model.transitions],
            do_not_accord=rows_of(relations.do_not_accord, len(model.transitions)),
            enabling=rows_of(relations.enabling, len(model.transitions)),
            locations=locations,
            alternatives=alternatives,
            agents_of=agents.of,
        )
        return self._run(search, options, progress)

    def search_source_dpor(
        self, options: SearchOptions, relations: Relations, progress: ProgressCallback | None = None
    ) -> SearchResult:
        """Dynamic partial-order reduction with source sets and sleep sets."""
        count = len(self.compiled.model.transitions)
        search = _engine.make_source_dpor_search(
            self.program,
            self._initial,
            _native_options(options),
            dependent=rows_of(dependent(relations), count),
            disabled_by=rows_of(may_disable(relations), count),
        )
        return self._run(search, options, progress)

    @property
    def _initial(self) -> list[int]:
        return self.compiled.layout.pack(self.compiled.model.initial_state)

    def _run(
        self,
        search: _engine.Search,
        options: SearchOptions,
        progress: ProgressCallback | None,
        aside: Aside[SearchResult] | None = None,
    ) -> SearchResult:
        started = time.perf_counter()
        if aside is None:
            self.drive(search, options, progress)
        elif (found := self.drive_looking_aside(search, options, progress, aside)) is not None:
            return found
        return self.result_of(search, time.perf_counter() - started)

    def result_of(self, search: _engine.Search, seconds: float) -> SearchResult:
        """What a search has found; once, when no more steps will be made."""
        native = search.take_result()
        return SearchResult(
            progress=to_progress(native.progress, seconds),
            deadlocks=native.deadlocks,
            failures=native.failures,
            assertions=native.assertions,
            stopped=_why_incomplete(native),
            found=Found[native.found.name],
            proposition=native.proposition,
            path=tuple(native.path),
            sample=self._unflatten(native.sample),
            fully_expanded=native.fully_expanded,
            error_states=native.error_states,
            fired=native.fired,
            runs=native.runs,
            cut_runs=native.cut_runs,
            expanded=native.expanded,
            rounds=native.rounds,
            table_full=native.table_full,
            bounded=native.bounded,
            workers=native.workers,
            expected_omissions=native.expected_omissions,
            hash_factor=native.hash_factor,
        )

    def drive(
        self,
        search: _engine.Stepped,
        limits: Limits,
        progress: ProgressCallback | None,
        pause: int | None = None,
        saving: Saving | None = None,
        since: float | None = None,
    ) -> Driven:
        """As `mule.driving.drive`; a search that goes on for a while is given better code."""
        if self.compiled.code.optimised:
            return drive(search, limits, progress, pause, saving, since)

        def watched(so_far: Progress) -> bool:
            self.optimise_in_background()
            return progress is None or progress(so_far)

        return drive(search, limits, watched, pause, saving, since)

    def drive_looking_aside(
        self, search: _engine.Stepped, limits: Limits, progress: ProgressCallback | None, aside: Aside[Outcome]
    ) -> Outcome | None:
        """To its end; or until something is found aside, which is returned."""
        started = time.perf_counter()
        expanded = 0
        while True:
            pause = aside.due - expanded
            if not self.drive(search, limits, progress, pause, since=started).goes_on:
                return None
            expanded += pause
            found = aside(to_progress(search.progress, time.perf_counter() - started))
            if found is not None:
                return found

    def optimise_in_background(self) -> None:
        """Called once a search has run for a moment: from then on better code pays."""
        if self.optimising and self._optimiser is None and not self.compiled.code.optimised:
            self._optimiser = threading.Thread(target=self._optimise_if_there_is_room, name="mule-optimiser")
            with suppress(MemoryError):
                start(self._optimiser)

    def _optimise_if_there_is_room(self) -> None:
        with suppress(MemoryError):
            self.optimise()

    def optimise(self) -> None:
        """The best code that there is, now."""
        code = self.compiled.code
        code.optimise()
        self.program.replace(**_addresses(code))

    def _unflatten(self, words: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        width = self.compiled.layout.words
        return tuple(tuple(words[i : i + width]) for i in range(0, len(words), width))


def _why_incomplete(native: _engine.SearchResult) -> str | None:
    """A search that may have left states out has not shown that there is nothing to find."""
    complete = not native.stopped and native.found is _engine.Found.NOTHING
    return "omissions" if complete and native.expected_omissions else native.stopped or None


def _addresses(code: MachineCode) -> dict[str, int]:
    return {name: code.address(name) for name in ("expand", "guard", "proposition", "function")}


def tests_only_locations(expression: Expression) -> bool:
    return all(part.variable.role is Role.LOCATION for part in subexpressions(expression) if isinstance(part, Read))


def bit_words(bits: int, count: int) -> tuple[int, ...]:
    """A set of numbers below `count` as words of 64 bits."""
    return tuple(bits >> 64 * word & (1 << 64) - 1 for word in range(max((count + 63) // 64, 1)))


def rows_of(bitsets: Sequence[int], columns: int) -> bytes:
    size = (columns + 7) // 8
    return b"".join(bitset.to_bytes(size, "little") for bitset in bitsets)


def _plain(labels: AmpleLabels) -> list[tuple[int, list[tuple[int, bool, list[tuple[int, int | None]]]]]]:
    return [
        (
            location.process,
            [
                (each.transition, each.may_be_enabled, [(block.guard, block.given) for block in each.blocks])
                for each in location.conditions
            ],
        )
        for location in labels.locations
    ]


def native_team(team: Team) -> _engine.Team:
    native = _engine.Team()
    native.workers = team.workers
    native.alone_until = team.alone_until
    native.worth_sharing = team.worth_sharing
    native.capacity = team.capacity
    native.first = team.first
    return native


def _native_options(options: SearchOptions) -> _engine.SearchOptions:
    native = _engine.SearchOptions()
    set_limits(native, options)
    native.order = _engine.Order[options.order.name]
    native.keeping = _engine.Keeping[options.keeping.name]
    native.bitstate_bytes = options.bitstate_bytes
    native.spill = options.spill
    native.weight = options.weight
    native.patterns = list(options.patterns)
    native.proviso = _engine.Proviso[options.proviso.name]
    native.sticky = list(options.sticky)
    native.stop_at_deadlock = options.stop_at_deadlock
    native.stop_at_assertion = options.stop_at_assertion
    native.stop_at_error = options.stop_at_error
    native.failing_guards_are_transitions = options.failing_guards_are_transitions
    native.sample = options.sample
    native.identity = list(options.identity)
    native.whole_batches = options.whole_batches
    native.sets_aside = options.sets_aside
    native.cuts = list(options.cuts)
    return native
