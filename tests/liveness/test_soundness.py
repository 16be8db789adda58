"""Random models, random formulas, random ways to search: always the answer of the plain product, and a run to show."""

from __future__ import annotations

import os
from typing import get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mule.checking import Analysis
from mule.liveness import answer
from mule.ltl import Formula, not_, translate
from mule.model import Model
from mule.options import Emptiness, Options, Por, Proviso, Visibility
from mule.temporal import about_formula
from tests.product.cases import ATOMS, next_free, over_atoms, propositions, transient_models
from tests.product.reference import System

EXAMPLES = int(os.environ.get("MULE_FUZZ", "200"))
WAYS = 3
"""To search each model."""

PROVISOS: tuple[Proviso, ...] = ("auto", "stack", "static", "c3prime")


def options() -> st.SearchStrategy[Options]:
    return st.builds(
        Options,
        por=st.sampled_from(get_args(Por)),
        proviso=st.sampled_from(PROVISOS),
        visibility=st.sampled_from(get_args(Visibility)),
        emptiness=st.sampled_from(get_args(Emptiness)),
        as_written=st.booleans(),
        translator=st.sampled_from(("auto", "builtin")),
    )


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), transient_models(), next_free())
def test_every_way_gives_the_answer_of_the_plain_product(data: st.DataObject, model: Model, formula: Formula) -> None:
    written = Analysis(model).model
    blind = System(written, ())
    if not blind.complete:
        return
    atoms = {name: data.draw(propositions(blind)) for name in ATOMS}
    automaton = over_atoms(translate(not_(formula), translator="builtin"))
    violated = System(written, list(atoms.values())).accepted(automaton)
    for _ in range(WAYS):
        way = data.draw(options())
        given = answer(model, about_formula(formula.text, not_(formula), atoms, way.translator), way)
        assert given.stopped is None
        assert (given.violation is not None) == violated, way
