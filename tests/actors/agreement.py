"""Compares compiled protocols with the same classes run by Python itself.

python -m tests.actors.agreement 1000 [FIRST_SEED]
python -m tests.actors.agreement --example paxos      counts the states of an example in Python (minutes)
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from mule.checking import check, explore
from mule.errors import MuleError
from mule.frontends.actors.loading import load_system
from mule.frontends.actors.translation import translate
from mule.model import Model
from mule.options import Options, Por
from mule.properties import Properties
from mule.results import Verdict
from tests.actors.oracle import Found, Oracle
from tests.actors.protocols import protocol

REDUCTIONS: tuple[Por, ...] = ("ample", "closure", "closure-h", "beam", "deletion")
MOST_TRANSITIONS = 250
"""Larger protocols take longer than they tell."""


@dataclass
class Compared:
    states: int
    """0: too many to visit them all in Python."""


def compare(text: str, name: str, turn: int, most: int = 2000, transitions: int = MOST_TRANSITIONS) -> Compared:
    """Raises AssertionError where the two disagree. Every reduction has its turn, on the model as written and on the
    smaller one."""
    found = Oracle(load_system(text, name), most).explore()
    if not found.complete:
        return Compared(0)
    model = translate(load_system(text, name))
    if len(model.transitions) > transitions:
        return Compared(0)
    full = explore(model, Options(por="none", as_written=True), "safety")
    assert full.statistics.states == found.states, f"{full.statistics.states} states, Python has {found.states}"
    assert full.statistics.deadlocks == found.deadlocks, (
        f"{full.statistics.deadlocks} deadlocks, Python has {found.deadlocks}"
    )
    por = REDUCTIONS[turn % len(REDUCTIONS)]
    _same_verdicts(model, found, Options(por="none"))
    _same_verdicts(model, found, Options(por=por, as_written=turn // len(REDUCTIONS) % 2 == 0))
    reduced = explore(model, Options(por=por, as_written=True), "safety")
    assert reduced.statistics.deadlocks == found.deadlocks, f"{por}: {reduced.statistics.deadlocks} deadlocks"
    return Compared(found.states)


def _same_verdicts(model: Model, found: Found, options: Options) -> None:
    wrong = bool(found.failures or found.violated)
    safe = check(model, Properties(assertions=True), options)
    assert (safe.verdict is Verdict.VIOLATED) == wrong, f"{options}: {safe.verdict}, Python: {found}"
    live = check(model, Properties(deadlock=True, assertions=True), options)
    expected = wrong or found.deadlocks > 0
    assert (live.verdict is Verdict.VIOLATED) == expected, f"{options}: {live.verdict}, Python: {found}"


def main(number: int, first: int = 0) -> int:
    wrong = visited = states = refused = 0
    for seed in range(first, first + number):
        if seed > first and seed % 100 == 0:
            print(f"up to seed {seed}: {visited} visited in full, {refused} refused, {wrong} disagree", flush=True)
        try:
            compared = compare(protocol(seed), f"protocol_{seed}.py", seed)
            visited += compared.states > 0
            states += compared.states
        except Exception as error:
            if isinstance(error, MuleError) and "too many" in error.message:
                refused += 1
                continue
            wrong += 1
            print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
    print(f"{number} protocols, {visited} visited in full ({states} states), {refused} refused, {wrong} disagree")
    return 1 if wrong else 0


def count(name: str) -> int:
    file = Path("examples") / f"{name}.py"
    print(Oracle(load_system(file.read_text(), str(file)), most=10**6).explore())
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "--example":
        sys.exit(count(sys.argv[2]))
    sys.exit(main(*map(int, sys.argv[1:])))
