"""Bodies of handlers do what Python does, or are refused: `python -m tests.actors.handler_bodies` asks many more."""

from __future__ import annotations

import pytest

from tests.actors.handler_bodies import compare


@pytest.mark.parametrize("seed", range(40))
def test_a_handler_does_what_python_does(seed: int) -> None:
    compare(seed)
