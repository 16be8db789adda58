"""Compares compiled programs with the same coroutines run by Python itself.

python -m tests.processes.agreement 1000 [FIRST_SEED]
"""

from __future__ import annotations

import linecache
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from mule.checking import check
from mule.comparison import REDUCTIONS
from mule.errors import MuleError
from mule.frontends.python.memory import shared_objects
from mule.frontends.python.system import System
from mule.frontends.python.translation import translate
from mule.model import Model, Role
from mule.model.interpreter import Interpreter, State
from mule.options import Options
from mule.properties import Properties
from mule.records import replace
from mule.results import Verdict
from tests.processes import oracle
from tests.processes.programs import program
from tests.soundness.reference import Searches

_HIDDEN = (".outcome", ".length")
"""How a task stands, and how long a list is: no fields of the program."""


@dataclass
class Compared:
    states: int
    """0: too many to visit them all in Python."""
    deadlocks: int = 0
    failures: int = 0


def maker(text: str, name: str) -> Callable[[], System]:
    """The function `system` of a program, which gives the same system again and again."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    module = ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, name, "exec", dont_inherit=True), module.__dict__)

    def make() -> System:
        system: System = module.system()
        shared_objects(value for task in system.tasks for value in task.variables.values())  # gives them names
        return system

    return make


def compare(text: str, name: str, seed: int, most: int = 1200) -> Compared:
    """Raises AssertionError where the two disagree, whatever the reduction."""
    make = maker(text, name)
    found = oracle.explore(make, most)
    if not found.complete:
        return Compared(0)
    model = translate(make())
    found = _without_constants(found, model)
    space = Space(model)
    assert space.shared == found.shared, f"shared: {sorted(space.shared ^ found.shared)[:3]}"
    assert space.deadlocks == found.deadlocks, f"deadlocks: {sorted(space.deadlocks ^ found.deadlocks)[:3]}"
    assert space.failures == found.failures, f"failures: {sorted(space.failures ^ found.failures)[:3]}"
    searches = Searches(model, "deadlocks")
    stuck = searches.full("bfs").deadlocks
    assert (stuck > 0) == bool(found.deadlocks), f"{stuck} deadlocks"
    for por, weak in REDUCTIONS:
        reduced = searches.reduced(Options(por=por, weak=weak)).deadlocks
        assert reduced == stuck, f"{por}: {reduced} deadlocks of {stuck}"
    por, weak = REDUCTIONS[seed % len(REDUCTIONS)]
    _same_verdicts(model, found, Options(por="none"), random.Random(seed))
    for as_written in (False, True):
        _same_verdicts(model, found, Options(por=por, weak=weak, as_written=as_written), random.Random(seed))
    return Compared(found.states, len(found.deadlocks), len(found.failures))


def _without_constants(found: oracle.Found, model: Model) -> oracle.Found:
    """The model has no variables for fields that nobody assigns."""
    known = {variable.name for variable in model.variables} | {channel.name for channel in model.channels}

    def kept(state: oracle.Shared_state) -> oracle.Shared_state:
        return tuple(each for each in state if each[0] in known)

    return replace(
        found,
        shared={kept(state) for state in found.shared},
        deadlocks={kept(state) for state in found.deadlocks},
        failures={(kept(state), asserts) for state, asserts in found.failures},
    )


class Space:
    """All that the compiled model can reach, by the reference interpreter, in the terms of the oracle."""

    def __init__(self, model: Model) -> None:
        self.model = model
        interpreter = Interpreter(model)
        start = interpreter.initial
        seen, pending = {start}, [start]
        self.shared: set[oracle.Shared_state] = set()
        self.deadlocks: set[oracle.Shared_state] = set()
        self.failures: set[tuple[oracle.Shared_state, bool]] = set()
        while pending:
            state = pending.pop()
            shared = self._shared(state)
            self.shared.add(shared)
            steps = list(interpreter.steps(state))
            if not steps and not interpreter.evaluate(model.end_states, state):
                self.deadlocks.add(shared)
            for step in steps:
                if step.failure is not None:
                    self.failures.add((shared, model.transitions[step.transition].asserts))
                elif step.target not in seen:
                    seen.add(step.target)
                    pending.append(step.target)

    def _shared(self, state: State) -> oracle.Shared_state:
        found = []
        lengths = {
            channel.fields[0]: (channel, state[self.model.slot_of[channel.length]]) for channel in self.model.channels
        }
        long = {
            variable.name.removesuffix(".length"): self.model.slot_of[variable]
            for variable in self.model.variables
            if variable.name.endswith(".length")
        }
        for variable in self.model.variables:
            first = self.model.slot_of[variable]
            if variable in lengths:
                channel, length = lengths[variable]
                slots = [self.model.slot_of[each] for each in channel.fields]
                found.append((channel.name, tuple(state[slot + n] for n in range(length) for slot in slots)))
            elif variable.process is None and variable.role is Role.DATA and not variable.name.endswith(_HIDDEN):
                size = state[long[variable.name]] if variable.name in long else variable.size
                found.append((variable.name, state[first : first + size]))
        return tuple(found)


def _same_verdicts(model: Model, found: oracle.Found, options: Options, choice: random.Random) -> None:
    if found.failures:
        safe = check(model, Properties(assertions=True), options)
        assert safe.verdict is Verdict.VIOLATED, f"{options}: assertions {safe.verdict}"
        return
    stuck = check(model, Properties(deadlock=True, assertions=True), options)
    assert (stuck.verdict is Verdict.VIOLATED) == bool(found.deadlocks), f"{options}: deadlock {stuck.verdict}"
    lists = [each.name.removesuffix(".length") for each in model.variables if each.name.endswith(".length")]
    state = choice.choice(sorted(found.shared))
    other = choice.choice(sorted(found.shared))
    numbers = [
        (name, mine[0], theirs[0])
        for (name, mine), (_, theirs) in zip(state, other, strict=True)
        if "." in name and len(mine) == len(theirs) == 1 and not name.endswith((".waiting", ".joining", *lists))
    ]
    if len(numbers) < 2:
        return
    (one, value, _), (two, _, second) = choice.sample(numbers, 2)
    reached = any((one, (value,)) in each and (two, (second,)) in each for each in found.shared)
    text = f"not ({_written(one)} == {value} and {_written(two)} == {second})"
    kept = check(model, Properties(invariants=(text,)), options)
    assert (kept.verdict is Verdict.VIOLATED) == reached, f"{options}: {text} is {kept.verdict}"


def _written(name: str) -> str:
    return name.replace(" ", "_")


def main(number: int, first: int = 0) -> int:
    wrong = visited = states = deadlocks = failures = 0
    for seed in range(first, first + number):
        try:
            compared = compare(program(seed), f"program_{seed}.py", seed)
            visited += compared.states > 0
            states += compared.states
            deadlocks += compared.deadlocks > 0
            failures += compared.failures > 0
        except (AssertionError, MuleError) as error:
            wrong += 1
            print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
        if (seed - first) % 50 == 49:
            print(f"up to seed {seed}: {visited} visited, {wrong} disagree", flush=True)
    print(
        f"{number} programs, {visited} visited in full ({states} states), {deadlocks} with deadlocks, "
        f"{failures} with failures, {wrong} disagree"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
