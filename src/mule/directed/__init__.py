"""Directed search: how far a state is from what is looked for, as an expression that is compiled with the model.

Every estimate is made of parts (`parts.py`), each of which no step lowers by more than one. What that proves is said in
`Estimate.why`; "shortest" is only ever said of a trail that A* found with a proven lower bound.
"""

from mule.directed.deadlock import deadlock
from mule.directed.estimate import NOTHING_SOUGHT, Estimate, Goals, estimate_for
from mule.directed.formula import reaching
from mule.directed.given_state import fsm_distance, hamming_distance
from mule.directed.parts import Part, added, either, together

__all__ = [
    "NOTHING_SOUGHT",
    "Estimate",
    "Goals",
    "Part",
    "added",
    "deadlock",
    "either",
    "estimate_for",
    "fsm_distance",
    "hamming_distance",
    "reaching",
    "together",
]
