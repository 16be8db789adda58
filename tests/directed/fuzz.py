"""Directed searches on random models of several languages: `python -m tests.directed.fuzz --count 2000 --seed 0`.

No reduction with a proviso that is sound for the search loses a violation, whatever the estimate; and A* and IDA* with
a proven lower bound find trails as short as breadth-first search does."""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from mule.checking import check
from mule.errors import MuleError
from mule.frontends import load_text
from mule.model import Model
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.options import GUIDED, Estimate, Options, Por, Proviso, Search
from mule.properties import Properties
from mule.results import Result, Verdict, ViolationKind
from mule.safety import check_invariants
from tests.actors.protocols import protocol
from tests.differential.generator import random_program
from tests.pnml.nets import pnml, random_net
from tests.processes.programs import program

MOST_STATES = 2_000
MOST_TRANSITIONS = 120
TURNS = 3
"""So many combinations of search, reduction, proviso and estimate are tried on each model."""

TEXTS: Mapping[str, tuple[str, Callable[[int], str]]] = {
    "promela": ("promela", lambda seed: random_program(random.Random(seed))),
    "actors": ("actors", protocol),
    "processes": ("python", program),
    "nets": ("pnml", lambda seed: pnml(random_net(seed))),
}
SOUND: Mapping[Search, tuple[Proviso, ...]] = {
    "dfs": ("stack", "stack-", "duplicate", "duplicate-", "static"),
    "idastar": ("stack", "stack-", "duplicate", "duplicate-", "static"),
    "bfs": ("duplicate", "duplicate-", "static"),
    "astar": ("duplicate", "duplicate-", "static"),
    "best-first": ("duplicate", "duplicate-", "static"),
}
"""The provisos that are enough for each search (Lluch-Lafuente, Edelkamp and Leue 2002, Figure 4)."""
REDUCTIONS: tuple[Por, ...] = ("deletion", "beam", "ample", "closure", "closure-h")
ESTIMATES: tuple[Estimate, ...] = ("bound", "sum", "pattern", "none")

Question = Callable[[Options], Result]


def try_model(seed: int) -> str:
    """What came of it; raises AssertionError where two searches disagree."""
    name = list(TEXTS)[seed % len(TEXTS)]
    language, make = TEXTS[name]
    try:
        model = load_text(make(seed), f"model{seed}", language)
    except MuleError:
        return f"{name}: not a model"
    if len(model.transitions) > MOST_TRANSITIONS:
        return f"{name}: too large"
    chosen = random.Random(seed)
    question = asked_of(model, chosen)
    reference = question(Options(por="none", search="bfs", max_states=MOST_STATES))
    if reference.verdict is Verdict.INCOMPLETE:
        return f"{name}: too large"
    compare_lengths(question, reference, chosen.choice(("astar", "idastar")))
    for _ in range(TURNS):
        compare(question, reference, combination(chosen))
    return f"{name}: {reference.verdict.value}"


def asked_of(model: Model, chosen: random.Random) -> Question:
    kind = chosen.randrange(4)
    if kind < 2:
        return partial(check, model, Properties(deadlock=kind == 0, assertions=kind == 1))
    return partial(check_invariants, model, {"drawn": predicate(model, chosen)})


def compare_lengths(question: Question, reference: Result, search: Search) -> None:
    options = Options(por="none", search=search, max_states=2 * MOST_STATES)
    found = question(options)
    assert found.verdict is reference.verdict, f"{options}: {found.verdict}, not {reference.verdict}"
    lengths = {each.property: len(each.trail) for each in reference.violations if each.shortest}
    for each in found.violations:
        # An error of the model is met on the way to what is asked for: nothing is said of its trail.
        met = each.kind is ViolationKind.MODEL_ERROR
        assert met or each.shortest or each.property not in lengths, f"{options}: not the shortest"
        if each.shortest:
            known = lengths.get(each.property, len(each.trail))
            assert len(each.trail) == known, f"{options}: {len(each.trail)} steps, not {known}"


def compare(question: Question, reference: Result, options: Options) -> None:
    found = question(options)
    assert found.verdict is reference.verdict, f"{options}: {found.verdict}, not {reference.verdict}"
    expected = {each.property: each.verdict for each in reference.judgements}
    for each in found.judgements:
        decided = Verdict.INCOMPLETE not in (each.verdict, expected[each.property])
        assert not decided or each.verdict is expected[each.property], f"{options}: {each}"


def combination(chosen: random.Random) -> Options:
    search = chosen.choice(list(SOUND))
    por = chosen.choice(REDUCTIONS)
    options = Options(
        por=por,
        search=search,
        proviso=chosen.choice(SOUND[search]),
        weak=por != "ample" and chosen.random() < 0.3,
        as_written=chosen.random() < 0.5,
    )
    return options.but(estimate=chosen.choice(ESTIMATES)) if search in GUIDED else options


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


def outcome(seed: int) -> tuple[int, str, bool]:
    try:
        return seed, try_model(seed), True
    except Exception as error:
        return seed, f"{type(error).__name__}: {error}", False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    seeds = range(asked.seed, asked.seed + asked.count)
    counts: Counter[str] = Counter()
    wrong = 0
    with ProcessPoolExecutor(asked.workers) as pool:
        for seed, text, fine in pool.map(outcome, seeds, chunksize=4):
            wrong += not fine
            counts[text if fine else "WRONG"] += 1
            if not fine:
                print(f"seed {seed}: {text}", flush=True)
    for text, count in sorted(counts.items()):
        print(f"{count:>6} {text}")
    print(f"{wrong} of {asked.count} models have searches that disagree")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
