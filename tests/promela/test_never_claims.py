"""Never claims with blocks, assertions and end labels. An installed SPIN says the same.

SPIN looks at one state for a whole `atomic`; what an assertion of the claim finds is an error, and so is an end label
that the claim comes to."""

from __future__ import annotations

import shutil

import pytest

from mule.checking import Properties, check
from mule.frontends.promela import load
from mule.options import Options, Por
from mule.results import Verdict
from tests.differential.mutant_questions import spin_opinion

pytestmark = pytest.mark.slow

PROGRAM = "byte x; active proctype P() { x = 1; x = 2; x = 3; x = 4 }"
VIOLATED = (
    "do :: atomic { x == 2 -> x == 2 -> goto accept } :: true od; accept: do :: x >= 2 od",
    "do :: atomic { x == 2 -> if :: x == 2 -> goto accept :: else fi } :: true od; accept: do :: x >= 2 od",
    "do :: d_step { x == 2 -> if :: x >= 2 :: x == 2 -> false fi } -> break :: true od; accept: do :: x >= 2 od",
    "do :: atomic { x == 2 -> x == 2; break } :: else od",
    "do :: assert(x < 3) od",
    "do :: x == 3 -> assert(x == 3) :: else od",
    "do :: atomic { x == 2 -> assert(x != 2) } :: true od",
    "end: do :: x == 1 od",
    "do :: x == 2 -> end_: x == 4 -> goto accept :: else od; accept: do :: false od",
)
HOLDS = (
    "do :: atomic { x == 2 -> x == 3 } -> goto accept :: true od; accept: do :: x >= 2 od",
    "do :: atomic { x == 2 -> x == 3 } :: else od",
    "do :: atomic { assert(x < 3); x == 3 -> assert(false) } :: else od",
    "do :: atomic { x == 3 -> assert(x == 3) } :: true od",
)


@pytest.mark.parametrize("por", ["none", "auto"])
@pytest.mark.parametrize("claim", [*VIOLATED, *HOLDS])
def test_verdict(claim: str, por: Por) -> None:
    model = load(f"{PROGRAM} never {{ {claim} }}", "m.pml")
    result = check(model, Properties(claims=("all",)), Options(por=por))
    assert result.verdict is (Verdict.VIOLATED if claim in VIOLATED else Verdict.HOLDS)


@pytest.mark.skipif(shutil.which("spin") is None or shutil.which("gcc") is None, reason="SPIN or gcc is not installed")
@pytest.mark.parametrize("claim", [VIOLATED[0], VIOLATED[4], VIOLATED[8], HOLDS[0]])
def test_spin_says_the_same(claim: str) -> None:
    opinion = spin_opinion(f"{PROGRAM} never {{ {claim} }}")
    assert set(opinion.temporal.values()) == {claim in VIOLATED}
