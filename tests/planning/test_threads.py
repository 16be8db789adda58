"""The end of a budget comes to the thread that spends it, also while that one starts others."""

from __future__ import annotations

import itertools
from functools import partial

import pytest

from mule.budget import Budget, apart

pytestmark = pytest.mark.slow


def test_the_end_does_not_come_to_a_thread_that_is_being_started() -> None:
    def work() -> str:
        for number in itertools.count():
            apart(partial(int, number))
        return "never"

    for attempt in range(40):
        assert Budget(seconds=0.005 * (attempt % 3 + 1)).spend(work, lambda reason: reason) == "time"


class Finalised:
    """Does something when nobody needs it any more."""

    def __del__(self) -> None:
        sum(range(50))


def test_what_python_drops_is_not_printed(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> str:
        while True:
            Finalised()

    for _ in range(4):
        assert Budget(seconds=0.01).spend(work, lambda reason: reason) == "time"
    assert capfd.readouterr().err == ""


def test_nothing_is_left_behind_for_the_interpreter_to_look_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is raised without an exception would be looked for in every loop, by everybody, for ever."""
    raised: list[object] = []
    monkeypatch.setattr("mule.budget._raise_in", raised.append)
    assert Budget(seconds=60.0).spend(lambda: "done", lambda reason: reason) == "done"
    assert raised == []
