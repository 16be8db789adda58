"""The kernels of a search on a GPU, compiled for this computer and run by several threads, on random models of several
languages: `python -m tests.gpu.fuzz --count 2000 --seed 0`.

They count what the serial search counts, find a violation where there is one, and give a shortest path to it, which the
reference interpreter follows. With a reduction that preserves deadlocks they keep exactly the states that the engine's
own algorithm keeps, and with one that preserves safety they find a violation where there is one. Tables are tiny, so
that they grow all the time."""

from __future__ import annotations

import random

from mule.engine import Found, SearchOptions
from mule.explaining import Stated, explained
from mule.model import Model
from mule.options import Por
from mule.planning.resolution import ON_GPU
from mule.results import ViolationKind
from tests.gpu.agreement import (
    any_way,
    by_kernels,
    counts,
    prepared_for,
    reduced_for,
    require_same_counts,
    require_same_finding,
)
from tests.random_searches import model_of, predicate, run

MOST_STATES = 3_000


def try_model(seed: int) -> str:
    """What came of it; raises AssertionError where the kernels and the serial search disagree."""
    name, model = model_of(seed)
    if model is None:
        return name
    chosen = random.Random(seed)
    drawn = predicate(model, chosen)
    prepared = prepared_for(model, (drawn,), as_written=chosen.random() < 0.5)
    plain = prepared_for(model, (), as_written=prepared.options.as_written)
    serial = plain.engine.search(SearchOptions(max_states=MOST_STATES))
    if serial.stopped:
        return f"{name}: too large"
    for _ in range(2):
        require_same_counts(by_kernels(plain.listing, SearchOptions(), any_way(chosen)), serial)
    options = SearchOptions(
        stop_at_deadlock=chosen.random() < 0.5,
        stop_at_assertion=chosen.random() < 0.7,
        stop_at_error=chosen.random() < 0.7,
    )
    expected = prepared.engine.search(options)
    found = by_kernels(prepared.listing, options, any_way(chosen))
    require_same_finding(prepared, found, expected)
    stated = [Stated(ViolationKind.INVARIANT, "drawn", drawn)]
    explained(prepared, stated, found)
    for por in ON_GPU:
        keeps_what_the_engine_keeps(model, por, prepared.options.as_written, chosen)
        reduced = reduced_for(model, por, "safety", (drawn,), prepared.options.as_written)
        kept = by_kernels(reduced.listing, options, any_way(chosen), reduced.gpu_sets)
        assert (kept.found is Found.NOTHING) == (expected.found is Found.NOTHING), f"{por}: {kept.found}"
        explained(reduced, stated, kept)
    return f"{name}: {'holds' if found.found is Found.NOTHING else 'violated'}"


def keeps_what_the_engine_keeps(model: Model, por: Por, as_written: bool, chosen: random.Random) -> None:
    reduced = reduced_for(model, por, "deadlocks", (), as_written)
    serial = reduced.engine.search(SearchOptions(), reduced.reducer(reduced.options))
    by_threads = by_kernels(reduced.listing, SearchOptions(), any_way(chosen), reduced.gpu_sets)
    assert counts(by_threads) == counts(serial), f"{por}: {counts(by_threads)}, not {counts(serial)}"


if __name__ == "__main__":
    run(try_model, __doc__, count=2000)
