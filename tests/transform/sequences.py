"""Random models whose processes do a good deal on their own: chains of local steps, choices on local variables,
variables that are assigned before they are read, or never read."""

from __future__ import annotations

from hypothesis import strategies as st

from mule.model import Assign, Model, Move, Outcome, Statement, Variable
from mule.model.expressions import Binary, Constant, Expression, Read, negation
from mule.model.model import Process
from mule.records import replace
from tests.small_models import STYLES, Builder, Drawing, _own_variables, _variables


class Sequence:
    """One process on its way."""

    def __init__(self, drawing: Drawing, builder: Builder) -> None:
        self.builder = builder
        self.process = builder.process(f"p{len(builder.processes)}", drawing.upto(5, 2))
        own = [builder.variable(f"x{self.process}", drawing.one(1, 2, 3), process=self.process)]
        own += _own_variables(drawing, builder, self.process)
        self.shared = drawing.narrowed().with_own(own)
        self.alone = replace(
            drawing,
            scalars=[variable for variable in own if variable.length is None],
            arrays=[variable for variable in own if variable.length is not None],
            channels=[],
            pool=[],
        )

    @property
    def last(self) -> int:
        return len(self.builder.processes[self.process].locations) - 1

    def target(self, source: int) -> int:
        onwards = min(source + 1, self.last)
        return onwards if self.alone.upto(2) else self.alone.upto(self.last)

    def local(self, source: int, guards: list[Expression]) -> None:
        effect: tuple[Statement, ...] = self.alone.effect() if self.alone.upto(2) else ()
        self.builder.joint((Move(self.process, source, self.target(source)),), guards, effect)

    def steps(self) -> None:
        for source in range(self.last + 1):
            match self.alone.upto(8):
                case 0 | 1:
                    self.local(source, [])
                case 2 | 3 | 7:
                    test = (self.alone if self.alone.upto(3) else self.shared).comparison()
                    self.local(source, [test])
                    self.local(source, [negation(test)])
                case 8:
                    copied = Assign(Read(self.alone.scalars[0]), self.shared.expression(1))
                    self.builder.joint((Move(self.process, source, self.target(source)),), [], (copied,))
                case 4 | 5:
                    for _ in range(self.alone.one(1, 1, 2)):
                        self.shared.step(self.builder, (Move(self.process, source, self.target(source)),))
                case _:
                    if source == 0:
                        self.shared.step(self.builder, (Move(self.process, source, self.target(source)),))


def _watch(drawing: Drawing, builder: Builder, sequences: list[Sequence]) -> None:
    """A step of one process, or of none, that looks where another process is."""
    watched = drawing.one(*sequences)
    location = Read(builder.processes[watched.process].location)
    test = Binary(drawing.one("==", "!="), location, Constant(drawing.upto(watched.last)))
    watcher = drawing.one(*sequences)
    effect = Outcome(watcher.shared.effect())
    if watcher is watched:
        builder.joint((), [test], effect)
    else:
        source = drawing.upto(watcher.last)
        builder.joint((Move(watcher.process, source, watcher.target(source)),), [test], effect)


@st.composite
def sequences(draw: st.DrawFn) -> Model:
    builder = Builder()
    drawing = Drawing(draw, [], [], style=draw(st.sampled_from(STYLES)))
    _variables(drawing, builder)
    made = [Sequence(drawing, builder) for _ in range(drawing.one(2, 2, 1, 3))]
    for sequence in made:
        sequence.steps()
    if len(made) > 1:
        for _ in range(drawing.one(0, 0, 1, 2)):
            one, two = draw(st.permutations(made))[:2]
            moves = []
            for each in (one, two):
                source = drawing.upto(each.last)
                moves.append(Move(each.process, source, each.target(source)))
            drawing.step(builder, tuple(moves))
    for _ in range(drawing.one(0, 0, 0, 1)):
        _watch(drawing, builder, made)
    for number, process in enumerate(builder.processes):
        if drawing.rarely(3):
            builder.processes[number] = _ending(drawing, process)
    model = builder.model()
    return replace(model, transient=drawing.comparison()) if drawing.rarely(6) else model


def _ending(drawing: Drawing, process: Process) -> Process:
    return replace(process, ends=frozenset({drawing.upto(len(process.locations) - 1)}))


@st.composite
def observations(draw: st.DrawFn, model: Model) -> list[Expression]:
    """Predicates over shared variables, locations and, seldom, variables of a process."""
    wanted: list[Expression] = []
    for _ in range(draw(st.integers(0, 2))):
        candidates: list[Variable] = [variable for variable in model.variables if draw(st.integers(0, 3)) == 0]
        if candidates:
            variable = draw(st.sampled_from(candidates))
            index = None if variable.length is None else Constant(draw(st.integers(0, variable.size - 1)))
            operator = draw(st.sampled_from(["==", "!=", "<"]))
            test = Binary(operator, Read(variable, index), Constant(draw(st.integers(0, 2))))
            wanted.append(test if not wanted or draw(st.booleans()) else Binary("and", wanted[0], test))
    return wanted
