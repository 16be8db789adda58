"""Bodies of handlers do what Python does, or are refused: `python -m tests.actors.handler_bodies` asks many more."""

from __future__ import annotations

import pytest

from tests.actors.box_bodies import HEADER, BoxWriter
from tests.actors.handler_bodies import compare

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(40))
def test_a_handler_does_what_python_does(seed: int) -> None:
    compare(seed)


@pytest.mark.parametrize("seed", [*range(6), 10, 11])
def test_a_handler_that_changes_objects_does_what_python_does(seed: int) -> None:
    compare(seed, BoxWriter, HEADER)
