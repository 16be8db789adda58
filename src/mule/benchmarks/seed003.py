"""What seed 003 (Laarman, Pater, van de Pol, Hansen: Guard-based partial-order reduction) measured on Promela models.

Numbers alone; the keys are the files of the corpus that the models are in today."""

from __future__ import annotations

from typing import NamedTuple

VARIANTS = (
    "deletion",
    "beam",
    "closure-h",
    "beam-noh",
    "closure",
    "deletion no NDS",
    "beam no NDS",
    "weak deletion",
    "weak beam",
)
"""The columns of Tables 2, 3 and 4 in our words; strong, with necessary disabling sets where nothing else is said."""


class Measured(NamedTuple):
    """One model in Tables 2, 3 and 4: a figure for each of VARIANTS."""

    percent: tuple[float, ...]
    """Of the states kept."""
    branching: tuple[float, ...]
    """Transitions a state; of the full state space first."""
    rate: tuple[int | None, ...]
    """States a second; None where the run was too short to tell."""


class Compared(NamedTuple):
    """One model in Table 6: the full state space, and the percentages kept."""

    states: int
    transitions: int
    guard_states: float
    """By guard-based reduction in LTSmin."""
    guard_transitions: float
    ample_states: float
    """By ample sets in SPIN."""
    ample_transitions: float


TABLES_2_TO_4 = {
    "brp/brp.prm": Measured(
        percent=(34.8, 28.0, 28.9, 36.5, 40.0, 34.8, 28.0, 35.6, 28.0),
        branching=(2.15, 1.15, 1.16, 1.15, 1.28, 1.40, 1.15, 1.16, 1.17, 1.16),
        rate=(91_816, 254_404, 224_147, 198_827, 244_647, 203_763, 308_187, 91_359, 235_486),
    ),
    "garp/garp-a/garp": Measured(
        percent=(3.8, 3.6, 49.5, 8.4, 72.8, 3.8, 3.6, 2.1, 2.6),
        branching=(5.11, 2.10, 2.11, 2.79, 2.01, 3.12, 2.10, 2.12, 2.14, 2.04),
        rate=(30_922, 59_965, 99_594, 28_970, 37_065, 58_695, 86_436, 27_360, 37_032),
    ),
    "i-protocol/code/spin/i0": Measured(
        percent=(6.1, 5.7, 36.8, 12.5, 80.2, 6.1, 7.3, 11.3, 5.9),
        branching=(4.69, 1.84, 1.83, 2.42, 1.96, 2.85, 1.84, 1.96, 1.91, 1.82),
        rate=(23_062, 70_706, 100_268, 26_255, 27_428, 67_642, 82_416, 23_264, 28_142),
    ),
    "i-protocol/code/spin/i2": Measured(
        percent=(17.6, 16.1, 55.2, 36.3, 92.7, 17.6, 18.0, 30.3, 14.8),
        branching=(3.36, 1.94, 1.99, 2.19, 1.96, 2.48, 1.94, 1.98, 1.90, 1.84),
        rate=(73_194, 189_562, 218_248, 66_796, 117_433, 154_766, 190_713, 74_959, 65_773),
    ),
    "Samples/p117.pml": Measured(
        percent=(41.8, 46.3, 41.5, 93.2, 100.0, 41.8, 46.3, 41.8, 46.3),
        branching=(2.34, 1.22, 1.19, 1.22, 2.12, 2.13, 1.22, 1.19, 1.22, 1.19),
        rate=(None, None, None, None, None, None, None, None, None),
    ),
    "Tests/peterson4": Measured(
        percent=(3.0, 2.9, 50.8, 2.9, 60.1, 3.0, 2.9, 3.0, 2.9),
        branching=(3.76, 1.23, 1.23, 1.74, 1.23, 1.77, 1.23, 1.23, 1.23, 1.23),
        rate=(70_698, 212_681, 247_946, 156_367, 186_736, 125_135, 256_689, 71_642, 191_852),
    ),
    "phils/philo.pml": Measured(
        percent=(4.9, 7.9, 55.4, 43.6, 89.8, 4.9, 5.1, 4.9, 9.7),
        branching=(9.81, 3.90, 4.23, 5.94, 7.82, 8.79, 3.90, 3.90, 3.90, 4.31),
        rate=(29_171, 31_683, 81_263, 7_668, 37_726, 40_548, 39_764, 25_827, 23_523),
    ),
    "relay/SMALL1": Measured(
        percent=(17.8, 17.8, 60.4, 17.8, 80.5, 17.8, 17.8, 17.8, 17.8),
        branching=(4.41, 2.34, 2.34, 2.45, 2.34, 2.53, 2.34, 2.34, 2.34, 2.34),
        rate=(None, None, None, None, None, None, None, None, None),
    ),
    "smcs/smcs.promela": Measured(
        percent=(6.6, 7.6, 31.6, 56.0, 96.8, 6.6, 7.6, 6.6, 7.6),
        branching=(3.84, 1.45, 1.37, 1.94, 2.84, 3.45, 1.45, 1.38, 1.45, 1.37),
        rate=(None, None, None, 3_594, 7_908, None, None, None, None),
    ),
    "Tests/snoopy": Measured(
        percent=(9.2, 15.2, 37.0, 10.3, 66.0, 9.2, 12.8, 9.2, 8.4),
        branching=(3.38, 1.24, 1.31, 1.43, 1.36, 2.22, 1.24, 1.28, 1.24, 1.28),
        rate=(12_034, 21_964, 46_881, 11_599, 30_400, None, None, 12_034, 11_745),
    ),
    "x509/X.509.prm": Measured(
        percent=(7.6, 12.7, 76.4, 94.9, 100.0, 7.6, 13.1, 7.8, 13.0),
        branching=(3.99, 1.59, 1.41, 2.37, 3.61, 3.95, 1.59, 1.41, 1.59, 1.40),
        rate=(None, None, None, 12_604, None, None, None, None, None),
    ),
}

