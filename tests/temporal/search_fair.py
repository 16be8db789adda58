"""A search over small systems and formulas for a reduction that loses a fair run.

    python -m tests.temporal.search_fair --count 100000

A case is a random system of two to four processes, some with joint steps, and a formula; the full product, searched
under the same fairness and checked against brute force now and then, says what is right. The formula is taken apart
(`mule.ltl.splitting`): its components are what a search with static sets and `fair` visibility may see.

`--without` switches something off, and the number of lost runs shows what the search is able to see:

movers    the order of what decides who can move
agents    the dependency of transitions of one process
visible   the order of what the formula can see
closure   the stutter-closed form of the automaton
static    static sets: what the components see, with sets that depend on the automaton
ignoring  the ignoring proviso
"""

from __future__ import annotations

import random
from itertools import product as every

from mule.comparison import ALGORITHMS
from mule.engine import Algorithm
from mule.ltl.automaton import Automaton
from mule.ltl.formula import Formula, not_
from mule.ltl.splitting import components, split
from mule.ltl.stutter import stutter_closed
from mule.ltl.translate import translate
from mule.model import Model, Move, Variable
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.options import Fairness
from mule.temporal import fairness as fairness_module
from mule.temporal.product import Product, Reduction
from mule.temporal.replay import replay_lasso
from tests.small_models import Builder, plus, put
from tests.temporal.cases import ATOMS, over_atoms
from tests.temporal.losing import MOST_STATES, Losing
from tests.temporal.reference import System
from tests.temporal.search_small import random_formula

MORE_PER_CASE = 3
CHECKED_AGAINST_BRUTE_FORCE = 0.02

FAIRNESS: tuple[Fairness, ...] = ("F", "weak", "strong")
CONFIGURATIONS: list[tuple[Fairness, Reduction]] = [
    (fairness, Reduction(Algorithm(por, nds=nds, remember="exact"), visibility, ignoring))  # type: ignore[arg-type]
    for fairness, por, nds, visibility, ignoring in every(
        FAIRNESS, ("ample", *ALGORITHMS), (False, True), ("c2", "vi", "fair", "fair", "fair"), ("stack", "static")
    )
]
Case = tuple[Formula, Automaton, Automaton, tuple[frozenset[int], ...]]


def random_system(draw: random.Random) -> tuple[Model, tuple[Expression, ...]]:
    """Processes that wait for each other's bits and for the two bits of the propositions."""
    builder = Builder()
    seen = [builder.variable(name, 1, draw.randint(0, 1)) for name in "pq"]
    shared = [builder.variable(name, 1, draw.randint(0, 1)) for name in "xyz"[: draw.choice((1, 2, 3))]]
    count = draw.choice((2, 3, 3, 4))
    for number in range(count):
        locations = draw.choice((1, 2, 2, 3))
        process = builder.process(f"P{number}", locations)
        mine = draw.choice(shared)
        for source in range(locations):
            for _ in range(draw.choice((1, 1, 1, 2) if locations > 1 else (1, 2))):
                target = draw.randrange(locations) if draw.random() < 0.3 else (source + 1) % locations
                guards = [_test(draw, [*seen, *shared, *shared]) for _ in range(draw.choice((0, 0, 1)))]
                effect = tuple(_effect(draw, seen, mine) for _ in range(draw.choice((0, 1, 1, 1))))
                stays = source == target and draw.random() < 0.5
                builder.transition(process, source, target, guards, effect, stays=stays)
    if draw.random() < 0.3:
        pair = draw.sample(range(count), 2)
        moves = tuple(
            Move(process, draw.randrange(size), draw.randrange(size))
            for process, size in ((each, len(builder.processes[each].locations)) for each in pair)
        )
        builder.joint(moves, (), ())
    return builder.model(), tuple(Binary("==", Read(bit), Constant(1)) for bit in seen)


def _test(draw: random.Random, bits: list[Variable]) -> Expression:
    def single() -> Expression:
        return Binary("==", Read(draw.choice(bits)), Constant(draw.randint(0, 1)))

    return Binary("or", single(), single()) if draw.random() < 0.4 else single()


