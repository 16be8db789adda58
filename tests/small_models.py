"""Small models: a builder that reads like a model, some hand-made ones, and a strategy for random ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import strategies as st

from mule.model import (
    Assign,
    Channel,
    Guard,
    IntegerType,
    Model,
    Move,
    Outcome,
    Process,
    Receive,
    Role,
    Send,
    Statement,
    Transition,
    Variable,
)
from mule.model.expressions import (
    EXACT,
    HIGHEST,
    LOWEST,
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    Unary,
    subexpressions,
)
from mule.model.interpreter import Interpreter, State, Step
from mule.records import replace

Choice = TypeVar("Choice")


@dataclass
class Builder:
    """Collects what a model is made of; guards are interned."""

    variables: list[Variable] = field(default_factory=list)
    guards: dict[Expression, int] = field(default_factory=dict)
    transitions: list[Transition] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    channels: list[Channel] = field(default_factory=list)

    def variable(
        self,
        name: str,
        high: int = 3,
        initial: int | tuple[int, ...] = 0,
        length: int | None = None,
        low: int = 0,
        checked: bool = False,
        process: int | None = None,
    ) -> Variable:
        kind = IntegerType(f"{low}..{high}", low, high, checked)
        values = initial if isinstance(initial, tuple) else (initial,) * (length or 1)
        made = Variable(name, kind, values, length, process)
        self.variables.append(made)
        return made

    def process(self, name: str, locations: int) -> int:
        kind = IntegerType("location", 0, max(locations - 1, 1))
        location = Variable(name, kind, (0,), None, len(self.processes), Role.LOCATION)
        self.variables.append(location)
        self.processes.append(Process(name, location, tuple(f"l{number}" for number in range(locations))))
        return len(self.processes) - 1

    def channel(self, name: str, capacity: int, high: int = 3, fields: int = 1, checked: bool = False) -> Channel:
        length = Variable(f"{name}.length", IntegerType("count", 0, capacity), (0,), role=Role.CHANNEL)
        kind = IntegerType("cell", 0, high, checked)
        cells = tuple(
            Variable(f"{name}.cells{number or ''}", kind, (0,) * capacity, capacity, role=Role.CHANNEL)
            for number in range(fields)
        )
        made = Channel(name, capacity, length, cells)
        self.variables += [length, *cells]
        self.channels.append(made)
        return made

    def guard(self, expression: Expression) -> int:
        return self.guards.setdefault(expression, len(self.guards))

    def transition(
        self,
        process: int | None,
        source: int,
        target: int,
        guards: Iterable[Expression] = (),
        *outcomes: Outcome | tuple[Statement, ...],
        stays: bool = False,
    ) -> int:
        """A step of a process; without outcomes it only moves. One that stays does not write its location."""
        moves = () if process is None else (Move(process, source, target),)
        return self.joint(moves, guards, *outcomes, stays=stays)

    def joint(
        self,
        moves: tuple[Move, ...],
        guards: Iterable[Expression] = (),
        *outcomes: Outcome | tuple[Statement, ...],
        stays: bool = False,
        first: bool = False,
    ) -> int:
        """A step of several processes at once, or of none; they move after the statements of an outcome, or first."""
        needed: list[Expression] = []
        moved: list[Statement] = []
        for move in moves:
            location = Read(self.processes[move.process].location)
            needed.append(Binary("==", location, Constant(move.source)))
            if not stays:
                moved.append(Assign(location, Constant(move.target)))
        made = []
        for outcome in outcomes or ((),):
            plain = outcome if isinstance(outcome, Outcome) else Outcome(outcome)
            whole = (*moved, *plain.statements) if first else (*plain.statements, *moved)
            made.append(Outcome(whole, plain.condition))
        number = len(self.transitions)
        interned = tuple(dict.fromkeys(self.guard(each) for each in (*needed, *guards)))
        self.transitions.append(Transition(f"t{number}", interned, tuple(made), moves))
        return number

    def model(self) -> Model:
        return Model(
            "small",
            "test",
            tuple(self.variables),
            tuple(Guard(expression, str(number)) for number, expression in enumerate(self.guards)),
            tuple(self.transitions),
            tuple(self.processes),
            tuple(self.channels),
        )


def const(value: int) -> Expression:
    return Constant(value)


def compare(left: Expression, operator: str, right: int | Expression) -> Expression:
    return Binary(operator, left, Constant(right) if isinstance(right, int) else right)


def plus(variable: Variable, difference: int) -> Assign:
    return Assign(Read(variable), Binary("+", Read(variable), Constant(difference)))


def put(variable: Variable, value: int, index: Expression | None = None) -> Assign:
    return Assign(Read(variable, index), Constant(value))


def reachable(model: Model, limit: int = 600) -> list[State] | None:
    """All reachable states, or None where there are more than the limit."""
    interpreter = Interpreter(model)
    seen = {interpreter.initial: None}
    waiting = [interpreter.initial]
    while waiting:
        state = waiting.pop()
        for step in interpreter.steps(state):
            if step.failure is None and step.target not in seen:
                if len(seen) >= limit:
                    return None
                seen[step.target] = None
                waiting.append(step.target)
    return list(seen)


def steps_of(interpreter: Interpreter, transition: int, state: State) -> dict[int, Step] | None:
    """The steps of one transition by outcome; None where it is disabled."""
    if not interpreter.enabled(interpreter.model.transitions[transition], state):
        return None
    return {step.outcome: step for step in interpreter.fire(transition, state)}


# random models --------------------------------------------------------------------------------------------------------

COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
OPERATORS = ["+", "+", "-", "*", "&", "|", "^", "==", "!=", "<", ">=", "and", "or"]
STYLES = ["plain", "mixed", "arrays", "wild"]
WILD_OPERATORS = [*OPERATORS, "/", "%", "<<", ">>"]


@dataclass
class Drawing:
    """Draws the parts of one model. A tame one seldom goes wrong: its indices are in range, its types wrap. A plain one
    has flags and constants only, so that its processes hang on each other; one of arrays mostly indices of indices."""

    draw: st.DrawFn
    scalars: list[Variable]
    arrays: list[Variable]
    channels: list[Channel] = field(default_factory=list)
    style: str = "mixed"
    pool: list[Expression] = field(default_factory=list)
    """Guards that transitions share."""

    @property
    def tame(self) -> bool:
        return self.style != "wild"

    @property
    def plain(self) -> bool:
        return self.style == "plain"

    def with_own(self, own: list[Variable]) -> Drawing:
        """The same for a process that has variables of its own."""
        scalars = [variable for variable in own if variable.length is None]
        arrays = [variable for variable in own if variable.length is not None]
        return replace(self, scalars=[*self.scalars, *scalars], arrays=[*self.arrays, *arrays])

    def narrowed(self) -> Drawing:
        """The same for a process that perhaps has to do with some of the variables only."""
        if not self.upto(1):
            return self
        scalars = [each for each in self.scalars if self.upto(1)] or self.scalars[:1]
        return replace(self, scalars=scalars, arrays=[each for each in self.arrays if self.upto(1)])

    def one(self, *choices: Choice) -> Choice:
        return self.draw(st.sampled_from(choices))

    def upto(self, most: int, least: int = 0) -> int:
        return self.draw(st.integers(least, most))

    def rarely(self, out_of: int = 4) -> bool:
        """Once in so many times, and never in the simplest model."""
        return self.upto(out_of - 1) == out_of - 1

    def scalar(self) -> Expression:
        return Read(self.one(*self.scalars))

    def element(self, nesting: int = 1) -> Read:
        array = self.one(*self.arrays)
        return Read(array, self.index(array, nesting))

    def place(self) -> Read:
        """A scalar, or an element of an array."""
        if self.arrays and self.upto(3 if self.style == "arrays" else 1):
            return self.element()
        return Read(self.one(*self.scalars))

    def index(self, array: Variable, nesting: int = 1) -> Expression:
        shape = self.upto(7)
        if self.style == "arrays" and nesting and shape in (3, 4):
            shape = 5
        if shape <= 1:
            return Constant(self.upto(array.size - 1))
        if not self.tame:
            if shape == 2:
                return Constant(self.one(-1, array.size, 7))
            if shape <= 5 or not nesting:
                return self.scalar() if self.upto(3) else Binary(self.one("+", "-"), self.scalar(), Constant(1))
            return self.element(nesting - 1)
        fitting = [each for each in self.scalars if _fits(each, array)]
        if shape <= 4 and fitting:
            return Read(self.one(*fitting))
        inner = [each for each in self.arrays if _fits(each, array)]
        if shape <= 6 and inner and nesting:
            other = self.one(*inner)
            return Read(other, self.index(other, nesting - 1))
        if array.size == 1:
            return Constant(0)
        if shape == 7:
            return Conditional(self.comparison(0), Constant(0), Constant(array.size - 1))
        return Binary("&", self.scalar(), Constant(1))

    def expression(self, depth: int = 2) -> Expression:
        shape = self.upto(9 if depth else 4)
        if shape <= 1:
            return Constant(self.upto(3, 0 if self.tame else -1))
        if shape == 4 and self.arrays:
            return self.element()
        if shape <= 4:
            return self.scalar()
        if shape == 5:
            return Unary(self.one("not", "-", "~"), self.expression(depth - 1))
        if shape == 6 and self.upto(1):
            return Conditional(self.comparison(0), self.expression(depth - 1), self.expression(depth - 1))
        if not self.tame and self.rarely(6):
            return self.exact(depth)
        operator = self.one(*(OPERATORS if self.tame else WILD_OPERATORS))
        return Binary(operator, self.expression(depth - 1), self.expression(depth - 1))

    def exact(self, depth: int) -> Expression:
        """Arithmetic that is undefined where its result does not fit, with numbers at the border."""
        large = Constant(self.one(HIGHEST, LOWEST, HIGHEST - 1, 2**30, -(2**30), 2**16, 30))
        sides = [self.expression(depth - 1), large] if self.upto(2) else [self.expression(depth - 1), self.scalar()]
        left, right = sides if self.upto(1) else reversed(sides)
        return Binary(self.one(*EXACT), left, right)

    def comparison(self, nesting: int = 1) -> Expression:
        left = self.scalar()
        if self.plain:
            return Binary(self.one("==", "!="), left, Constant(self.upto(1)))
        shape = self.upto(5)
        if shape >= (2 if self.style == "arrays" else 4) and self.arrays and nesting:
            left = self.element(nesting)
        elif shape == 3 and self.channels:
            left = Read(self.one(*self.channels).length)
        right = self.scalar() if self.rarely(6) else Constant(self.upto(3, 0 if self.tame else -1))
        return Binary(self.one(*COMPARISONS), left, right)

    def predicate(self) -> Expression:
        shape = self.upto(9)
        if shape <= 5 or (self.plain and shape == 9):
            return self.comparison()
        if shape == 6:
            return Unary("not", self.comparison())
        if shape <= 8:
            return Binary("or" if shape == 7 else "and", self.comparison(), self.comparison())
        return self.expression()

    def guard(self) -> Expression:
        """A predicate, often one that other transitions test too."""
        if self.pool and self.rarely(2 if self.plain else 3):
            return self.one(*self.pool)
        made = self.predicate()
        self.pool.append(made)
        return made

    def statement(self) -> Statement:
        shape = self.upto(9)
        if self.plain:
            return put(self.one(*self.scalars), self.upto(1)) if shape <= 7 else plus(self.one(*self.scalars), 1)
        if self.style == "arrays" and shape <= 1:
            shape = 4
        if shape <= 1:
            return plus(self.one(*self.scalars), self.one(1, -1, 2))
        if shape == 2:
            return put(self.one(*self.scalars), self.upto(3))
        if shape == 3 and self.channels and not self.tame:
            return self.message(self.one(*self.channels))
        target = self.place()
        if shape <= 5:
            return Assign(target, Constant(self.upto(2)))
        if shape <= 7:
            return Assign(target, Binary(self.one("+", "-", "^"), target, Constant(1)))
        return Assign(target, self.expression(1))

    def message(self, channel: Channel) -> Send | Receive:
        if self.upto(1):
            return Receive(channel, tuple(None if self.rarely(4) else self.place() for _ in channel.fields))
        return Send(channel, tuple(self.expression(1) for _ in channel.fields))

    def effect(self) -> tuple[Statement, ...]:
        if self.arrays and self.rarely(4):
            array = self.one(*self.arrays)
            fixed = put(array, self.upto(2), Constant(self.upto(array.size - 1)))
            moving = put(array, self.upto(2), self.index(array))
            return (moving, fixed) if self.rarely(3) else (fixed, moving)
        return tuple(self.statement() for _ in range(self.one(1, 1, 2, 0, 2, 3, 4)))

    def step(self, builder: Builder, moves: tuple[Move, ...]) -> None:
        tests = [self.guard() for _ in range(self.one(0, 1, 0, 1, 2))]
        ahead: tuple[Statement, ...] = ()
        if self.channels and self.rarely(3):
            channel = self.one(*self.channels)
            message = self.message(channel)
            if isinstance(message, Send):
                tests.append(compare(Read(channel.length), "<", channel.capacity))
            else:
                tests.append(compare(Read(channel.length), ">", 0))
            ahead = (message,)
        outcomes = []
        for _ in range(self.one(1, 1, 1, 1, 2)):
            condition = self.predicate() if self.rarely(6) else None
            outcomes.append(Outcome((*ahead, *self.effect()), condition))
        stays = all(move.source == move.target for move in moves) and self.upto(1) == 1
        builder.joint(moves, tests, *outcomes, stays=stays, first=self.rarely(3))

    def move(self, builder: Builder, process: int) -> Move:
        """From a location that control can perhaps reach."""
        reached = {0: None}
        for transition in builder.transitions:
            reached.update((move.target, None) for move in transition.moves if move.process == process)
        source, last = self.one(*reached), len(builder.processes[process].locations) - 1
        return Move(process, source, min(source + 1, last) if self.upto(1) else self.upto(last))


def _fits(variable: Variable, array: Variable) -> bool:
    """Whether all values of a variable are indices of an array."""
    return variable.type.low >= 0 and variable.type.high < array.size


@st.composite
def predicates(draw: st.DrawFn, scalars: list[Variable], arrays: list[Variable]) -> Expression:
    return Drawing(draw, scalars, arrays, style=draw(st.sampled_from(STYLES))).predicate()


def renamed(part: object, names: dict[Variable, Variable], number: int) -> object:
    """A copy of a transition's parts for another process: its own variables, and its own element of arrays."""
    match part:
        case Variable():
            return names.get(part, part)
        case Read(variable, Constant(0)) if variable.length is not None and number < variable.length:
            return Read(variable, Constant(number))
        case tuple():
            return tuple(renamed(each, names, number) for each in part)
        case Read() | Unary() | Binary() | Conditional() | Assign() | Send() | Receive() | Outcome():
            values = (renamed(getattr(part, name), names, number) for name in part.__struct_fields__)
            return type(part)(*values)  # type: ignore[arg-type]
    return part


