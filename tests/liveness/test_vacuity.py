"""Verdicts that say nothing about the model are marked."""

from __future__ import annotations

import io

import pytest

from mule.checking import check
from mule.frontends import load_text
from mule.options import Options
from mule.properties import Properties
from mule.report.layout import Page
from mule.report.text import report
from mule.results import Result, Verdict

SYSTEM = """
byte x; byte y;
process A { state s, t, u; init s; trans s -> t { effect x = 1; }, t -> t { effect y = 1 - y; },
    t -> u { guard x == 7; }; }
system async;
"""


def judged(*formulas: str, text: str = SYSTEM, **options: str) -> Result:
    return check(load_text(text, "m.dve", "dve"), Properties(ltl=formulas), Options(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize("por", ["none", "deletion"])
@pytest.mark.parametrize(
    ("formula", "never"),
    [
        ("[](x == 5 -> <>(y == 1))", "x == 5"),
        ("[](x == 5 && y == 0 -> <>(y == 1))", "(x == 5 && y == 0)"),
        ("[](x == 5 -> y == 3)", "x == 5"),
        ("[](x == 1 -> <>(x == 1)) && [](x == 6 -> <>(y == 1))", "x == 6"),
    ],
)
def test_an_antecedent_that_never_happens(formula: str, never: str, por: str) -> None:
    (judgement,) = judged(formula, por=por).judgements
    assert (judgement.verdict, judgement.vacuous) == (Verdict.HOLDS, f"vacuous: {never} never holds")


def test_a_formula_that_is_always_true() -> None:
    (judgement,) = judged("[](1 == 1)").judgements
    assert judgement.vacuous == "vacuous: it is true of every run, whatever the model does"


@pytest.mark.parametrize("formula", ["[](x == 1 -> <>(x == 1))", "[](x <= 1)", "<>(x == 1) || []!(y == 3)"])
def test_what_is_not_vacuous_is_not_marked(formula: str) -> None:
    (judgement,) = judged(formula, fairness="weak").judgements
    assert judgement.vacuous is None


def told(result: Result) -> str:
    page = io.StringIO()
    report(result, Page(file=page))
    return page.getvalue()


def test_steps_that_no_run_takes_are_listed_for_every_language() -> None:
    result = check(load_text(SYSTEM, "m.dve", "dve"), Properties(invariants=("x < 2",)), Options("none"))
    assert "Steps that no run takes" in told(result)
    assert "guard x == 7" in told(result)


def test_a_system_in_which_nothing_happens() -> None:
    still = "process A { state s, t; init s; trans s -> t { guard 0; }; } system async;"
    turning = "process A { state s; init s; trans s -> s { }; } system async;"
    assert "nothing can ever happen: no step is possible in the initial state" in judged("[] true", text=still).notes
    assert "nothing ever changes: every step leads back to the initial state" in judged("[] true", text=turning).notes
    assert not any("nothing" in note for note in judged("[] true").notes if "ever" in note)
