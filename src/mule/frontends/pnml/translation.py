"""A net to a model: places become counters, or locations of a state machine; transitions stay what they are.

A place whose bound is proven has no other guard than the net has, so that whoever only brings tokens to it gets in
nobody's way. Where the bound is a guess, bringing more is an error that asks for more room (`Model.wider`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from mule.errors import MuleError
from mule.frontends.pnml.expressions import read_expression
from mule.frontends.pnml.invariants import Invariant, bounds, find_invariants
from mule.frontends.pnml.machines import Machine, find_machines
from mule.frontends.pnml.net import Firing, Net, read_net
from mule.frontends.pnml.unbounded import find_growth
from mule.model import Action, Assign, IntegerType, Kind, Model, Move, Variable
from mule.model.builder import ModelBuilder
from mule.model.expressions import FALSE, Constant, Expression, Read, conjunction
from mule.model.simplify import binary
from mule.records import replace

LAST_GUESS = 4_095
"""If more tokens come to a place that no invariant bounds, the net is taken to be unbounded."""

Guesses = dict[int, int]


@dataclass(frozen=True, slots=True)
class Counter:
    """Where the model keeps the tokens of a place: in a variable, or as a location of a process."""

    variable: str
    location: int | None = None

    def tokens(self, state: dict[str, int]) -> int:
        value = state[self.variable]
        return value if self.location is None else int(value == self.location)


@dataclass(frozen=True, slots=True)
class NetFacts:
    """The net behind a model; see `Model.facts`."""

    net: Net
    counters: tuple[Counter, ...]
    """By place."""
    guessed: frozenset[int]
    """Places whose bound is a guess: what comes to them needs room there."""


def load(text: str, file: str) -> Model:
    """Read a PNML document; `file` is what messages call it."""
    net = read_net(text, file)
    invariants = find_invariants(net)
    return translate(net, invariants, {})


def translate(net: Net, invariants: list[Invariant], guesses: Guesses) -> Model:
    """The model; `guesses` are bounds of places that no invariant bounds."""
    translation = _Translation(net, invariants, guesses)
    model = translation.model()
    if not translation.limits:
        return model

    def wider(failures: frozenset[str]) -> Model:
        growth = find_growth(net)
        if growth is not None:
            run = ", ".join(firing.node.name for firing in growth.run)
            filled = net.places[growth.place]
            message = f"the net is unbounded: there is a run in which {run} can be repeated for ever, and each time"
            raise MuleError(f"{message} more tokens gather in {filled.name}", filled.place)
        full = {translation.limits[failure]: failure for failure in failures}
        for place, failure in full.items():
            if translation.guess(place) >= LAST_GUESS:
                raise MuleError(f"{failure}: the net is probably unbounded", net.places[place].place)
        return translate(net, invariants, guesses | {place: 2 * translation.guess(place) + 1 for place in full})

    return replace(model, wider=wider)


class _Translation:
    def __init__(self, net: Net, invariants: list[Invariant], guesses: Guesses) -> None:
        self.net = net
        self.builder = ModelBuilder(net.name, "pnml")
        self.bounds = bounds(invariants)
        self.guesses = guesses
        self.limits: dict[str, int] = {}
        """Which place is too small, by the failures of the transitions that say so."""
        self.machines = find_machines(net, invariants)
        self.machine_of = {
            place: (number, location)
            for number, machine in enumerate(self.machines)
            for location, place in enumerate(machine.places)
        }
        self.taking_part: list[list[Firing]] = [[] for _ in self.machines]
        self.most_brought = [0] * len(net.places)
        for firing in net.firings:
            for machine in self._machines_in(firing):
                self.taking_part[machine].append(firing)
            for place, weight in firing.brings.items():
                self.most_brought[place] = max(weight, self.most_brought[place])
        self.counters: dict[int, Variable] = {}

    def model(self) -> Model:
        for machine, firings in zip(self.machines, self.taking_part, strict=True):
            self._process(machine, firings)
        for place, node in enumerate(self.net.places):
            if place not in self.machine_of:
                self.counters[place] = self._counter(place, node.name)
        for firing in self.net.firings:
            self._transition(firing)
        model = self.builder.build(
            parse_expression=partial(
                read_expression,
                [(node, self.tokens(place)) for place, node in enumerate(self.net.places)],
                [(firing.node, self.enabled(firing)) for firing in self.net.firings],
            )
        )
        counters = tuple(self._where(place) for place in range(len(self.net.places)))
        guessed = frozenset(range(len(self.net.places))) - self.bounds.keys()
        told = tuple((node.name, self.tokens(place)) for place, node in enumerate(self.net.places))
        return replace(model, facts=NetFacts(self.net, counters, guessed), told=told)

    def guess(self, place: int) -> int:
        """How many tokens a place has room for where no invariant tells."""
        return self.guesses.get(place, max(1, self.net.initial[place], self.most_brought[place]))

    def tokens(self, place: int) -> Expression:
        if place in self.machine_of:
            return self.builder.at(*self.machine_of[place])
        return Read(self.counters[place])

    def enabled(self, firing: Firing) -> Expression:
        return conjunction([self._at_least(place, weight) for place, weight in firing.takes.items()])

    def _process(self, machine: Machine, firings: list[Firing]) -> None:
        names = [self.net.places[place].name for place in machine.places]
        always_somewhere = machine.initial is not None and all(
            step is None or (step.source == machine.nowhere) == (step.target == machine.nowhere)
            for step in map(machine.step, firings)
        )
        if not always_somewhere:
            names.append("nowhere")
        self.builder.process(machine.name, names, machine.nowhere if machine.initial is None else machine.initial)

    def _counter(self, place: int, name: str) -> Variable:
        initial, bound = (self.net.initial[place],), self.bounds.get(place)
        at = self.net.places[place].place
        if bound is None:
            room = self.guess(place)
            return self.builder.variable(name, IntegerType(f"0..{room}", 0, room), initial, place=at)
        # the relations look at up to two firings at once, from markings of which not all are reachable
        type = IntegerType(f"0..{bound}", 0, bound + 2 * self.most_brought[place])
        return self.builder.variable(name, type, initial, place=at, bounds=(0, bound))

    def _where(self, place: int) -> Counter:
        if place in self.machine_of:
            machine, location = self.machine_of[place]
            return Counter(self.machines[machine].name, location)
        return Counter(self.net.places[place].name)

    def _at_least(self, place: int, weight: int) -> Expression:
        if place in self.machine_of:
            return self.tokens(place) if weight == 1 else FALSE
        return binary(">=", self.tokens(place), Constant(weight))

    def _transition(self, firing: Firing) -> None:
        moves = list(self._moves(firing))
        guards = [self.builder.guard(self._at_least(place, weight)) for place, weight in firing.takes.items()]
        if None in moves:
            # more than one token in a machine: that is proven never to happen
            self._add(firing, [*guards, self.builder.guard(FALSE)], [], ())
            return
        known = [move for move in moves if move is not None]
        # a token comes into a machine only where there is none
        guards += [self.builder.guard(self.builder.at(move.process, move.source)) for move in known]
        statements = [self.builder.go(move.process, move.target) for move in known if move.source != move.target]
        room = []
        for place in firing.touched:
            if place in self.machine_of:
                continue
            gain, tokens = firing.gain(place), Read(self.counters[place])
            operator = "+" if gain > 0 else "-"
            statements.append(Assign(tokens, binary(operator, tokens, Constant(abs(gain)))))
            if gain > 0 and place not in self.bounds:
                room.append((place, binary("<=", tokens, Constant(self.guess(place) - gain))))
        self._add(firing, [*guards, *(self.builder.guard(fits) for _, fits in room)], statements, tuple(known))
        for place, _ in room:
            self._limit(firing, guards, place, tuple(known))

    def _moves(self, firing: Firing) -> Iterator[Move | None]:
        """How each machine takes part; None: it cannot."""
        for machine in self._machines_in(firing):
            step = self.machines[machine].step(firing)
            yield None if step is None else Move(machine, step.source, step.target)

    def _machines_in(self, firing: Firing) -> list[int]:
        places = {*firing.takes, *firing.brings}
        return sorted({self.machine_of[place][0] for place in places if place in self.machine_of})

    def _add(self, firing: Firing, guards: list[int], statements: list[Assign], moves: tuple[Move, ...]) -> None:
        text = f"fires {firing.node.name}"
        self.builder.transition(
            firing.node.name,
            guards,
            statements,
            moves,
            text=text,
            place=firing.node.place,
            actions=(Action(None, text, None, len(statements)),),
        )

    def _limit(self, firing: Firing, guards: list[int], place: int, moves: tuple[Move, ...]) -> None:
        room, name = self.guess(place), self.net.places[place].name
        failure = f"more than {room} tokens come to {name}, and no invariant bounds them"
        self.limits[failure] = place
        full = binary(">", Read(self.counters[place]), Constant(room - firing.gain(place)))
        self.builder.transition(
            f"{firing.node.name}: no room in {name}",
            [*guards, self.builder.guard(full)],
            [],
            moves,
            text=f"fires {firing.node.name}",
            place=firing.node.place,
            kind=Kind.ERROR,
            failure=failure,
            limit=True,
        )
