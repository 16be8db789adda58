"""The one model of computation (guard-based POR, section 2): states, guards, transitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

from mule.errors import Place
from mule.model.expressions import FALSE, Binary, Constant, Expression, Read, conjunction, disjunction
from mule.model.source import Source
from mule.model.variables import Bag, Channel, Variable
from mule.records import Record


class Assign(Record, frozen=True):
    """`target := value`, wrapped into the target's type."""

    target: Read
    value: Expression


class Send(Record, frozen=True):
    """Append a message; an error of the model where the channel is full."""

    channel: Channel
    values: tuple[Expression, ...]


class Receive(Record, frozen=True):
    """Remove the oldest message into `targets` (None: dropped); an error of the model where the channel is empty."""

    channel: Channel
    targets: tuple[Read | None, ...]


Statement = Assign | Send | Receive


class Outcome(Record, frozen=True):
    """One successor of a transition: statements that run one after the other, each seeing what came before."""

    statements: tuple[Statement, ...]
    condition: Expression | None = None
    """In which states this outcome is possible; None: in all where the transition is enabled."""


def outcome_expressions(outcome: Outcome) -> Iterable[Expression]:
    """Everything that an outcome reads, the indices of its targets included."""
    if outcome.condition is not None:
        yield outcome.condition
    for statement in outcome.statements:
        yield from statement_expressions(statement)


def statement_expressions(statement: Statement) -> Iterable[Expression]:
    match statement:
        case Assign(target, value):
            yield value
            if target.index is not None:
                yield target.index
        case Send(_, messages):
            yield from messages
        case Receive(_, targets):
            for destination in targets:
                if destination is not None and destination.index is not None:
                    yield destination.index


class Guard(Record, frozen=True):
    """A predicate shared by all transitions that use it; it counts as false where its expression is undefined."""

    expression: Expression
    text: str


class Move(Record, frozen=True):
    """How one process takes part in a transition."""

    process: int
    source: int
    target: int


class Printed(Record, frozen=True):
    """A value in the output of a model: `conversion` is a letter of printf (d, u, x, o, c) or `e`, a name by value."""

    conversion: str
    value: Expression
    names: tuple[tuple[int, str], ...] = ()
    spec: str = ""
    """How Python formats it, as in `{x:03d}`."""

    def text(self, value: int) -> str:
        """The value as it is printed."""
        if self.spec:
            name = dict(self.names).get(value)
            known = {"None": None, "False": False, "True": True}
            return formatted(known.get(name, name) if name is not None else value, name or str(value), self.spec)
        match self.conversion:
            case "u":
                return str(value % 2**32)
            case "x" | "o":
                return format(value % 2**32, self.conversion)
            case "c":
                return chr(value % 2**8)
            case "e":
                return dict(self.names).get(value, str(value))
        return str(value)


def formatted(value: Any, text: str, spec: str) -> str:
    """A value as Python formats it; a value that is shown by its name, or that cannot be formatted so, by its text."""
    try:
        return format(value, spec) if isinstance(value, int | float | str) else format(text, spec)
    except ValueError:
        return text


class Message(Record, frozen=True):
    """A message that an action sends or receives, with the name of the channel that it goes through."""

    sends: bool
    channel: str
    values: tuple[Printed, ...]
    """Evaluated before the effects of the action."""
    sender: int | None = None
    """Of one that is received or lost: the process that it comes from, where the language tells."""
    receivers: tuple[int, ...] = ()
    """Of one that is sent or lost: the processes that it goes to, where the language tells."""
    stays: bool = False
    """Of one that is received: it, or a copy, is still there afterwards."""
    lost: bool = False
    """It is neither sent nor received: the network loses it."""


class Action(Record, frozen=True):
    """One of the statements that a transition is made of, as its author wrote it: what a trail shows."""

    process: int | None
    text: str
    place: Place | None
    done: int
    """How many statements of the outcome have run after it."""
    output: tuple[str | Printed, ...] = ()
    """What it prints, evaluated before its own effects."""
    message: Message | None = None
    told: tuple[str | Printed, ...] = ()
    """The text with values in it, evaluated before the effects of the action; empty: `text` says it all."""
    crash: bool = False
    """Whether the process stops for ever."""


