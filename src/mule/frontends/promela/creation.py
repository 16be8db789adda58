"""Which processes there can be: the process numbers at which each proctype can run.

Process numbers form a stack: a new process gets the next number, and only the one with the highest number can die. The
analysis follows the processes that create others, with the values of their own variables as far as these are constants,
and lets all other processes die whenever they could. What it finds is a superset of what can happen; where it finds no
end, the number of processes is bounded by an option.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from mule.frontends.promela import syntax
from mule.frontends.promela.descent import possible_numbers
from mule.frontends.promela.evaluation import evaluate
from mule.frontends.promela.graph import Declare, Edge, Finish, loop_heads, run_of
from mule.frontends.promela.processes import Proctype
from mule.frontends.promela.scopes import PREDEFINED, Scalar, Scope, Struct, Symbol, trees_of
from mule.records import Record, replace

STATES = 3_000
"""Abstract states to look at before giving up."""
MORE = 40
"""A program that starts more processes than this, as far as the analysis can tell, is taken for one without a bound."""

MOST_PROCESSES = 255
"""SPIN has no more: a run that needs them is an error, not a question of room."""

CROWD = 16
"""So many processes can start one another in any order, however short the reach is."""

Values = tuple[int | None, ...]


class _Process(Record, frozen=True):
    type: str
    location: int
    values: Values


class _State(Record, frozen=True):
    stack: tuple[_Process, ...]
    shared: Values
    holder: int | None
    """Who is inside an atomic step."""


class Room(Record, frozen=True):
    """For how many processes there is room where the program sets no bound."""

    processes: int
    wide: frozenset[str] | None = None
    """The proctypes that need so much; others have half of it. None: all."""
    reach: int | None = None
    """If not all runs are wanted: how much higher than its own number a process can give one (any number below
    `CROWD`)."""
    is_needed: bool = False
    """It is known that the program sets none."""

    def below(self, name: str) -> int:
        """There is room for a process of this type if its number is below this one."""
        return self.processes if self.wide is None or name in self.wide else self.processes // 2

    def exceeded_by(self, name: str) -> str:
        if self.below(name) >= MOST_PROCESSES:
            return f"more than {MOST_PROCESSES} processes at a time, the last of them {name}: SPIN has no more either"
        return f"more than {self.below(name)} processes, the last of them {name}: allow more with --processes"

    def wider(self, names: Iterable[str], exceeded: Container[str]) -> Room:
        """More room for those who need it; for all if others need as much as the first did."""
        wide = frozenset(name for name in names if self.exceeded_by(name) in exceeded)
        if self.wide is not None and not wide <= self.wide:
            return Room(self.processes, is_needed=True)
        return Room(2 * self.processes, wide or None, is_needed=True)


@dataclass(slots=True)
class Creation:
    """The answer: where each proctype can run, and for each `run` in a process the numbers it can give."""

    instances: set[tuple[int, str]] = field(default_factory=set)
    numbers: dict[tuple[int, str, int], set[int]] = field(default_factory=dict)
    """By process number, proctype and the place of the `run` in the program."""
    room: Room | None = None
    """Where no end was found."""
    too_high: dict[str, float] = field(default_factory=dict)
    """Then also: a number that no process of this proctype gets, however many there are."""

    def given(self, pid: int, type: str, run: syntax.Run) -> list[int]:
        if self.room is None:
            return sorted(self.numbers.get((pid, type, run.at), ()))
        end = self._end(self.room, pid, run.process)
        return [number for number in range(pid + 1, end) if (number, run.process) in self.instances]

    def last(self, pid: int, run: syntax.Run) -> int | None:
        """If a process has this number there is no room for the new one; None: there always is."""
        if self.room is None:
            return None
        end = self._end(self.room, pid, run.process)
        return None if self.too_high[run.process] <= end else max(end - 1, pid)

    def is_guessed(self, pid: int, run: syntax.Run) -> bool:
        """Whether there is no room only because nobody knows how much is needed."""
        return self.room is not None and self._end(self.room, pid, run.process) < MOST_PROCESSES

    def _end(self, room: Room, pid: int, name: str) -> int:
        end = room.below(name)
        return end if room.reach is None else min(max(pid + 1 + room.reach, CROWD), end)


def created_processes(types: dict[str, Proctype], active: list[str], room: Room, urgent: bool) -> Creation:
    """`urgent`: processes may interrupt each other's atomic steps."""
    found = None if room.is_needed else _Analysis(types, urgent).explore(active)
    if found is not None:
        return found
    result = Creation(set(enumerate(active)), room=room)
    for name, (lowest, too_high) in possible_numbers(types, active).items():
        result.too_high[name] = too_high
        result.instances |= {(pid, name) for pid in range(lowest, int(min(too_high, room.below(name))))}
    return result


