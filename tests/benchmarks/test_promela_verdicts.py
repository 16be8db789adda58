from __future__ import annotations

from pathlib import Path

from mule.benchmarks.promela_verdicts import run
from tests.benchmarks.corpora import COUNTER, STUCK, corpus, facts, printed

WRONG_ASSERTION = "active proctype P() { assert(0) }\n"


def test_an_error_of_another_kind_agrees(tmp_path: Path) -> None:
    models = corpus(
        tmp_path,
        {
            "counter.pml": (COUNTER, facts("no errors")),
            "stuck.pml": (STUCK, facts("assertion violated")),
            "asserts.pml": (WRONG_ASSERTION, facts("assertion violated")),
        },
        [],
    )
    status, text = printed(run, models)
    assert status == 0
    assert "SPIN: assertion violated; ours: deadlock" in text
    assert "SPIN: assertion violated; ours: assertion" in text
    assert "3 of 3 models have SPIN's verdict" in text


def test_an_error_that_spin_does_not_find_differs(tmp_path: Path) -> None:
    status, text = printed(run, corpus(tmp_path, {"stuck.pml": (STUCK, facts("no errors"))}, []))
    assert status == 1
    assert text.startswith("DIFFERS    stuck.pml")


def test_what_spin_could_not_complete_is_listed_apart(tmp_path: Path) -> None:
    status, text = printed(run, corpus(tmp_path, {"stuck.pml": (STUCK, facts("incomplete"))}, []))
    assert status == 0
    assert text.endswith("SPIN came to no verdict on:\n  stuck.pml: ours: deadlock\n")


def test_a_model_that_is_not_read_is_undecided(tmp_path: Path) -> None:
    status, text = printed(run, corpus(tmp_path, {"broken.pml": ("active proctype {", facts())}, []))
    assert status == 0
    assert text.startswith("undecided  broken.pml")
    assert "0 of 1 models have SPIN's verdict" in text
