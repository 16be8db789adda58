"""Answers shared between transitions of the same shape are the answers that each of them would get."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import mule.relations.decide
import mule.relations.derivation
from mule.frontends import load
from mule.model import Model
from mule.model.failures import with_error_transitions
from mule.model.value_analysis import compute_domains
from mule.relations import Relations
from mule.relations.derivation import derive
from mule.relations.instances import split_on_indices
from tests.small_models import models

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

MODELS = Path(__file__).parents[3] / "shared" / "models" / "dve"


class Forgetful(dict[Any, Any]):
    """Remembers shapes, but no answers."""

    def __setitem__(self, key: Any, value: Any) -> None:
        pass


def both_ways(model: Model, monkeypatch: pytest.MonkeyPatch) -> tuple[Relations, Relations]:
    for module in (mule.relations.derivation, mule.relations.decide):
        monkeypatch.setattr(module, "EFFORT", 10**9)
    domains = compute_domains(model)
    complete = split_on_indices(with_error_transitions(model, domains), domains)
    remembered = derive(complete, domains)
    domains.answers = Forgetful()
    return remembered, derive(complete, domains)


def assert_equal(remembered: Relations, anew: Relations) -> None:
    assert remembered.do_not_accord == anew.do_not_accord
    assert remembered.do_not_left_accord == anew.do_not_left_accord
    assert remembered.enabling == anew.enabling
    assert remembered.disabling == anew.disabling
    assert remembered.must_disable == anew.must_disable


@pytest.mark.skipif(not MODELS.exists(), reason="needs BEEM's models")
@pytest.mark.parametrize("name", ["bakery.1", "telephony.1", "leader_filters.1", "szymanski.1", "firewire_tree.2"])
def test_on_models_with_symmetric_processes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_equal(*both_ways(load(MODELS / f"{name}.dve"), monkeypatch))


@given(models())
def test_on_random_models(model: Model) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert_equal(*both_ways(model, monkeypatch))