def numbered(edge: Edge, run: syntax.Run, pid: int) -> Edge:
    """The statement once the number of the new process is known."""
    return replace(edge, action=_replaced(edge.action, run, syntax.Number(run.at, pid)))


def _replaced(node: Any, old: syntax.Tree, new: syntax.Tree) -> Any:
    if node is old:
        return new
    if isinstance(node, tuple):
        return tuple(_replaced(each, old, new) for each in node)
    if isinstance(node, syntax.Node):
        return type(node)(*(_replaced(getattr(node, name), old, new) for name in node.__struct_fields__))
    return node


def _runs(type: Proctype) -> Iterator[syntax.Run]:
    for location in type.graph.locations:
        for edge in location.edges:
            run = run_of(edge)
            if run is not None:
                yield run


class _Analysis:
    def __init__(self, types: dict[str, Proctype], urgent: bool) -> None:
        self.types = types
        self.urgent = urgent
        self.creators = {name for name, type in types.items() if any(True for _ in _runs(type))}
        self.mortal = {name: _can_end(type) for name, type in types.items()}
        self.tracked: dict[str, dict[Symbol, int]] = {}
        for name in self.creators:
            own = [s for s in types[name].scope.locals if _is_plain(s)]
            self.tracked[name] = {symbol: number for number, symbol in enumerate(own)}
        self.shared = {symbol: number for number, symbol in enumerate(self._shared())}
        self.private = {name: self._private(types[name]) for name in self.creators}
        self.rests: dict[tuple[_Process, int], list[_Process]] = {}
        self.looked = 0
        """How many states of single processes there were on the way to these."""
        edges = [edge for name in self.creators for location in types[name].graph.locations for edge in location.edges]
        self.runs = {id(edge): run_of(edge) for edge in edges}

    def _shared(self) -> list[Symbol]:
        """Shared variables that only creators assign to."""
        spoiled: set[Symbol] = set()
        wanted: dict[Symbol, None] = {}
        for name, type in self.types.items():
            for location in type.graph.locations:
                for edge in location.edges:
                    for symbol in _assigned(edge):
                        if symbol.scope.process:
                            continue
                        if name in self.creators and _is_plain(symbol):
                            wanted[symbol] = None
                        else:
                            spoiled.add(symbol)
        return [symbol for symbol in wanted if symbol not in spoiled]

    def _private(self, type: Proctype) -> set[int]:
        """Places where a process can do no more than change itself, without those where loops of such places begin."""
        locations = type.graph.locations
        private = {
            number
            for number, location in enumerate(locations)
            if not any(edge.keeps or run_of(edge) or self._is_public(edge) for edge in location.edges)
        }
        return private - loop_heads({number: [edge.target for edge in locations[number].edges] for number in private})

    def _is_public(self, edge: Edge) -> bool:
        if isinstance(edge.action, Finish):
            return True
        names = {tree.parts[0].name for tree in trees_of(edge.action) if isinstance(tree, syntax.Reference)}
        if "_nr_pr" in names:
            return True
        used = {edge.scope.lookup(name, edge.action.at) for name in names if name not in PREDEFINED}
        return any(symbol in self.shared for symbol in used)

    def explore(self, active: list[str]) -> Creation | None:
        found = Creation()
        stack = tuple(self.fresh(name, pid, ()) for pid, name in enumerate(active))
        found.instances = set(enumerate(active))
        shared = tuple(self.initial(symbol, 0) for symbol in self.shared)
        waiting = deque(self.at_rest(_State(stack, shared, None)))
        seen = {*waiting}
        while waiting:
            for step in self.steps(waiting.popleft(), found):
                for following in self.at_rest(step):
                    if self.looked + len(seen) > STATES or len(following.stack) > len(active) + MORE:
                        return None
                    if following not in seen:
                        seen.add(following)
                        waiting.append(following)
        return found

    def fresh(self, name: str, pid: int, arguments: Values) -> _Process:
        if name not in self.creators:
            return _Process(name, 0, ())
        type = self.types[name]
        leaves = [leaf for parameter in type.parameters for leaf in parameter.leaves()]
        given = {
            leaf.symbol: None if value is None else leaf.type.wrap(value)
            for leaf, value in zip(leaves, arguments, strict=False)
        }
        values = tuple(given[s] if s in given else self.initial(s, pid) for s in self.tracked[name])
        return _Process(name, type.graph.start, values)

    def initial(self, symbol: Symbol, pid: int) -> int | None:
        tree = symbol.declaration.initial
        if tree is None or not symbol.at_start:
            return None if symbol.parameter else 0
        if isinstance(tree, syntax.Tree):
            value = evaluate(tree, symbol.scope, pid, lambda _: None)
            return None if value is None else _wrapped(symbol, value)
        return None

    def steps(self, state: _State, found: Creation) -> Iterator[_State]:
        for pid, process in enumerate(state.stack):
            if state.holder not in (None, pid):
                continue
            if process.type in self.creators:
                yield from self.moves(state, pid, found)
            elif pid == len(state.stack) - 1 and self.mortal[process.type]:
                yield _State(state.stack[:-1], state.shared, None)
        if state.holder is not None and self.may_block(state, state.holder):
            yield _State(state.stack, state.shared, None)

    def at_rest(self, state: _State) -> Iterator[_State]:
        """What a state comes to where nobody does what is no business of others: the order of such steps does not
        matter, so they go first."""
        rests = (
            (process,) if pid == state.holder else self.settled(process, pid) for pid, process in enumerate(state.stack)
        )
        for stack in product(*rests):
            yield _State(stack, state.shared, state.holder)

    def settled(self, process: _Process, pid: int) -> list[_Process]:
        """Where a process can come to by steps from private places. These end, since no loop consists of them."""
        if not self.is_private(process):
            return [process]
        known = self.rests.get((process, pid))
        if known is not None:
            return known
        result = self.rests[(process, pid)] = []
        seen, waiting = {process}, [process]
        while waiting and self.looked <= STATES:
            self.looked += 1
            current = waiting.pop()
            alone = _State((current,) * (pid + 1), (None,) * len(self.shared), None)
            followings = (
                [step.stack[pid] for step in self.moves(alone, pid, Creation())] if self.is_private(current) else []
            )
            if not followings:
                result.append(current)
            waiting += (each for each in followings if each not in seen)
            seen.update(followings)
        return result

    def is_private(self, process: _Process) -> bool:
        return process.type in self.creators and process.location in self.private[process.type]

    def may_block(self, state: _State, pid: int) -> bool:
        process = state.stack[pid]
        edges = self.types[process.type].graph.locations[process.location].edges
        return self.urgent or not any(
            isinstance(edge.action, syntax.Else) or self.truth(edge, state, pid) for edge in edges
        )

    def moves(self, state: _State, pid: int, found: Creation) -> Iterator[_State]:
        process = state.stack[pid]
        certain = False
        for edge in self.types[process.type].graph.locations[process.location].edges:
            if isinstance(edge.action, syntax.Else) and certain:
                continue
            if isinstance(edge.action, Finish):
                if pid == len(state.stack) - 1:
                    yield _State(state.stack[:-1], state.shared, None)
                continue
            truth = self.truth(edge, state, pid)
            certain = certain or truth is True
            if truth is not False:
                yield self.take(edge, state, pid, found)

    def value(self, tree: syntax.Tree, scope: Scope, state: _State, pid: int) -> int | None:
        process = state.stack[pid]
        tracked = self.tracked[process.type]

        def read(symbol: Symbol) -> int | None:
            if symbol in tracked:
                return process.values[tracked[symbol]]
            return state.shared[self.shared[symbol]] if symbol in self.shared else None

        return evaluate(tree, scope, pid, read, len(state.stack))

    def passed(self, tree: syntax.Tree, scope: Scope, state: _State, pid: int) -> Values:
        """What an argument of `run` gives: a structure one value for each of its fields."""
        if isinstance(tree, syntax.Reference) and tree.parts[0].name not in PREDEFINED:
            type = scope.resolve(tree).type
            if isinstance(type, Struct):
                return (None,) * type.size
        return (self.value(tree, scope, state, pid),)

    def truth(self, edge: Edge, state: _State, pid: int) -> bool | None:
        match edge.action:
            case syntax.Condition(_, syntax.Run()):
                return True
            case syntax.Condition(_, tree):
                value = self.value(tree, edge.scope, state, pid)
                return None if value is None else value != 0
            case syntax.Send() | syntax.Receive() | syntax.Else():
                return None
        return True

    def take(self, edge: Edge, state: _State, pid: int, found: Creation) -> _State:
        process = state.stack[pid]
        values, shared = list(process.values), list(state.shared)
        run = self.runs[id(edge)]
        result = self.result(edge if run is None else numbered(edge, run, len(state.stack)), state, pid)
        for symbol in _assigned(edge):
            value = None if result is None else _wrapped(symbol, result)
            if symbol in self.tracked[process.type]:
                values[self.tracked[process.type][symbol]] = value
            elif symbol in self.shared:
                shared[self.shared[symbol]] = value
        stack = list(state.stack)
        stack[pid] = _Process(process.type, edge.target, tuple(values))
        if run is not None:
            number = len(stack)
            found.instances.add((number, run.process))
            found.numbers.setdefault((pid, process.type, run.at), set()).add(number)
            given = (value for each in run.arguments for value in self.passed(each, edge.scope, state, pid))
            stack.append(self.fresh(run.process, number, tuple(given)))
        return _State(tuple(stack), tuple(shared), pid if edge.keeps else None)

    def result(self, edge: Edge, state: _State, pid: int) -> int | None:
        """What the edge assigns, if that is one known value."""
        match edge.action:
            case syntax.Assignment(_, _, value):
                return self.value(value, edge.scope, state, pid)
            case syntax.Increment(_, target, by):
                old = self.value(target, edge.scope, state, pid)
                return None if old is None else old + by
            case Declare(_, variable):
                if variable.initial is None:
                    return 0
                if isinstance(variable.initial, syntax.Tree):
                    return self.value(variable.initial, edge.scope, state, pid)
        return None


