"""Why a transition is in a stubborn set: from the reasons alone the set is made again, and it is closed.

`python -m tests.reduction.explained [--states N] [--largest N] [FILE...]` looks at N states of each model, by each
algorithm; without files at the examples and at the third-party models beside the checkout.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from pathlib import Path

from mule.engine import Algorithm
from mule.errors import MuleError
from mule.frontends import load
from mule.model import Model
from mule.model.interpreter import Interpreter, State
from mule.options import STUBBORN, Options
from mule.planning import Preparation, plan_for
from mule.reduction.reasons import ChosenSet, Reasons
from mule.relations import members

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.*"))
CORPORA = ROOT.parent / "shared" / "models"
LARGEST = 400
"""Transitions: the closure is checked here by the slow obvious way."""


def states_of(model: Model, count: int) -> list[State]:
    """Those of random runs; as many as there are, or as many as are asked for."""
    interpreter, chosen = Interpreter(model), random.Random(1)
    found: dict[State, None] = {}
    state = interpreter.initial
    for _ in range(10 * count):
        if len(found) == count:
            break
        found[state] = None
        steps = [step for step in interpreter.steps(state) if step.failure is None]
        state = chosen.choice(steps).target if steps and chosen.random() > 0.02 else interpreter.initial
    return list(found)


def prepared_for(model: Model) -> Preparation:
    return Preparation(plan_for(model, Options(por="deletion", as_written=True), "deadlocks", ()))


def require_derived(reasons: Reasons, state: State, chosen: ChosenSet) -> None:
    """Each reason is true, the set is what follows from those that begin it, and nothing that it needs is missing."""
    model, relations = reasons.model, reasons.relations
    interpreter = Interpreter(model)
    true = sum(interpreter.holds(guard, state) << guard for guard in range(len(model.guards)))
    enabled = set(chosen.enabled)
    derived: set[int] = set()
    for member, reason in chosen.reasons.items():
        if reason.because == "begins":
            assert member in enabled
            derived.add(member)
            continue
        assert reason.cause in derived
        cause = reason.cause
        if reason.because == "interferes":
            assert cause in enabled
            assert relations.do_not_accord[cause] >> member & 1
        else:
            guard, own = reason.guard, model.transitions[cause].guards
            assert guard is not None
            assert cause not in enabled
            if reason.because == "enables":
                assert guard in own
                assert not true >> guard & 1
                assert relations.enabling[guard] >> member & 1
            else:
                assert true >> guard & 1
                assert any(relations.never_coenabled[guard] >> each & 1 for each in own)
                assert relations.disabling[guard] >> member & 1
        derived.add(member)
    assert derived == set(chosen.reasons)
    assert set(chosen.explored) == derived & enabled
    whole = sum(1 << member for member in derived)
    for member in derived:
        if member in enabled:
            assert not relations.do_not_accord[member] & ~whole
        else:
            assert any(not wanted & ~whole for wanted in necessary_sets(reasons, member, true))


def necessary_sets(reasons: Reasons, member: int, true: int) -> Iterator[int]:
    """One of which must run before the member can. `true`: the guards that hold."""
    relations = reasons.relations
    own = sum(1 << guard for guard in set(reasons.model.transitions[member].guards))
    yield from (relations.enabling[guard] for guard in members(own & ~true))
    yield from (relations.disabling[guard] for guard in members(true) if relations.never_coenabled[guard] & own)


def corpora() -> Iterator[Path]:
    """Of each model of BEEM the smallest, and the Promela programs."""
    yield from sorted((CORPORA / "dve").glob("*.1.dve"))
    yield from sorted((CORPORA / "promela").rglob("*.pml"))


def check(path: Path, states: int, largest: int) -> tuple[int, int, int] | str:
    """How many states, sets and reasons were looked at; or why none."""
    try:
        model = load(str(path))
        if len(model.transitions) > largest:
            return f"more than {largest} transitions"
        prepared = prepared_for(model)
        if len(prepared.searched.transitions) > largest:
            return f"more than {largest} transitions, in the model that is searched"
        seen = states_of(prepared.searched, states)
        sets = told = 0
        for name in STUBBORN:
            reasons = Reasons(prepared.searched, prepared.relations, Algorithm(name))
            for state in seen:
                chosen = reasons.choose(state)
                require_derived(reasons, state, chosen)
                sets += 1
                told += len(chosen.reasons)
    except MuleError as error:
        return str(error).splitlines()[0]
    return len(seen), sets, told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--states", type=int, default=100)
    parser.add_argument("--largest", type=int, default=LARGEST, help="transitions; larger models are left out")
    given = parser.parse_args()
    models = whole = all_states = all_sets = all_reasons = 0
    for path in given.files or [*EXAMPLES, *corpora()]:
        begun = time.perf_counter()
        found = check(path, given.states, given.largest)
        if isinstance(found, str):
            print(f"{path.name}: left out: {found}", flush=True)
            continue
        states, sets, told = found
        models, whole = models + 1, whole + (states == given.states)
        all_states, all_sets, all_reasons = all_states + states, all_sets + sets, all_reasons + told
        taken = time.perf_counter() - begun
        print(f"{path.name}: {states} states, {sets} sets, {told:,} reasons ({taken:.1f} s)", flush=True)
    print(
        f"{models} models, {whole} of them with {given.states} states; {len(STUBBORN)} algorithms; "
        f"{all_states:,} states, {all_sets:,} sets, {all_reasons:,} reasons: every set follows from its reasons"
    )


if __name__ == "__main__":
    main()
