"""Invariants for random models, and what must be true of the trails that refute them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from mule.engine import Found, SearchResult
from mule.model.expressions import Binary, Constant, Expression, Read
from tests.small_models import predicates
from tests.soundness.reference import Searches, Space


@st.composite
def invariants(draw: st.DrawFn, space: Space) -> Expression:
    """Anything; or that there is no state with these values of these slots, although there is one."""
    model = space.model
    scalars = [variable for variable in model.variables if variable.length is None]
    if draw(st.booleans()):
        return draw(predicates(scalars, [variable for variable in model.variables if variable.length is not None]))
    state = draw(st.sampled_from(sorted(space.states)))
    slots = draw(st.lists(st.integers(0, model.slots - 1), min_size=1, max_size=3, unique=True))
    parts = []
    for slot in slots:
        variable, index = model.slot_variables[slot]
        parts.append(Binary("!=", Read(variable, None if index is None else Constant(index)), Constant(state[slot])))
    whole: Expression = parts[0]
    for part in parts[1:]:
        whole = Binary("or", whole, part)
    return whole


def examine_trail(space: Space, searches: Searches, found: SearchResult, drawn: Sequence[Expression]) -> None:
    """A violation is one, in the model as written."""
    if found.found is Found.NOTHING:
        return
    trail = searches.prepared.trail(found.path)
    last = trail.states[-1]
    match found.found:
        case Found.DEADLOCK:
            assert last in space.deadlocks
        case Found.PROPOSITION:
            assert not space.holds(drawn[found.proposition], last)
        case Found.FAILURE:
            assert trail.steps[-1].failure is not None
