"""What the steps of a model read and write, and which variables go by the control location of one process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mule.model.domains import Place
from mule.model.expressions import Constant, Expression, Read, location_test, subexpressions
from mule.model.model import Assign, Kind, Model, Receive, Send, Statement, statement_expressions
from mule.model.variables import Role, Variable

_TRACKED = 250_000
"""How many domains may be kept apart by control location for one process; beyond that, long arrays have one domain an
element for the whole run."""
_LONG = 16
"""Arrays of more elements are long."""


class Footprint:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.slot_of = model.slot_of
        everything = (*model.transitions, *model.property_transitions)
        self.steps = [t for t in everything if t.kind is Kind.STEP]
        tests = [location_test(guard.expression) for guard in model.guards]
        self.predicates = [[model.guards[g].expression for g in t.guards if tests[g] is None] for t in self.steps]
        """For each step what it asks for besides control locations."""
        asked = [None if test is None else (self.slot_of[test[0]], test[1]) for test in tests]
        self.pins = [[place for place in map(asked.__getitem__, t.guards) if place] for t in self.steps]
        self.places = [dict(pins) for pins in self.pins]
        """For each step the control locations that it asks for."""
        self.locations = {self.slot_of[v] for v in model.variables if v.role is Role.LOCATION}
        self.control = self._controls()
        """The slots all of whose writers ask for a location of one process, each with that location variable."""
        self.dependents: dict[int, list[int]] = {}
        """The other way round: for each location variable those slots."""
        for slot, location in self.control.items():
            self.dependents.setdefault(location, []).append(slot)
        self.readers, self.starting = self._index()
        """Whom to wake: for each slot the steps that read it, for each location those that start there."""

    def _written(self, statement: Statement) -> Iterable[int]:
        match statement:
            case Assign(target, _):
                yield from self._extent(target)
            case Send(channel, _):
                yield from self._channel(channel.length, channel.fields)
            case Receive(channel, targets):
                yield from self._channel(channel.length, channel.fields)
                for destination in targets:
                    if destination is not None:
                        yield from self._extent(destination)

    def _channel(self, length: Variable, fields: tuple[Variable, ...]) -> Iterable[int]:
        yield self.slot_of[length]
        for field in fields:
            yield from range(self.slot_of[field], self.slot_of[field] + field.size)

    def _extent(self, read: Read) -> Iterable[int]:
        base = self.slot_of[read.variable]
        if isinstance(read.index, Constant):
            return (base + read.index.value,) if 0 <= read.index.value < read.variable.size else ()
        return range(base, base + read.variable.size)

    def _controls(self) -> dict[int, int]:
        common: dict[int, set[int]] = {}
        writes: dict[int, set[int]] = {}
        for transition, places in zip(self.steps, self.places, strict=True):
            written: set[int] = set()
            for outcome in transition.outcomes:
                for statement in outcome.statements:
                    if id(statement) not in writes:
                        writes[id(statement)] = set(self._written(statement))
                    written |= writes[id(statement)]
            for slot in written - self.locations:
                known = common.get(slot)
                common[slot] = set(places) if known is None else known & places.keys()
        owner = {
            self.slot_of[variable] + offset: variable.process
            for variable in self.model.variables
            for offset in range(variable.size)
        }
        home = {number: self.slot_of[process.location] for number, process in enumerate(self.model.processes)}
        control = {}
        for slot, candidates in common.items():
            if candidates:
                process = owner[slot]
                own = None if process is None else home.get(process)
                control[slot] = own if own is not None and own in candidates else min(candidates)
        return self._without_long(control)

    def _without_long(self, control: dict[int, int]) -> dict[int, int]:
        """Without the elements of long arrays, where the locations are too many to follow these through all of them."""
        values: dict[int, set[int]] = {}
        for places in self.places:
            for location, value in places.items():
                values.setdefault(location, set()).add(value)
        counts = Counter(control.values())
        crowded = {location for location, count in counts.items() if count * len(values[location]) > _TRACKED}
        if not crowded:
            return control
        variables = self.model.slot_variables
        return {
            slot: location
            for slot, location in control.items()
            if location not in crowded or variables[slot][0].size <= _LONG
        }

    def _index(self) -> tuple[dict[int, list[int]], dict[Place, list[int]]]:
        readers: dict[int, list[int]] = {}
        at: dict[Place, list[int]] = {}
        touched: dict[int, set[int]] = {}
        asked = {guard: self._read([self.model.guards[guard].expression]) for guard in self.guards()}
        for number, (transition, places) in enumerate(zip(self.steps, self.places, strict=True)):
            read = set().union(*(asked[guard] for guard in transition.guards))
            for outcome in transition.outcomes:
                if outcome.condition is not None:
                    read |= self._read([outcome.condition])
                for statement in outcome.statements:
                    key = id(statement)
                    if key not in touched:
                        touched[key] = self._read_by(statement)
                    read |= touched[key]
            for slot in read:
                if self.control.get(slot) not in places and slot not in places:
                    readers.setdefault(slot, []).append(number)
            for place in places.items():
                at.setdefault(place, []).append(number)
        return readers, at

    def _read_by(self, statement: Statement) -> set[int]:
        read = self._read(statement_expressions(statement))
        if not isinstance(statement, Assign):
            read.update(self._channel(statement.channel.length, statement.channel.fields))
        return read

    def guards(self) -> set[int]:
        return {guard for transition in self.steps for guard in transition.guards}

    def _read(self, expressions: Iterable[Expression]) -> set[int]:
        parts = (part for expression in expressions for part in subexpressions(expression))
        return {slot for part in parts if isinstance(part, Read) for slot in self._extent(part)}
