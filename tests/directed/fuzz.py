"""Directed searches on random models of several languages: `python -m tests.directed.fuzz --count 2000 --seed 0`.

No reduction with a proviso that is sound for the search loses a violation, whatever the estimate; and A* and IDA* with
a proven lower bound find trails as short as breadth-first search does."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial

from mule.checking import check
from mule.model import Model
from mule.options import GUIDED, Estimate, Options, Por, Proviso, Search
from mule.properties import Properties
from mule.results import Result, Verdict, ViolationKind
from mule.safety import check_invariants
from tests.random_searches import model_of, predicate, run

MOST_STATES = 2_000
TURNS = 3
"""So many combinations of search, reduction, proviso and estimate are tried on each model."""

SOUND: Mapping[Search, tuple[Proviso, ...]] = {
    "dfs": ("stack", "stack-", "duplicate", "duplicate-", "static"),
    "idastar": ("stack", "stack-", "duplicate", "duplicate-", "static"),
    "bfs": ("duplicate", "duplicate-", "closed-", "static"),
    "astar": ("duplicate", "duplicate-", "closed-", "static"),
    "best-first": ("duplicate", "duplicate-", "closed-", "static"),
}
"""The provisos that are enough for each search (Lluch-Lafuente, Edelkamp and Leue 2002, Figure 4)."""
REDUCTIONS: tuple[Por, ...] = ("deletion", "beam", "ample", "closure", "closure-h")
ESTIMATES: tuple[Estimate, ...] = ("bound", "sum", "pattern", "none")

Question = Callable[[Options], Result]


def try_model(seed: int) -> str:
    """What came of it; raises AssertionError where two searches disagree."""
    name, model = model_of(seed)
    if model is None:
        return name
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


if __name__ == "__main__":
    run(try_model, __doc__, count=2000)
