"""What a glance at a few states says is what a search finds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mule.options import Options
from mule.safety import check_invariants
from mule.vacuity.glance import Glance
from tests.fuzz import examples
from tests.small_models import models, predicates

pytestmark = pytest.mark.slow


@settings(max_examples=examples(60))
@given(st.data())
def test_a_glance_agrees_with_a_search(data: st.DataObject) -> None:
    model = data.draw(models())
    scalars = [variable for variable in model.variables if variable.length is None]
    expression = data.draw(
        predicates(scalars, [variable for variable in model.variables if variable.length is not None])
    )
    seen = Glance(model).says(expression)
    result = check_invariants(model, {"p": expression}, Options(por="none"))
    if seen is not None:
        assert ("invariant p" in result.holding) is seen
