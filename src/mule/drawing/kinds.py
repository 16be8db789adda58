"""What can be drawn of a model."""

from __future__ import annotations

from typing import Literal, get_args

from mule.drawing.picture import Picture
from mule.drawing.states import MOST_STATES, state_space
from mule.drawing.structure import interference, process_automata
from mule.errors import MuleError
from mule.model import Model
from mule.options import STUBBORN, Options, Por
from mule.reduction.reduced import Reduced, with_room

Kind = Literal["states", "processes", "interference"]


def draw(model: Model, of: Kind = "states", por: Por = "deletion", max_states: int | None = None) -> Picture:
    if of not in get_args(Kind):
        raise MuleError(f"there is no picture of {of!r}: {', '.join(get_args(Kind))}")
    if por not in STUBBORN:
        raise MuleError(f"what a reduction explores is shown for {', '.join(STUBBORN)}, not for {por}")
    if max_states is not None and of != "states":
        raise MuleError("a limit on states is for a picture of states")
    if of == "processes":
        return process_automata(model)
    if of == "interference":
        from mule.model.value_analysis import compute_domains
        from mule.relations.derivation import derive

        return interference(model, derive(model, compute_domains(model)))
    return state_space(Reduced(with_room(model), Options(por=por)), max_states or MOST_STATES)
