"""A sample of the mutants that `python -m tests.differential.mutants` compares with SPIN."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.differential.mutants import OWN, judge, model_files
from tests.differential.mutation import mutant, read_program
from tests.differential.mutation.source import text_of, tokens_of
from tests.promela.corpus import CORPUS, needs_corpus

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

needs_spin = pytest.mark.skipif(
    shutil.which("spin") is None or shutil.which("gcc") is None, reason="SPIN or gcc is not installed"
)
SMALL = [file for file in OWN if file.name in ("mailbox.pml", "abp.pml", "pacemaker_concurrent.pml")]
MUTANTS = 12
BATCH = 4


def unexplained(number: int, files: Sequence[Path]) -> list[str]:
    outcome = judge(number, 0, files)
    pairs = zip(outcome.comparison.differences, outcome.explained, strict=True)
    return [f"{difference}\n{outcome.mutant.text}" for difference, why in pairs if why is None]


@needs_spin
@pytest.mark.parametrize("first", range(0, MUTANTS, BATCH))
def test_mutants_of_our_own_programs(first: int) -> None:
    for number in range(first, first + BATCH):
        assert unexplained(number, SMALL) == []


@needs_spin
@needs_corpus
@pytest.mark.parametrize("first", range(0, MUTANTS, BATCH))
def test_mutants_of_the_corpus(first: int) -> None:
    files = model_files(CORPUS)
    for number in range(first, first + BATCH):
        assert unexplained(number, files) == []


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.name)
def test_tokens_are_the_text(file: Path) -> None:
    program = read_program(file)
    assert text_of(tokens_of(program)).split() == program.split()


def test_a_number_is_always_the_same_mutant_and_no_two_are_the_same() -> None:
    program = read_program(OWN[0])
    texts = [mutant(program, random.Random(number)).text for number in range(50)]
    assert texts == [mutant(program, random.Random(number)).text for number in range(50)]
    assert len(set(texts)) > 45
    assert program not in texts
