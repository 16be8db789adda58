"""What formulas over a program may speak of, although the program itself does not."""

from __future__ import annotations

import pytest

from mule.checking import Properties, check
from mule.frontends.promela import load
from mule.options import Options, Por
from mule.results import Verdict

WAITS = "byte x; active proctype P() { x = 1; x == 2 }"


@pytest.mark.parametrize("por", ["none", "auto"])
@pytest.mark.parametrize(
    ("properties", "holds"),
    [
        (Properties(ltl=("<> timeout",)), True),
        (Properties(ltl=("[] (timeout -> x == 1)",)), True),
        (Properties(ltl=("[] ! timeout",)), False),
        (Properties(invariants=("!timeout",)), False),
        (Properties(ltl=("<> !enabled(0)",)), True),
        (Properties(claims=("p",)), False),
    ],
    ids=str,
)
def test_timeout_and_enabled_of_a_program_that_mentions_neither(properties: Properties, holds: bool, por: Por) -> None:
    model = load(WAITS + " ltl p { [] (timeout -> x == 0) }", "waits.pml")
    assert check(model, properties, Options(por=por)).verdict is (Verdict.HOLDS if holds else Verdict.VIOLATED)
