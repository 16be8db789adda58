"""One budget for all phases: its end is heard everywhere, and what is known by then stays known."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

import mule.comparison
import mule.graph.construction
import mule.records
import mule.safety
import mule.temporal.checking
from mule import budget
from mule.budget import Budget, Ended, apart, current, in_a_process, spend, unless_ended
from mule.checking import check, explore
from mule.comparison import compare
from mule.frontends import load_text
from mule.graph import construct, observed_by
from mule.model import Model
from mule.options import Options
from mule.properties import Properties
from mule.results import Result, Verdict
from mule.unanswered import unanswered
from mule.validation import validate

EXAMPLES = Path(__file__).parents[2] / "examples"
SPAWNING = """
byte done;
proctype W(short n) { if :: n > 0 -> run W(n - 1) :: else fi; done++ }
init { run W(40) }
"""
"""The guess of how many processes there can be is too small."""


def for_ever() -> NoReturn:
    while True:
        pass


def end_now(*_: Any, **__: Any) -> Any:
    """Stands in for a phase in which the user presses Ctrl-C."""
    current().interrupt()
    raise AssertionError("the end was not heard")


def interrupted(work: Callable[[], Result]) -> Result:
    return Budget().spend(work, lambda reason: pytest.fail(f"{reason}, and nothing is known"))


def example(name: str) -> Model:
    return load_text((EXAMPLES / name).read_text(), name)


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("seconds", [1e10, 1e15])
def test_a_time_that_no_lock_can_wait_for_is_a_limit_as_any(seconds: float) -> None:
    def a_moment() -> str:
        time.sleep(0.05)
        return "done"

    assert spend(seconds, None, a_moment, str) == "done"


def test_the_time_ends_what_knows_nothing_of_it() -> None:
    assert spend(0.05, None, for_ever, str) == "time"


def test_so_it_does_in_other_threads() -> None:
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(spend(0.05, None, for_ever, str)))
    thread.start()
    thread.join()
    assert found == ["time"]


def test_the_memory_ends_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "BESIDE", 2**20)

    def grow() -> NoReturn:
        held = []
        while True:
            held.append(bytearray(2**20))

    assert spend(None, 2**20, grow, str) == "memory"


def run_out(*_: Any, **__: Any) -> Any:
    """Stands in for a phase for which there is not enough memory."""
    raise MemoryError


def test_running_out_of_memory_is_an_end_as_well() -> None:
    def work() -> list[str]:
        first = unless_ended(run_out, lambda reason: f"first {reason}")
        return [first, unless_ended(lambda: pytest.fail("it was begun"), lambda reason: f"second {reason}")]

    assert spend(None, 2**30, work, lambda _: []) == ["first memory", "second memory"]
    assert spend(None, 2**30, run_out, str) == "memory"


def test_what_runs_out_of_memory_without_a_budget_is_heard_by_all() -> None:
    with pytest.raises(MemoryError):
        unless_ended(run_out, str)
    assert current().ended is None


def test_a_violation_that_cannot_be_followed_for_want_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mule.safety, "explained", run_out)
    result = interrupted(lambda: check(example("broken_mutex.dve")))
    assert (result.verdict, result.stopped) == (Verdict.INCOMPLETE, "memory")
    assert mule.safety.NOT_FOLLOWED in result.notes


def test_the_limit_is_never_more_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "left_memory", lambda: 2**20)
    assert spend(None, 2**50, lambda: [b"x" * 2**26, for_ever()], str) == "memory"


def test_nothing_is_raised_where_somebody_polls() -> None:
    def work() -> str:
        with current().polling():
            while current().ended is None:
                time.sleep(0.01)
            current().interrupt()
        return f"told: {current().ended}"

    assert spend(0.05, None, work, str) == "told: time"


def test_it_is_raised_again_if_a_finaliser_has_swallowed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.unraisablehook", lambda _: None)

    class Stubborn:
        def __del__(self) -> None:
            for_ever()

    def work() -> NoReturn:
        Stubborn()
        for_ever()

    assert spend(0.05, None, work, str) == "time"


def test_a_native_call_is_left_behind() -> None:
    done = threading.Event()
    assert spend(0.05, None, lambda: str(apart(done.wait)), str) == "time"
    done.set()


def test_the_end_never_hits_the_threads_of_native_calls(capsys: pytest.CaptureFixture[str]) -> None:
    """Python takes a thread that is about to begin for the one that starts it."""

    def calls() -> NoReturn:
        while True:
            apart(lambda: None)

    assert {spend(0.01 + number * 0.001, None, calls, str) for number in range(20)} == {"time"}
    assert capsys.readouterr().err == ""


def test_a_native_call_that_keeps_the_lock_is_killed() -> None:
    assert spend(0.1, None, lambda: in_a_process(for_ever), str) == "time"


def test_a_process_tells_what_it_found() -> None:
    assert spend(60, None, lambda: in_a_process(lambda: "ä" * 200_000), str) == "ä" * 200_000


def test_what_fails_in_a_process_fails_here() -> None:
    def fail() -> str:
        raise ValueError("so it is")

    with pytest.raises(ValueError, match="so it is"):
        spend(60, None, lambda: in_a_process(fail), str)


def test_what_fails_apart_fails_here() -> None:
    def fail() -> None:
        raise ValueError("so it is")

    with pytest.raises(ValueError, match="so it is"):
        spend(60, None, lambda: apart(fail), lambda _: None)


def test_after_the_end_nothing_is_begun() -> None:
    def work() -> list[str]:
        first = unless_ended(end_now, lambda reason: f"first {reason}")
        return [first, unless_ended(lambda: pytest.fail("it was begun"), lambda reason: f"second {reason}")]

    assert Budget().spend(work, lambda _: []) == ["first interrupted", "second interrupted"]


def test_a_budget_that_is_left_raises_nothing() -> None:
    spend(0.01, None, lambda: None, lambda _: None)
    time.sleep(0.1)
    assert current().ended is None


def test_ended_is_no_defect_of_a_model() -> None:
    assert not issubclass(Ended, Exception)


# what is known stays known --------------------------------------------------------------------------------------------


def test_a_run_that_cannot_be_made_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mule.temporal.checking, "shorter_lasso", end_now)
    result = interrupted(lambda: check(example("peterson.dve"), Properties(ltl=("[]<> left.critical",))))
    assert (result.verdict, result.stopped) == (Verdict.VIOLATED, None)


def test_a_violation_that_cannot_be_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mule.safety, "explained", end_now)
    result = interrupted(lambda: check(example("broken_mutex.dve")))
    assert (result.verdict, result.stopped) == (Verdict.INCOMPLETE, "interrupted")
    assert mule.safety.NOT_FOLLOWED in result.notes
    assert result.statistics.states > 0


def test_a_run_that_cannot_be_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mule.temporal.checking, "replay_lasso", end_now)
    result = interrupted(lambda: check(example("peterson.dve"), Properties(ltl=("[]<> left.critical",))))
    assert (result.verdict, result.stopped) == (Verdict.INCOMPLETE, "interrupted")
    assert mule.safety.NOT_FOLLOWED in result.notes


def test_whether_it_holds_vacuously_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mule.temporal.checking, "vacuous_on_runs", end_now)
    safe = "[] !(left.critical && right.critical)"
    result = interrupted(lambda: check(example("peterson.dve"), Properties(ltl=(safe,))))
    assert (result.verdict, result.stopped) == (Verdict.HOLDS, None)


def test_the_other_properties_are_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mule.temporal.checking, "answer", end_now)
    wanted = Properties(deadlock=True, ltl=("[]<> left.critical",), ctl=("AG EF left.critical",))
    result = interrupted(lambda: check(example("peterson.dve"), wanted))
    verdicts = {each.property: each.verdict for each in result.judgements}
    assert verdicts["no deadlock"] is Verdict.HOLDS
    assert verdicts["temporal property []<> left.critical"] is Verdict.INCOMPLETE
    assert verdicts["temporal property AG EF left.critical"] is Verdict.INCOMPLETE
    assert result.stopped == "interrupted"


@pytest.mark.parametrize(
    "wanted",
    [
        Properties(deadlock=True),
        Properties(invariants=("done < 90",)),
        Properties(ltl=("[] (done < 90)",)),
        Properties(ctl=("AG (done < 90)",)),
    ],
    ids=["deadlock", "invariant", "ltl", "ctl"],
)
def test_a_model_without_room_decides_nothing(wanted: Properties) -> None:
    model = load_text(SPAWNING, "m.pml")
    narrow = mule.records.replace(model, wider=end_now, deeper=None)
    result = interrupted(lambda: check(narrow, wanted))
    assert (result.verdict, result.stopped) == (Verdict.INCOMPLETE, "interrupted")
    assert {each.verdict for each in result.judgements if "error" not in each.property} == {Verdict.INCOMPLETE}


def test_a_count_of_a_model_without_room_is_incomplete() -> None:
    narrow = mule.records.replace(load_text(SPAWNING, "m.pml"), wider=end_now)
    result = interrupted(lambda: explore(narrow))
    assert (result.verdict, result.stopped) == (Verdict.INCOMPLETE, "interrupted")
    assert result.statistics.states > 0


def test_a_graph_that_is_not_finished_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mule.graph.construction.GraphBuilder, "build", end_now)
    model = example("peterson.dve")
    built = Budget().spend(lambda: construct(model, observed_by(model, ["left.critical"]), "ctl"), pytest.fail)
    assert (built.graph, built.result.stopped) == (None, "interrupted")


def test_the_rows_before_the_end_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mule.comparison, "_row", end_now)
    rows = Budget().spend(lambda: compare(example("peterson.dve")), pytest.fail)
    assert [(row.algorithm, row.stopped) for row in rows] == [("none", None), ("ample", "interrupted")]


def test_a_validation_that_is_not_finished_validates_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mule.validation.checking.check_sets", end_now)
    validation = Budget().spend(lambda: validate(example("peterson.dve")), pytest.fail)
    assert (validation.holds, validation.stopped) == (False, "interrupted")
    assert validation.checks > 0


def test_the_limits_of_a_check_hold_from_python() -> None:
    result = check(load_text("active proctype P() { run P() }", "m.pml"), None, Options(time=0.2))
    assert (result.verdict, result.stopped) == (Verdict.INCOMPLETE, "time")


def test_what_is_left_open_is_all_that_an_answer_decides() -> None:
    """Nothing more and nothing less, whatever is asked: a property that is not named looks decided."""
    model = load_text(
        "byte x; active proctype P() { accept: do :: x < 2 -> x++; assert(x < 3) :: x == 2 -> x = 0 od }\n"
        "ltl small { [] (x < 3) }",
        "small.pml",
    )
    for wanted in (
        Properties(),
        Properties(deadlock=True, assertions=True, invariants=("x < 3",)),
        Properties(ltl=("[] (x < 3)",), ctl=("AG (x < 3)",)),
        Properties(claims=("all",), progress=True, acceptance=True),
        Properties(claims=("small",)),
    ):
        decided = {(each.kind, each.property) for each in check(model, wanted).judgements}
        open_ = unanswered(model, wanted, Options(), "time").judgements
        assert {(each.kind, each.property) for each in open_} == decided
