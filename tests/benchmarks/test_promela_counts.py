from __future__ import annotations

from pathlib import Path

from mule.benchmarks.promela_counts import MOST_STATES, run
from tests.benchmarks.corpora import COUNTER, STUCK, corpus, facts, printed, spin_search


def test_the_counts_are_spin_s(tmp_path: Path) -> None:
    models = corpus(
        tmp_path,
        {
            "counter.pml": (COUNTER, facts(full=spin_search(73, 129))),
            "stuck.pml": (STUCK, facts(full=spin_search(1, 1))),
        },
        [],
    )
    status, text = printed(run, models)
    assert status == 0
    assert "2 of 2 models have SPIN's number of states; 0 of these have another number of transitions" in text


def test_another_number_of_transitions_is_listed(tmp_path: Path) -> None:
    models = corpus(tmp_path, {"counter.pml": (COUNTER, facts(full=spin_search(73, 140)))}, [])
    status, text = printed(run, models)
    assert status == 0
    assert "SPIN has 73 and 139" in text
    assert text.endswith("1 of these have another number of transitions\n  counter.pml\n")


def test_another_number_of_states_is_wrong(tmp_path: Path) -> None:
    models = corpus(tmp_path, {"counter.pml": (COUNTER, facts(full=spin_search(72, 129)))}, [])
    status, text = printed(run, models)
    assert status == 1
    assert text.startswith("WRONG  counter.pml")


def test_a_model_that_is_not_read_is_wrong(tmp_path: Path) -> None:
    models = corpus(tmp_path, {"broken.pml": ("active proctype {", facts(full=spin_search(1, 1)))}, [])
    status, text = printed(run, models)
    assert status == 1
    assert text.startswith("WRONG  broken.pml")


def test_only_complete_counts_of_a_bearable_size_are_compared(tmp_path: Path) -> None:
    models = corpus(
        tmp_path,
        {
            "cut_off.pml": (COUNTER, facts(full=spin_search(10, 10, complete=False))),
            "large.pml": (COUNTER, facts(full=spin_search(MOST_STATES + 1, 10**8))),
        },
        [],
    )
    assert printed(run, models)[1].startswith("0 of 0 models")
