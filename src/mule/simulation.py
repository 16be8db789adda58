"""Single runs of a model by its reference semantics: random ones, or chosen step by step."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from mule.errors import Place
from mule.model import Model, Transition, Variable
from mule.model.expressions import FALSE, location_test
from mule.model.interpreter import Failure, Interpreter, State, Step
from mule.results import ViolationKind
from mule.trails import State as StateByName
from mule.trails import ToldStep, Trail

if TYPE_CHECKING:
    from mule.report.trail import ExplainedStep

__all__ = ["Chooser", "Ending", "Run", "SimulatedStep", "Simulator", "at_random", "simulate"]

Chooser = Callable[[Sequence[Step]], Step | None]
"""Picks one of the possible steps (there is at least one), or None to go no further."""

LONGEST_STEP = 1_000
"""An atomic step of more parts is broken off: it may go on for ever."""
LOOKED_AHEAD = 20_000
"""Steps of a run without end that are looked at to see how much room it needs."""


@dataclass(frozen=True, repr=False)
class SimulatedStep(ToldStep):
    """One step of a run, from a state to the next one that is not transient."""

    number: int
    """Counts from 1."""
    trail: Trail
    """From the state before to the state after; several steps where the model cuts an atomic step in parts."""

    @property
    def first(self) -> State:
        return self.trail.states[0]

    @property
    def after(self) -> State:
        """Where the step fails: the state in which it does."""
        return self.trail.states[-1]

    @property
    def before(self) -> StateByName:
        return self.trail.initial

    @property
    def state(self) -> StateByName:
        return self.trail.final

    @property
    def failure(self) -> str | None:
        return self.trail.taken[-1].failure

    @cached_property
    def explained(self) -> ExplainedStep:
        from mule.report.simulation import explain

        return explain(self.trail.model, self)


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a run cannot go on."""

    violation: ViolationKind | None
    """None: every process is where it may stop for ever."""
    message: str
    before: bool = False
    """Whether it is the last step that fails: then the last state is the one before it."""