def clone(builder: Builder, model: Model, own: list[Variable], count: int) -> None:
    """Further processes like the only one there is."""
    for number in range(1, count):
        process = builder.process(f"p{number}", len(builder.processes[0].locations))
        names = {builder.processes[0].location: builder.processes[process].location}
        for variable in own:
            names[variable] = replace(variable, name=f"{variable.name[:-1]}{number}", process=process)
            builder.variables.append(names[variable])
        for transition in model.transitions:
            tests = [renamed(model.guards[guard].expression, names, number) for guard in transition.guards]
            outcomes = tuple(renamed(outcome, names, number) for outcome in transition.outcomes)
            move = transition.moves[0]
            guards = tuple(dict.fromkeys(builder.guard(test) for test in tests))  # type: ignore[arg-type]
            moves = (Move(process, move.source, move.target),)
            name = f"t{len(builder.transitions)}"
            builder.transitions.append(Transition(name, guards, outcomes, moves))  # type: ignore[arg-type]


def _variables(drawing: Drawing, builder: Builder) -> None:
    def checked() -> bool:
        return not drawing.tame and drawing.upto(1) == 1

    for number in range(drawing.upto(3, 1)):
        high = drawing.one(1, 1, 2) if drawing.style in ("plain", "arrays") else drawing.one(1, 2, 1, 3, 4, 255)
        low = 0 if drawing.style in ("plain", "arrays") else drawing.one(0, 0, 0, -1, -2)
        initial = 1 if drawing.rarely(4) else 0
        drawing.scalars.append(builder.variable(f"v{number}", high, initial, low=low, checked=checked()))
    if drawing.plain:
        return
    for name in "ab"[: drawing.one(1, 2) if drawing.style == "arrays" else drawing.one(1, 0, 2)]:
        length, high = drawing.one(2, 3, 1), drawing.one(1, 2, 3)
        high = min(high, length - 1) or 1 if drawing.style == "arrays" else high
        initials = tuple(drawing.upto(min(high, 2)) for _ in range(length)) if drawing.upto(1) else (0,) * length
        low = 0 if drawing.tame else drawing.one(0, 0, -1)
        drawing.arrays.append(builder.variable(name, high, initials, length, low, checked()))
    for name in "cd"[: 0 if drawing.style == "arrays" else drawing.one(0, 1, 0, 2)]:
        made = builder.channel(name, drawing.upto(2, 1), drawing.one(1, 2), drawing.one(1, 2, 0), checked())
        drawing.channels.append(made)


