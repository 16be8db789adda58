"""Random programs; `python -m tests.processes.agreement 1000` compares that many."""

from __future__ import annotations

import pytest

from tests.processes.agreement import compare
from tests.processes.programs import program

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(20))
def test_the_model_does_what_python_does(seed: int) -> None:
    compare(program(seed), f"program_{seed}.py", seed)
