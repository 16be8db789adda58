"""The protocols for directed search: right as they are, wrong with their error in them."""

from __future__ import annotations

from importlib.resources import files

import pytest

import mule
from mule import ViolationKind

pytestmark = pytest.mark.slow

PROTOCOLS = files("mule.benchmarks") / "protocols"
CASES = [
    ("marriage", "N=3", ViolationKind.DEADLOCK),
    ("election", "N=4", ViolationKind.ASSERTION),
    ("switch", "N=2", ViolationKind.DEADLOCK),
    ("giop", "USERS=2", ViolationKind.DEADLOCK),
]


@pytest.mark.parametrize(("name", "size", "kind"), CASES)
def test_only_the_error_is_an_error(name: str, size: str, kind: ViolationKind) -> None:
    path = str(PROTOCOLS / f"{name}.pml")
    assert mule.load(path, defines=[size]).check().holds
    wrong = mule.load(path, defines=[size, "ERROR"]).check()
    assert kind in {violation.kind for violation in wrong.violations}
