"""Verdicts that say nothing about the model are marked."""

from __future__ import annotations

import io

import pytest
from hypothesis import given

from mule.checking import check
from mule.frontends import load_text
from mule.ltl.formula import Formula
from mule.ltl.words import holds
from mule.options import Options
from mule.properties import Properties
from mule.report.layout import Page
from mule.report.text import report
from mule.results import Result, Verdict
from mule.vacuity.parts import LINEAR, Stronger, why_vacuous
from mule.vacuity.states import Effort, Known
from tests.ltl.formulas import ATOMS, lassos
from tests.ltl.formulas import formulas as ltl_formulas

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
    assert judgement.vacuous == "vacuous: it is true whatever the model does"


@pytest.mark.parametrize("formula", ["[](x == 1 -> <>(x == 1))", "[](x == 1) || <>!(x == 1)"])
def test_a_formula_that_is_true_of_every_run(formula: str) -> None:
    (judgement,) = judged(formula).judgements
    assert judgement.vacuous == "vacuous: it is true whatever the model does"


@pytest.mark.parametrize(
    "formula", ["[](x == 1 -> <>(y == 1))", "[](x <= 1)", "(y == 0) U (x == 1)", "!<>(x == 0 && y == 1)"]
)
def test_what_is_not_vacuous_is_not_marked(formula: str) -> None:
    (judgement,) = judged(formula, fairness="weak").judgements
    assert (judgement.verdict, judgement.vacuous) == (Verdict.HOLDS, None)


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ("x == 1 -> <>(y == 1)", "x == 1 does not hold in the initial state"),
        ("!<>(x == 3 && y == 1)", "x == 3 never holds"),
        ("[](x == 1 -> (x == 0 || <>(y == 1)))", "it holds with anything in place of x == 0"),
        ("(x == 5) U (y == 0)", "it holds with anything in place of x == 5"),
        ("(y < 2) W (x == 5)", "it holds with anything in place of x == 5"),
        ("[]<>(x == 3) -> []<>(y == 7)", "it holds with anything in place of G F y == 7"),
    ],
)
def test_a_part_that_makes_no_difference(formula: str, why: str) -> None:
    (judgement,) = judged(formula, fairness="weak").judgements
    assert (judgement.verdict, judgement.vacuous) == (Verdict.HOLDS, f"vacuous: {why}")


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ("AG(x == 5 -> AF(y == 1))", "x == 5 never holds"),
        ("AG(x == 5 && y == 1 -> x == 3)", "((x == 5) && (y == 1)) never holds"),
        ("!EF(x == 3 && y == 1)", "x == 3 never holds"),
        ("x == 1 -> AG(y == 0)", "x == 1 does not hold in the initial state"),
        ("A[(x == 5) U (y == 0)]", "it holds with anything in place of x == 5"),
        ("AG(1 == 1)", "it is true whatever the model does"),
        ("AG(x == 1 -> EF(y == 1))", None),
        ("A[(y == 0) U (x == 1)]", None),
    ],
)
def test_branching_time(formula: str, why: str | None) -> None:
    result = check(load_text(SYSTEM, "m.dve", "dve"), Properties(ctl=(formula,)), Options())
    (judgement,) = result.judgements
    assert (judgement.verdict, judgement.vacuous) == (Verdict.HOLDS, why and f"vacuous: {why}")
    assert result.unreached is not None
    assert [each.text for each in result.unreached] == ["guard x == 7"]


@pytest.mark.parametrize("por", ["none", "deletion"])
@pytest.mark.parametrize(
    ("invariant", "why"),
    [
        ("x != 5 or y == 1", "x == 5 never holds"),
        ("x == 5 imply y == 0", "x == 5 never holds"),
        ("not (x == 3 and y == 1)", "x == 3 never holds"),
        ("x <= 1 and (x == 5 imply y == 0)", "x == 5 never holds"),
        ("x <= 1 or y == 1", None),
        ("1 == 1", "it is true whatever the model does"),
        ("x == 1 imply y <= 1", None),
        ("not (x == 0 and y == 1)", None),
        ("x <= 1", None),
    ],
)
def test_invariants(invariant: str, why: str | None, por: str) -> None:
    result = check(load_text(SYSTEM, "m.dve", "dve"), Properties(invariants=(invariant,)), Options(por=por))  # type: ignore[arg-type]
    judgement = result.judgements[0]
    assert (judgement.verdict, judgement.vacuous) == (Verdict.HOLDS, why and f"vacuous: {why}")