def _effect(draw: random.Random, seen: list[Variable], mine: Variable):  # type: ignore[no-untyped-def]
    bit = draw.choice((*seen, mine, mine, mine))
    return plus(bit, 1) if draw.random() < 0.4 else put(bit, draw.randint(0, 1))


def random_case(draw: random.Random) -> Case:
    """A property, automata for the runs that violate it, and the atoms that its components see."""
    while True:
        formula = split(random_formula(draw, draw.randint(3, 10)))
        original = over_atoms(translate(not_(formula), draw.choice(("edges", "generalised")), "builtin"))
        closed = stutter_closed(original)
        if max(closed.states, original.states) <= MOST_STATES and original.edges[original.initial]:
            observed = tuple(
                frozenset(ATOMS.index(text) for text in component.atoms()) for component in components(formula)
            )
            return formula, original, closed, observed


class Search(Losing[Case]):
    SWITCHES = ("movers", "agents", "visible", "closure", "static", "ignoring")
    CASES_PER_SYSTEM = 30
    SYSTEMS_PER_REPORT = 200

    def __init__(self, seed: int, without: str | None, pool: int) -> None:
        super().__init__(seed, without, pool)
        if without == "movers":
            fairness_module._deciding_who_moves = lambda relations, fairness: []
        if without == "agents":
            fairness_module.dependent = lambda relations: relations.do_not_accord

    def cases(self, count: int) -> list[Case]:
        return [random_case(self.draw) for _ in range(count)]

    def system(self) -> tuple[Model, tuple[Expression, ...]]:
        return random_system(self.draw)

    def weaken(self, product: Product) -> None:
        if self.without == "visible":
            product.visible = 0
            product._seen_by = lambda atoms: 0  # type: ignore[method-assign]

    def judge(self, product: Product, case: Case) -> None:
        formula, original, closed, observed = case
        empty = {fairness: product.search(original, "scc", fairness=fairness).empty for fairness in FAIRNESS}
        if self.draw.random() < CHECKED_AGAINST_BRUTE_FORCE:
            self.compare_with_brute_force(product, original, empty)
        for fairness, reduction in self.draw.sample(CONFIGURATIONS, MORE_PER_CASE):
            if self.without == "ignoring":
                reduction = Reduction(reduction.algorithm, reduction.visibility, "static")
            if reduction.visibility == "fair" and reduction.ignoring == "static":
                reduction = Reduction(reduction.algorithm, "fair", "static", observed=observed)
            if reduction.visibility == "fair" and self.without == "static":
                self.force_split(product, observed)
            searched = original if reduction.ignoring == "static" or self.without == "closure" else closed
            result = product.search(searched, "scc", reduction, fairness)
            kind = f"{fairness} {reduction.visibility} {reduction.ignoring}"
            self.counts["searches"] += 1
            self.counts["reduced searches"] += result.reduced > 0
            self.counts["reduced, and not empty"] += result.reduced > 0 and not empty[fairness]
            if result.empty != empty[fairness]:
                self.counts["lost"] += 1
                self.counts[f"lost: {kind}"] += 1
                if self.counts["lost"] <= 3:
                    print(f"LOST: {fairness} {reduction} {formula}\n  {product.model.transitions}", flush=True)
            elif not result.empty:
                required = product.requirements(fairness)
                replay_lasso(product.model, searched, product.atoms, result.prefix, result.cycle, required)

    def force_split(self, product: Product, observed: tuple[frozenset[int], ...]) -> None:
        """Components with sets that depend on the automaton, which `Product` does not do."""
        product._reducers.clear()
        product._seeing = lambda reduction: fairness_module.with_groups(  # type: ignore[method-assign]
            fairness_module.with_fair_dependencies(product.relations, reduction.fairness),
            [product._seen_by(sorted(part)) for part in observed],
        )

    def compare_with_brute_force(self, product: Product, automaton: Automaton, empty: dict[Fairness, bool]) -> None:
        system = System(product.model, product.atoms)
        if not system.complete:
            return
        dependencies = fairness_module.dependent(product.relations)
        for fairness, found in empty.items():
            self.counts["brute force"] += 1
            assert system.accepted(automaton, fairness, dependencies) != found


if __name__ == "__main__":
    Search.main()
