"""Nesting may be limited, length is not: long disjunctions in every language and in every place."""

from __future__ import annotations

from pathlib import Path

import pytest

import mule

pytestmark = pytest.mark.slow

MANY = 2_000
PROMELA = "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }"
DVE = """byte x; process P { state s; init s; trans s -> s { guard x < 3; effect x = x + 1; },
s -> s { guard x == 3; effect x = 0; }; } system async;"""
PYTHON = """
from mule.actors import Process, System, step
class P(Process):
    x: int = 0
    @step(when=lambda self: self.x < 3)
    def up(self):
        self.x += 1
    @step(when=lambda self: GUARD)
    def down(self):
        self.x = 0
def system():
    return System([P(name="p")])
"""


def values(name: str, word: str = "||") -> str:
    return f" {word} ".join(f"{name} == {number % 250}" for number in range(MANY))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("promela", PROMELA.replace(":: x == 3", f":: ({values('x')})")),
        (
            "promela",
            "byte x; active proctype P() { if " + " ".join(f":: x == {n} -> x = 1" for n in range(250)) + " fi }",
        ),
        ("dve", DVE.replace("guard x == 3", f"guard {values('x')}")),
        ("actors", PYTHON.replace("GUARD", values("self.x", "or"))),
    ],
)
def test_guards(language: str, text: str) -> None:
    assert mule.loads(text, language).check(deadlock=True).states > 0


@pytest.mark.parametrize(("language", "text"), [("promela", PROMELA), ("dve", DVE)])
def test_properties(language: str, text: str) -> None:
    system = mule.loads(text, language)
    assert system.check(invariant=values("x")).holds
    assert system.check(ltl=f"[]({values('x')})").holds
    assert system.check(ctl=f"AG({values('x')})").holds


def test_properties_of_models_in_python() -> None:
    system = mule.loads(PYTHON.replace("GUARD", "self.x == 3"), "actors")
    assert system.check(invariant=values("p.x", "or")).holds
    assert system.check(ltl=f"[]({values('p.x', 'or')})").holds
    assert system.check(ctl=f"AG({values('p.x', 'or')})").holds


def test_claims(tmp_path: Path) -> None:
    never = f"never {{ T: if :: !({values('x')}) -> goto accept_all :: else -> goto T fi; accept_all: skip }}"
    assert mule.loads(f"{PROMELA} {never}", "promela").check().holds
    hoa = tmp_path / "long.hoa"
    label = " | ".join(["0"] * MANY)
    hoa.write_text(
        'HOA: v1\nStates: 2\nStart: 0\nAP: 1 "x == 77"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n'
        f"State: 0\n[{label}] 1\n[!0] 0\nState: 1 {{0}}\n[t] 1\n--END--\n"
    )
    assert mule.loads(PROMELA, "promela").check(claim=str(hoa)).holds
