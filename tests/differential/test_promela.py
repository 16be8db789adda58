"""Random Promela programs: states and verdicts against an installed SPIN's, and every reduction against no reduction.

The same with more programs: python -m tests.differential.promela_programs --count 2000
"""

from __future__ import annotations

import random
import shutil

import pytest

from tests.differential.generator import random_program
from tests.differential.spin_runner import NotComparableError, ask_spin, compare

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("spin") is None or shutil.which("gcc") is None, reason="SPIN or gcc is not installed"
    ),
]

PROGRAMS = 40
BATCH = 5


@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_random_programs_are_the_same_to_both_tools(first: int) -> None:
    for seed in range(first, first + BATCH):
        program = random_program(random.Random(seed))
        try:
            answer = ask_spin(program)
        except NotComparableError:
            continue
        found = [str(difference) for difference in compare(program, answer)]
        assert not found, f"seed {seed}:\n{program}"


def test_most_random_programs_are_for_spin() -> None:
    """A generator whose programs SPIN rejects would make the comparison hollow."""
    accepted = 0
    for seed in range(PROGRAMS, PROGRAMS + 20):
        try:
            ask_spin(random_program(random.Random(seed)))
            accepted += 1
        except NotComparableError:
            pass
    assert accepted >= 16