class Kind(Enum):
    STEP = "step"
    ERROR = "error"
    """What it is enabled for must not happen: it has no outcome and ends the run. Either evaluating its last guard
    (an `Undefined`) goes wrong, or `failure` says what is wrong."""


class Transition(Record, frozen=True):
    """A conjunction of guards (evaluated in order, up to the first false one) and one or several outcomes."""

    name: str
    guards: tuple[int, ...]
    outcomes: tuple[Outcome, ...]
    moves: tuple[Move, ...] = ()
    """The processes that take part, the initiator first; empty for rules without a process."""
    text: str = ""
    """The statement as its author wrote it, on one line."""
    place: Place | None = None
    kind: Kind = Kind.STEP
    origins: tuple[int, ...] = ()
    """Where a transformation made it: the transitions of the model as written that it stands for, one after the other.
    Several of them have one outcome each; a single one has the outcomes of this transition."""
    actions: tuple[Action, ...] = ()
    """The statements it is made of, where it is more than the one that `text` shows."""
    failure: str = ""
    """Of an ERROR: what is wrong, unless it is that the last guard has no value."""
    asserts: bool = False
    """Of an ERROR: it is an assertion of the model that is violated."""
    message: tuple[str | Printed, ...] = ()
    """Of an ERROR: what the author says of it, after `failure`; values are those of the state before."""
    limit: bool = False
    """Of an ERROR: nothing is wrong but that the translation left too little room (see `Model.wider`)."""


class Process(Record, frozen=True):
    name: str
    location: Variable
    locations: tuple[str, ...]
    """The names of its control locations; the location variable holds the index."""
    accepting: frozenset[int] = frozenset()
    committed: frozenset[int] = frozenset()
    ends: frozenset[int] = frozenset()
    """Where it may stop for ever: a state without successors in which every process is at such a location is no
    deadlock. In a model in which no process has one, every state without successors is a deadlock."""
    progress: frozenset[int] = frozenset()
    absent: int | None = None
    """The location that means: there is no such process now."""
    declaration: str = ""
    """The name of what it is an instance of (a proctype), where the language has such things."""
    done: Expression | None = None
    """Where it may stop for ever, if that is not a matter of its location (`ends`)."""

    @property
    def may_stop(self) -> Expression:
        """Where nobody needs to mind that it does not move."""
        return _at_one_of(self.location, self.ends) if self.done is None else self.done


class Assertion(Record, frozen=True):
    """A predicate that the model claims to hold in every reachable state."""

    name: str
    expression: Expression
    place: Place | None = None
    invariant: bool = False
    """Whether the author calls it an invariant."""

    @property
    def word(self) -> str:
        return "invariant" if self.invariant else "assertion"


class ClaimEdge(Record, frozen=True):
    condition: Expression
    target: int


class Claim(Record, frozen=True):
    """A temporal property that the model declares: a formula that holds, or an automaton that accepts no run."""

    name: str
    place: Place | None = None
    formula: str | None = None
    """In linear temporal logic over expressions of the model's language."""
    edges: tuple[tuple[ClaimEdge, ...], ...] = ()
    """Of an automaton: those of each state."""
    initial: int = 0
    accepting: frozenset[int] = frozenset()
    """An accepted run comes to these states again and again."""

    @property
    def text(self) -> str:
        """What a report calls it."""
        return self.name if self.formula is None else f"{self.name}: {self.formula}"


