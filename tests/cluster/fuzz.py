"""The search of a cluster, in this process, on random models of several languages.

`python -m tests.cluster.fuzz --count 500 --seed 0`: 1 to 8 partitions of 1 to 3 threads that make the model again from
its recipe, in random orders, with every reduction and every proviso that a cluster has. Without reduction the counts
are those of one search, and the verdicts always are."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from contextlib import contextmanager

from mule.checkpoints import Saving
from mule.cluster import on_ray
from mule.cluster.assignment import assignment_of, preparation_for
from mule.cluster.in_process import InProcess
from mule.cluster.leading import lead
from mule.driving import ProgressCallback
from mule.engine import SearchOptions, SearchResult
from mule.errors import MuleError
from mule.exploring import explore
from mule.options import FRAGMENTED, Options, Por, Proviso
from mule.planning import Preparation
from mule.results import Result, Verdict
from tests.cluster.questions import with_threads
from tests.directed.fuzz import MOST_STATES, Question, asked_of
from tests.random_searches import model_of, run

REDUCTIONS: tuple[Por, ...] = ("deletion", "beam", "beam-noh", "ample", "closure", "closure-h", "lpor")
PROVISOS: tuple[Proviso, ...] = ("closed-", "duplicate-", "duplicate", "static", *FRAGMENTED)
TURNS = 2
"""So many combinations of a reduction and a proviso are tried on each model."""


@contextmanager
def partitions_here(parts: int, chosen: random.Random, rebuilt: bool) -> Iterator[None]:
    """Inside it a cluster is so many partitions in this process; `rebuilt`: of a model that was made again."""
    real = on_ray.search_on_ray

    def search(
        prepared: Preparation,
        options: SearchOptions,
        progress: ProgressCallback | None = None,
        saving: Saving | None = None,
    ) -> SearchResult:
        assert saving is None
        if rebuilt:
            parcel = pickle.loads(pickle.dumps(assignment_of(prepared, options)))
            prepared, options = preparation_for(parcel), parcel.search
        options, threads = with_threads(options, parts, chosen)
        team = InProcess(prepared, options, parts, chosen, chosen.choice((1, 10, 100)), threads=threads)
        return lead(team, options, progress, between_cuts=float("inf"))

    on_ray.search_on_ray = search
    try:
        yield
    finally:
        on_ray.search_on_ray = real


def try_model(seed: int) -> str:
    """What came of it; an AssertionError where two searches disagree."""
    name, model = model_of(seed)
    if model is None:
        return name
    chosen = random.Random(seed)
    question = asked_of(model, chosen)
    reference = question(Options(por="none", search="bfs", max_states=MOST_STATES))
    alone = explore(model, Options(por="none", search="bfs", max_states=MOST_STATES))
    if Verdict.INCOMPLETE in (reference.verdict, alone.verdict):
        return f"{name}: too large"
    parts = chosen.randint(1, 8)
    with partitions_here(parts, chosen, rebuilt=False):
        shared = explore(model, Options(por="none", search="bfs", cluster="local:1"))
        assert sizes(shared) == sizes(alone), f"{parts} partitions: {sizes(shared)}, not {sizes(alone)}"
    for options in combinations(chosen):
        with partitions_here(parts, chosen, rebuilt=chosen.random() < 0.3):
            compare(question, reference, options, parts)
    return f"{name}: {reference.verdict.value}"


def sizes(result: Result) -> tuple[object, ...]:
    found = result.statistics
    return found.states, found.transitions, found.deadlocks, result.unreached, result.stopped


def combinations(chosen: random.Random) -> Iterator[Options]:
    yield Options(por="none", search="bfs", cluster="local:1")
    for _ in range(TURNS):
        por = chosen.choice(REDUCTIONS)
        weak = por not in ("ample", "lpor") and chosen.random() < 0.3
        yield Options(
            por=por, weak=weak, proviso=chosen.choice(PROVISOS), cluster="local:1", as_written=chosen.random() < 0.5
        )


def compare(question: Question, reference: Result, options: Options, parts: int) -> None:
    try:
        found = question(options)
    except MuleError as error:
        if "has no effect" not in error.message:
            raise
        return
    assert found.verdict is reference.verdict, f"{parts} partitions, {options}: {found.verdict}"
    expected = {each.property: each.verdict for each in reference.judgements}
    for each in found.judgements:
        decided = Verdict.INCOMPLETE not in (each.verdict, expected[each.property])
        assert not decided or each.verdict is expected[each.property], f"{parts} partitions, {options}: {each}"


if __name__ == "__main__":
    run(try_model, __doc__, count=500)
