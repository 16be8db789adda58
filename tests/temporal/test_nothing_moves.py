"""Systems without a transition, or with none that can run, and claims that ask nothing of a state."""

from __future__ import annotations

import pytest

from mule.checking import check
from mule.frontends import load_text
from mule.model import Model
from mule.options import Options, Por
from mule.properties import Properties
from mule.results import Verdict

PORS: tuple[Por, ...] = ("none", "ample", "closure-h", "beam", "deletion")
ALWAYS = "process P { state q; init q; accept q; trans q -> q { }; } system async property P;"
SYSTEMS = {
    "its only step goes unseen": "process A { state s, t; init s; trans s -> t { }; }",
    "no transition": "process A { state s; init s; }",
    "no enabled transition": "process A { state s, t; init s; trans s -> t { guard 0; }; }",
    "no process but the claim": "",
    "a step that changes nothing": "process A { state s; init s; trans s -> s { }; }",
}


def read(system: str) -> Model:
    return load_text(f"{SYSTEMS[system]} {ALWAYS}", "small.dve", "dve")


@pytest.mark.parametrize("por", PORS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_claim_that_accepts_everything_is_violated(system: str, por: Por) -> None:
    for options in (Options(por=por), Options(por=por, as_written=True), Options(por=por, fairness="weak")):
        result = check(read(system), Properties(claims=("P",)), options)
        assert result.verdict is Verdict.VIOLATED, options
        assert result.violations[0].trail.loop is not None


@pytest.mark.parametrize("por", PORS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_constant_formulas(system: str, por: Por) -> None:
    model, options = read(system), Options(por=por)
    for holding in (Properties(ltl=("[] true",)), Properties(ctl=("AG true", "EX true"))):
        assert check(model, holding, options).verdict is Verdict.HOLDS
    for violated in (Properties(ltl=("<> false",)), Properties(ctl=("EF false",)), Properties(invariants=("1 == 0",))):
        assert check(model, violated, options).verdict is Verdict.VIOLATED
