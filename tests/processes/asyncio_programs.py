"""Compares models with the programs that they are, run by asyncio: whatever a run of the program can come to, the model
can come to.

python -m tests.processes.asyncio_programs --count 1000 --seed 0
python -m tests.processes.asyncio_programs --count 300 --seed 0 --collections
"""

from __future__ import annotations

import argparse
import linecache
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import mule.processes
from mule.errors import MuleError
from mule.frontends.python.translation import translate
from mule.model import Model
from mule.model.interpreter import Interpreter
from tests.processes import collections_writer
from tests.processes.asyncio_writer import program
from tests.processes.event_loop import End, ends, stand_in

AGAIN = "a task begins again before it has ended"
MOST_STATES = 3_000


@dataclass
class Compared:
    real: int = 0
    """How many ends the runs had."""
    stuck: bool = False
    fails: bool = False
    refused: str = ""


def loaded(text: str, name: str, processes: ModuleType) -> ModuleType:
    """The program as a module, over mule.processes or what stands for it."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    module = sys.modules[name] = ModuleType(name)  # where dataclasses look up annotations
    code = compile(text.replace("from mule.processes import *", ""), name, "exec", dont_inherit=True)
    names = getattr(processes, "__all__", None) or [each for each in vars(processes) if not each.startswith("_")]
    module.__dict__.update({each: getattr(processes, each) for each in names})
    exec(code, module.__dict__)
    return module


def model_ends(model: Model, first: tuple[tuple[str, int], ...], tasks: int) -> set[End] | None:
    """How runs of the model end; None: there are too many states."""
    interpreter = Interpreter(model)
    slots = {variable.name: model.slot_of[variable] for variable in model.variables}
    begin = interpreter.initial
    seen, pending, found = {begin}, [begin], set[End]()
    moving: dict[tuple[int, int], list[int]] = {}
    for number, transition in enumerate(model.transitions):
        moving.setdefault((transition.moves[0].process, transition.moves[0].source), []).append(number)
    locations = [model.slot_of[process.location] for process in model.processes]
    lasts = [(model.slot_of[process.location], len(process.locations) - 1) for process in model.processes[:tasks]]
    while pending:
        state = pending.pop()
        steps = [
            step
            for process, slot in enumerate(locations)
            for number in moving.get((process, state[slot]), ())
            if interpreter.enabled(model.transitions[number], state)
            for step in interpreter.fire(number, state)
        ]
        if not steps:
            values = tuple((name, state[slots[f"s.{name}"]] if f"s.{name}" in slots else old) for name, old in first)
            waits = tuple(number for number, (slot, last) in enumerate(lasts) if state[slot] != last)
            found.add(End(values, waits))
        for step in steps:
            if step.failure is not None:
                process = model.transitions[step.transition].moves[0].process
                found.add(End(failure=_class_of(step.failure), failed=process))
            elif step.target not in seen:
                seen.add(step.target)
                pending.append(step.target)
        if len(seen) > MOST_STATES:
            return None
    return found


def _class_of(failure: str) -> str:
    """The class of the exception that a report names."""
    if "begins again" in failure:
        return AGAIN
    if "assertion" in failure:
        return "AssertionError"
    named = re.search(r"(?:raises )?(?:asyncio\.)?(\w+)", failure)
    return named[1] if named else failure


def compare(text: str, name: str, seed: int, runs: int = 40) -> Compared:
    """Raises AssertionError where the model cannot do what the program does."""
    program = loaded(text, f"{name} with asyncio", stand_in())
    real = ends(program, runs, random.Random(seed))
    module = loaded(text, name, mule.processes)
    try:
        system = module.system()
        module.STORE.name = "s"
        model = translate(system)
    except MuleError as error:
        return Compared(refused=error.message)
    fields = tuple((each, int(getattr(module.STORE, each))) for each in sorted(type(module.STORE).__annotations__))
    found = model_ends(model, fields, len(system.tasks))
    if found is None:
        return Compared()
    if any(each.failure == AGAIN for each in found):
        return Compared(refused=AGAIN)
    assert real <= found, f"the model has no {sorted(real - found, key=str)[:3]} among {sorted(found, key=str)[:6]}"
    return Compared(len(real), any(each.pending for each in real), any(each.failure for each in real))


def main(count: int, seed: int, written: Callable[[int], str] = program) -> int:
    """Programs that are too large to be judged do not count: others are written in their place."""
    found: Counter[str] = Counter()
    number = seed - 1
    while found["right"] + found["refused"] + found["other"] < count:
        number += 1
        try:
            compared = compare(written(number), f"asyncio_program_{number}.py", number)
        except AssertionError as error:
            found["other"] += 1
            print(f"seed {number}: {error}", flush=True)
            continue
        if compared.refused:
            print(f"seed {number}: refused: {compared.refused}", flush=True)
        found["refused" if compared.refused else "right" if compared.real else "too large"] += 1
        found["that can get stuck"] += compared.stuck
        found["that can fail"] += compared.fails
        found["ends"] += compared.real
    print(
        f"{count} programs, seeds {seed} to {number}: {', '.join(f'{number} {what}' for what, number in found.items())}"
    )
    return 1 if found["other"] else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--collections", action="store_true", help="tasks share lists, dicts and dataclasses")
    arguments = parser.parse_args()
    chosen = collections_writer.program if arguments.collections else program
    sys.exit(main(arguments.count, arguments.seed, chosen))
