"""What every front end builds its model with: declarations, shared guards, transitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mule.errors import MuleError, Place
from mule.model.expressions import TRUE, Binary, Constant, Expression, Read, conjuncts
from mule.model.model import (
    Action,
    Assertion,
    Assign,
    Claim,
    Guard,
    Kind,
    Model,
    Move,
    Outcome,
    Printed,
    Process,
    Statement,
    Transition,
)
from mule.model.printer import Locations, format_expression
from mule.model.simplify import boolean
from mule.model.variables import Channel, IntegerType, Role, Shape, Variable

MAX_SLOTS = 65_536
"""A state is a vector; beyond this size a model is a mistake, and no search would get anywhere."""


class ModelBuilder:
    """Collects the parts of a model. Declare all processes before the guards: guards are named after locations."""

    def __init__(self, name: str, language: str) -> None:
        self.name = name
        self.language = language
        self.variables: list[Variable] = []
        self.channels: list[Channel] = []
        self.buffers: list[Channel] = []
        self.processes: list[Process] = []
        self.transitions: list[Transition] = []
        self.property_transitions: list[Transition] = []
        self.assertions: list[Assertion] = []
        self.claims: list[Claim] = []
        self._guards: list[Guard] = []
        self._guard_ids: dict[Expression, int] = {}
        self._guards_by_identity: dict[int, tuple[Expression, int]] = {}
        """Large expressions are slow to compare; each is kept alive, so that no other one gets its identity."""
        self._locations: Locations = {}
        self._slots = 0

    def variable(
        self,
        name: str,
        type: IntegerType,
        initial: Sequence[int] = (),
        length: int | None = None,
        process: int | None = None,
        role: Role = Role.DATA,
        place: Place | None = None,
        bounds: tuple[int, int] | None = None,
        shape: Shape = (),
    ) -> Variable:
        """Declare a scalar or an array; values that `initial` does not give are 0 (or the least of the type)."""
        size = 1 if length is None else length
        default = min(max(0, type.low), type.high)
        values = (*initial, *[default] * (size - len(initial)))
        variable = Variable(name, type, values, length, process, role, bounds, shape)
        self.add_variable(variable, place)
        return variable

    def add_variable(self, variable: Variable, place: Place | None = None) -> None:
        if self._slots + variable.size > MAX_SLOTS:
            raise MuleError(f"{variable.name} makes the state longer than {MAX_SLOTS} values", place)
        self._slots += variable.size
        self.variables.append(variable)

    def channel(
        self,
        name: str,
        capacity: int,
        types: Sequence[IntegerType],
        place: Place | None = None,
        told: bool = False,
    ) -> Channel:
        """Declare a FIFO buffer of at least one message."""
        counter = IntegerType(f"0..{capacity}", 0, capacity)
        length = self.variable(f"len({name})", counter, role=Role.CHANNEL, place=place)
        fields = []
        for number, type in enumerate(types):
            field_name = name if len(types) == 1 else f"{name}.{number}"
            fields.append(self.variable(field_name, type, (), capacity, None, Role.CHANNEL, place))
        channel = Channel(name, capacity, length, tuple(fields), told)
        self.channels.append(channel)
        return channel

    def process(
        self,
        name: str,
        locations: Sequence[str],
        initial: int = 0,
        accepting: Sequence[int] = (),
        committed: Sequence[int] = (),
        ends: Sequence[int] = (),
        progress: Sequence[int] = (),
        declaration: str = "",
        absent: int | None = None,
        done: Expression | None = None,
    ) -> int:
        """Declare a process; the answer is its index."""
        index = len(self.processes)
        type = IntegerType("location", 0, len(locations) - 1)
        location = self.variable(name, type, (initial,), process=index, role=Role.LOCATION)
        process = Process(
            name,
            location,
            tuple(locations),
            frozenset(accepting),
            frozenset(committed),
            frozenset(ends),
            frozenset(progress),
            absent,
            declaration,
            done,
        )
        self.processes.append(process)
        self._locations[location] = process
        return index

    def at(self, process: int, location: int) -> Expression:
        """The test that a process is at a location."""
        return Binary("==", Read(self.processes[process].location), Constant(location))

    def go(self, process: int, location: int) -> Assign:
        """The statement that moves a process."""
        return Assign(Read(self.processes[process].location), Constant(location))

    def guard(self, expression: Expression) -> int:
        """The number of a guard; equal expressions share one."""
        known = self._guards_by_identity.get(id(expression))
        if known is not None:
            return known[1]
        number = self._guard_ids.get(expression)
        if number is None:
            number = self._guard_ids[expression] = len(self._guards)
            self._guards.append(Guard(expression, self.text(expression)))
        self._guards_by_identity[id(expression)] = expression, number
        return number

    def guards(self, expression: Expression) -> list[int]:
        """One guard for each part of a conjunction, in order; parts that are always true need none."""
        return [self.guard(part) for part in map(boolean, conjuncts(expression)) if part != TRUE]

    def text(self, expression: Expression) -> str:
        return format_expression(expression, self._locations)

    def transition(
        self,
        name: str,
        guards: Sequence[int],
        statements: Sequence[Statement],
        moves: Sequence[Move] = (),
        text: str = "",
        place: Place | None = None,
        observes: bool = False,
        kind: Kind = Kind.STEP,
        failure: str = "",
        asserts: bool = False,
        message: Sequence[str | Printed] = (),
        limit: bool = False,
        actions: Sequence[Action] = (),
    ) -> None:
        """Add a transition with one outcome (an ERROR has none); a guard that appears twice is kept at its first place.

        With `observes` it is a step of the property process."""
        transition = Transition(
            name,
            tuple(dict.fromkeys(guards)),
            (Outcome(tuple(statements)),) if kind is Kind.STEP else (),
            tuple(moves),
            text,
            place,
            kind,
            actions=tuple(actions),
            failure=failure,
            asserts=asserts,
            message=tuple(message),
            limit=limit,
        )
        (self.property_transitions if observes else self.transitions).append(transition)

    def build(
        self,
        property_process: int | None = None,
        parse_expression: Callable[[str], Expression] | None = None,
        parse_number: Callable[[str | Callable[..., Any]], Expression] | None = None,
        transient: Expression | None = None,
        statements: Iterable[tuple[str, str, Place | None]] = (),
        value_names: Mapping[str, Mapping[int, str]] | None = None,
    ) -> Model:
        return Model(
            name=self.name,
            language=self.language,
            variables=tuple(self.variables),
            guards=tuple(self._guards),
            transitions=tuple(self.transitions),
            processes=tuple(self.processes),
            channels=tuple(self.channels),
            buffers=tuple(self.buffers),
            assertions=tuple(self.assertions),
            claims=tuple(self.claims),
            property_process=property_process,
            property_transitions=tuple(self.property_transitions),
            transient=transient,
            statements=tuple(statements),
            parse_expression=parse_expression,
            parse_number=parse_number,
            value_names=value_names or {},
        )
