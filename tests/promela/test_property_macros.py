"""The macros of a program are known in what is asked about it."""

from __future__ import annotations

from pathlib import Path

import pytest

import mule
from mule.errors import MuleError
from mule.results import Verdict

PROGRAM = """
#define N 3
#define p (x == 1)
#define AT(i) (x == i)
#define either(a, b) AT(a) || AT(b)
#define low x < N
#define inc x++
#define temporal [] p
#define EQ ==
#define U (x == 2)
byte x;
#undef gone
active proctype P() { do :: x < N -> x++ :: x == N -> x = 0 od }
"""
NEVER = "never { T0: do :: (! low) -> goto accept_all :: (1) -> goto T0 od; accept_all: skip }"
HOA = """HOA: v1
States: 2
Start: 0
AP: 1 "low"
Acceptance: 1 Inf(0)
--BODY--
State: 0
[!0] 1
[t] 0
State: 1 {0}
[t] 1
--END--
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "m.pml"
    path.write_text(PROGRAM)
    return path


def verdict(program: Path, **wanted: object) -> Verdict:
    return mule.load(str(program), defines=["LAST=3"]).check(**wanted).verdict  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("formula", "holds"),
    [
        ("[]<> p", True),
        ("[]<> AT(2)", True),
        ("[]<> AT (N)", True),
        ("[] either(0, 1)", False),
        ("[] (either(0, 1) || either(2, LAST))", True),
        ("[]<> U", True),
        ("(x == 0) U p", True),
        ("[] !low", False),
    ],
)
def test_formulas(program: Path, formula: str, holds: bool) -> None:
    assert verdict(program, ltl=[formula]) is (Verdict.HOLDS if holds else Verdict.VIOLATED)


def test_branching_time_and_invariants(program: Path) -> None:
    assert verdict(program, ctl=["AG EF p"]) is Verdict.HOLDS
    assert verdict(program, invariants=["low || AT(LAST)", "!(x EQ 5)"]) is Verdict.HOLDS


def test_a_macro_is_one_operand_though_its_author_left_out_the_parentheses(program: Path) -> None:
    """As text, `!low` would be `!x < N`, which is always true."""
    assert verdict(program, invariants=["!low"]) is Verdict.VIOLATED


@pytest.mark.parametrize(
    "text", [NEVER, NEVER.replace("! low", "! small").replace("never", "#define small low\nnever"), HOA]
)
def test_claims_in_files(program: Path, text: str) -> None:
    file = program.parent / "claim"
    file.write_text(text)
    assert verdict(program, claims=[str(file)]) is Verdict.VIOLATED
    file.write_text(text.replace("low", "(x <= N)"))
    assert verdict(program, claims=[str(file)]) is Verdict.HOLDS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("inc", "by the macros of the model this is `x\\+\\+`, which is no expression"),
        ("temporal", r"by the macros of the model this is `\[\] \(x == 1\)`, which is no expression"),
        ("AT(1, 2)", "macro AT requires 1 arguments"),
        ("AT(1", "never closed"),
        ("AT", "`AT` is not declared"),
        ("gone", "`gone` is not declared"),
    ],
)
def test_what_is_no_expression(program: Path, text: str, message: str) -> None:
    with pytest.raises(MuleError, match=message):
        verdict(program, invariants=[text])