@dataclass(frozen=True)
class Model:
    """A system of guarded transitions. A state is a tuple of slots; see `slot_of`."""

    name: str
    language: str
    variables: tuple[Variable, ...]
    guards: tuple[Guard, ...]
    transitions: tuple[Transition, ...]
    processes: tuple[Process, ...] = ()
    channels: tuple[Channel, ...] = ()
    bags: tuple[Bag, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    claims: tuple[Claim, ...] = ()
    property_process: int | None = None
    """The process that is an automaton to be observed, not a part of the system."""
    property_transitions: tuple[Transition, ...] = ()
    """The steps of that automaton: it takes one along with each step of the system, both seeing the same state."""
    error_state_keeps: tuple[Variable, ...] | None = None
    """Some languages count the state after an error as a state of its own: what such a state still tells apart."""
    transient: Expression | None = None
    """States inside a step that its language takes for one: they are searched, but neither counted nor judged."""
    statements: tuple[tuple[str, str, Place | None], ...] = field(default=(), compare=False, repr=False)
    """What the program is made of, where its language tells: the declaration, the text and the place of each statement;
    one that nothing can ever execute has no transition."""
    start: tuple[int, ...] | None = None
    """The state in which a search begins, where it is not the first one."""
    wider: Callable[[frozenset[str]], Model] | None = field(default=None, compare=False, repr=False)
    """The same system with more room, where a bound had to be guessed; given the failures of the transitions that are
    a `limit` and that some run came to."""
    deeper: Callable[[], Model] | None = field(default=None, compare=False, repr=False)
    """The same system with room for long runs, though not for all runs: only where `wider` would cost much. Its
    transitions stand in the order in which a depth-first search is to try them."""
    source: Source | None = field(default=None, compare=False, repr=False)
    """What it was made of, where it was read from a file or a text."""
    facts: object | None = field(default=None, compare=False, repr=False)
    """What the front end knows about the transitions beyond what they say (see `frontends/actors/facts.py`)."""
    buffers: tuple[Channel, ...] = field(default=(), compare=False, repr=False)
    """Variables that are the parts of a channel which has its own statements for them: reports show it as a channel."""
    value_names: Mapping[str, Mapping[int, str]] = field(default_factory=dict, compare=False, repr=False)
    """What the values of a type are called, by its name, where only the whole model tells (channels of Promela)."""
    told: tuple[tuple[str, Expression], ...] = field(default=(), compare=False, repr=False)
    """What the author calls the parts of a state, where they are not the variables and processes (places of a net)."""
    parse_expression: Callable[[str], Expression] | None = field(default=None, compare=False, repr=False)
    """Reads an expression written in the model's own language (for invariants and propositions)."""
    parse_number: Callable[[str | Callable[..., Any]], Expression] | None = field(
        default=None, compare=False, repr=False
    )
    """The same for numbers, where that is another thing; also for functions that are written in Python."""

    @cached_property
    def slot_of(self) -> dict[Variable, int]:
        """The first slot of each variable."""
        slots: dict[Variable, int] = {}
        position = 0
        for variable in self.variables:
            slots[variable] = position
            position += variable.size
        return slots

    @cached_property
    def slots(self) -> int:
        return sum(variable.size for variable in self.variables)

    @cached_property
    def slot_variables(self) -> tuple[tuple[Variable, int | None], ...]:
        """For each slot the variable it belongs to and the index in it (None for scalars)."""
        return tuple(
            (variable, None if variable.length is None else index)
            for variable in self.variables
            for index in range(variable.size)
        )

    @cached_property
    def initial_state(self) -> tuple[int, ...]:
        if self.start is not None:
            return self.start
        return tuple(value for variable in self.variables for value in variable.initial)

    def slot_name(self, slot: int) -> str:
        variable, index = self.slot_variables[slot]
        return variable.name if index is None else variable.element(index)

    def slot_value(self, slot: int, value: int) -> str:
        """A value as a person would write it: the name of a control location or of a constant, else the number."""
        variable, _ = self.slot_variables[slot]
        process = self._process_at.get(variable)
        if process is not None:
            return process.locations[value]
        return str(self.named(variable, value))

    def named(self, variable: Variable, value: int) -> int | str:
        """What a value of a variable is called, or the number."""
        names = self.value_names.get(variable.type.name)
        return names.get(value, value) if names else dict(variable.type.names).get(value, value)

    @cached_property
    def end_states(self) -> Expression:
        """Where it is right that nothing can move."""
        if not any(process.ends or process.done is not None for process in self.processes):
            return FALSE
        return conjunction([process.may_stop for process in self.processes])

    @cached_property
    def _process_at(self) -> dict[Variable, Process]:
        return {process.location: process for process in self.processes}


def _at_one_of(location: Variable, values: frozenset[int]) -> Expression:
    return disjunction([Binary("==", Read(location), Constant(value)) for value in sorted(values)])
