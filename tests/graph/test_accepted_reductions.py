"""Every reduction that is accepted for temporal properties agrees with none, from the formula to the verdict.

`MULE_FUZZ=1000 pytest tests/graph/test_accepted_reductions.py` runs that many models."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mule.checking import check
from mule.ctl.formula import Formula as CtlFormula
from mule.errors import MuleError
from mule.graph import check_graph, construct
from mule.graph.propositions import Proposition
from mule.ltl.formula import Formula as LtlFormula
from mule.model import Model
from mule.options import Kept, Options, Por
from mule.preservation import preserves
from mule.properties import Properties
from mule.records import replace
from tests.ctl.formulas import formulas as ctl_formulas
from tests.fuzz import examples
from tests.graph.cases import Case, cases
from tests.temporal.cases import ATOMS, next_free

pytestmark = pytest.mark.slow

EXAMPLES = examples(8)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    cases(),
    st.lists(ctl_formulas(ATOMS), min_size=3, max_size=3),
    st.lists(next_free(), min_size=2, max_size=2),
)
def test_what_is_accepted_agrees_with_no_reduction(
    case: Case, branching: list[CtlFormula], linear: list[LtlFormula]
) -> None:
    if not case.small:
        return
    meaning = dict(zip(ATOMS, case.atoms, strict=True))
    named = replace(case.model, parse_expression=meaning.__getitem__)
    expected = verdicts(named, branching, linear, Options(por="none"))
    # An error of the model is a violation for `check`, while the runs of a graph end there and do not count.
    expected_on_graph = on_graph(named, linear, Options(por="none"), "ltl")
    for por in get_args(Por):
        options = Options(por=por)
        if preserves(options, "ctl"):
            assert verdicts(named, branching, linear, options) == expected, por
        for kept in get_args(Kept):
            if preserves(options, kept):
                assert on_graph(named, linear, options, kept) == expected_on_graph, (por, kept)
                continue
            with pytest.raises(MuleError, match="leave out --por"):
                on_graph(named, linear, options, kept)


def verdicts(model: Model, branching: list[CtlFormula], linear: list[LtlFormula], options: Options) -> list[str]:
    asked = [Properties(ctl=(str(formula),)) for formula in branching]
    asked += [Properties(ltl=(formula.text,)) for formula in linear]
    return [check(model, each, options).verdict.value for each in asked]


def on_graph(model: Model, linear: list[LtlFormula], options: Options, kept: Kept) -> list[str]:
    """The answers to linear formulas, on a graph in memory."""
    assert model.parse_expression is not None
    graph = construct(model, [Proposition(name, model.parse_expression(name)) for name in ATOMS], kept, options).graph
    assert graph is not None
    return [check_graph(graph, Properties(ltl=(formula.text,))).verdict.value for formula in linear]
