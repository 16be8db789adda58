"""What searches over small systems for a reduction that loses runs have in common."""

from __future__ import annotations

import argparse
import random
import time
from abc import ABC, abstractmethod
from collections import Counter
from typing import ClassVar, Generic, TypeVar

from mule.model import Model
from mule.model.expressions import Expression
from mule.planning import Analysis
from mule.temporal import product as product_module
from mule.temporal.product import Product

Case = TypeVar("Case")

MOST_STATES = 40
"""Of an automaton."""


class Losing(ABC, Generic[Case]):
    SWITCHES: ClassVar[tuple[str, ...]]
    """What can be left out, to see whether the search notices."""
    CASES_PER_SYSTEM: ClassVar[int]
    SYSTEMS_PER_REPORT: ClassVar[int]

    def __init__(self, seed: int, without: str | None, pool: int) -> None:
        self.draw = random.Random(seed)
        self.without = without
        self.pool = self.cases(pool)
        self.counts: Counter[str] = Counter()
        if without == "closure":
            product_module.is_stutter_closed = lambda automaton: True
        if without == "ignoring":
            product_module.sticky_transitions = lambda *_: 0  # type: ignore[attr-defined]

    @abstractmethod
    def cases(self, count: int) -> list[Case]:
        """What is asked of the systems."""

    @abstractmethod
    def system(self) -> tuple[Model, tuple[Expression, ...]]:
        """A random model and its propositions."""

    @abstractmethod
    def judge(self, product: Product, case: Case) -> None: ...

    def weaken(self, product: Product) -> None:
        """Leave something out of this product."""

    def run(self, count: int) -> None:
        while self.counts["cases"] < count:
            model, atoms = self.system()
            analysis = Analysis(model)
            product = Product(analysis.model, analysis.domains, atoms, MOST_STATES)
            self.weaken(product)
            self.counts["systems"] += 1
            for case in self.draw.sample(self.pool, min(self.CASES_PER_SYSTEM, len(self.pool))):
                self.counts["cases"] += 1
                self.judge(product, case)
            if self.counts["systems"] % self.SYSTEMS_PER_REPORT == 0:
                print(dict(self.counts), flush=True)

    @classmethod
    def main(cls) -> None:
        parser = argparse.ArgumentParser()
        parser.add_argument("--count", type=int, default=100_000)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--pool", type=int, default=2000, help="how many automata or formulas to draw from")
        parser.add_argument("--without", choices=cls.SWITCHES)
        arguments = parser.parse_args()
        started = time.perf_counter()
        search = cls(arguments.seed, arguments.without, arguments.pool)
        search.run(arguments.count)
        print(dict(search.counts), f"{time.perf_counter() - started:.0f} s")
