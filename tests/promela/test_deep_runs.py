"""Programs that need many processes at a time: a look at deep runs decides before room is made for all runs."""

from __future__ import annotations

import pytest

from mule.checking import Properties, check, passing_limits
from mule.frontends.promela import load, parse, syntax
from mule.frontends.promela.creation import CROWD, Creation
from mule.results import Verdict, ViolationKind

CHAIN = """
chan start = [1] of { byte };
proctype Link(chan up) {
  chan mine = [1] of { byte };
  byte n;
  start?n;
  if
  :: n > 0 -> start!n - 1; run Link(mine); mine?n; up!n + 1
  :: n == 0 -> up!0
  fi
}
init {
  chan c = [1] of { byte };
  byte r;
  start!DEPTH;
  run Link(c);
  c?r;
  assert(r == EXPECTED)
}
"""
"""The analysis does not follow what is received, so it finds no end."""

LINGERING = """
chan start = [1] of { byte };
proctype Leaf(chan up) { up!0 }
proctype Link(chan up) {
  chan mine = [1] of { byte };
  byte n, m;
  start?n;
  if
  :: n > 0 ->
     run Leaf(mine); mine?m; run Leaf(mine); mine?m;
     start!n - 1; run Link(mine); mine?n; up!n + 1
  :: n == 0 -> up!0
  fi
}
init {
  chan c = [1] of { byte };
  byte r;
  start!18;
  run Link(c);
  c?r;
  assert(r != 18)
}
"""
"""A leaf that has ended need not die before the next one starts: 56 processes at a time, many more than needed."""


@pytest.mark.parametrize(("expected", "verdict"), [(20, Verdict.HOLDS), (21, Verdict.VIOLATED)])
def test_a_dive_that_comes_to_no_limit_decides(expected: int, verdict: Verdict) -> None:
    model = load(CHAIN.replace("DEPTH", "20").replace("EXPECTED", str(expected)), "m.pml")
    result = check(model)
    assert result.verdict is verdict
    assert any("dive" in note for note in result.notes)
    assert len(result.model.processes) > CROWD


def test_a_dive_finds_what_goes_wrong_between_limits() -> None:
    result = check(load(LINGERING, "m.pml"))
    assert result.verdict is Verdict.VIOLATED
    assert result.violations[0].kind is ViolationKind.ASSERTION
    assert any("dive" in note for note in result.notes)


def test_a_limit_passed_is_no_deadlock() -> None:
    endless = "proctype P() { run P(); false }\ninit { run P(); false }\n"
    model = load(endless, "m.pml", processes=4)
    assert check(model).violations[0].kind is ViolationKind.MODEL_ERROR
    assert check(passing_limits(model), Properties(deadlock=True)).verdict is Verdict.HOLDS


def test_no_limit_passed_hides_a_deadlock() -> None:
    stuck = "proctype P() { run P() }\ninit { if :: run P() :: false; skip :: true -> false fi }\n"
    model = load(stuck, "m.pml", processes=4)
    assert check(passing_limits(model), Properties(deadlock=True)).violations[0].kind is ViolationKind.DEADLOCK


def test_numbers_within_reach() -> None:
    unit = parse("init { run P() }\nproctype P() { skip }\n", "m.pml").units[0]
    assert isinstance(unit, syntax.InitDeclaration)
    run = syntax.Run(unit.at, "P", (), None)
    near = Creation(bound=40, reach=2)
    assert near.given(0, "init", run) == [*range(1, CROWD)]
    assert near.given(20, "P", run) == [21, 22]
    assert near.given(39, "P", run) == []
    assert Creation(bound=40).given(20, "P", run) == [*range(21, 40)]
