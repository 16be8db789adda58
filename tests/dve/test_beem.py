"""The BEEM benchmark: everything parses, and the counts of the smaller instances are BEEM's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mule.frontends import load
from tests.dve.exploration import explore

BEEM = Path(__file__).resolve().parents[3] / "shared" / "models" / "dve"
LARGEST = 3_000

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.slow,
    pytest.mark.skipif(
        not (BEEM / "expected.json").exists(), reason=f"the BEEM models are not beside the repository: no {BEEM}"
    ),
]


def instances() -> list[dict[str, Any]]:
    path = BEEM / "expected.json"
    return json.loads(path.read_text()) if path.exists() else []


def small() -> list[Any]:
    return [
        pytest.param(each, id=each["model"])
        for each in instances()
        if each["states"] and each["states"] < LARGEST and "transitions" in each
    ]


def test_all_models_load() -> None:
    files = sorted(BEEM.glob("*.dve"))
    assert len(files) == 473
    for file in files:
        model = load(file)
        assert model.transitions
        assert (model.property_process is not None) == (".prop" in file.name)
        assert bool(model.property_transitions) == (".prop" in file.name)


def test_all_reachability_expressions_parse() -> None:
    checked = 0
    for each in instances():
        parse = load(BEEM / each["file"]).parse_expression
        assert parse is not None
        for goal in each["reachability"]:
            parse(goal["expression"])
            checked += 1
    assert checked > 100


@pytest.mark.parametrize("instance", small())
def test_counts(instance: dict[str, Any]) -> None:
    space = explore(load(BEEM / instance["file"]))
    assert space.counts == (instance["states"], instance["transitions"])
    assert space.failures == 0
