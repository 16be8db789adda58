"""The value analysis leaves nothing out that a run can come to, however soon it loses its patience."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import pytest
from hypothesis import given, settings

from mule.model import Model, footprint, value_analysis, widening
from mule.model.value_analysis import compute_domains
from tests.small_models import models, reachable

pytestmark = pytest.mark.slow

BUDGETS: dict[str, dict[tuple[object, str], object]] = {
    "as they are": {},
    "no fair turns": {(value_analysis, "_FAIR_TURNS"): (0, 0)},
    "no patience": {(widening, "_PATIENCE"): 0, (widening, "_ENDURANCE"): 1},
    "no arrays by location": {(footprint, "_TRACKED"): 0, (footprint, "_LONG"): 1},
}


@contextmanager
def budgets(name: str) -> Iterator[None]:
    with ExitStack() as stack:
        for (module, constant), value in BUDGETS[name].items():
            stack.enter_context(patch.object(module, constant, value))
        yield


@pytest.mark.parametrize("name", BUDGETS)
@settings(max_examples=60)
@given(model=models())
def test_every_reachable_value_is_in_its_domain(name: str, model: Model) -> None:
    states = reachable(model, 300)
    if states is None:
        return
    with budgets(name):
        domains = compute_domains(model)
    for state in states:
        assert all(value in domains.values[slot] for slot, value in enumerate(state))
        assert all(value in domains.assigned[slot] for slot, value in enumerate(state))
        for slot, location in domains.control.items():
            assert state[slot] in domains.local[location, state[location]][slot]
