"""Programs that need many processes at a time: a look at deep runs decides before room is made for all runs."""

from __future__ import annotations

import random

import pytest

from mule.checking import Properties, check
from mule.frontends.promela import creation, load, parse, syntax, translation
from mule.frontends.promela.creation import CROWD, Creation, Room
from mule.frontends.promela.translation import _Translation
from mule.model import Kind, Model, Outcome
from mule.options import Options
from mule.records import replace
from mule.results import Verdict, ViolationKind
from mule.safety import StateProperties, _dive
from tests.differential.generator import random_program

pytestmark = pytest.mark.slow

SAFETY = Properties(deadlock=True, assertions=True)
STATES = StateProperties(deadlock=True, assertions=True)

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
    result = check(load(LINGERING, "m.pml"), Properties(assertions=True))
    assert result.verdict is Verdict.VIOLATED
    assert result.violations[0].kind is ViolationKind.ASSERTION
    assert any("dive" in note for note in result.notes)


ENDLESS = "proctype P() { run P(); false }\ninit { run P(); false }\n"
"""With room for any number of processes but no more the last one waits at its `run`."""


def test_nothing_is_judged_where_the_room_ends() -> None:
    room = Room(24, reach=2, is_needed=True)
    model = _Translation(parse(ENDLESS, "m.pml"), "m.pml", room).model()
    result, edges = _dive(model, STATES, frozenset(), Options(), None)
    assert result.verdict is Verdict.HOLDS
    assert edges


AT_THE_EDGE = {
    "else": ("", "if :: run Link(mine) -> mine?n; up!n + 1 :: else -> assert(false) fi"),
    "timeout": (
        "active proctype Late() { end: timeout -> assert(turn == 30) }",
        "run Link(mine); mine?n; up!n + 1",
    ),
    "unless": ("", "{ assert(false) } unless { run Link(mine) }; mine?n; up!n + 1"),
    "atomic": (
        "active proctype Watch() { end: busy -> assert(false) }",
        "atomic { busy = 1; run Link(mine); busy = 0 }; mine?n; up!n + 1",
    ),
}
"""What is possible only where `run` is not: nothing of it in these programs."""


def at_the_edge(name: str) -> Model:
    """Twenty processes do not suffice for a chain of thirty."""
    more, recursion = AT_THE_EDGE[name]
    program = CHAIN.replace("DEPTH", "30").replace("EXPECTED", "30")
    program = program.replace("run Link(mine); mine?n; up!n + 1", recursion).replace("c?r;", "c?r; turn = r;")
    text = f"bit busy; byte turn;\n{more}\n{program}"
    return _Translation(parse(text, "m.pml"), "m.pml", Room(20, reach=2, is_needed=True)).model()


@pytest.mark.parametrize("name", AT_THE_EDGE)
def test_what_the_edge_alone_makes_possible_is_not_followed(name: str) -> None:
    result, edges = _dive(at_the_edge(name), STATES, frozenset(), Options(), None)
    assert result.verdict is Verdict.HOLDS
    assert edges


@pytest.mark.parametrize("name", AT_THE_EDGE)
def test_it_would_be_a_false_alarm(name: str) -> None:
    """Where only the step to the edge is left out, and not all that can be done in its place."""
    model = at_the_edge(name)
    transitions = (
        replace(each, kind=Kind.STEP, failure="", limit=False, outcomes=(Outcome(()),)) if each.limit else each
        for each in model.transitions
    )
    careless = replace(model, transitions=tuple(transitions))
    kinds = [violation.kind for violation in check(careless, SAFETY, Options(por="none")).violations]
    assert ViolationKind.ASSERTION in kinds


def test_numbers_within_reach() -> None:
    unit = parse("init { run P() }\nproctype P() { skip }\n", "m.pml").units[0]
    assert isinstance(unit, syntax.InitDeclaration)
    run = syntax.Run(unit.at, "P", (), None)
    everywhere = {(pid, "P") for pid in range(40)}
    near = Creation(everywhere, room=Room(40, reach=2))
    assert near.given(0, "init", run) == [*range(1, CROWD)]
    assert near.given(20, "P", run) == [21, 22]
    assert near.given(39, "P", run) == []
    assert Creation(everywhere, room=Room(40)).given(20, "P", run) == [*range(21, 40)]


@pytest.mark.parametrize("part", range(2))
def test_random_programs_get_the_verdict_that_they_have_with_enough_room(
    part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if no bound were ever found, and as if two processes were many."""
    decided = compared = 0
    for seed in range(15 * part, 15 * part + 15):
        program = random_program(random.Random(seed), frozenset({"run"}))
        wide = check(load(program, "m.pml", processes=12), options=Options(por="none", max_states=5_000))
        if wide.stopped or any("allow more with --processes" in violation.message for violation in wide.violations):
            continue
        with monkeypatch.context() as patch:
            patch.setattr(translation, "FIRST_BOUND", 2)
            patch.setattr(translation, "DEPTHS", {2: 8, 4: 16, 8: 32, 16: 64})
            patch.setattr(creation, "CROWD", 3)
            patch.setattr(creation, "STATES", 1)
            narrow = check(load(program, "m.pml"), options=Options(max_states=5_000))
        compared += narrow.stopped is None
        decided += any("dive" in note for note in narrow.notes)
        assert narrow.stopped or narrow.verdict is wide.verdict, seed
    assert compared
    assert decided


def test_no_room_is_made_when_the_time_is_over() -> None:
    result = check(load(CHAIN.replace("DEPTH", "20").replace("EXPECTED", "20"), "m.pml"), options=Options(time=0.0))
    assert (result.verdict, result.stopped, result.violations) == (Verdict.INCOMPLETE, "time", ())
    assert len(result.model.processes) == translation.FIRST_BOUND
