"""Mule from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import mule
from mule.results import Verdict, ViolationKind

EXAMPLES = Path(__file__).parents[1] / "examples"


def example(name: str) -> mule.System:
    return mule.load(str(EXAMPLES / f"{name}.dve"))


def test_a_system_has_its_model() -> None:
    model = example("peterson").model
    assert (model.name, model.language, len(model.processes)) == ("peterson", "dve", 2)


def test_without_properties_all_that_the_model_declares_is_checked() -> None:
    assert example("peterson").check().verdict is Verdict.HOLDS
    [violation] = example("broken_mutex").check().violations
    assert violation.kind is ViolationKind.ASSERTION
    [violation] = example("philosophers").check().violations
    assert violation.kind is ViolationKind.DEADLOCK


def test_only_the_properties_that_are_asked_for_are_checked() -> None:
    broken = example("broken_mutex")
    assert broken.check(deadlock=True).verdict is Verdict.HOLDS
    assert broken.check(assertions=True).verdict is Verdict.VIOLATED
    assert broken.check(deadlock=True).properties == ("no deadlock", "no error of the model")
    assert example("philosophers").check(assertions=True).verdict is Verdict.HOLDS


def test_invariants_are_written_in_the_model_s_language() -> None:
    peterson = example("peterson")
    assert peterson.check(invariants=["not (left.critical and right.critical)"]).verdict is Verdict.HOLDS
    result = peterson.check(invariants=["turn < 2", "turn == 0"])
    assert [violation.property for violation in result.violations] == ["turn == 0"]
    with pytest.raises(mule.MuleError, match="tern"):
        peterson.check(invariants=["tern == 0"])


def test_options_have_the_names_of_the_command_line() -> None:
    result = example("philosophers").check(
        deadlock=True, por="beam", weak=True, nds=False, proviso="duplicate-", search="bfs", remember="none"
    )
    options = result.options
    assert (options.por, options.weak, options.nds, options.proviso) == ("beam", True, False, "duplicate-")
    assert (options.search, options.remember) == ("bfs", "none")
    limited = example("pipeline").explore(por="none", max_states=10, memory=2**30, time=60.0)
    assert (limited.verdict, limited.stopped, limited.statistics.states) == (Verdict.INCOMPLETE, "states", 10)


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(mule.MuleError, match="unknown por 'best'"):
        example("peterson").check(por="best")
    with pytest.raises(mule.MuleError, match="the proviso stack- needs a stack"):
        example("peterson").check(search="bfs", proviso="stack-")
    with pytest.raises(TypeError, match="colour"):
        example("peterson").check(colour="red")


def test_exploring_counts_and_says_what_is_preserved() -> None:
    philosophers = example("philosophers")
    full, reduced = philosophers.explore(por="none"), philosophers.explore()
    assert full.statistics.deadlocks == reduced.statistics.deadlocks == 1
    assert reduced.statistics.states < full.statistics.states
    assert full.notes == ()
    assert reduced.notes == ("reduced by deletion; this preserves deadlocks",)
    [note] = philosophers.explore(preserve="safety").notes
    assert note == "reduced by deletion; this preserves deadlocks, invariants and assertions"


def test_the_language_can_be_named_where_the_file_does_not_tell(tmp_path: Path) -> None:
    file = tmp_path / "model.txt"
    file.write_text((EXAMPLES / "peterson.dve").read_text())
    assert mule.load(str(file)).check().verdict is Verdict.HOLDS
    assert mule.load(str(file), "dve").check().verdict is Verdict.HOLDS
    file.write_text("byte x;")
    with pytest.raises(mule.MuleError, match="cannot tell the language"):
        mule.load(str(file))


def test_a_missing_file_is_a_mule_error_with_its_place() -> None:
    with pytest.raises(mule.MuleError, match=r"^no/such/model\.dve: there is no such file$"):
        mule.load("no/such/model.dve")
