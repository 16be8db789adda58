"""Distances to one given state, for trails that are to be shortened (Edelkamp, Lluch-Lafuente and Leue, "Trail-directed
model checking", 2001): the Hamming distance, in how many variables a state differs from it, and the FSM distance, how
far each process is from its location there in its own control graph.

Both are lower bounds with `together`; added up they guide better, and are none where a step changes several variables,
or moves several processes."""

from __future__ import annotations

from collections.abc import Sequence

from mule.directed.formula import Join
from mule.directed.parts import Part, Writers, together, unless
from mule.directed.slots import Slot
from mule.model import Model
from mule.model.expressions import Binary, Constant, Read


def hamming_distance(model: Model, state: Sequence[int], join: Join = together) -> Part:
    writers = Writers(model)
    return join(
        [
            unless(Binary("==", Read(variable, None if index is None else Constant(index)), Constant(value)), writers)
            for (variable, index), value in zip(model.slot_variables, state, strict=True)
        ]
    )


def fsm_distance(model: Model, bounds: Sequence[tuple[int, int]], state: Sequence[int], join: Join = together) -> Part:
    parts, writers = [], Writers(model)
    for process in model.processes:
        wanted = state[model.slot_of[process.location]]
        slot = Slot(model, bounds, Read(process.location), writers)
        parts.append(slot.distance_to(lambda at, there=wanted: at == there))  # type: ignore[misc]
    return join(parts)
