"""What seed 004 (Peled: Combining partial order reductions with on-the-fly model checking) measured, Figure 8.

Numbers alone; the keys are our models of the same protocols (`mule.benchmarks.protocols`)."""

from __future__ import annotations

from typing import NamedTuple


class Measured(NamedTuple):
    """One protocol: all of the product, and what is left of it."""

    states: int
    transitions: int
    seconds: float
    reduced_states: int
    reduced_transitions: int
    reduced_seconds: float


FIGURE_8 = {
    "sieve": Measured(670_399, 4_434_585, 218.0, 995, 1_738, 0.3),
    "urp": Measured(2_165, 5_522, 0.4, 575, 721, 0.2),
    "abp": Measured(378, 806, 0.1, 378, 806, 0.1),
    "snoopy": Measured(367_867, 1_911_998, 118.7, 131_702, 327_270, 29.7),
    "pftp": Measured(893_575, 3_583_154, 311.3, 210_919, 469_850, 43.2),
    "dtp": Measured(754_225, 2_845_271, 190.8, 233_191, 437_211, 34.8),
    "accounting": Measured(71_053, 220_441, 10.1, 10_634, 15_119, 1.0),
}
