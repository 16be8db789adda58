"""Compiled protocols do what Python does: the classes are run as they are, and everything is compared.

`python -m tests.actors.agreement 1000` does the same for a thousand of them."""

from __future__ import annotations

import pytest

from tests.actors.agreement import compare
from tests.actors.protocols import protocol

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(30))
def test_random_protocols(seed: int) -> None:
    compare(protocol(seed), f"protocol_{seed}.py", seed, most=600)
