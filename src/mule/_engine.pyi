"""The native engine: engine/bindings.cpp, and bindings.cpp in engine/reduction, engine/ltl and engine/graph."""

import enum
from collections.abc import Callable, Sequence
from typing import ClassVar

class Program:
    """A compiled model: the addresses of its functions, and their sizes. The caller keeps the code alive."""

    def __init__(
        self,
        words: int,
        transitions: int,
        guards: int,
        propositions: int,
        functions: int,
        max_successors: int,
        end_states: int | None,
        transient: int | None,
        expand: int,
        guard: int,
        proposition: int,
        function: int,
    ) -> None: ...
    def replace(self, expand: int, guard: int, proposition: int, function: int) -> None:
        """Other code for the same functions; searches that are under way use it from their next call on."""

class Order(enum.Enum):
    BREADTH_FIRST = 0
    DEPTH_FIRST = 1
    ASTAR = 2
    BEST_FIRST = 3
    IDASTAR = 4

class Keeping(enum.Enum):
    EXACT = 0
    COMPACT = 1
    BITSTATE = 2

class Proviso(enum.Enum):
    NONE = 0
    STACK = 1
    STACK_MINUS = 2
    DUPLICATE = 3
    DUPLICATE_MINUS = 4
    C3_PRIME = 5
    STATIC = 6
    FRAGMENTED = 7
    FRAGMENTED_ORDER = 8
    FRAGMENTED_HISTORY = 9
    CLOSED_MINUS = 10

class Limits:
    max_states: int
    max_bytes: int
    def __init__(self) -> None: ...

class Pattern:
    most_words: int
    def __init__(
        self,
        projection: Program,
        initial: list[int],
        bits: list[tuple[int, int, int, int, int]],
        max_states: int,
    ) -> None: ...
    @property
    def complete(self) -> bool: ...
    @property
    def states(self) -> int: ...
    @property
    def from_initial(self) -> int: ...
    def distance(self, state: list[int]) -> int: ...

class SearchOptions(Limits):
    order: Order
    keeping: Keeping
    bitstate_bytes: int
    spill: str
    weight: int
    patterns: list[Pattern]
    proviso: Proviso
    sticky: list[int]
    stop_at_deadlock: bool
    stop_at_assertion: bool
    stop_at_error: bool
    failing_guards_are_transitions: bool
    error_state_mask: list[int]
    sample: int
    identity: list[int]
    whole_batches: bool
    sets_aside: bool
    cuts: list[int]
    def __init__(self) -> None: ...

