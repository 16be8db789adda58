"""Mule's translator against Spot's: the same words, and how many states. Run: python -m tests.ltl.against_spot

Both with one mark on edges (what `spot.translate(f, 'BA')` gives in Spot 2.13) and with accepting states
(`spot.translate(f, 'Buchi', 'SBAcc')`).
"""

from __future__ import annotations

import importlib
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from mule.ltl.formula import Formula
from mule.ltl.hoa import to_hoa
from mule.ltl.parser import parse
from mule.ltl.translate import Acceptance, spot_installed, translate
from tests.ltl.patterns import PATTERNS

RANDOM = 500
KINDS: dict[Acceptance, tuple[str, ...]] = {"edges": ("BA",), "states": ("Buchi", "SBAcc")}


@dataclass
class Tally:
    formulas: int = 0
    different: list[str] = field(default_factory=list)
    no_larger: int = 0
    worst: tuple[float, str] = (0.0, "")
    states: int = 0
    spot_states: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def __str__(self) -> str:
        ratio, formula = self.worst
        return (
            f"{self.formulas} formulas, {len(self.different)} not equivalent, no larger {self.no_larger} "
            f"({self.no_larger / self.formulas:.1%}), states {self.states} against {self.spot_states}, "
            f"worst {ratio:.2f} ({formula}), mean {self.seconds / self.formulas * 1000:.1f} ms, "
            f"slowest {self.slowest * 1000:.0f} ms"
        )


def compare(spot: Any, formulas: list[tuple[str, Formula]], acceptance: Acceptance) -> Tally:
    """Translate each formula with both, and let Spot decide whether the automata are right."""
    tally = Tally()
    for text, formula in formulas:
        begin = time.perf_counter()
        automaton = translate(formula, acceptance, "builtin")
        seconds = time.perf_counter() - begin
        reference = spot.formula(text)
        size = spot.translate(reference, *KINDS[acceptance]).num_states()
        if not spot.are_equivalent(spot.automaton(to_hoa(automaton)), reference):
            tally.different.append(text)
        tally.formulas += 1
        tally.no_larger += automaton.states <= size
        tally.worst = max(tally.worst, (automaton.states / size, text))
        tally.states += automaton.states
        tally.spot_states += size
        tally.seconds += seconds
        tally.slowest = max(tally.slowest, seconds)
    return tally


def patterns() -> list[tuple[str, Formula]]:
    return [(text, parse(text).formula) for _, text in PATTERNS]


def random_formulas(spot: Any, count: int, seed: int) -> list[tuple[str, Formula]]:
    """Formulas of up to 12 nodes over 3 atoms, from Spot's generator."""
    texts = [str(formula) for formula in spot.randltl(3, count, tree_size=(1, 12), seed=seed)]
    return [(text, parse(text, "spot").formula) for text in texts]


def main() -> int:
    if not spot_installed():
        print("Spot is not installed (pip install spottl): nothing compared")
        return 0
    spot = importlib.import_module("spot")
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    failed = False
    for name, formulas in (("patterns", patterns()), ("random", random_formulas(spot, RANDOM, seed))):
        for acceptance in KINDS:
            tally = compare(spot, formulas, acceptance)
            print(f"{name}, marks on {acceptance}: {tally}")
            failed |= bool(tally.different) or tally.no_larger < 0.8 * tally.formulas or tally.worst[0] > 2
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
