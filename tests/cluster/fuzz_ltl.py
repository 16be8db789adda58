"""Products shared out over partitions, in this process: `python -m tests.cluster.fuzz_ltl --count 500 --seed 0`.

The models and automata of tests.parallel.fuzz_ltl, 1 to 6 partitions in random orders, with and without reduction and
weak fairness, with looks for a cycle on the way. Workers are lost and go back to the last cut; all of it is killed at
random moments, also while a cut is being written, or stopped, also in a look, and goes on from the files. Verdicts are
those of the serial search without reduction, unreduced counts too, and each run that is found is followed by the
reference interpreter."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from mule.cluster import leading, runs
from mule.cluster.cuts import Cut, new_shelf
from mule.cluster.runs import lead_runs, marks_of
from mule.driving import Limits
from mule.ltl.automaton import Automaton
from mule.options import Fairness
from mule.temporal.product import Product, ProductResult, Reduction, Runs, with_one_mark
from mule.temporal.replay import replay_lasso
from tests.cluster.resumed import LONGEST_LIFE, MOST_KILLS, KilledError, MortalRuns
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
    with patch.object(runs, "FIRST_LOOK", chosen.choice((10, 100, 1000))), patch.object(leading, "BETWEEN_REPORTS", 0):
        return f"{name}: {verdict([_agree(case.product, automaton, chosen) for automaton in case.automata])}"


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
        found = _disturbed(product, asked, chosen)
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


class _Kept:
    """Remembers the last cut that is complete."""

    last: Cut | None = None

    def record(self, cut: Cut) -> None:
        self.last = cut

    def failed(self, problem: str) -> None:
        raise AssertionError(problem)


def _disturbed(product: Product, asked: Runs, chosen: random.Random) -> ProductResult:
    """The answer, after some searches that were killed or stopped."""
    parts, states = chosen.randint(1, 6), chosen.choice((5, 50, 500))
    between_cuts = chosen.choice((0.0, 0.0, float("inf")))
    kept = _Kept()

    def search(life: int | None, max_states: int, max_bytes: int | None, patience: float) -> ProductResult:
        losses = chosen.choice((0, 0, 1, 3))
        team = MortalRuns(
            product, asked, parts, chosen, states, shelf, losses, kept.last, max_bytes=max_bytes, life=life
        )
        limits = Limits(max_states)
        return lead_runs(
            team, marks_of(product, asked), limits, lambda _: chosen.random() < patience, between_cuts, kept
        )

    with TemporaryDirectory() as folder:
        shelf = new_shelf(Path(folder))
        for _ in range(chosen.randint(0, MOST_KILLS)):
            life = chosen.choice((None, chosen.randrange(LONGEST_LIFE)))
            memory = chosen.choice((None, None, 1))
            with suppress(KilledError):
                found = search(life, chosen.randint(1, MOST_STATES), memory, chosen.choice((0.9, 1.0)))
                if found.stopped is None:
                    return found
        return search(None, 4 * MOST_STATES, None, patience=1.0)


if __name__ == "__main__":
    run(try_model, __doc__, count=500)
