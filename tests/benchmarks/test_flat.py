"""The big flat models, made small."""

from __future__ import annotations

from mule.benchmarks.flat import MODELS, fifo, flat_dve, flat_promela, rendezvous
from mule.frontends import load_text


def test_transitions_are_as_many_as_asked_for() -> None:
    assert len(load_text(flat_dve(60, 6), "flat.dve").transitions) == 60


def test_each_sender_can_meet_each_receiver() -> None:
    model = load_text(rendezvous(4, 3), "rendezvous.pml")
    assert sum(len(transition.moves) == 2 for transition in model.transitions) == 12


def test_assignments_and_cells() -> None:
    assert len(load_text(flat_promela(40), "flat.pml").transitions) == 41  # and the end of the process
    assert load_text(fifo(5), "fifo.pml").channels[0].capacity == 5


def test_every_model_has_a_file_of_its_language() -> None:
    assert {file.rpartition(".")[2] for file, _ in MODELS.values()} == {"dve", "pml"}
