"""What `--search auto` does beside its first search: a detour when that has found nothing for long, and a second look
for a short trail."""

from __future__ import annotations

import pytest

import mule
from mule.planning import detour

WHEELS = 6
TEETH = 7
GOAL = " and ".join(f"x{wheel} == {TEETH - 2 if wheel % 2 else 1}" for wheel in range(WHEELS))


def wheels(goal_is_reachable: bool = True) -> mule.System:
    """Counters that turn by themselves; that all of them show what is asked for is rare."""
    last = TEETH if goal_is_reachable else TEETH - 3
    turning = "\n".join(
        f"process P{wheel} {{ state a; init a; trans"
        f" a -> a {{ guard x{wheel} < {last - 1}; effect x{wheel} = x{wheel} + 1; }},"
        f" a -> a {{ guard x{wheel} == {last - 1}; effect x{wheel} = 0; }}; }}"
        for wheel in range(WHEELS)
    )
    counters = ", ".join(f"x{wheel}" for wheel in range(WHEELS))
    return mule.loads(f"byte {counters};\n{turning}\nsystem async;", "dve")


def asked(system: mule.System, **options: object) -> mule.Result:
    return system.check(deadlock=False, assertions=False, invariants=[f"not ({GOAL})"], **options)  # type: ignore[arg-type]


def detours_taken(result: mule.Result) -> list[str]:
    return [note for note in result.notes if "detour" in note]


def test_a_search_that_finds_nothing_for_long_looks_best_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detour, "FIRST", 2_000)
    monkeypatch.setattr(detour, "SHARE", 2)
    alone = asked(wheels(), search="dfs")
    result = asked(wheels())
    assert alone.violations
    assert result.violations
    assert alone.statistics.states > 3_000 > result.statistics.states
    assert detours_taken(result)
    assert not detours_taken(alone)
    # The trail is of the model, and the goal is at its end.
    (violation,) = result.violations
    assert violation.trail.states[-1] == alone.violations[0].trail.states[-1]


def test_a_detour_that_finds_nothing_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = asked(wheels(goal_is_reachable=False))
    monkeypatch.setattr(detour, "FIRST", 100)
    after = asked(wheels(goal_is_reachable=False))
    assert after.verdict is mule.Verdict.HOLDS
    assert (after.statistics.states, after.statistics.transitions) == (
        before.statistics.states,
        before.statistics.transitions,
    )
    assert not detours_taken(after)


def test_the_same_command_gives_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detour, "FIRST", 2_000)
    first, second = asked(wheels()), asked(wheels())
    assert first.violations[0].trail.states == second.violations[0].trail.states
    assert first.statistics.states == second.statistics.states


@pytest.mark.parametrize("options", [{"search": "dfs"}, {"search": "bfs"}, {"por": "none"}])
def test_who_asks_for_an_order_or_for_all_states_gets_it(
    options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detour, "FIRST", 10)
    monkeypatch.setattr(detour.Detour, "__call__", lambda *_: pytest.fail("there was a detour"))
    assert asked(wheels(), **options).violations


def test_limits_hold_on_a_detour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detour, "FIRST", 2_000)
    stopped = asked(wheels(), max_states=1_000)
    assert stopped.verdict is mule.Verdict.INCOMPLETE
    assert not detours_taken(stopped)


def test_a_long_trail_is_looked_for_again_with_a_guide() -> None:
    """Too far away for breadth-first search, and depth first the way there is no straight one."""
    goal = " and ".join(f"x{wheel} == {TEETH - 1}" for wheel in range(4))
    result = wheels().check(deadlock=False, assertions=False, invariants=[f"not ({goal})"])
    (violation,) = result.violations
    assert len(violation.trail.steps) == 4 * (TEETH - 1)
