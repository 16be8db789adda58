"""A sample of `python -m tests.cluster.fuzz`."""

from __future__ import annotations

import pytest

from tests.cluster.fuzz import try_model

pytestmark = pytest.mark.slow


def test_random_models_of_every_language_have_the_verdict_and_the_counts_of_one_search() -> None:
    outcomes = [try_model(seed) for seed in range(4)]
    assert sum("holds" in each or "violated" in each for each in outcomes) >= 2, outcomes
