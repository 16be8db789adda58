"""A message anywhere in a channel: one step for all positions, where the channel is large, does what a step for each
position does."""

from __future__ import annotations

import random

import pytest

from mule.checking import check, explore
from mule.errors import MuleError
from mule.frontends.promela import buffers, load
from mule.options import Options
from mule.results import Result
from tests.differential.generator import random_program

pytestmark = pytest.mark.slow

AS_WRITTEN = Options(por="none", as_written=True, max_states=20_000)

EVERYWHERE = """
chan q = [3] of {byte, byte};
byte seen;
active [2] proctype S() { q!!_pid, 1; q!!2, _pid; q!!0, seen }
active proctype R() {
  byte x, y;
  do
  :: q??2, x -> seen = x
  :: q??x, eval(y) -> y = x
  :: q??<x, 1> -> seen = q??[1, _]; break
  :: atomic { q??1, x; q??_, y; assert(x + y < 4) }
  od
}
"""


def counts(result: Result) -> tuple[int, int, int]:
    return result.statistics.states, result.statistics.transitions, result.statistics.deadlocks


def in_both_ways(program: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for large in (buffers.LARGE, 0):
        monkeypatch.setattr(buffers, "LARGE", large)
        model = load(program, "m.pml")
        verdict = check(model, options=Options(max_states=20_000))
        found.append((counts(explore(model, AS_WRITTEN)), verdict.verdict, [v.kind for v in verdict.violations]))
    return found


def test_the_representation_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = in_both_ways(EVERYWHERE, monkeypatch)
    assert one == other


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_the_representation_makes_no_difference_to_random_programs(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    for seed in range(first, first + 20):
        program = random_program(random.Random(seed))
        if "??" not in program and "!!" not in program:
            continue
        try:
            one, other = in_both_ways(program, monkeypatch)
        except MuleError:
            continue
        finally:
            monkeypatch.undo()
        assert one == other, f"seed {seed}:\n{program}"
        compared += 1
    assert compared


def test_the_translation_grows_with_the_capacity() -> None:
    def statements(capacity: int) -> int:
        model = load(EVERYWHERE.replace("[3]", f"[{capacity}]"), "m.pml")
        return sum(len(outcome.statements) for each in model.transitions for outcome in each.outcomes)

    assert statements(200) < 3 * statements(100)
