"""Trails that SPIN writes for third-party models, replayed to the same error."""

from __future__ import annotations

import pytest

from tests.promela.corpus import CORPUS, needs_corpus
from tests.trails.spin_trails import has_spin, replayed

pytestmark = [
    pytest.mark.corpus,
    needs_corpus,
    pytest.mark.skipif(not has_spin(), reason="SPIN or gcc is not installed"),
]


@pytest.mark.parametrize("name", ["Samples/p312.pml", "Tests/pathfinder", "giop/giop1.pr", "jspin-examples/second.pml"])
def test_trails_of_third_party_models(name: str) -> None:
    found = replayed(CORPUS / name)
    assert found is not None
    assert found.violation is not None, found.undecided
