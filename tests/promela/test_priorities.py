"""Priorities: who waits for whom, in the middle of atomic steps too.

The verdicts are those of SPIN 6.5.2 (`spin -o1 -o2 -o3 -a`, `gcc -DSAFETY -DNOREDUCE -DNOCOMP`); its numbers for these
programs and more are in `counts.txt`.
"""

from __future__ import annotations

import random
import shutil

import pytest

from mule.checking import Properties, check, explore
from mule.frontends.promela import load, priorities
from mule.frontends.promela.processes import Instance
from mule.frontends.promela.system import System
from mule.options import Options, Por
from mule.results import ViolationKind
from tests.differential import spin_runner
from tests.differential.generator import random_program

pytestmark = pytest.mark.slow

URGENT = "byte x; active proctype P() { atomic { x = 1; x = 2; x = 3 }; assert(x == 3) }"
ASSERTION, DEADLOCK = ViolationKind.ASSERTION, ViolationKind.DEADLOCK
CREATED = "byte x; proctype Q() { x = 5 } init { atomic { run Q() priority %d; x = 1 }; assert(x == 1) }"
LOWERED = (
    "byte x; active proctype Q() priority 2 { x == 1; x = 7 }"
    "active proctype P() priority 2 { atomic { x = 1; set_priority(_pid, %d); assert(x == 1) } }"
)


VERDICTS = pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param(URGENT + "active proctype Q() priority 2 { x == 3; x = 4 }", ASSERTION, id="at the end"),
        pytest.param(URGENT + "active proctype Q() priority 2 { x == 2; x = 4 }", None, id="in the middle"),
        pytest.param(URGENT + "active proctype Q() { x == 2; x = 4 }", DEADLOCK, id="not more urgent"),
        pytest.param(
            URGENT.replace("atomic", "d_step") + "active proctype Q() priority 2 { x == 2; x = 4 }",
            DEADLOCK,
            id="not in a d_step",
        ),
        pytest.param(
            URGENT + "active proctype Q() priority 2 { if :: x == 2 && timeout :: x == 3 fi }",
            None,
            id="time does not run out in the middle",
        ),
        pytest.param(
            URGENT + "active proctype Q() priority 2 { if :: x == 1 :: timeout fi; x = 9 }",
            None,
            id="who waits for time or something else",
        ),
        pytest.param(
            "byte x, y; active proctype P() { atomic { x = 1; y = 1; y = 2; x = 2 } }"
            "active proctype Q() priority 2 { x == 1; x = 3 } active proctype R() { y == 1 }",
            DEADLOCK,
            id="goes on atomically",
        ),
        pytest.param(CREATED % 1, ASSERTION, id="a child that is not more urgent"),
        pytest.param(CREATED % 2, None, id="a child that is more urgent"),
        pytest.param(
            CREATED.replace("x = 1 }", "assert(x == 0); x = 1 }") % 2, ASSERTION, id="a child that runs at once"
        ),
        pytest.param(LOWERED % 1, ASSERTION, id="a process that becomes less urgent"),
        pytest.param(LOWERED % 2, None, id="a process that stays as urgent"),
    ],
)


@VERDICTS
@pytest.mark.parametrize("por", ["none", "auto", "deletion", "ample"])
def test_verdicts(text: str, kind: ViolationKind | None, por: Por) -> None:
    asserted = check(load(text, "m.pml"), Properties(assertions=True), Options(por=por))
    stuck = check(load(text, "m.pml"), Properties(deadlock=True), Options(por=por))
    assert [v.kind for v in asserted.violations] == [ASSERTION] * (kind is ASSERTION)
    assert [v.kind for v in stuck.violations] == [DEADLOCK] * (kind is DEADLOCK)


@pytest.mark.skipif(not (shutil.which("spin") and shutil.which("gcc")), reason="SPIN or gcc is not installed")
@VERDICTS
def test_spin_says_the_same(text: str, kind: ViolationKind | None) -> None:
    kinds = {ASSERTION: {spin_runner.ASSERTION}, DEADLOCK: {spin_runner.DEADLOCK}}
    assert spin_runner.ask_spin(text).kinds == (kinds[kind] if kind else set())


def _any_priority(system: System) -> dict[Instance, set[int]]:
    return {instance: {0, 255} for instance in system.priorities}


@pytest.mark.parametrize("seed", range(12))
def test_which_priorities_are_possible_is_no_part_of_the_meaning(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards that can never be false are left out: with all of them there are as many states."""
    text = random_program(random.Random(seed), frozenset({"priorities", "atomic"}))
    full = Options(por="none", as_written=True)
    fewer = explore(load(text, "m.pml"), full)
    monkeypatch.setattr(priorities, "possible_priorities", _any_priority)
    assert explore(load(text, "m.pml"), full).statistics.states == fewer.statistics.states


def test_a_priority_is_in_range() -> None:
    text = "byte n; active proctype P() { n = 3; set_priority(_pid, 100 * n) }"
    (violation,) = check(load(text, "m.pml"), Properties()).violations
    assert violation.kind is ViolationKind.MODEL_ERROR


def test_the_priority_of_nobody_is_nobodys() -> None:
    """As pan says while it goes forward; it then takes the statement back wrongly."""
    steps = "byte x; active proctype P() { x = 1; %s; x = 2 } active proctype Q() priority 1 { x = 3; x = 4 }"
    full = Options(por="none", as_written=True)
    changed, skipped = (load(steps % each, "m.pml") for each in ("set_priority(7, 5)", "skip"))
    assert explore(changed, full).statistics.states == explore(skipped, full).statistics.states


def test_long_atomic_steps_and_long_processes_can_be_asked_about() -> None:
    many = "; ".join(f"x = {number % 7}" for number in range(600))
    urgent = f"byte x; active proctype P() priority 2 {{ atomic {{ {many} }} }} active proctype Q() {{ x = 9 }}"
    plain = Options(por="none", as_written=True)
    assert explore(load(urgent, "m.pml"), plain).statistics.states == 5
    timed = f"byte x; active proctype P() {{ {many} }} active proctype Q() {{ timeout; x = 9 }}"
    assert explore(load(timed, "m.pml"), plain).statistics.states == 605