def _is_plain(symbol: Symbol) -> bool:
    return isinstance(symbol.type, Scalar) and symbol.length is None and not symbol.type.is_channel


def _wrapped(symbol: Symbol, value: int) -> int:
    return symbol.type.type.wrap(value) if isinstance(symbol.type, Scalar) else value


def _assigned(edge: Edge) -> Iterator[Symbol]:
    match edge.action:
        case syntax.Assignment(_, target, _) | syntax.Increment(_, target, _) if target.parts[0].name != "_":
            yield edge.scope.lookup(target.parts[0].name, target.at)
        case Declare(at, variable):
            yield edge.scope.lookup(variable.name, at)
        case syntax.Receive(_, _, patterns, _, _):
            for pattern in patterns:
                if isinstance(pattern, syntax.Reference) and pattern.parts[0].name != "_":
                    yield edge.scope.lookup(pattern.parts[0].name, pattern.at)


def _can_end(type: Proctype) -> bool:
    """Whether some way through the graph leads to the end."""
    graph = type.graph
    seen, waiting = {graph.start}, [graph.start]
    while waiting:
        number = waiting.pop()
        if number == graph.end:
            return True
        for edge in graph.locations[number].edges:
            if edge.target not in seen:
                seen.add(edge.target)
                waiting.append(edge.target)
    return False
