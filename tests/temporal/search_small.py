"""A search over small systems and automata for a reduction that loses a run (SOUNDNESS 3.1).

    python -m tests.temporal.search_small --count 100000

A case is a random system of two or three processes and an automaton for a stutter-invariant property: from a random
formula, or a random one; a third of them is made worse without a change to the words (`shared_out`). The full product,
searched without reduction, says what is right.

With `--without closure` the automata are searched as they come, which is the published algorithm; `ignoring` and
`visibility` switch off those conditions. The number of lost runs then shows what the search is able to see.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product as every

from mule.comparison import ALGORITHMS
from mule.engine import Algorithm
from mule.ltl import formula as ltl
from mule.ltl.automaton import Automaton, Edge, merged
from mule.ltl.components import components, pruned
from mule.ltl.formula import Formula
from mule.ltl.stutter import stutter_closed, stutter_invariant_automaton
from mule.ltl.translate import translate
from mule.model import Model, Statement, Variable
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.temporal.product import Emptiness, Product, Reduction
from mule.temporal.replay import replay_lasso
from tests.small_models import Builder, plus, put
from tests.temporal.cases import ATOMS, over_atoms
from tests.temporal.losing import MOST_STATES, Losing

MORE_PER_CASE = 3
"""Configurations for each case besides the published one."""

PUBLISHED = Reduction(Algorithm("ample", nds=False, remember="exact"), "c2", "stack")
CONFIGURATIONS: list[tuple[Emptiness, Reduction]] = [
    (emptiness, Reduction(Algorithm(por, nds=nds, remember="exact"), visibility, ignoring))  # type: ignore[arg-type, misc]
    for emptiness, por, nds, visibility, ignoring in every(
        ("ndfs", "scc"), ("ample", *ALGORITHMS), (False, True), ("c2", "vi"), ("stack", "c3prime", "static")
    )
]


def random_system(draw: random.Random) -> tuple[Model, tuple[Expression, ...]]:
    """Processes that work on the two bits of the propositions, on bits of their own and on one that they share."""
    builder = Builder()
    seen = [builder.variable(name, 1, draw.randint(0, 1)) for name in "pq"]
    shared = builder.variable("z", 1)
    for number in range(draw.choice((2, 2, 3))):
        locations = draw.choice((1, 2, 2, 3))
        process = builder.process(f"P{number}", locations)
        own = builder.variable(f"x{number}", 1, process=process)
        for source in range(locations):
            for _ in range(draw.choice((0, 1, 1, 2))):
                target = (
                    draw.randrange(locations) if draw.random() < 0.5 else (source + 1) % (locations + 1) % locations
                )
                guards = [_test(draw, [*seen, shared, own])] if draw.random() < 0.3 else []
                effect = tuple(_effect(draw, seen, shared, own) for _ in range(draw.choice((0, 1, 1, 1, 2))))
                builder.transition(process, source, target, guards, effect)
    return builder.model(), tuple(Binary("==", Read(bit), Constant(1)) for bit in seen)


def _test(draw: random.Random, bits: list[Variable]) -> Expression:
    return Binary("==", Read(draw.choice(bits)), Constant(draw.randint(0, 1)))


def _effect(draw: random.Random, seen: list[Variable], shared: Variable, own: Variable) -> Statement:
    bit = draw.choice((draw.choice(seen), draw.choice(seen), own, own, shared))
    return plus(bit, 1) if draw.random() < 0.5 else put(bit, draw.randint(0, 1))


_UNARY = (ltl.not_, ltl.eventually, ltl.always)
_BINARY = (ltl.and_, ltl.or_, ltl.until, ltl.release, ltl.weak_until, ltl.strong_release)


def random_formula(draw: random.Random, size: int) -> Formula:
    if size <= 1:
        atom = ltl.atom(draw.choice(ATOMS))
        return atom if draw.random() < 0.5 else ltl.not_(atom)
    if size == 2 or draw.random() < 0.35:
        return draw.choice(_UNARY)(random_formula(draw, size - 1))
    left = draw.randint(1, size - 2)
    return draw.choice(_BINARY)(random_formula(draw, left), random_formula(draw, size - 1 - left))


def random_automaton(draw: random.Random) -> Automaton:
    """Stutter-invariant: a deterministic one that is known to be so, or one in stutter-closed form."""
    if draw.random() < 0.5:
        return stutter_closed(pruned(_any_automaton(draw)))
    while True:
        automaton = pruned(_deterministic_automaton(draw))
        if stutter_invariant_automaton(automaton):
            return automaton


def _deterministic_automaton(draw: random.Random) -> Automaton:
    states = draw.randint(2, 4)
    rows = []
    for _ in range(states):
        letters = [letter for letter in range(1 << len(ATOMS)) if draw.random() < 0.7]
        rows.append(merged(Edge(1 << letter, draw.randrange(states), draw.choice((0, 1))) for letter in letters))
    return Automaton(ATOMS, rows, 0, 1)


def _any_automaton(draw: random.Random) -> Automaton:
    states, marks = draw.randint(1, 3), draw.choice((1, 1, 2))
    full = (1 << (1 << len(ATOMS))) - 1
    rows = [
        merged(
            Edge(draw.randint(1, full), draw.randrange(states), draw.randrange(1 << marks))
            for _ in range(draw.randint(0, 3))
        )
        for _ in range(states)
    ]
    return Automaton(ATOMS, rows, 0, marks)


def shared_out(draw: random.Random, automaton: Automaton) -> Automaton:
    """The same words, but the first component is there several times, and a copy may only be left after a number of
    steps that is its own, modulo the number of copies. Each copy counts so far in a lasso with a stem of its own."""
    parts = components(automaton)
    home = parts.of[automaton.initial]
    copies = draw.choice((2, 2, 3))
    stems = [draw.randrange(3) for _ in range(copies)]
    numbers: dict[tuple[int, int, int], int] = {}
    order: list[tuple[int, int, int]] = []

    def number(state: int, copy: int, steps: int) -> int:
        if parts.of[state] != home:
            copy, steps = -1, 0
        elif steps >= stems[copy] + copies:
            steps -= copies
        key = (state, copy, steps)
        if key not in numbers:
            numbers[key] = len(order)
            order.append(key)
        return numbers[key]

    rows: list[list[Edge]] = []
    numbers[automaton.initial, -2, 0] = 0
    order.append((automaton.initial, -2, 0))
    for state, copy, steps in order:
        own = range(copies) if copy == -2 else (copy,)
        row = []
        for edge, taken in every(automaton.edges[state], own):
            leaves = copy != -1 and parts.of[edge.target] != home
            if not leaves or steps % copies == taken:
                row.append(Edge(edge.label, number(edge.target, taken, steps + 1), edge.marks))
        rows.append(merged(row))
    return Automaton(automaton.atoms, rows, 0, automaton.marks)


def random_automata(draw: random.Random, count: int) -> Iterator[tuple[Automaton, Automaton]]:
    """Automata as they come, and the same in stutter-closed form."""
    while count:
        if draw.random() < 0.75:
            acceptance = draw.choice(("states", "edges", "generalised"))
            original = over_atoms(translate(random_formula(draw, draw.randint(3, 11)), acceptance, "builtin"))  # type: ignore[arg-type]
        else:
            original = random_automaton(draw)
        if draw.random() < 0.3:
            original = shared_out(draw, original)
        closed = stutter_closed(original)
        if max(closed.states, original.states) <= MOST_STATES and original.edges[original.initial]:
            count -= 1
            yield original, closed


class Search(Losing[tuple[Automaton, Automaton]]):
    SWITCHES = ("closure", "ignoring", "visibility")
    CASES_PER_SYSTEM = 40
    SYSTEMS_PER_REPORT = 100

    def cases(self, count: int) -> list[tuple[Automaton, Automaton]]:
        return list(random_automata(self.draw, count))

    def system(self) -> tuple[Model, tuple[Expression, ...]]:
        return random_system(self.draw)

    def weaken(self, product: Product) -> None:
        if self.without == "visibility":
            product.visible = 0

    def judge(self, product: Product, case: tuple[Automaton, Automaton]) -> None:
        original, closed = case
        empty = product.search(original, "scc").empty
        if not empty:
            self.counts["not empty"] += 1
        if product.search(closed, "scc").empty != empty:
            self.report("the stutter-closed form is wrong", product, original)
        configurations = [("ndfs", PUBLISHED), *self.draw.sample(CONFIGURATIONS, MORE_PER_CASE)]
        for emptiness, reduction in configurations:
            if self.without == "ignoring":
                reduction = Reduction(reduction.algorithm, reduction.visibility, "static")
            searched = original if reduction.ignoring == "static" or self.without == "closure" else closed
            result = product.search(searched, "scc" if searched.marks > 1 else emptiness, reduction)
            self.counts["searches"] += 1
            self.counts["reduced searches"] += result.reduced > 0
            if result.empty != empty:
                self.counts["lost"] += result.empty
                self.report(f"{emptiness} {reduction}", product, searched)
            elif not empty:
                replay_lasso(product.model, searched, product.atoms, result.prefix, result.cycle)

    def report(self, what: str, product: Product, automaton: Automaton) -> None:
        self.counts["wrong"] += 1
        if self.counts["wrong"] == 1:
            print(f"WRONG: {what}\n  {product.model.transitions}\n  {automaton}")


if __name__ == "__main__":
    Search.main()
