"""Products shared out over partitions, in this process: `python -m tests.cluster.fuzz_ltl --count 500 --seed 0`.

The models and automata of tests.parallel.fuzz_ltl, 1 to 6 partitions in random orders, with and without reduction and
weak fairness, with looks for a cycle on the way and with workers that are lost. Verdicts are those of the serial search
without reduction, unreduced counts too, and each run that is found is followed by the reference interpreter."""

from __future__ import annotations

import random

from mule.cluster import runs as leading
from mule.cluster.in_process import InProcessRuns
from mule.cluster.runs import lead_runs, marks_of
from mule.driving import Limits
from mule.ltl.automaton import Automaton
from mule.options import Fairness
from mule.temporal.product import Product, ProductResult, Reduction, Runs, with_one_mark
from mule.temporal.replay import replay_lasso
from tests.parallel.fuzz_ltl import case_of, random_reduction, verdict
from tests.random_searches import run

MOST_STATES = 800
TURNS = 3
"""Reductions that are tried with each automaton."""


def try_model(seed: int) -> str:
    """What came of it; raises AssertionError where partitions and one search disagree."""
    chosen = random.Random(seed)
    name, case = case_of(seed, chosen)
    if case is None:
        return name
    first = leading.FIRST_LOOK
    leading.FIRST_LOOK = chosen.choice((10, 100, 1000))
    try:
        return f"{name}: {verdict([_agree(case.product, automaton, chosen) for automaton in case.automata])}"
    finally:
        leading.FIRST_LOOK = first


def _agree(product: Product, automaton: Automaton, chosen: random.Random) -> bool | None:
    """Whether a run is accepted; None where there are too many states to look at."""
    fairness: Fairness = chosen.choice(("none", "none", "weak"))
    finite_runs = chosen.random() < 0.8
    marked = automaton if automaton.marks else with_one_mark(automaton)
    serial = product.search(automaton, "scc", None, fairness, finite_runs, Limits(MOST_STATES))
    if serial.stopped:
        return None

    def share(reduction: Reduction | None) -> ProductResult:
        asked = Runs(marked, reduction, fairness, finite_runs)
        losses = chosen.choice((0, 0, 1))
        team = InProcessRuns(product, asked, chosen.randint(1, 6), chosen, chosen.choice((5, 50, 500)), losses)
        found = lead_runs(team, marks_of(product, asked), Limits(4 * MOST_STATES))
        if found.stopped and not serial.empty:
            return found  # one search finds it sooner
        assert found.stopped is None, f"{reduction}: {found.stopped}"
        assert found.empty == serial.empty, f"{reduction} {fairness}: {found.empty}, not {serial.empty}"
        if not found.empty:
            required = product.requirements(fairness)
            replay_lasso(product.model, marked, product.atoms, found.prefix, found.cycle, required)
        return found

    whole = share(None)
    if serial.empty:
        counts = [(each.progress.states, each.progress.transitions, each.failures) for each in (serial, whole)]
        assert counts[0] == counts[1], f"{fairness}: {counts}"
    for _ in range(TURNS):
        share(random_reduction(chosen, fairness))
    return not serial.empty


if __name__ == "__main__":
    run(try_model, __doc__, count=500)
