"""Small models: a builder that reads like a model, some hand-made ones, and a strategy for random ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields

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
from mule.model.expressions import Binary, Conditional, Constant, Expression, Read, Unary
from mule.model.interpreter import Interpreter, State, Step


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
        initial: int = 0,
        length: int | None = None,
        low: int = 0,
        checked: bool = False,
    ) -> Variable:
        kind = IntegerType(f"{low}..{high}", low, high, checked)
        made = Variable(name, kind, (initial,) * (length or 1), length)
        self.variables.append(made)
        return made

    def process(self, name: str, locations: int) -> int:
        kind = IntegerType("location", 0, max(locations - 1, 1))
        location = Variable(name, kind, (0,), None, len(self.processes), Role.LOCATION)
        self.variables.append(location)
        self.processes.append(Process(name, location, tuple(f"l{number}" for number in range(locations))))
        return len(self.processes) - 1

    def channel(self, name: str, capacity: int, high: int = 3) -> Channel:
        length = Variable(f"{name}.length", IntegerType("count", 0, capacity), (0,), role=Role.CHANNEL)
        cells = Variable(f"{name}.cells", IntegerType("cell", 0, high), (0,) * capacity, capacity, role=Role.CHANNEL)
        made = Channel(name, capacity, length, (cells,))
        self.variables += [length, cells]
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
    ) -> int:
        """A step of a process; without outcomes it only moves."""
        needed: list[Expression] = list(guards)
        moved: tuple[Statement, ...] = ()
        moves: tuple[Move, ...] = ()
        if process is not None:
            location = Read(self.processes[process].location)
            needed.insert(0, Binary("==", location, Constant(source)))
            moved = (Assign(location, Constant(target)),)
            moves = (Move(process, source, target),)
        made = []
        for outcome in outcomes or ((),):
            plain = outcome if isinstance(outcome, Outcome) else Outcome(outcome)
            made.append(Outcome((*plain.statements, *moved), plain.condition))
        number = len(self.transitions)
        interned = tuple(dict.fromkeys(self.guard(each) for each in needed))
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


@st.composite
def expressions(draw: st.DrawFn, scalars: list[Variable], arrays: list[Variable], depth: int = 2) -> Expression:
    shape = draw(st.integers(0, 9 if depth else 4))
    if shape <= 1:
        return Constant(draw(st.integers(-1, 3)))
    if shape <= 4 or not depth:
        if arrays and shape == 4:
            array = draw(st.sampled_from(arrays))
            index = draw(expressions(scalars, [], 0 if depth == 0 else draw(st.integers(0, 1))))
            return Read(array, index)
        return Read(draw(st.sampled_from(scalars)))
    if shape == 5:
        operator = draw(st.sampled_from(["not", "-", "~"]))
        return Unary(operator, draw(expressions(scalars, arrays, depth - 1)))
    if shape == 6 and draw(st.booleans()):
        return Conditional(*(draw(expressions(scalars, arrays, depth - 1)) for _ in range(3)))
    operator = draw(st.sampled_from(["+", "+", "-", "*", "/", "%", "&", "|", "==", "!=", "<", ">=", "and", "or"]))
    return Binary(
        operator, draw(expressions(scalars, arrays, depth - 1)), draw(expressions(scalars, arrays, depth - 1))
    )


@st.composite
def predicates(draw: st.DrawFn, scalars: list[Variable], arrays: list[Variable]) -> Expression:
    if draw(st.integers(0, 3)):
        operator = draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
        left: Expression = Read(draw(st.sampled_from(scalars)))
        if arrays and not draw(st.integers(0, 2)):
            left = Read(draw(st.sampled_from(arrays)), left)
        return Binary(operator, left, Constant(draw(st.integers(0, 3))))
    return draw(expressions(scalars, arrays))


@st.composite
def statements(draw: st.DrawFn, scalars: list[Variable], arrays: list[Variable], channels: list[Channel]) -> Statement:
    shape = draw(st.integers(0, 8))
    if channels and shape <= 2:
        channel = draw(st.sampled_from(channels))
        if draw(st.booleans()):
            return Send(channel, (draw(expressions(scalars, arrays, 1)),))
        targets = [None, *(Read(each) for each in scalars)]
        return Receive(channel, (draw(st.sampled_from(targets)),))
    if shape <= 5:
        variable = draw(st.sampled_from(scalars))
        return plus(variable, draw(st.integers(-1, 2))) if shape <= 4 else put(variable, draw(st.integers(0, 3)))
    if arrays and shape >= 6:
        index = Constant(0) if shape == 7 else draw(expressions(scalars, [], 1))
        target = Read(draw(st.sampled_from(arrays)), index)
    else:
        target = Read(draw(st.sampled_from(scalars)))
    return Assign(target, draw(expressions(scalars, arrays)))


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
            values = (renamed(getattr(part, each.name), names, number) for each in fields(part))
            return type(part)(*values)  # type: ignore[arg-type]
    return part


def clone(builder: Builder, model: Model, private: Variable | None, count: int) -> None:
    """Further processes like the only one there is."""
    for number in range(1, count):
        process = builder.process(f"p{number}", len(builder.processes[0].locations))
        names = {builder.processes[0].location: builder.processes[process].location}
        if private is not None:
            names[private] = builder.variable(f"w{number}", private.type.high)
        for transition in model.transitions:
            tests = [renamed(model.guards[guard].expression, names, number) for guard in transition.guards]
            outcomes = tuple(renamed(outcome, names, number) for outcome in transition.outcomes)
            move = transition.moves[0]
            guards = tuple(dict.fromkeys(builder.guard(test) for test in tests))  # type: ignore[arg-type]
            moves = (Move(process, move.source, move.target),)
            name = f"t{len(builder.transitions)}"
            builder.transitions.append(Transition(name, guards, outcomes, moves))  # type: ignore[arg-type]


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Two or three processes over shared variables, perhaps an array and a channel; often all alike."""
    builder = Builder()
    scalars = [
        builder.variable(
            f"v{number}",
            draw(st.sampled_from([1, 2, 3, 4, 255])),
            low=draw(st.sampled_from([0, 0, -1])),
            checked=draw(st.booleans()),
        )
        for number in range(draw(st.integers(1, 3)))
    ]
    arrays = [builder.variable("a", 2, length=draw(st.integers(1, 3)))] if draw(st.booleans()) else []
    channels = [builder.channel("c", draw(st.integers(1, 2)), 2)] if draw(st.booleans()) else []
    guarded = scalars + [channel.length for channel in channels]
    count, alike = draw(st.integers(2, 3)), draw(st.booleans())
    private: Variable | None = None
    for number in range(1 if alike else count):
        locations = draw(st.integers(1, 3))
        process = builder.process(f"p{number}", locations)
        own = [*scalars]
        if draw(st.booleans()):
            private = builder.variable(f"w{number}", draw(st.integers(1, 3)))
            own.append(private)
        for _ in range(draw(st.integers(1, 4 if alike else 3))):
            tests = [draw(predicates([*guarded, *own[len(scalars) :]], arrays)) for _ in range(draw(st.integers(0, 2)))]
            outcomes = []
            for _ in range(draw(st.sampled_from([1, 1, 1, 2]))):
                effect = tuple(draw(statements(own, arrays, channels)) for _ in range(draw(st.integers(0, 2))))
                condition = draw(predicates(own, arrays)) if draw(st.integers(0, 4)) == 0 else None
                outcomes.append(Outcome(effect, condition))
            source, target = draw(st.integers(0, locations - 1)), draw(st.integers(0, locations - 1))
            builder.transition(process, source, target, tests, *outcomes)
    if alike:
        clone(builder, builder.model(), private, count)
    return builder.model()