def _own_variables(drawing: Drawing, builder: Builder, process: int) -> list[Variable]:
    own = []
    if drawing.upto(1):
        own.append(builder.variable(f"w{process}", drawing.upto(3, 1), process=process))
    if drawing.rarely(2 if drawing.style == "arrays" else 5) and not drawing.plain:
        length = drawing.upto(3, 2)
        own.append(builder.variable(f"z{process}", length - 1, length=length, process=process))
    return own


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Two or three processes over shared variables, arrays and channels, often all alike; steps of two processes at
    once, and rules without any."""
    builder = Builder()
    drawing = Drawing(draw, [], [], style=draw(st.sampled_from(STYLES)))
    _variables(drawing, builder)
    count, alike = drawing.one(3, 2), drawing.rarely(4 if drawing.plain else 2)
    for _ in range(1 if alike else count):
        locations = drawing.one(2, 1, 3) if drawing.plain else drawing.one(2, 3, 3, 1)
        process = builder.process(f"p{len(builder.processes)}", locations)
        own = _own_variables(drawing, builder, process)
        sees = drawing.narrowed().with_own(own)
        for _ in range(drawing.one(1, 1, 2) if drawing.plain else drawing.upto(4 if alike else 3, 2)):
            sees.step(builder, (drawing.move(builder, process),))
        drawing.pool[:] = sees.pool if not own else [each for each in sees.pool if not _reads(each, own)]
    if alike:
        clone(builder, builder.model(), own, count)
    for _ in range(drawing.one(0, 0, 1, 2)):
        pair = draw(st.permutations(range(count)))[:2]
        drawing.step(builder, tuple(drawing.move(builder, process) for process in pair))
    for _ in range(drawing.one(0, 0, 0, 1)):
        drawing.step(builder, ())
    return builder.model()


def _reads(expression: Expression, variables: list[Variable]) -> bool:
    return any(isinstance(part, Read) and part.variable in variables for part in subexpressions(expression))
