"""Shorter trails to the same violation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mule as library
from mule.checking import check
from mule.model import Assertion, Model
from mule.model.interpreter import Interpreter
from mule.options import Options
from mule.properties import Properties
from mule.records import replace
from mule.results import replay
from mule.trails.commuting import needed, without_loops
from mule.trails.directed import TO_THE_STATE
from mule.trails.shortening import COMMUTED, LOOPS, Shortening, shorten
from tests.directed.distances import predicates
from tests.fuzz import examples
from tests.small_models import models
from tests.soundness.reference import Space
from tests.trails.conftest import Mule

pytestmark = pytest.mark.slow

DETOURS = """
bit noise; byte x, y, z;
active proctype N() { byte i; do :: i < 40 -> i++; z = z + 2 :: noise = 1 - noise od }
active proctype P() { x = 1; y = 2; assert(x + y != 3) }
"""


def shortened(text: str, **options: object) -> Shortening:
    violation = library.loads(text, "promela").check(search="dfs", por="none", as_written=True).violation
    assert violation is not None
    return shorten(violation, Options(**options))  # type: ignore[arg-type]


def test_each_method_gives_what_it_can() -> None:
    found = shortened(DETOURS)
    gains = {gain.method: gain.before - gain.after for gain in found.gains}
    assert len(found.given.trail) > 80
    assert gains[COMMUTED] > 80
    assert len(found.violation.trail) == 3
    assert found.violation.shortest
    assert found.violation.message == found.given.message


def test_the_same_state_can_be_reached_sooner() -> None:
    text = "byte x; active proctype P() { do :: x < 9 -> x++ :: x == 0 -> x = 9 :: x == 9 -> break od; assert(false) }"
    found = shortened(text)
    assert len(found.violation.trail) < len(found.given.trail)
    assert found.violation.shortest
    assert any(gain.method == TO_THE_STATE and gain.after < gain.before for gain in found.gains)


def test_another_assertion_is_another_violation() -> None:
    text = """
    byte x;
    active proctype P() { do :: x < 5 -> x++ :: x == 5 -> break od; assert(x != 5) }
    active proctype Q() { x == 1 -> assert(x == 0) }
    """
    result = library.loads(text, "promela").check(search="dfs", por="none", as_written=True)
    for violation in result.violations:
        shorter = violation.shortened()
        assert shorter.message == violation.message
        assert shorter.trail.model is violation.trail.model
        assert shorter.shortest


def test_a_limit_keeps_what_was_gained_before_it() -> None:
    found = shortened(DETOURS, max_states=2)
    assert [gain.stopped for gain in found.gains[3:]] == ["states", "states"]
    assert len(found.violation.trail) == 3
    assert not found.violation.shortest


def test_lassos_become_shorter_too() -> None:
    text = """
    byte x; bit on;
    active proctype P() { do :: x < 30 -> x++ :: x == 0 -> x = 30 :: x == 30 -> break od; do :: on = 1 - on od }
    """
    violation = library.loads(text, "promela").check(ltl="[]<>(x < 30)", por="none", as_written=True).violation
    assert violation is not None
    shorter = violation.shortened()
    assert shorter.trail.loop is not None
    assert shorter.trail.states[shorter.trail.loop] == shorter.trail.states[-1]
    assert len(shorter.trail) <= len(violation.trail)


def test_the_command_says_what_was_gained(mule: Mule) -> None:
    Path("m.pml").write_text(DETOURS)
    mule("check", "m.pml", "--search", "dfs", "--por", "none", "--as-written", "--json", into="found.json")
    run = mule("trail", "m.pml", "found.json", "--shorten", "-o", "short.json")
    assert run.status == 1
    assert "→ 3 steps, and no fewer will do" in run.out
    assert COMMUTED in run.out
    assert LOOPS in run.out
    told = json.loads(Path("short.json").read_text())
    assert told["shortened"]["after"] == 3
    assert told["shortened"]["shortest"]
    assert told["violations"][0]["length"] == 3
    assert mule("trail", "m.pml", "short.json").status == 1


def test_only_a_violation_is_shortened(mule: Mule) -> None:
    Path("m.pml").write_text("byte x; active proctype P() { x = 3 }")
    mule("check", "m.pml", "--invariant", "x == 0", "--json", into="found.json")
    Path("m.pml").write_text("byte x = 1; active proctype P() { x = 3 }")
    harmless = Path("found.json").read_text().replace("x == 0", "x > 0")
    Path("found.json").write_text(harmless)
    run = mule("trail", "m.pml", "found.json", "--shorten")
    assert run.status == 2
    assert "only a trail to a violation can be made shorter" in run.err


@settings(max_examples=examples(60))
@given(models(), st.data())
def test_steps_that_are_taken_out_make_no_difference(model: Model, data: st.DataObject) -> None:
    """To the values of the slots that were looked at, on random walks."""
    interpreter = Interpreter(model)
    states, steps = [interpreter.initial], []
    for _ in range(data.draw(st.integers(0, 25))):
        possible = [step for step in interpreter.steps(states[-1]) if step.failure is None]
        if not possible:
            break
        steps.append(data.draw(st.sampled_from(possible)))
        states.append(steps[-1].target)
    slots = range(len(states[0]))
    looked_at = data.draw(st.frozensets(st.sampled_from(slots))) if slots else frozenset()
    kept = needed(model, states, steps, looked_at)
    end = replay(model, [(step.transition, step.outcome) for step in kept]).states[-1]
    assert [end[slot] for slot in looked_at] == [states[-1][slot] for slot in looked_at]
    short = without_loops(states, steps)
    once = replay(model, [(step.transition, step.outcome) for step in short])
    assert once.states[-1] == states[-1]
    assert len(set(once.states)) == len(once.states)


@settings(max_examples=examples(25))
@given(models(), st.data())
def test_shortened_trails_are_as_short_as_breadth_first_search(model: Model, data: st.DataObject) -> None:
    if not Space(model).complete or not model.slot_variables:
        return
    asserted = replace(model, assertions=(Assertion("drawn", data.draw(predicates(model))),))
    asked = Properties(deadlock=True, assertions=True)
    deep = check(asserted, asked, Options(search="dfs", por="none", as_written=True))
    short = check(asserted, asked, Options(search="bfs", por="none"))
    lengths = {(each.kind, each.property): len(each.trail) for each in short.violations}
    for violation in deep.violations:
        found = shorten(violation)
        if found.violation.trail.taken and found.violation.trail.taken[-1].failure is not None:
            continue  # another error may be nearer, and hide this one
        assert found.violation.shortest
        assert len(found.violation.trail) == lengths[violation.kind, violation.property]
