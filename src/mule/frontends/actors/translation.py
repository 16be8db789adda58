"""A system of processes as guarded transitions: one for each path through a handler and each way to receive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations, product
from math import comb, prod
from types import FunctionType
from typing import Any

from mule.errors import MuleError, Place
from mule.frontends.actors.execution import Execution, Observer, TooNarrow, flows_of
from mule.frontends.actors.facts import ActorFacts, TransitionFacts
from mule.frontends.actors.faults import Byzantine
from mule.frontends.actors.frames import NotHere
from mule.frontends.actors.layout import Layout
from mule.frontends.actors.mailboxes import FIRST_CAPACITY, Lane, Mailbox, Queue
from mule.frontends.actors.messages import Message
from mule.frontends.actors.paths import Infeasible, Path, TooManyPaths, explore
from mule.frontends.actors.post import Place as Postal
from mule.frontends.actors.post import Post
from mule.frontends.actors.predicates import Predicates
from mule.frontends.actors.processes import Process, Trigger, triggers
from mule.frontends.actors.quorums import NoQuorum, quorum_of
from mule.frontends.actors.shapes import value_in
from mule.frontends.actors.sources import Sources, place_of
from mule.frontends.actors.statements import Evaluator
from mule.frontends.actors.system import System
from mule.frontends.actors.tallies import MOST_WAYS, Offer, Room, Tally, TooMany, Values, foreseen, more_than, wider
from mule.frontends.actors.trails import Teller
from mule.frontends.actors.values import Failing, Method, Record
from mule.model import INT, Assertion, Assign, Claim, Kind, Model, Move, Printed, Receive, Role, Statement
from mule.model.builder import ModelBuilder
from mule.model.expressions import TRUE, Binary, Constant, Expression, Read
from mule.model.simplify import binary
from mule.records import replace

MOST_LIES = 4_096
"""Messages of one class that a Byzantine process can send: each is a transition."""

MOST_TAKEN = 25_000
"""Messages that all handlers together take, in all the ways in which they can: so many take some seconds."""

LAST_CAPACITY = 64
"""If more messages of one type are on their way between two processes, the protocol floods the network."""

RUNNING, CRASHED = 0, 1

Rooms = dict[type[Message], Room]
Taken = tuple[int | Values, ...]


def translate(system: System, rooms: Rooms | None = None) -> Model:
    """The model. It has room for one message of each type between two processes, or for as many as `rooms` tell;
    `wider` makes room for more where that turns out to be too small."""
    known = rooms or {}
    translation = _Translation(system, known)
    try:
        model = translation.model()
    except TooMany as many:
        return translate(system, known | {message: Room(more_than(FIRST_CAPACITY)) for message in many.messages})

    def with_more(failures: frozenset[str]) -> Model:
        found = {}
        for message, unforeseen in sorted({translation.limits[each] for each in failures}, key=str):
            foresee = partial(foreseen, model, translation.offers, translation.post.boxes(), message)
            found[message] = wider(known.get(message, Room()), foresee, unforeseen)
        return translate(system, known | found)

    has_limits = any(transition.limit for transition in model.transitions)
    if has_limits and all(room.capacity < LAST_CAPACITY for room in known.values()):
        return replace(model, wider=with_more)
    return model


class _Translation:
    def __init__(self, system: System, rooms: Rooms) -> None:
        self.system = system
        self.builder = ModelBuilder(system.name, "actors")
        self.facts: list[TransitionFacts] = []
        self.sources = Sources()
        self.files = frozenset(
            member.__code__.co_filename
            for process in system.processes
            for base in type(process).__mro__
            if base not in (Process, Byzantine, object)
            for member in base.__dict__.values()
            if isinstance(member, FunctionType)
        ) | frozenset(
            function.__code__.co_filename
            for function in (*system.invariants.values(), *system.propositions.values())
            if isinstance(function, FunctionType)
        )
        self.crashing = [
            number
            for number, process in enumerate(system.processes)
            if any(process is each for fault in system.faults for each in fault.processes)
        ]
        for number, process in enumerate(system.processes):
            locations = ("running", "crashed") if number in self.crashing else ("running",)
            self.builder.process(process.name, locations, declaration=type(process).__name__)
        self.layout = Layout(system, self.builder, self.sources)
        self.post = Post(self.builder, system.processes, rooms)
        self.counted = [message for message, room in rooms.items() if room.foreseen is not None]
        self.offers: list[Offer] = []
        self.limits: dict[str, tuple[type[Message], bool]] = {}
        """By failure: which type of message needs more room, and whether it is for a value that was not foreseen."""
        self.predicates = Predicates(system, Observer(self.layout, self.files))
        self.teller = Teller(system)
        self._scratch: dict[tuple[int, int], Read] = {}
        self._names: dict[str, int] = {}
        self._narrow: set[tuple[str | int, ...]] = set()
        """Where it is already said that there is no room."""
        self._translated: set[tuple[type[Process], str]] = set()
        """Handlers and steps that have a transition."""

    def model(self) -> Model:
        self._transitions()
        self._losses()
        self._crashes()
        self._ends()
        for name, function in self.system.invariants.items():
            place = Place(function.__code__.co_filename, function.__code__.co_firstlineno)
            self.builder.assertions.append(Assertion(name, self.predicates.of_function(function), place, True))
        for name, formula in self.system.ltl.items():
            self.builder.claims.append(Claim(name, formula=formula))
        model = self.builder.build(
            parse_expression=self.predicates.of_text,
            parse_number=self.predicates.number,
            statements=self._never_run(),
        )
        return replace(model, facts=ActorFacts(tuple(self.facts)), bags=self.post.bags())

    # handlers and steps -----------------------------------------------------------------------------------------------

    def _transitions(self) -> None:
        """Steps first; then handlers, again and again, as it is found what is sent and on which lanes."""
        for number, process in enumerate(self.system.processes):
            for name, method, trigger in triggers(type(process)):
                if trigger.message is None:
                    self._paths(number, name, method, trigger, (), (), ())
            if isinstance(process, Byzantine):
                self._byzantine(number, process)
        done: set[tuple[int, str, tuple[Lane, ...], Taken]] = set()
        before, messages = -1, 0
        while before != len(done):
            before = len(done)
            for number, process in enumerate(self.system.processes):
                for name, method, trigger in triggers(type(process)):
                    if trigger.message is None:
                        continue
                    for lanes, taken in self._ways_to_receive(number, method, trigger):
                        if (number, name, lanes, taken) not in done:
                            done.add((number, name, lanes, taken))
                            messages += len(lanes)
                            if messages > MOST_TAKEN:
                                raise self._too_many(method, "too many ways for handlers to take messages")
                            for keeps in self._ways_to_keep(lanes):
                                self._paths(number, name, method, trigger, lanes, taken, keeps)

    def _never_run(self) -> Iterator[tuple[str, str, Place | None]]:
        """Handlers and steps that no process has a transition for, so that reports can list them."""
        for kind in dict.fromkeys(map(type, self.system.processes)):
            for name, method, trigger in triggers(kind):
                if (kind, name) not in self._translated:
                    why = "" if trigger.message is None else self._why_never(kind, method, trigger)
                    yield kind.__name__, f"{name}{why}", self._place(method)

    def _why_never(self, kind: type[Process], method: Callable[..., Any], trigger: Trigger) -> str:
        numbers = [number for number, process in enumerate(self.system.processes) if type(process) is kind]
        assert trigger.message is not None
        message = trigger.message.__name__
        most = max(len(self._lanes(number, trigger)) for number in numbers)
        if most == 0:
            return f" (nobody sends {message})"
        least = min(self._quorum(number, method, trigger) for number in numbers)
        return f" (a quorum of {least}, and at most {most} send {message})" if least > most else ""

    def _ways_to_receive(
        self, number: int, method: Callable[..., Any], trigger: Trigger
    ) -> list[tuple[tuple[Lane, ...], Taken]]:
        """On which lanes, and which messages there."""
        ways = [
            (lanes, taken)
            for lanes in self._lanes_to_receive(number, method, trigger)
            for taken in product(*(self._choices(lane) for lane in lanes))
        ]
        if len(ways) > MOST_WAYS and trigger.message in self.counted:
            raise TooMany([trigger.message])
        return ways

    def _lanes_to_receive(self, number: int, method: Callable[..., Any], trigger: Trigger) -> list[tuple[Lane, ...]]:
        lanes = self._lanes(number, trigger)
        size = self._quorum(number, method, trigger)
        if size > len(lanes):
            return []
        ways = comb(len(lanes), size)
        if ways * size > MOST_TAKEN:
            raise self._too_many(method, f"{ways:,} sets of {size} senders that a handler can take messages from")
        return list(combinations(lanes, size))

    def _too_many(self, method: Callable[..., Any], what: str) -> MuleError:
        return MuleError(f"there are {what}: take fewer processes, or a smaller quorum", self._place(method))

    def _lanes(self, number: int, trigger: Trigger) -> list[Lane]:
        lanes = [lane for lane in self.post.lanes if lane.receiver == number and lane.message is trigger.message]
        return sorted(lanes, key=lambda lane: lane.sender)

    def _quorum(self, number: int, method: Callable[..., Any], trigger: Trigger) -> int:
        """How many messages the handler takes at a time."""
        if trigger.quorum is None:
            return 1
        try:
            process = self.system.processes[number]
            return quorum_of(self.system, process, trigger, self.layout.changed(type(process)))
        except NoQuorum as why:
            raise MuleError(str(why), self._place(method)) from None

    def _place(self, method: Callable[..., Any]) -> Place | None:
        if not isinstance(method, FunctionType):
            return None
        return place_of(self.sources.definition(method), method.__code__.co_filename)

    def _choices(self, lane: Lane) -> Sequence[int | Values]:
        """Which messages may be taken next: in which cells, or of which values."""
        place = self.post.lanes[lane]
        if isinstance(place, Tally):
            return sorted(place.counts)
        return range(place.capacity if isinstance(place, Mailbox) else 1)

    def _ways_to_keep(self, lanes: Sequence[Lane]) -> list[tuple[bool, ...]]:
        """Which of the messages leave a copy behind."""
        places = [self.post.lanes[lane] for lane in lanes]
        options = [(False,) if isinstance(place, Queue) or not place.duplicating else (False, True) for place in places]
        return list(product(*options))

    def _paths(
        self,
        number: int,
        name: str,
        method: Callable[..., Any],
        trigger: Trigger,
        lanes: tuple[Lane, ...],
        taken: Taken,
        keeps: tuple[bool, ...],
    ) -> None:
        """All transitions of a handler, or of a step, for these messages."""
        process = self.system.processes[number]
        assert isinstance(method, FunctionType)
        place = self._place(method)

        def run(path: Path) -> tuple[Execution, list[Record], Failing | TooNarrow | None]:
            execution = self._execution(path, number)
            evaluator = Evaluator(path, self.layout.objects, execution)
            path.assume(self._alive(number))
            messages = [
                execution.receive(lane, which, kept) for lane, which, kept in zip(lanes, taken, keeps, strict=True)
            ]
            given: list[Any] = (
                [] if trigger.message is None else [messages if trigger.quorum is not None else messages[0]]
            )
            try:
                if trigger.when is not None:
                    before = execution.assignments()
                    path.assume(evaluator.truth(evaluator.apply(trigger.when, [process, *given], {})))
                    if execution.sent or execution.assignments() != before:
                        raise NotHere(f"`when` of {name} changes something: it may only look")
                evaluator.apply(Method(method, process), given, {})
            except (Failing, TooNarrow) as ending:
                return execution, messages, ending
            return execution, messages, None

        try:
            added: set[Any] = set()
            for path, (execution, messages, ending) in explore(run):
                if ending is None:
                    step = tuple(path.conditions), tuple(execution.statements())
                    if path.permuted and step in added:
                        continue  # another order of a set, which makes no difference
                    added.add(step)
                self._add(path, execution, name, messages, keeps, ending, place)
        except TooManyPaths:
            if self.counted:
                raise TooMany(self.counted) from None
            message = f"{name} has too many paths: split it, or compute with min, max, sum, any and all instead of if"
            raise MuleError(message, place) from None
        except NotHere as why:
            raise MuleError(str(why), place) from None

    def _alive(self, number: int) -> Expression:
        return self.builder.at(number, RUNNING) if number in self.crashing else TRUE

    def _add(
        self,
        path: Path,
        execution: Execution,
        name: str,
        messages: list[Record],
        keeps: tuple[bool, ...],
        ending: Failing | TooNarrow | None,
        place: Place | None,
    ) -> None:
        number = execution.process
        process = self.system.processes[number]
        self._translated.add((type(process), name))
        self.offers += execution.offers
        guards = [guard for condition in path.conditions for guard in self.builder.guards(condition)]
        statements = [] if ending is not None else execution.statements()
        failure, asserts = "", False
        message: tuple[str | Printed, ...] = ()
        if isinstance(ending, Failing):
            failure, asserts, message = ending.text, ending.asserts, ending.message
        elif isinstance(ending, TooNarrow):
            room = self.post.lanes[ending.lane].capacity
            kind = ending.lane.message
            failure = f"more than {room} messages of the type {kind.__name__} are on their way from one to another"
            if ending.unforeseen:
                failure = f"a message of the type {kind.__name__} has values that were not foreseen"
            self.limits[failure] = kind, ending.unforeseen
            if (failure, *guards) in self._narrow:
                return
            self._narrow.add((failure, *guards))
        what = ", ".join(f"{self.teller.title(each)} from {each.sender.name}" for each in messages)
        actions = self.teller.actions(number, name, messages, keeps, execution, len(statements), place, ending)
        fails = "" if ending is None else ": no room" if isinstance(ending, TooNarrow) else ": fails"
        self.builder.transition(
            self._unique(f"{process.name}: {name}" + (f" ({what})" if what else "") + fails),
            guards,
            statements,
            (Move(number, RUNNING, RUNNING),),
            text=actions[0].text,
            place=place,
            kind=Kind.STEP if ending is None else Kind.ERROR,
            failure=failure,
            asserts=asserts,
            message=message,
            limit=isinstance(ending, TooNarrow),
            actions=actions,
        )
        self.facts.append(execution.facts(statements))

    def _unique(self, name: str) -> str:
        """Paths through one handler are numbered."""
        self._names[name] = self._names.get(name, 0) + 1
        return name if self._names[name] == 1 else f"{name} #{self._names[name]}"

    def _execution(self, path: Path, number: int) -> Execution:
        return Execution(self.layout, self.post, path, number, self.files, partial(self._spare, number))

    def _spare(self, number: int, position: int) -> Read:
        known = self._scratch.get((number, position))
        if known is None:
            name = f"{self.system.processes[number].name}: aside {position}"
            variable = self.builder.variable(name, INT, process=number, role=Role.SCRATCH)
            known = self._scratch[number, position] = Read(variable)
        return known

    # faults -----------------------------------------------------------------------------------------------------------

    def _byzantine(self, number: int, process: Byzantine) -> None:
        """A transition for each message that it can send."""
        for to, cls in product(process.to, process.sends):
            kinds = self.layout.message_kinds(cls)
            for kind in kinds.values():
                if kind.high - kind.low > 255:
                    message = (
                        f"{process.name} may send any {cls.__name__}, but its fields have no bounds: give them a Range"
                    )
                    raise MuleError(message)
            if prod(kind.high - kind.low + 1 for kind in kinds.values()) > MOST_LIES:
                message = f"{process.name} may send more than {MOST_LIES:,} different {cls.__name__}"
                raise MuleError(f"{message}: give its fields smaller ranges")
            for values in product(*(kind.values() for kind in kinds.values())):
                record = self._forged(cls, iter(values))
                for path, execution in explore(partial(self._forge, number, to, record)):
                    self._add(path, execution, "lies", [], (), None, None)

    def _forged(self, cls: type[Message], parts: Iterator[Any]) -> Record:
        shapes = self.layout.message_shapes(cls).items()
        return Record(cls, {name: value_in(shape, lambda _: next(parts)) for name, shape in shapes})

    def _forge(self, number: int, to: Process, record: Record, path: Path) -> Execution:
        execution = self._execution(path, number)
        path.assume(self._alive(number))
        receiver = self.layout.index(to)
        if receiver is None:
            raise MuleError(f"{to!r} is not among the processes of the system")
        place = execution.open(Lane(record.cls, number, receiver))
        assert not isinstance(place, Tally)
        path.assume(binary("==", Read(place.channel.length), Constant(0)))
        try:
            execution.send(to, record)
        except NotHere as why:
            raise MuleError(f"{self.system.processes[number].name} may send it: {why}") from None
        return execution

    def _losses(self) -> None:
        """In a lossy network a message may disappear: any one in a mailbox, the oldest in a queue."""
        seen: set[int] = set()
        for lane, place in self.post.lanes.items():
            if not place.lossy or id(place) in seen:
                continue
            seen.add(id(place))
            for which in self._choices(lane):
                with suppress(Infeasible):  # messages without fields are all the same
                    self._loss(lane, place, which)

    def _loss(self, lane: Lane, place: Postal, which: int | Values) -> None:
        statements: list[Statement] = []
        if not isinstance(place, Queue):
            path = Path([])
            execution = self._execution(path, lane.receiver)
            message = execution.receive(lane, which, keeps=False)
            statements = execution.statements()
            guards = [guard for condition in path.conditions for guard in self.builder.guards(condition)]
        else:
            message = None
            there = Binary(">", Read(place.channel.length), Constant(0))
            guards = self.builder.guards(there)
            statements = [Receive(place.channel, (None,) * len(place.channel.fields))]
        action = self.teller.loss(lane, message, len(statements))
        self.builder.transition(
            self._unique(f"network: loses {place.name}"),
            guards,
            statements,
            text=action.text,
            actions=(action,),
        )
        self.facts.append(TransitionFacts(None, flows_of([lane]), (), frozenset(), frozenset(), True))

    def _crashes(self) -> None:
        """Processes that may stop; a counter where not all of them can."""
        for fault in self.system.faults:
            counter = None
            if fault.at_most < len(fault.processes):
                name = f"crashes {self.system.faults.index(fault) + 1}" if len(self.system.faults) > 1 else "crashes"
                counter = self.builder.variable(name, replace(INT, name="count", low=0, high=fault.at_most))
            for process in fault.processes:
                self._crash(process, counter, fault.at_most)

    def _crash(self, process: Process, counter: Any, most: int) -> None:
        if most < 1:
            return
        number = self.layout.index(process)
        assert number is not None
        guards = [self.builder.guard(self.builder.at(number, RUNNING))]
        statements: list[Statement] = [self.builder.go(number, CRASHED)]
        if counter is not None:
            guards += self.builder.guards(binary("<", Read(counter), Constant(most)))
            statements.append(Assign(Read(counter), binary("+", Read(counter), Constant(1))))
        action = self.teller.crash(number, len(statements))
        self.builder.transition(
            f"{process.name}: crashes",
            guards,
            statements,
            (Move(number, RUNNING, CRASHED),),
            text=action.text,
            actions=(action,),
        )
        self.facts.append(TransitionFacts(number, (), (), frozenset(), frozenset(), False))

    def _ends(self) -> None:
        """Where each process may stop: where it is `done`, has no such method, or has crashed."""
        for number, process in enumerate(self.system.processes):
            method = getattr(type(process), "done", None)
            done: Expression = TRUE
            if isinstance(method, FunctionType):
                done = self.predicates.of_method(Method(method, process))
            if number in self.crashing:
                done = binary("or", self.builder.at(number, CRASHED), done)
            self.builder.processes[number] = replace(self.builder.processes[number], done=done)
