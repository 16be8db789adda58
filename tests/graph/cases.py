"""Models with propositions, their state space, and all the graphs that are made of them."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from mule import _engine
from mule.comparison import ALGORITHMS
from mule.ctl.labelling import Labels
from mule.graph.construction import GraphBuilder
from mule.model import Assign, Model, Outcome, Statement, Variable
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.options import Kept, Options
from mule.planning import Analysis, resolve_for_graph
from mule.records import replace
from tests.small_models import Builder, plus, put
from tests.temporal.cases import ATOMS, propositions, transient_models
from tests.temporal.reference import System

PROPOSITIONS = {name: (number, False) for number, name in enumerate(ATOMS)}


def is_(variable: Variable, value: int) -> Expression:
    return Binary("==", Read(variable), Constant(value))


class Loose:
    """Processes that mostly go about their own business, with choices: much of it can be put into one order. Two bits
    are observed, one is shared; now and then a step has several outcomes, goes wrong, or is a part of a larger one."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.builder = Builder()
        self.seen = [self.builder.variable(name, 1, draw.randint(0, 1)) for name in "pq"]
        self.shared = self.builder.variable("z", 1)
        for number in range(draw.choice((2, 2, 3))):
            self._process(number)

    def system(self) -> tuple[Model, tuple[Expression, ...]]:
        model = self.builder.model()
        if self.draw.random() < 0.15:
            process = self.draw.choice(model.processes)
            if len(process.locations) > 1:
                model = replace(model, transient=is_(process.location, self.draw.randrange(len(process.locations))))
        return model, tuple(is_(bit, 1) for bit in self.seen)

    def _process(self, number: int) -> None:
        draw = self.draw
        locations = draw.choice((1, 2, 3, 4))
        process = self.builder.process(f"P{number}", locations)
        own = self.builder.variable(f"x{number}", 1, process=process)
        for source in range(locations):
            for _ in range(draw.choice((0, 1, 1, 2, 2))):
                ahead = min(source + 1, locations - 1)
                target = draw.randrange(locations) if draw.random() < 0.4 else ahead
                guards = []
                if draw.random() < 0.25:
                    guards.append(is_(draw.choice((*self.seen, self.shared, own, own)), draw.randint(0, 1)))
                outcomes = [self._outcome(own) for _ in range(2 if draw.random() < 0.15 else 1)]
                self.builder.transition(process, source, target, guards, *outcomes)

    def _outcome(self, own: Variable) -> Outcome:
        condition = is_(self.draw.choice((own, self.shared)), 1) if self.draw.random() < 0.12 else None
        return Outcome(tuple(self._statement(own) for _ in range(self.draw.choice((0, 0, 1, 1, 2)))), condition)

    def _statement(self, own: Variable) -> Statement:
        draw = self.draw
        if draw.random() < 0.04:
            return Assign(Read(own), Binary("/", Constant(1), Read(draw.choice((own, self.shared)))))
        bit = draw.choice((draw.choice(self.seen), own, own, own, self.shared))
        return plus(bit, 1) if draw.random() < 0.4 else put(bit, draw.randint(0, 1))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    if draw(st.integers(0, 3)):
        return Case(*Loose(random.Random(draw(st.integers(0, 2**48)))).system())
    model = draw(transient_models())
    blind = System(Analysis(model).model, ())
    return Case(model, tuple(draw(propositions(blind)) for _ in ATOMS) if blind.complete else ())


class Case:
    """A model, two propositions of it, its state space, and graphs."""

    def __init__(self, model: Model, atoms: tuple[Expression, ...]) -> None:
        self.model = Analysis(model).model
        self.atoms = atoms
        self.small = len(atoms) == len(ATOMS) and System(self.model, ()).complete
        if not self.small:
            return
        self.system = System(self.model, atoms)
        self._builders: dict[tuple[Kept, bool], GraphBuilder] = {}

    def graph(self, kept: Kept = "ctl", **options: object) -> _engine.GraphResult:
        chosen = resolve_for_graph(Options(**options), kept)  # type: ignore[arg-type]
        key = (kept, chosen.por != "none")
        if key not in self._builders:
            self._builders[key] = GraphBuilder(self.model, self.atoms, kept, chosen)
        builder = self._builders[key]
        builder.options = chosen
        result, _ = builder.build(builder.reducer())
        assert not result.stopped
        return result

    def labels(self, kept: Kept = "ctl", **options: object) -> Labels:
        return Labels(self.graph(kept, **options).graph, PROPOSITIONS)


PORS = ("ample", *ALGORITHMS)


PROVISOS = ("stack", "static")