def test_invariants_that_a_model_in_python_declares() -> None:
    text = """
from enum import Enum
from mule.actors import Process, System, step

class Color(Enum):
    RED = 0
    GREEN = 1
    BLUE = 2

class P(Process):
    x: int = 0
    color: Color = Color.RED
    on: bool = False

    @step(when=lambda self: self.x < 3)
    def up(self):
        self.x += 1
        self.color = Color.GREEN

    @step(when=lambda self: self.x == 9)
    def never(self):
        self.on = True

def system():
    p = P(name="p")
    return System([p], invariants={
        "blue": lambda: not p.color is Color.BLUE or p.on,
        "high": lambda: not p.x == 2 or p.color is Color.GREEN,
        "both": lambda: not (p.on and p.x == 3),
    })
"""
    result = check(load_text(text, "m.py", "actors"), Properties(assertions=True))
    marks = {judgement.property: judgement.vacuous for judgement in result.judgements}
    assert marks["invariant blue"] == "vacuous: p.color == BLUE never holds"
    assert marks["invariant high"] is None
    assert marks["invariant both"] == "vacuous: p.on never holds"


def test_a_claim_that_accepts_nothing() -> None:
    text = "byte x; active proctype P() { x = 1 } never { S: if :: x == 5 && x == 6 -> goto S fi }"
    (judgement,) = check(load_text(text, "m.pml", "promela"), Properties(claims=("all",))).judgements
    assert judgement.vacuous == "vacuous: it is true whatever the model does"


@given(ltl_formulas())
def test_what_is_left_of_a_formula_implies_it(formula: Formula) -> None:
    found: list[Formula] = []

    def collected(stronger: Stronger) -> bool:
        found.append(stronger.formula)
        return False

    why_vacuous(LINEAR, formula, collected)
    for stronger in found:
        for stem, loop in lassos(2, 1, 2):
            assert not holds(stronger, ATOMS[:2], stem, loop) or holds(formula, ATOMS[:2], stem, loop)


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
    by_ctl = check(load_text(still, "m.dve", "dve"), Properties(ctl=("AG true",)))
    assert "nothing can ever happen: no step is possible in the initial state" in by_ctl.notes


MANY = (
    "".join(
        f"byte x{i}; byte y{i} = 1; process P{i} {{ state s; init s; "
        f"trans s -> s {{ effect x{i} = 1 - x{i}, y{i} = 1 - y{i}; }}; }}\n"
        for i in range(18)
    )
    + "process A { state s, t; init s; trans s -> t { guard "
    + " and ".join(f"x{i} + y{i} == 2" for i in range(18))
    + "; }; } system async;"
)
"""2^18 states, of which a reduction that preserves deadlocks needs two."""


def test_what_was_not_looked_for_is_told() -> None:
    result = check(load_text(MANY, "m.dve", "dve"), Properties(deadlock=True))
    assert (result.holds, result.unreached) == (True, None)
    assert "steps that no run takes were not looked for" in " ".join(told(result).split())


@pytest.mark.parametrize("wanted", [Properties(deadlock=True), Properties(ltl=("[]<>(x <= 1)",))])
def test_steps_that_no_run_takes_where_the_search_itself_cannot_tell(wanted: Properties) -> None:
    """A reduction that preserves deadlocks, and a search that follows runs only as far as the property does."""
    result = check(load_text(SYSTEM, "m.dve", "dve"), wanted)
    assert result.unreached is not None
    assert [each.text for each in result.unreached] == ["guard x == 7"]
    assert result.options.por != "none"


class Clock:
    """A machine on which everything takes hours."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 3600.0
        return self.now


@pytest.mark.parametrize("formula", ["[](x == 5 && y == 0 -> <>(y == 1))", "[](x == 5 -> y == 3)"])
def test_a_slow_machine_finds_the_same(formula: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (expected,) = judged(formula).judgements
    monkeypatch.setattr("time.perf_counter", Clock())
    (judgement,) = judged(formula).judgements
    assert judgement == expected


def test_the_search_for_vacuous_parts_has_an_end() -> None:
    model = load_text(SYSTEM, "m.dve", "dve")
    effort = Effort(model, 100)
    asked = [effort.spent_on(lambda: Known(True, 100_000)) for _ in range(100)]
    assert 0 < sum(asked) < 20
