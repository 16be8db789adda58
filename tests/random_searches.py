"""What the fuzzers of searches share: random models of several languages, one seed each, and the loop over them."""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from mule.errors import MuleError
from mule.frontends import load_text
from mule.model import Model
from mule.model.expressions import Binary, Constant, Expression, Read
from tests.actors.protocols import protocol
from tests.differential.generator import random_program
from tests.pnml.nets import pnml, random_net
from tests.processes.programs import program

MOST_TRANSITIONS = 120
TEXTS: Mapping[str, tuple[str, Callable[[int], str]]] = {
    "promela": ("promela", lambda seed: random_program(random.Random(seed))),
    "actors": ("actors", protocol),
    "processes": ("python", program),
    "nets": ("pnml", lambda seed: pnml(random_net(seed))),
}


def model_of(seed: int) -> tuple[str, Model | None]:
    """What kind of model it is, and the model; None, and why, where it is of no use."""
    name = list(TEXTS)[seed % len(TEXTS)]
    language, make = TEXTS[name]
    try:
        model = load_text(make(seed), f"model{seed}", language)
    except MuleError:
        return f"{name}: not a model", None
    return (f"{name}: too large", None) if len(model.transitions) > MOST_TRANSITIONS else (name, model)


def predicate(model: Model, chosen: random.Random) -> Expression:
    def comparison() -> Expression:
        variable, index = chosen.choice(model.slot_variables)
        read = Read(variable, None if index is None else Constant(index))
        operator = chosen.choice(["==", "!=", "<", "<=", ">", ">="])
        return Binary(operator, read, Constant(chosen.randint(-1, 4)))

    expression = comparison()
    for _ in range(chosen.randint(0, 3)):
        expression = Binary(chosen.choice(["and", "or"]), expression, comparison())
    return expression


def _outcome(try_model: Callable[[int], str], seed: int) -> tuple[int, str, bool]:
    try:
        return seed, try_model(seed), True
    except Exception as error:
        return seed, f"{type(error).__name__}: {error}", False


def run(try_model: Callable[[int], str], about: str | None, count: int) -> None:
    """`try_model` says what came of a seed, and raises where searches disagree."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    wrong = 0
    with ProcessPoolExecutor(asked.processes) as pool:
        seeds = range(asked.seed, asked.seed + asked.count)
        for seed, text, fine in pool.map(partial(_outcome, try_model), seeds, chunksize=4):
            wrong += not fine
            counts[text if fine else "WRONG"] += 1
            if not fine:
                print(f"seed {seed}: {text}", flush=True)
    for text, number in sorted(counts.items()):
        print(f"{number:>6} {text}")
    print(f"{wrong} of {asked.count} models have searches that disagree")
    sys.exit(wrong > 0)
