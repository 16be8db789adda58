"""A sample of `python -m tests.directed.fuzz --count 2000 --seed 0`."""

from __future__ import annotations

import pytest

from tests.directed.fuzz import try_model


@pytest.mark.parametrize("seed", [3, 7, 16, 19, 22, 23, 24, 27])
def test_searches_of_random_models_agree(seed: int) -> None:
    try_model(seed)