class Progress:
    @property
    def states(self) -> int: ...
    @property
    def transitions(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def open(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def disk(self) -> int: ...
    @property
    def estimate(self) -> int:
        """The least one so far; -1 where nothing is estimated."""

class Stepped:
    """A search that its caller drives."""

    def step(self, states: int) -> bool:
        """Go on for about so many states; False where there is nothing left to do."""
    @property
    def progress(self) -> Progress: ...
    def stop(self, reason: str) -> None:
        """End the search where it is: its result is not complete."""
    def asks(self, why_to_stop: Callable[[], str] | None) -> None:
        """Called now and then during a long step: why to stop, or an empty string."""
    @property
    def can_be_written(self) -> bool: ...
    @property
    def has_more(self) -> bool:
        """Whether there is something to go on with."""
    def write(self, path: str) -> None:
        """Between two steps, where it can be written; RuntimeError where the file cannot."""

class Team:
    most_workers: ClassVar[int]
    workers: int
    alone_until: int
    worth_sharing: int
    capacity: int
    first: int

    def __init__(self) -> None: ...

class Search(Stepped):
    def take_result(self) -> SearchResult:
        """Once, when no more steps will be made."""

class PathEnd:
    """Some last steps of a path, and where they begin."""

    @property
    def steps(self) -> list[tuple[int, int]]: ...
    @property
    def from_initial_state(self) -> bool: ...
    @property
    def part(self) -> int:
        """Where they do not begin in the initial state: who has numbered the state they begin in, an exploration or one
        of its threads."""
    @property
    def number(self) -> int: ...

class Exploration(Search):
    """A search without a stack, of all states or of those that it owns."""

    def outbox(self, owner: int) -> bytes:
        """Successors for another exploration to receive, each handed out once."""
    def receive(self, batch: bytes) -> None: ...
    @property
    def has_work(self) -> bool: ...
    @property
    def ended(self) -> bool:
        """Whether it goes no further: what is looked for is found, or it was stopped."""
    @property
    def is_full(self) -> bool:
        """Whether its memory is full, and states are set aside until it is written."""
    @property
    def error_states(self) -> bytes:
        """The states after errors that it has counted, packed."""
    def path_to(self, part: int, number: int) -> PathEnd:
        """`part`: who has numbered the state."""
    @property
    def found_path(self) -> PathEnd: ...

def make_exploration(
    program: Program,
    initial: Sequence[int],
    options: SearchOptions,
    reducer: Reducer | None,
    part: int,
    parts: int,
) -> Exploration: ...
def read_exploration(program: Program, options: SearchOptions, reducer: Reducer | None, path: str) -> Exploration:
    """What was written, to go on with the same model and options; RuntimeError where the file does not hold it."""

class Found(enum.Enum):
    NOTHING = 0
    DEADLOCK = 1
    PROPOSITION = 2
    FAILURE = 3

class SearchResult:
    @property
    def progress(self) -> Progress: ...
    @property
    def deadlocks(self) -> int: ...
    @property
    def failures(self) -> int: ...
    @property
    def assertions(self) -> int: ...
    @property
    def fired(self) -> bytes:
        """One byte a transition: 1 if it was enabled in some state of the search."""
    @property
    def error_states(self) -> int: ...
    @property
    def stopped(self) -> str:
        """Empty where the search came to its end."""
    @property
    def found(self) -> Found: ...
    @property
    def proposition(self) -> int: ...
    @property
    def sample(self) -> list[int]:
        """Packed states, one after the other."""
    @property
    def fully_expanded(self) -> int: ...
    @property
    def expanded(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    @property
    def table_full(self) -> bool: ...
    @property
    def bounded(self) -> bool: ...
    @property
    def workers(self) -> int: ...
    @property
    def expected_omissions(self) -> float: ...
    @property
    def hash_factor(self) -> float: ...
    @property
    def runs(self) -> int: ...
    @property
    def cut_runs(self) -> int: ...
    @property
    def path(self) -> list[tuple[int, int]]: ...

class Memory(enum.Enum):
    NONE = 0
    EXACT = 1
    VALID = 2

class ReducerStatistics:
    @property
    def hits(self) -> int: ...
    @property
    def misses(self) -> int: ...
    @property
    def bytes(self) -> int: ...

class Reducer:
    """Which enabled transitions to explore. Relations are rows of bits, each row padded to whole bytes."""

    def __init__(
        self,
        program: Program,
        guards_of: Sequence[Sequence[int]],
        do_not_accord: bytes,
        do_not_left_accord: bytes,
        enabling: bytes,
        disabling: bytes,
        never_coenabled: bytes,
        algorithm: str,
        weak: bool,
        nds: bool,
        control_mask: Sequence[int],
        is_control: Sequence[bool],
        bit_tests: Sequence[tuple[int, int, int, bool]],
        memory: Memory,
        processes: int,
        transitions_of: bytes,
        ample_locations: Sequence[tuple[int, Sequence[tuple[int, bool, Sequence[tuple[int, int | None]]]]]],
        ample_starts: Sequence[Sequence[int]],
        dependent_on: bytes,
        can_enable: bytes,
        net: bool,
        enabling_sets: Callable[[Sequence[int], int], Sequence[Sequence[int]]] | None,
    ) -> None: ...
    def choose(self, state: Sequence[int], enabled: Sequence[int]) -> list[int]:
        """Which of the enabled transitions (ascending, not empty) a search explores here."""
    def copy(self) -> Reducer:
        """The same question to the same tables, with a memory of its own: one for each worker."""
    @property
    def statistics(self) -> ReducerStatistics: ...

class StubbornSets:
    """A stubborn set algorithm over guard values that the caller gives."""

    def __init__(
        self,
        transitions: int,
        guards: int,
        guards_of: Sequence[Sequence[int]],
        do_not_accord: bytes,
        do_not_left_accord: bytes,
        enabling: bytes,
        disabling: bytes,
        never_coenabled: bytes,
        algorithm: str,
        weak: bool = False,
        nds: bool = True,
    ) -> None: ...
    def choose(self, enabled: Sequence[int], guard_values: Sequence[bool]) -> tuple[list[int], list[int], list[int]]:
        """All members, the enabled members and the key transitions, each ascending."""

class Condition(enum.Enum):
    NOT_EMPTY = 0
    D1 = 1
    D2 = 2

class Violation:
    @property
    def condition(self) -> Condition: ...
    @property
    def state(self) -> list[int]: ...
    @property
    def path(self) -> list[tuple[int, int]]: ...
    @property
    def transition(self) -> int: ...
    @property
    def outcome(self) -> int: ...
    @property
    def set(self) -> list[int]:
        """The enabled members of the set that is not stubborn."""

class Validation:
    @property
    def states(self) -> int: ...
    @property
    def explored(self) -> int: ...
    @property
    def cut(self) -> int: ...
    @property
    def violation(self) -> Violation | None: ...

class EmptinessAlgorithm(enum.Enum):
    NESTED_DEPTH_FIRST = 0
    COMPONENTS = 1

class Visibility(enum.Enum):
    C2 = 0
    VI = 1
    FAIR = 2

class EmptinessOptions:
    algorithm: EmptinessAlgorithm
    visibility: Visibility
    proviso: Proviso
    visible: list[int]
    sticky: list[int]
    finite_runs: bool
    limits: Limits
    identity: list[int]
    whole_batches: bool
    def __init__(self) -> None: ...
    def set_fairness(
        self,
        compassion: bool,
        requirements: int,
        raising: Sequence[Sequence[int]],
        meeting: Sequence[Sequence[int]],
    ) -> None:
        """For each transition the requirements that it raises where it is enabled, and those that it meets."""

class EmptinessResult:
    @property
    def progress(self) -> Progress: ...
    @property
    def stopped(self) -> str: ...
    @property
    def empty(self) -> bool: ...
    @property
    def failures(self) -> int: ...
    @property
    def reduced(self) -> int: ...
    @property
    def fully_expanded(self) -> int: ...
    @property
    def workers(self) -> int: ...
    @property
    def prefix(self) -> list[tuple[int, int, int]]:
        """(transition or STUTTER, outcome, edge or NO_EDGE) each."""
    @property
    def cycle(self) -> list[tuple[int, int, int]]: ...

STUTTER: int
NO_EDGE: int

class EmptinessSearch(Stepped):
    def take_result(self) -> EmptinessResult:
        """Once, when no more steps will be made."""

def make_emptiness_search(
    program: Program,
    initial: Sequence[int],
    options: EmptinessOptions,
    reducer: Reducer | None,
    edges: Sequence[Sequence[tuple[Sequence[tuple[int, int]], int, int]]],
    atoms: int,
    marks: int,
    field: tuple[int, int, int],
) -> EmptinessSearch: ...

NOBODY: int
"""Of which part the initial state's origin is."""

class ProductPartition(Stepped):
    """A part of a product, which several explorers search for an accepting cycle together."""

    def outbox(self, owner: int) -> bytes: ...
    def receive(self, batch: bytes) -> None: ...
    @property
    def has_work(self) -> bool: ...
    @property
    def ended(self) -> bool: ...
    @property
    def is_full(self) -> bool:
        """Whether it explores nothing more, for want of memory; it can still be written."""
    def counts(self) -> tuple[int, int, int]:
        """Failures, states with a reduced set, states in which the proviso gave one up."""
    def begin_exploring(self) -> None: ...
    def begin_trimming(self) -> None: ...
    def begin_reaching(self, mark: int, keep: bool) -> None: ...
    def end_reaching(self) -> int: ...
    def left(self) -> int: ...
    def first_left(self) -> int: ...
    def hop(self, number: int, mark: int) -> tuple[int, int, bool]:
        """The part and the number of the next state, and whether the edge to it has the mark."""
    def origin(self, number: int) -> tuple[int, int]:
        """The part and the number of the state that it was stored from; NOBODY for the initial one."""
    def state(self, number: int) -> list[int]: ...
    def step_to(self, number: int, to: Sequence[int], marks: int) -> tuple[int, int, int]: ...

def make_product_partition(
    program: Program,
    initial: Sequence[int],
    options: EmptinessOptions,
    reducer: Reducer | None,
    edges: Sequence[Sequence[tuple[Sequence[tuple[int, int]], int, int]]],
    atoms: int,
    marks: int,
    field: tuple[int, int, int],
    part: int,
    parts: int,
) -> ProductPartition: ...
def read_product_partition(
    program: Program,
    initial: Sequence[int],
    options: EmptinessOptions,
    reducer: Reducer | None,
    edges: Sequence[Sequence[tuple[Sequence[tuple[int, int]], int, int]]],
    atoms: int,
    marks: int,
    field: tuple[int, int, int],
    part: int,
    parts: int,
    path: str,
) -> ProductPartition:
    """What was written between two steps of exploring; RuntimeError where the file does not hold it."""

class Graph:
    """A state graph, its arrays as bytes of the machine: offsets of 64 bits, outcomes of 16, all others of 32."""

    def __init__(self, offsets: bytes, targets: bytes, transitions: bytes, outcomes: bytes, letters: bytes) -> None: ...
    @property
    def states(self) -> int: ...
    @property
    def offsets(self) -> bytes: ...
    @property
    def targets(self) -> bytes: ...
    @property
    def transitions(self) -> bytes:
        """STUTTER where nothing can move."""
    @property
    def outcomes(self) -> bytes: ...
    @property
    def letters(self) -> bytes:
        """Bit i: proposition i holds; bit 31: the state is transient."""

MOST_PROPOSITIONS: int

class GraphOptions:
    proviso: Proviso
    single: bool
    origins: list[int]
    limits: Limits
    def __init__(self) -> None: ...

class GraphResult:
    @property
    def graph(self) -> Graph: ...
    @property
    def progress(self) -> Progress: ...
    @property
    def stopped(self) -> str: ...
    @property
    def deadlocks(self) -> int: ...
    @property
    def failures(self) -> int: ...
    @property
    def assertions(self) -> int: ...
    @property
    def reduced(self) -> int: ...
    @property
    def fired(self) -> bytes: ...

class GraphConstruction(Stepped):
    def take_result(self) -> GraphResult:
        """Once, when no more steps will be made."""

def make_graph_construction(
    program: Program, initial: Sequence[int], options: GraphOptions, reducer: Reducer | None
) -> GraphConstruction: ...

class GraphEmptiness:
    @property
    def progress(self) -> Progress: ...
    @property
    def stopped(self) -> str: ...
    @property
    def empty(self) -> bool: ...
    def prefix(self, graph: Graph) -> list[tuple[int, int]]:
        """The steps to the cycle, where a run was found."""
    def cycle(self, graph: Graph) -> list[tuple[int, int]]: ...

class GraphEmptinessSearch(Stepped):
    def take_result(self) -> GraphEmptiness:
        """Once, when no more steps will be made."""

def make_graph_emptiness_search(
    graph: Graph,
    edges: Sequence[Sequence[tuple[Sequence[tuple[int, int]], int, int]]],
    initial: int,
    atoms: int,
    marks: int,
    finite_runs: bool,
    limits: Limits,
) -> GraphEmptinessSearch: ...

class StateSet:
    def __contains__(self, state: int) -> bool: ...
    def __invert__(self) -> StateSet: ...
    def __and__(self, other: StateSet) -> StateSet: ...
    def __or__(self, other: StateSet) -> StateSet: ...

class Labelling:
    """CTL's existential operators on a graph. Paths are steps and the state that they lead to."""

    def __init__(self, graph: Graph) -> None: ...
    def transient(self, state: int) -> bool: ...
    @property
    def runs(self) -> StateSet: ...
    def nothing(self) -> StateSet: ...
    def proposition(self, number: int) -> StateSet: ...
    def exists_next(self, states: StateSet) -> StateSet: ...
    def exists_until(self, before: StateSet, goal: StateSet) -> StateSet: ...
    def exists_always(self, states: StateSet) -> StateSet: ...
    def next(self, start: int, states: StateSet) -> tuple[list[tuple[int, int]], int] | None: ...
    def until(self, start: int, before: StateSet, goal: StateSet) -> tuple[list[tuple[int, int]], int] | None: ...
    def always(
        self, start: int, states: StateSet
    ) -> tuple[tuple[list[tuple[int, int]], int], tuple[list[tuple[int, int]], int]] | None: ...

def validate(program: Program, reducer: Reducer, states: Sequence[int], limit: int) -> Validation: ...
def make_search(
    program: Program, initial: Sequence[int], options: SearchOptions, reducer: Reducer | None
) -> Search: ...
def make_parallel_emptiness_search(
    program: Program,
    initial: Sequence[int],
    options: EmptinessOptions,
    reducer: Reducer | None,
    edges: Sequence[Sequence[tuple[Sequence[tuple[int, int]], int, int]]],
    atoms: int,
    marks: int,
    field: tuple[int, int, int],
    team: Team,
) -> EmptinessSearch: ...
def read_parallel_emptiness_search(
    program: Program,
    initial: Sequence[int],
    options: EmptinessOptions,
    reducer: Reducer | None,
    edges: Sequence[Sequence[tuple[Sequence[tuple[int, int]], int, int]]],
    atoms: int,
    marks: int,
    field: tuple[int, int, int],
    team: Team,
    path: str,
) -> EmptinessSearch:
    """What was written, by however many workers; RuntimeError where the file does not hold it."""

def make_parallel_exploration(
    program: Program,
    initial: Sequence[int],
    options: SearchOptions,
    reducer: Reducer | None,
    team: Team,
    part: int,
    parts: int,
) -> Exploration: ...
def read_parallel_exploration(
    program: Program,
    options: SearchOptions,
    reducer: Reducer | None,
    team: Team,
    part: int,
    parts: int,
    path: str,
) -> Exploration:
    """What a team like this one has written of this part."""

def make_parallel_search(
    program: Program, initial: Sequence[int], options: SearchOptions, reducer: Reducer | None, team: Team
) -> Search: ...
def read_parallel_search(
    program: Program, options: SearchOptions, reducer: Reducer | None, team: Team, path: str
) -> Search:
    """The same by several workers, whoever has written it; by one where some of it is on disk."""

def read_search(program: Program, options: SearchOptions, reducer: Reducer | None, path: str) -> Search:
    """What was written, to go on with the same model and options; RuntimeError where the file does not hold it."""

def make_search_in_order(
    program: Program, initial: Sequence[int], options: SearchOptions, reducer: Reducer | None, frontier: object
) -> Search:
    """The frontier has `push(number)` and `pop()`."""

def make_stateless_search(
    program: Program, initial: Sequence[int], options: SearchOptions, reducer: Reducer | None
) -> Search: ...
def make_dpor_search(
    program: Program,
    initial: Sequence[int],
    options: SearchOptions,
    guards_of: Sequence[Sequence[int]],
    do_not_accord: bytes,
    enabling: bytes,
    locations: Sequence[tuple[int, int, int]],
    alternatives: Sequence[Sequence[Sequence[int]]],
    agents_of: Sequence[Sequence[int]],
) -> Search: ...
def make_source_dpor_search(
    program: Program, initial: Sequence[int], options: SearchOptions, dependent: bytes, disabled_by: bytes
) -> Search: ...
def successors(program: Program, state: Sequence[int]) -> list[tuple[int, int, int, int, list[int]]]:
    """Each as (transition, outcome, failure, hash, words)."""

def guards(program: Program, state: Sequence[int]) -> list[bool]: ...
def functions(program: Program, state: Sequence[int]) -> list[int | None]: ...
def hash_words(state: Sequence[int], /) -> int: ...
