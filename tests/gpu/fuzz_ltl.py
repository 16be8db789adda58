"""Temporal properties by the kernels of a GPU, compiled for this computer and run by several threads, on random models
of several languages and on small systems that are made to lose runs: `python -m tests.gpu.fuzz_ltl --count 2000`.

The kernels say what the serial search says. Where no run is accepted they count what it counts, and where one is, the
reference interpreter and the automaton follow it. Tables are tiny, and cycles are looked for early and late."""

from __future__ import annotations

import random

from mule.driving import Limits
from mule.engine import SearchOptions
from mule.gpu.emptiness import search_runs
from mule.gpu.host import Host
from mule.ltl.automaton import Automaton
from mule.temporal.on_gpu import finished, product_listing
from mule.temporal.product import Product, ProductResult, with_one_mark
from mule.temporal.replay import replay_lasso
from tests.gpu.agreement import Way, any_way, cells_of
from tests.parallel.fuzz_ltl import case_of, verdict
from tests.random_searches import run

MOST_STATES = 4_000


def try_model(seed: int) -> str:
    """What came of it; raises AssertionError where the kernels and the serial search disagree."""
    chosen = random.Random(seed)
    name, case = case_of(seed, chosen)
    if case is None:
        return name
    return f"{name}: {verdict([agree(case.product, automaton, chosen) for automaton in case.automata])}"


def agree(product: Product, automaton: Automaton, chosen: random.Random) -> bool | None:
    """Whether a run is accepted; None where there are too many states to look at."""
    finite_runs = chosen.random() < 0.8
    serial = product.search(automaton, "scc", finite_runs=finite_runs, limits=Limits(MOST_STATES))
    if serial.stopped:
        return None
    way, first_look = any_way(chosen), chosen.choice((1, 50, 10_000))
    found = by_kernels(product, automaton, way, finite_runs, first_look)
    assert (found.stopped, found.empty) == (None, serial.empty), f"{way}: {found.empty}, not {serial.empty}"
    if found.empty:
        counts = [(each.progress.states, each.progress.transitions, each.failures) for each in (found, serial)]
        assert counts[0] == counts[1], f"{way}: {counts}"
    else:
        replay_lasso(product.model, automaton, product.atoms, found.prefix, found.cycle)
    return not serial.empty


def by_kernels(
    product: Product,
    automaton: Automaton,
    way: Way,
    finite_runs: bool = True,
    first_look: int = 1,
    limits: SearchOptions | None = None,
) -> ProductResult:
    marked = automaton if automaton.marks else with_one_mark(automaton)
    listing = product_listing(product, marked, finite_runs)
    host = Host(way.threads, cells=cells_of(listing, way), optimised=way.optimised)
    host.load(listing)
    before = host.available()
    found = search_runs(host, listing, limits or SearchOptions(), None, way.capacity, way.narrow, way.wide, first_look)
    assert host.available() == before, "all memory was given back"
    return finished(product, listing, found, finite_runs, Limits(), None)


if __name__ == "__main__":
    run(try_model, __doc__, count=2000)
