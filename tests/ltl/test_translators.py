"""Which translator is used."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from mule.errors import MuleError
from mule.ltl import translate as module
from mule.ltl.parser import parse


@pytest.fixture
def without_spot(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if it were not installed, or something else were under its name."""
    monkeypatch.setitem(sys.modules, "spot", request.param)
    module._spot.cache_clear()
    yield
    module._spot.cache_clear()


@pytest.mark.parametrize("without_spot", [None, ModuleType("spot")], indirect=True, ids=["missing", "another"])
@pytest.mark.usefixtures("without_spot")
def test_a_spot_that_cannot_be_loaded_is_not_used() -> None:
    formula = parse("[]<> p").formula
    assert module.chosen_translator("auto") == "builtin"
    assert module.translate(formula).states > 0
    with pytest.raises(MuleError, match="Spot is not installed"):
        module.translate(formula, translator="spot")
