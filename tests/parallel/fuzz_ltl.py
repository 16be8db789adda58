"""Products searched by several workers, on random models of several languages and on small systems that are made to
lose runs: `python -m tests.parallel.fuzz_ltl --count 2000 --seed 0`.

Without reduction several workers count what one worker counts; with every reduction that is sound they keep the same
product, however many they are. Verdicts are those of the serial search without reduction, with and without fairness,
and each run that is found is followed by the reference interpreter and the automaton. Indices are tiny and nothing is
too small to be shared, so that they grow and workers meet all the time. All of that also holds where workers are
stopped at some moment, written to a file, and others go on."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mule.comparison import ALGORITHMS
from mule.driving import Limits
from mule.engine import Algorithm, Team
from mule.ltl.automaton import Automaton
from mule.ltl.stutter import stutter_closed
from mule.ltl.translate import translate
from mule.model import Model
from mule.model.expressions import Expression
from mule.options import Fairness
from mule.planning import Analysis
from mule.temporal.product import Ignoring, Product, ProductResult, Reduction, Visibility
from mule.temporal.replay import replay_lasso
from tests.parallel.fuzz import Cut
from tests.random_searches import model_of, predicate, run
from tests.temporal.cases import ATOMS, over_atoms
from tests.temporal.losing import MOST_STATES as MOST_OF_AUTOMATON
from tests.temporal.search_small import random_automata, random_formula, random_system

MOST_STATES = 4_000
PORS = ("ample", *ALGORITHMS)
FORMULAS = 3
REDUCTIONS = 4


class Case(NamedTuple):
    product: Product
    automata: list[Automaton]


def case_of(seed: int, chosen: random.Random) -> tuple[str, Case | None]:
    """What kind of model it is, and what to search; None, and why, where it is of no use."""
    if seed % 5 == 4:
        name: str = "small system"
        drawn: tuple[Model | None, tuple[Expression, ...]] = random_system(chosen)
        model, atoms = drawn
        automata = [closed for _, closed in random_automata(chosen, FORMULAS)]
    else:
        name, model = model_of(seed)
        if model is None:
            return name, None
        atoms = tuple(predicate(model, chosen) for _ in ATOMS)
        automata = [random_closed(chosen) for _ in range(FORMULAS)]
    assert model is not None
    analysis = Analysis(model, atoms, invariants=False)
    return name, Case(Product(analysis.model, analysis.domains, atoms, MOST_OF_AUTOMATON), automata)


def try_model(seed: int) -> str:
    """What came of it; raises AssertionError where several workers and one disagree."""
    chosen = random.Random(seed)
    name, case = case_of(seed, chosen)
    if case is None:
        return name
    return f"{name}: {verdict([agree(case.product, automaton, chosen) for automaton in case.automata])}"


def verdict(violated: Sequence[bool | None]) -> str:
    if None in violated:
        return "too large"
    return "violated" if any(violated) else "holds"


def random_closed(chosen: random.Random) -> Automaton:
    """For the runs that satisfy a random formula, in stutter-closed form."""
    while True:
        acceptance = chosen.choice(("states", "edges", "generalised"))
        formula = random_formula(chosen, chosen.randint(2, 9))
        automaton = stutter_closed(over_atoms(translate(formula, acceptance, "builtin")))  # type: ignore[arg-type]
        if automaton.states <= MOST_OF_AUTOMATON and automaton.edges[automaton.initial]:
            return automaton


def agree(product: Product, automaton: Automaton, chosen: random.Random) -> bool | None:
    """Whether a run is accepted; None where there are too many states to look at."""
    fairness: Fairness = chosen.choice(("none", "none", "none", "F", "weak", "strong"))
    finite_runs = chosen.random() < 0.8

    def search(
        team: Team | None, reduction: Reduction | None = None, most: int = MOST_STATES, cut: Cut | None = None
    ) -> ProductResult:
        limits = Limits(most)
        found = product.search(automaton, "scc", reduction, fairness, finite_runs, limits, team=team, saving=cut)
        if not found.empty:
            required = product.requirements(fairness)
            replay_lasso(product.model, automaton, product.atoms, found.prefix, found.cycle, required)
        return found

    def cut(reduction: Reduction | None, most: int) -> ProductResult:
        """What workers find who go on, twice, where others have stopped."""
        with tempfile.TemporaryDirectory() as folder:
            saving = Cut(Path(folder) / "cut")
            for limit in (chosen.randint(1, most), chosen.randint(1, most), MOST_STATES):
                found = search(_team(chosen, chosen.choice((1, None))), reduction, limit, saving)
                if found.stopped != "states":
                    break
        return found

    serial = search(None)
    if serial.stopped or search(_team(chosen, 1)).stopped:
        return None
    team = _team(chosen)
    shared = search(team)
    assert shared.empty == serial.empty, f"{team} {fairness}: {shared.empty}, not {serial.empty}"
    if serial.empty:
        counts = [
            (each.progress.states, each.progress.transitions, each.failures, each.stopped) for each in (serial, shared)
        ]
        assert counts[0] == counts[1], f"{team} {fairness}: {counts}"
        most = chosen.randint(1, serial.progress.states)
        limited = search(team, most=most)
        assert limited.progress.states <= most, f"{team}: {limited.progress.states} states, and not more than {most}"
        assert (limited.stopped is None) == (most == serial.progress.states), f"{team}: {limited.stopped} at {most}"
    resumed = cut(None, shared.progress.states)
    assert resumed.empty == serial.empty, f"cut, {fairness}: {resumed.empty}, not {serial.empty}"
    if serial.empty:
        assert _counts(resumed) == _counts(shared), f"cut, {fairness}: {_counts(resumed)}, not {_counts(shared)}"
    for _ in range(REDUCTIONS):
        reduction = random_reduction(chosen, fairness)
        one, many = (search(_team(chosen, workers), reduction) for workers in (1, None))
        assert one.empty == many.empty == serial.empty, f"{reduction}: {one.empty}, {many.empty}, not {serial.empty}"
        later = cut(reduction, one.progress.states)
        assert later.empty == serial.empty, f"cut, {reduction}: {later.empty}, not {serial.empty}"
        if serial.empty:
            kept = [_counts(each) for each in (one, many, later)]
            assert kept[0] == kept[1] == kept[2], f"{reduction}: {kept}"
    return not serial.empty


def _counts(found: ProductResult) -> tuple[object, ...]:
    counted = found.progress
    happened = (found.failures, found.reduced, found.fully_expanded, found.stopped)
    return counted.states, counted.transitions, counted.depth, counted.queue, *happened


def _team(chosen: random.Random, workers: int | None = None) -> Team:
    return Team(
        workers=workers or chosen.randint(2, 4),
        worth_sharing=chosen.choice((1, 2, 40)),
        capacity=chosen.choice((8, 64, 4096)),
    )


def random_reduction(chosen: random.Random, fairness: Fairness) -> Reduction:
    por = chosen.choice(PORS)
    visibilities: list[Visibility] = ["c2", "vi"] if fairness == "none" else ["c2", "vi", "fair", "fair"]
    ignoring: list[Ignoring] = ["duplicate", "c3prime", "static"] if fairness == "none" else ["duplicate", "static"]
    sets = Algorithm(por, nds=chosen.random() < 0.5, remember="none" if por == "ample" else "exact")
    return Reduction(sets, chosen.choice(visibilities), chosen.choice(ignoring))


if __name__ == "__main__":
    run(try_model, __doc__, count=2000)
