"""Random models, random formulas, random ways to search: always the answer of the plain product, and a run to show."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mule.ltl.formula import Formula, not_
from mule.ltl.translate import translate
from mule.model import Model
from mule.options import Emptiness, Fairness, Options, Por, Proviso, Visibility
from mule.planning import Analysis
from mule.temporal import about_formula, answer
from tests.fuzz import examples
from tests.temporal.cases import ATOMS, next_free, over_atoms, propositions, transient_models
from tests.temporal.reference import System

pytestmark = pytest.mark.slow

EXAMPLES = examples(200)
WAYS = 3
"""To search each model."""

PORS: tuple[Por, ...] = ("auto", "none", "ample", "closure", "closure-h", "beam", "beam-noh", "deletion")
PROVISOS: tuple[Proviso, ...] = ("auto", "stack", "static", "c3prime")
VISIBILITIES: tuple[Visibility, ...] = ("auto", "c2", "vi")


@st.composite
def options(draw: st.DrawFn) -> Options:
    """F is left to tests/temporal: it is about dependencies, which the reference must be told."""
    fairness: Fairness = draw(st.sampled_from(("none", "none", "weak", "strong")))
    fair = fairness != "none"
    return Options(
        por=draw(st.sampled_from(PORS)),
        proviso=draw(st.sampled_from(PROVISOS[:3] if fair else PROVISOS)),
        visibility=draw(st.sampled_from((*VISIBILITIES, "fair") if fair else VISIBILITIES)),
        emptiness=draw(st.sampled_from(get_args(Emptiness))),
        fairness=fairness,
        as_written=draw(st.booleans()),
        translator=draw(st.sampled_from(("auto", "builtin"))),
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
    system = System(written, list(atoms.values()))
    for _ in range(WAYS):
        way = data.draw(options())
        violated = system.accepted(automaton, way.fairness)
        given = answer(model, about_formula(formula.text, not_(formula), atoms, way.translator), way)
        assert given.stopped is None
        assert (given.violation is not None) == violated, way