TABLE_6 = {
    "garp/garp-a/garp": Compared(48_363_145, 247_135_869, 4, 1, 18, 9),
    "i-protocol/code/spin/i2": Compared(14_309_427, 48_024_048, 16, 10, 24, 16),
    "Tests/peterson4": Compared(12_645_068, 47_576_805, 3, 1, 5, 2),
    "i-protocol/code/spin/i0": Compared(9_798_465, 45_932_747, 6, 2, 44, 29),
    "brp/brp.prm": Compared(3_280_269, 7_058_556, 28, 15, 58, 39),
    "phils/philo.pml": Compared(1_640_881, 16_091_905, 8, 3, 100, 100),
    "Tests/sort-copies": Compared(
        659_683, 3_454_988, 100 * 182 / 659_683, 100 * 181 / 3_454_988, 100 * 182 / 659_683, 100 * 181 / 3_454_988
    ),
    "i-protocol/code/spin/i3": Compared(388_929, 1_161_274, 14, 7, 26, 16),
    "i-protocol/code/spin/i4": Compared(95_756, 204_405, 27, 18, 38, 28),
    "Tests/snoopy": Compared(81_013, 273_781, 15, 6, 17, 7),
    "Tests/peterson3": Compared(45_915, 128_653, 8, 3, 10, 4),
    "relay/SMALL1": Compared(36_970, 163_058, 18, 9, 48, 45),
    "relay/SMALL2": Compared(7_496, 32_276, 19, 10, 48, 44),
    "x509/X.509.prm": Compared(9_028, 35_999, 13, 4, 68, 34),
    "dbm/dbm.prm": Compared(5_112, 20_476, 100, 100, 100, 100),
    "smcs/smcs.promela": Compared(5_066, 19_470, 8, 3, 25, 11),
}


class Temporal(NamedTuple):
    """One model in Tables 7 and 8: percentages of the product's states kept."""

    states: float
    """Of the product without reduction, as the seed rounds it."""
    transitions: float
    deletion: tuple[float, float, float]
    """With V, I and C3'; with C2 instead of V and I; with C3 instead of C3'."""
    beam: tuple[float, float, float]
    spin: float
    """By SPIN's ample sets."""


TABLES_7_AND_8 = {
    "garp": Temporal(7e7, 4e8, (14.4, 16.3, 16.7), (18.3, 20.1, 20.0), 16.3),
    "iprotocol2": Temporal(2e7, 6e7, (34.4, 32.8, 37.4), (32.8, 33.0, 32.9), 45.1),
    "pacemaker-con": Temporal(2e7, 5e7, (41.4, 45.0, 70.6), (46.1, 63.8, 63.1), 90.0),
    "pacemaker-dis": Temporal(7e7, 2e8, (27.9, 28.7, 48.4), (46.1, 46.7, 46.7), 93.9),
    "peterson4": Temporal(8e7, 3e8, (12.6, 12.6, 14.8), (13.5, 13.9, 13.9), 9.9),
}
"""By the seed's name of the model."""
