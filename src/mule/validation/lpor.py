"""LPOR relations, the user's or Mule's own, against their definitions (LPOR, section II) in real states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from mule import _engine
from mule.engine import Engine
from mule.model import Kind
from mule.model.expressions import Expression
from mule.model.interpreter import Failure, Interpreter
from mule.relations import members
from mule.relations.lpor import EnablingSets, LocalRelations
from mule.validation.findings import Finding, Words, describe

MOST_STATES_PER_SET = 2_000
"""How far a path is followed that should not be able to enable a transition."""


class LocalChecker:
    """Looks for states that refute the relations; the first finding of each kind is kept."""

    def __init__(self, engine: Engine, local: LocalRelations) -> None:
        self.engine = engine
        self.local = local
        self.checks = 0
        self._steps: dict[Words, dict[int, set[Words]]] = {}

    def check(
        self,
        states: Sequence[Words],
        enabling_sets: EnablingSets | None = None,
        visible: int | None = None,
        propositions: Sequence[Expression] = (),
    ) -> list[Finding]:
        found: dict[str, Finding] = {}
        sees = self._values(propositions)
        for state in states:
            for finding in self._findings(state, enabling_sets, visible, sees):
                found.setdefault(finding.relation, finding)
        return list(found.values())

    def _findings(
        self,
        state: Words,
        enabling_sets: EnablingSets | None,
        visible: int | None,
        sees: Callable[[Words], tuple[bool, ...]],
    ) -> Iterator[Finding]:
        yield from self._dependencies(state)
        yield from self._enablings(state)
        if enabling_sets is not None:
            yield from self._necessities(state, enabling_sets)
        if visible is not None:
            yield from self._visibility(state, visible, sees)

    def steps(self, state: Words) -> dict[int, set[Words]]:
        """The enabled transitions and where they lead; where a step fails it leads nowhere."""
        known = self._steps.get(state)
        if known is None:
            known = defaultdict(set)
            for transition, _, failure, _, target in _engine.successors(self.engine.program, list(state)):
                if self.engine.compiled.model.transitions[transition].kind is Kind.STEP:
                    known[transition].update([] if failure else [tuple(target)])
            self._steps[state] = known = dict(known)
        return known

    def _dependencies(self, state: Words) -> Iterator[Finding]:
        here = self.steps(state)
        for first in here:
            for second in here:
                if first == second or self.local.dependent_on[second] >> first & 1:
                    continue
                self.checks += 1
                pair = f"{self._name(second)} is said not to depend on {self._name(first)}"
                for middle in here[first]:
                    if second not in self.steps(middle):
                        problem = f"{self._name(first)} disables it"
                        yield Finding("dep", f"{pair}, but in {describe(self.engine, state)} {problem}")
                one_way = {end for middle in here[first] for end in self.steps(middle).get(second, ())}
                other_way = {end for middle in here[second] for end in self.steps(middle).get(first, ())}
                if not one_way <= other_way:
                    problem = "it comes after where it cannot come before to the same state"
                    yield Finding("dep", f"{pair}, but in {describe(self.engine, state)} {problem}")

    def _enablings(self, state: Words) -> Iterator[Finding]:
        here = self.steps(state)
        for first, targets in here.items():
            for target in targets:
                for second in self.steps(target).keys() - here.keys():
                    self.checks += 1
                    if not self.local.can_enable[first] >> second & 1:
                        names = f"{self._name(first)} enables {self._name(second)} in {describe(self.engine, state)}"
                        yield Finding("can_enable", f"{names}, and is said not to be able to")

    def _necessities(self, state: Words, enabling_sets: EnablingSets) -> Iterator[Finding]:
        here = self.steps(state)
        for t, transition in enumerate(self.engine.compiled.model.transitions):
            if t in here or transition.kind is not Kind.STEP:
                continue
            for necessary in enabling_sets(state, t):
                self.checks += 1
                path = self._path_without(state, t, set(necessary))
                if path is not None:
                    steps = ", ".join(map(self._name, path))
                    names = ", ".join(map(self._name, necessary)) or "something impossible"
                    yield Finding(
                        "net",
                        f"{self._name(t)} is said to need one of {{{names}}} in {describe(self.engine, state)}, "
                        f"but is enabled after {steps}",
                    )

    def _path_without(self, state: Words, wanted: int, avoided: set[int]) -> list[int] | None:
        """A path to a state that enables a transition, without those to be avoided."""
        origins: dict[Words, tuple[Words, int] | None] = {state: None}
        for at in (work := [state]):
            if wanted in self.steps(at):
                path = []
                origin = origins[at]
                while origin is not None:
                    path.append(origin[1])
                    origin = origins[origin[0]]
                return path[::-1]
            for transition, targets in self.steps(at).items():
                if transition in avoided or len(work) > MOST_STATES_PER_SET:
                    continue
                for target in targets - origins.keys():
                    origins[target] = at, transition
                    work.append(target)
        return None

    def _visibility(self, state: Words, visible: int, sees: Callable[[Words], tuple[bool, ...]]) -> Iterator[Finding]:
        for transition, targets in self.steps(state).items():
            if visible >> transition & 1:
                continue
            for target in targets:
                self.checks += 1
                if sees(state) != sees(target):
                    where = describe(self.engine, state)
                    message = f"{self._name(transition)} is said to be invisible, but changes a property in {where}"
                    yield Finding("visible", message)

    def _values(self, propositions: Sequence[Expression]) -> Callable[[Words], tuple[bool, ...]]:
        interpreter, layout = Interpreter(self.engine.compiled.model), self.engine.compiled.layout

        def holds(expression: Expression, state: tuple[int, ...]) -> bool:
            try:
                return interpreter.evaluate(expression, state) != 0
            except Failure:
                return False

        def values(words: Words) -> tuple[bool, ...]:
            state = layout.unpack(words)
            return tuple(holds(each, state) for each in propositions)

        return values

    def _name(self, transition: int) -> str:
        return self.engine.compiled.model.transitions[transition].name


def false_guard_sets(engine: Engine, enabling: Sequence[int]) -> EnablingSets:
    """What Mule itself takes to be necessary: the necessary enabling sets of the guards that are false."""

    def sets(words: Sequence[int], t: int) -> list[list[int]]:
        values = _engine.guards(engine.program, list(words))
        guards = engine.compiled.model.transitions[t].guards
        return [list(members(enabling[guard])) for guard in guards if not values[guard]]

    return sets
