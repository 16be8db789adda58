"""What seed 001 (Lluch-Lafuente, Edelkamp and Leue: Partial Order Reduction in Directed Model Checking) measured.

Numbers alone; the keys are the seed's names of its models, and our words for its conditions."""

from __future__ import annotations

from typing import NamedTuple


class Measured(NamedTuple):
    """One search."""

    states: int
    transitions: int
    seconds: float
    length: int | None = None
    """Of the trail, where an error is looked for."""


class Factors(NamedTuple):
    """How many times fewer states are stored: alone, and where the other technique is used, too."""

    heuristic: float
    heuristic_with_reduction: float
    reduction: float
    reduction_with_heuristic: float
    both: float


TABLE_1 = {
    "marriers": {
        "none": Measured(96_295, 264_053, 20.6),
        "stack": Measured(29_501, 37_341, 5.6),
        "duplicate": Measured(72_536, 111_170, 17.3),
        "stack-": Measured(29_501, 37_341, 5.5),
        "duplicate-": Measured(72_536, 111_170, 17.5),
        "static": Measured(57_067, 88_119, 10.7),
    },
    "leader": {
        "none": Measured(54_216, 210_548, 36.3),
        "stack": Measured(963, 4_939, 4.7),
        "duplicate": Measured(1_417, 6_899, 4.6),
        "stack-": Measured(963, 4_939, 4.4),
        "duplicate-": Measured(1_417, 6_899, 5.0),
        "static": Measured(2_985, 7_527, 4.8),
    },
    "giop": {
        "none": Measured(664_376, 2_579_722, 259.3),
        "stack": Measured(65_964, 90_870, 21.0),
        "duplicate": Measured(284_083, 605_147, 110.0),
        "stack-": Measured(65_964, 90_870, 23.1),
        "duplicate-": Measured(284_083, 605_147, 115.0),
        "static": Measured(231_102, 445_672, 79.0),
    },
}
"""All states, depth first; pots was too large."""

TABLE_2 = {
    "marriers": {
        "none": Measured(5_077, 12_455, 0.93, 50),
        "duplicate-": Measured(2_988, 4_277, 0.51, 50),
        "static": Measured(1_604, 1_860, 0.31, 50),
    },
    "pots": {
        "none": Measured(6_519, 2_668, 1.57, 67),
        "duplicate-": Measured(1_662, 3_451, 1.08, 67),
        "static": Measured(1_662, 3_451, 1.00, 67),
    },
    "leader": {
        "none": Measured(7_172, 22_876, 6.87, 58),
        "duplicate-": Measured(65, 3_190, 4.76, 77),
        "static": Measured(399, 3_593, 4.88, 66),
    },
    "giop": {
        "none": Measured(31_066, 108_971, 26.50, 58),
        "duplicate-": Measured(21_111, 48_870, 16.68, 58),
        "static": Measured(12_361, 24_493, 9.36, 58),
    },
}
"""To an error, by A*."""

TABLE_3 = {
    "marriers": {"none": Measured(4_724, 84_594, 19.29, 50), "stack": Measured(1_298, 4_924, 8.40, 50)},
    "pots": {"none": Measured(2_422, 46_929, 36.52, 67), "stack": Measured(1_518, 20_406, 28.37, 67)},
    "leader": {"none": Measured(6_989, 141_668, 210.67, 56), "stack": Measured(55, 50_403, 73.90, 77)},
    "giop": {"none": Measured(30_157, 868_184, 225.54, 58), "stack": Measured(7_441, 102_079, 78.43, 58)},
}
"""To an error, by IDA*."""

FIGURE_6 = {
    "marriers": Factors(2.3, 6.5, 40.8, 117.6, 267.0),
    "pots": Factors(5.9, 8.4, 1.4, 1.6, 9.5),
    "leader": Factors(1.9, 2.6, 2.7, 3.2, 5.9),
    "giop": Factors(1.3, 1.3, 2.6, 2.5, 3.3),
}
