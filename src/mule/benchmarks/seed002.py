"""What seed 002 (Brim, Cerna, Moravec and Simsa: Distributed Partial Order Reduction of State Spaces) measured.

As far as its text says: all states, and how many of a hundred fragmented depth-first search with histories keeps, on
any number of machines."""

from __future__ import annotations

from typing import NamedTuple


class Measured(NamedTuple):
    states: int
    kept: float


FIGURES = {"ABP(20)": Measured(5_954_564, 54.5), "SRP(50)": Measured(6_007_102, 73.8)}