class Simulator:
    """A run that grows step by step, and shrinks again."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.interpreter = Interpreter(model)
        self.run: list[SimulatedStep] = []
        self._offered: tuple[State, list[Step]] | None = None
        self._anywhere: list[int] = []
        self._at: dict[Variable, dict[int, list[int]]] = {}
        """The transitions by the control location that their first guard asks for, if it does."""
        for number, transition in enumerate(model.transitions):
            test = location_test(model.guards[transition.guards[0]].expression) if transition.guards else None
            if test is None:
                self._anywhere.append(number)
            else:
                self._at.setdefault(test[0], {}).setdefault(test[1], []).append(number)

    @property
    def state(self) -> State:
        return self.run[-1].after if self.run else self.interpreter.initial

    def possible(self, state: State | None = None) -> list[Step]:
        """The steps from a state (default: where the run is), those that fail included."""
        here = self.state if state is None else state
        if self._offered is None or self._offered[0] is not here:
            self._offered = here, self._without_ignored_assertions(list(self._steps(here)))
        return self._offered[1]

    def advance(self, chooser: Chooser) -> SimulatedStep | None:
        """Add a step; None, and nothing is changed, where the chooser wants none.

        Within an atomic step that the model cuts in parts the chooser is asked for each part."""
        states, steps = [self.state], list[Step]()
        options = self.possible()
        while options:
            chosen = chooser(options)
            if chosen is None:
                return None
            steps.append(chosen)
            if chosen.failure is not None:
                break
            states.append(chosen.target)
            if len(steps) >= LONGEST_STEP or not self.is_transient(chosen.target):
                break
            options = self.possible(chosen.target)
        if not steps:
            return None
        self.run.append(SimulatedStep(len(self.run) + 1, Trail(self.model, tuple(states), tuple(steps))))
        return self.run[-1]

    def back(self) -> bool:
        """Take the last step back, if there is one."""
        if not self.run:
            return False
        self.run.pop()
        return True

    def ending(self) -> Ending | None:
        """Why the run cannot go on, if it cannot."""
        if self.run and self.run[-1].failure is not None:
            last = self.run[-1].trail.taken[-1]
            asserts = self.model.transitions[last.transition].asserts
            return Ending(ViolationKind.ASSERTION if asserts else ViolationKind.MODEL_ERROR, str(last.failure), True)
        if not self.is_transient(self.state):
            for assertion in self.model.assertions:
                kind = ViolationKind(assertion.word)
                try:
                    if not self.interpreter.evaluate(assertion.expression, self.state):
                        return Ending(kind, f"{assertion.word} {assertion.name} is false")
                except Failure as failure:
                    return Ending(kind, f"{assertion.word} {assertion.name} has no value: {failure}")
        if self.possible():
            return None
        if self.interpreter.evaluate(self.model.end_states, self.state):
            return Ending(None, "every process is where it may end")
        return Ending(ViolationKind.DEADLOCK, self._why_dead())

    def is_transient(self, state: State) -> bool:
        return self.model.transient is not None and bool(self.interpreter.evaluate(self.model.transient, state))

    def _steps(self, state: State) -> Iterator[Step]:
        """As the interpreter finds them, and one that fails for each guard that has no value when its turn comes."""
        undefined: set[tuple[int, ...]] = set()
        slot_of = self.model.slot_of
        there = (numbers.get(state[slot_of[location]], ()) for location, numbers in self._at.items())
        for number in sorted((*self._anywhere, *chain.from_iterable(there))):
            transition = self.model.transitions[number]
            for position, guard in enumerate(transition.guards):
                try:
                    if not self.interpreter.evaluate(self.model.guards[guard].expression, state):
                        break
                except Failure as failure:
                    cause = transition.guards[: position + 1]
                    if cause not in undefined:
                        undefined.add(cause)
                        yield Step(number, 0, state, str(failure))
                    break
            else:
                yield from self.interpreter.fire(number, state)

    def _without_ignored_assertions(self, steps: list[Step]) -> list[Step]:
        """A search also goes on behind an assertion that fails; a run ends there."""
        found = [(step, self.model.transitions[step.transition]) for step in steps]
        failing = [statements_of(transition) for _, transition in found if transition.asserts]

        def goes_on_behind_one(transition: Transition) -> bool:
            statements = statements_of(transition)
            return any(
                statements[: len(each)] == each and not (transition.asserts and statements == each) for each in failing
            )

        return [step for step, transition in found if not failing or not goes_on_behind_one(transition)]

    def _why_dead(self) -> str:
        if self.model.end_states == FALSE:
            return "deadlock: no process can move"
        places = ((process, self.state[self.model.slot_of[process.location]]) for process in self.model.processes)
        stuck = [
            f"{process.name} in {process.locations[at]}"
            for process, at in places
            if not self.interpreter.evaluate(process.may_stop, self.state)
        ]
        return f"invalid end state: no process can move, with {', '.join(stuck)}"


class Run:
    """A random run that is made while somebody looks at it: a step at a time."""

    def __init__(self, model: Model, seed: int | None, most: int) -> None:
        """`most` steps, or 0: as far as it goes. Without a `seed` one is drawn."""
        self.seed = random.SystemRandom().randrange(10**6) if seed is None else seed
        self.model = with_room(model, self.seed, most)
        self.simulator = Simulator(self.model)
        self._choose = at_random(self.model, self.seed)
        self._most = most

    @property
    def steps(self) -> Sequence[SimulatedStep]:
        """Those that were made up to now."""
        return tuple(self.simulator.run)

    @property
    def ending(self) -> Ending | None:
        """Why the run cannot go on, if it cannot."""
        return self.simulator.ending()

    def __iter__(self) -> Iterator[SimulatedStep]:
        run, position = self.simulator.run, 0
        while position < len(run) or self._goes_on():
            yield run[position]
            position += 1

    def _goes_on(self) -> bool:
        if self.ending is not None or len(self.simulator.run) == self._most != 0:
            return False
        return self.simulator.advance(self._choose) is not None

    def __str__(self) -> str:
        """The whole run, made to its end."""
        from mule.report.plain import run_text

        for _ in self:
            pass
        return run_text(self)

    def __repr__(self) -> str:
        return f"<Run of {self.model.name}, seed {self.seed}: {len(self.simulator.run)} steps up to now>"


def simulate(model: Model, chooser: Chooser) -> Iterator[SimulatedStep]:
    """A run from the initial state, until the chooser wants no more or there is no more."""
    simulator = Simulator(model)
    while simulator.ending() is None:
        step = simulator.advance(chooser)
        if step is None:
            return
        yield step


def with_room(model: Model, seed: int, most: int) -> Model:
    """The model with as much room as the random run of so many steps needs, where a bound had to be guessed."""
    while model.wider is not None:
        simulator, chooser = Simulator(model), at_random(model, seed)
        while simulator.ending() is None and len(simulator.run) < (most or LOOKED_AHEAD):
            simulator.advance(chooser)
        last = simulator.run[-1] if simulator.run else None
        if last is None or last.failure is None or not model.transitions[last.trail.taken[-1].transition].limit:
            break
        model = model.wider(frozenset({last.failure}))
    return model


def at_random(model: Model, seed: int) -> Chooser:
    """Picks a process that can move, then one of its steps; the same seed picks the same ones again."""
    generator = random.Random(seed)

    def choose(steps: Sequence[Step]) -> Step:
        movers: dict[tuple[str, int], list[Step]] = {}
        for step in steps:
            moves = model.transitions[step.transition].moves
            mover = ("process", moves[0].process) if moves else ("rule", step.transition)
            movers.setdefault(mover, []).append(step)
        return generator.choice(generator.choice(list(movers.values())))

    return choose


def statements_of(transition: Transition) -> tuple[tuple[int | None, str, Place | None], ...]:
    """What a transition is made of, as its author wrote it."""
    if transition.actions:
        return tuple((action.process, action.text, action.place) for action in transition.actions)
    process = transition.moves[0].process if transition.moves else None
    return ((process, transition.text, transition.place),)
